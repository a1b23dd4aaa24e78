use super::super::Exit;
use super::super::input::Input;
use super::super::kind::Kind;
use super::super::output::{Output, folder_of};
use super::super::progress::Bar;
use super::tree::TreeArgs;
use super::{entry_format, memory, open, tell_losses, write_positions};
use ::book::Book;
use ::formats::{ENTRY_FORMATS, EntryFormat, FORMATS, Format, Losses, WriteOptions};
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a book as JSON lines, as a table, as a book of another program, or as a tree of moves
#[derive(Args)]
#[command(after_help = "JSON lines and tables (book-csv) hold all that a book says of positions, but not the list of
the games that they refer to. What a format cannot hold, such as statistics of games in a database,
is told on stderr.

In a tree (.lib, .sgf, .agr, .agx, .json) each position stands once, on the line that was played most.

Examples:
  kifu book export games.agb -o games.db
  kifu book export games.agb -t book-jsonl | jq -c 'select(.games > 9)'
  kifu book export games.agb --bom -o games.csv
  kifu book export games.agb -t rapfi-csv > games.csv
  kifu book export games.agb -o games.lib
  kifu book export masters.agb -o masters.obk
  kifu book export games.agb --position opening:D4 --stats --link-comments -o d4.sgf")]
pub struct Export {
    /// Book; - is stdin
    book: PathBuf,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output, of positions or of records, as `kifu formats` lists them [default: told by the
    /// extension of -o]
    #[arg(short, long, value_parser = target, value_name = "FORMAT")]
    to: Option<Target>,
    /// Leave a database unpacked, as Rapfi reads it too
    #[arg(long)]
    raw: bool,
    /// Cut comments and texts that are too long for a database (65,530 bytes a position), rather than to write none
    #[arg(long)]
    cut_texts: bool,
    /// Begin a table with a byte order mark, without which Excel mistakes its letters
    #[arg(long)]
    bom: bool,
    /// Memory to sort a database in, such as 256M; what is beyond it waits in files beside the output
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    tree: TreeArgs,
}

/// What a book can be written as.
#[derive(Copy, Clone)]
enum Target {
    Entries(&'static EntryFormat),
    Records(&'static Format),
}

/// The format of a name or an extension on the command line; of several, one of positions.
fn target(name: &str) -> Result<Target, String> {
    if let Ok(format) = entry_format(name) {
        return Ok(Target::Entries(format));
    }
    if let Ok(Kind::Records(format)) = Kind::parse(name) {
        return Ok(Target::Records(format));
    }
    let entries = ENTRY_FORMATS.iter().map(|format| format.name);
    let names: Vec<&str> = entries.chain(FORMATS.iter().map(|format| format.name)).collect();
    Err(format!("`{name}` is not a format that a book can be written in: write one of {}", names.join(", ")))
}

impl Export {
    /// Reads the book and writes it.
    pub fn run(self) -> Result<Exit> {
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let file = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        let extension = file.and_then(Path::extension).and_then(|extension| extension.to_str());
        let to = match (self.to, extension) {
            (Some(to), _) => to,
            (None, Some(extension)) => target(extension).map_err(anyhow::Error::msg)?,
            (None, None) => anyhow::bail!("name the format to write with -t, or a file with -o"),
        };
        let (exit, output) = match to {
            Target::Entries(format) => {
                self.tree.refuse_for(format.name)?;
                (Exit::Done, self.entries(&book, input.len() as u64, format, file)?)
            }
            Target::Records(format) => {
                for (is_given, option) in [(self.raw, "--raw"), (self.cut_texts, "--cut-texts")] {
                    if is_given {
                        anyhow::bail!("{option} is for databases, and {} is a format of records", format.name);
                    }
                }
                self.tree.write(&book, input.len() as u64, &self.book, format, file, self.force)?
            }
        };
        // Windows replaces no file that is still mapped.
        drop(input);
        output.map_or(Ok(()), Output::commit)?;
        Ok(exit)
    }

    fn entries(
        &self,
        book: &Book<&[u8]>,
        bytes: u64,
        format: &EntryFormat,
        file: Option<&Path>,
    ) -> Result<Option<Output>> {
        let mut losses = Losses::default();
        let mut convert = |out: &mut dyn Write| {
            let (memory, folder) = (Some(self.memory), file.map(|path| folder_of(path).into()));
            let options = WriteOptions {
                raw: self.raw,
                cut_texts: self.cut_texts,
                bom: self.bom,
                memory,
                folder,
                ..WriteOptions::default()
            };
            let _bar = Bar::watch(bytes);
            write_positions(book, &self.book, format, &options, out, file, &mut losses)
        };
        let mut output = None;
        match file {
            Some(path) => convert(output.insert(Output::create(path, self.force)?))?,
            None => convert(&mut std::io::stdout().lock())?,
        }
        tell_losses(&self.book, format.name, &losses);
        Ok(output)
    }
}
