use super::super::Exit;
use super::super::files::{Files, Wanted};
use super::super::input::{Input, name};
use super::super::kind::Kind;
use super::super::output::refuse_existing;
use super::super::reading::ReadArgs;
use super::super::terminal::thousands;
use super::making::{self, Making};
use super::{folder_of, memory, say, write};
use ::book::{BuildOptions, Counts};
use ::formats::ReadOptions;
use anyhow::{Context, Result, bail};
use clap::Args;
use games::{Coords, Rule};
use std::io::Write;
use std::path::PathBuf;

/// Make a book of games and libraries
#[derive(Args)]
#[command(
    after_help = "A record with a result, or without branches, is a game; it counts once for each position of its main line.

Examples:
  kifu book build games.sgf -o games.agb
  kifu book build -r collection --rule renju --memory 256M -o all.agb"
)]
pub struct Build {
    /// Files; - is stdin
    #[arg(required = true)]
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
    /// Count games of fewer than ten plies, too
    #[arg(long)]
    short: bool,
    /// Leave out what is deeper than this
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_ply: usize,
    /// Keep turned and mirrored positions apart
    #[arg(long)]
    no_symmetry: bool,
    /// Leave out comments and texts on points
    #[arg(long)]
    no_texts: bool,
    /// Memory to sort in, such as 256M; what is beyond it waits in files beside the book
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
    /// Notation of points where the file leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    #[command(flatten)]
    read: ReadArgs,
}

impl Build {
    /// Reads all inputs, sorts, and writes the book.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let wanted = Wanted::Records.unless(self.read.from.is_some());
        let files = Files::list(&self.files, self.recurse, wanted, None)?;
        let mut making = Making::new(BuildOptions {
            symmetric: !self.no_symmetry,
            min_plies: if self.short { 0 } else { BuildOptions::default().min_plies },
            max_ply: self.max_ply,
            texts: !self.no_texts,
            memory: self.memory,
            folder: folder_of(&self.output),
        });
        let options = ReadOptions { rule: self.rule, ..self.read.options(self.coords, 1) };
        let exit = files.each(|path| {
            let input = Input::open(path)?;
            let kind = self.read.kind(&input).with_context(|| name(path))?;
            let kind = making::wanted(path, kind, |kind| matches!(kind, Kind::Records(_)))?;
            making.add(path, &input, kind, &self.read, &options)?;
            Ok(Exit::Done)
        })?;
        let counts = making.counts();
        if counts.records == 0 && exit != Exit::Done {
            bail!("{}: nothing could be read, and no book is written", name(&self.output));
        }
        for (what, number) in told(&counts) {
            making.note(what, number);
        }
        let written = write(&self.output, self.force, |out| making.finish(out))?;
        say(&self.output, &written)?;
        let mut out = anstream::stdout().lock();
        for (what, number) in told(&counts) {
            writeln!(out, "  {what}: {}", thousands(number))?;
        }
        Ok(exit)
    }
}

/// What became of the records, in words.
pub fn told(counts: &Counts) -> impl Iterator<Item = (&'static str, u64)> {
    let all = [
        ("records", counts.records),
        ("games counted", counts.games),
        ("games too short to count", counts.short),
        ("records without a game", counts.trees),
        ("branches with a stone on a stone, left out", counts.on_stones),
        ("times, signs, marks and raw bytes, not kept", counts.unkept),
    ];
    all.into_iter().filter(|(_, number)| *number > 0)
}
