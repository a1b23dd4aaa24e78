use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::output::{folder_of, refuse_existing};
use super::super::reading::ReadArgs;
use super::super::terminal::{complain, thousands};
use super::making::{self, Making};
use super::{finish, memory, say};
use ::book::BuildOptions;
use ::formats::ReadOptions;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::{Coords, Rule};
use std::io::Write;
use std::path::PathBuf;

/// Make a book of JSON lines, tables, databases of Yixin and Rapfi, and books of xiangqi programs
#[derive(Args)]
#[command(
    after_help = "Databases are read packed (LZ4) or raw, and so is the CSV that Rapfi makes of them. Where several
know a position, games add up, and a proven win or loss stays, else the deeper value. Books of xiangqi hold
keys alone: what their moves do not lead to from the start is counted and left out.

Examples:
  kifu book import rapfi.db -o rapfi.agb
  kifu book import old.db --encoding gbk -o old.agb
  kifu book import opening.obk -o opening.agb
  kifu book import values.jsonl rapfi.db --rule renju -o both.agb"
)]
pub struct Import {
    /// Files of positions; - is stdin
    #[arg(required = true, value_name = "IN")]
    files: Vec<PathBuf>,
    /// Read the files in folders
    #[arg(short, long)]
    recurse: bool,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// Rule where the input does not say it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// Keep turned and mirrored positions apart
    #[arg(long)]
    no_symmetry: bool,
    /// Memory to sort in, such as 256M; what is beyond it waits in files beside the book
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
    #[command(flatten)]
    read: ReadArgs,
}

impl Import {
    /// Reads the files and writes the book.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let wanted = Wanted::Positions.unless(self.read.from.is_some());
        let files = Files::list(&self.files, self.recurse, wanted, None)?;
        let mut making = Making::new(BuildOptions {
            symmetric: !self.no_symmetry,
            memory: self.memory,
            folder: folder_of(&self.output).into(),
            ..BuildOptions::default()
        });
        making.is_whole = files.found.len() == 1;
        let options = ReadOptions { rule: self.rule, ..self.read.options(Coords::A1, 1) };
        let exit = making.each(&files, |making, path| {
            let input = Input::open(path)?;
            #[cfg(unix)]
            let _light = input.lighten();
            if input.is_empty() {
                bail!("{}: there is nothing in it", name(path));
            }
            let kind = self.read.kind(&input).with_context(|| name(path))?;
            let kind = making::wanted(path, kind, |kind| matches!(kind, Kind::Positions(_)))?;
            making.add(path, &input, kind, &self.read, &options)
        })?;
        // What stands before a fault of the only file is kept with --lenient.
        if exit != Exit::Done && (making.is_whole || making.positions == 0) {
            if !making.is_whole {
                complain(&format!("{}: nothing could be read, and no book is written", name(&self.output)));
            }
            return Ok(exit);
        }
        let read = making.positions;
        making.note("positions read", read);
        let (builder, provenance) = making.done();
        let written = finish(&self.output, self.force, builder, &provenance)?;
        say(&self.output, &written)?;
        writeln!(anstream::stdout().lock(), "  positions read: {}", thousands(read))?;
        Ok(exit)
    }
}
