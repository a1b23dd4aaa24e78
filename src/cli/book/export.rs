use super::super::Exit;
use super::super::input::{Input, name};
use super::super::output::{Output, refuse_existing};
use super::super::progress::{Bar, Stoppable};
use super::super::reading::format;
use super::super::terminal::{complain, thousands};
use super::tree::TreeArgs;
use super::{entry_format, open};
use ::book::{Book, Frames};
use ::formats::{Blame, ENTRY_FORMATS, EntryFormat, Error, FORMATS, Format, Loss, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a book as a database of Yixin and Rapfi, or as a tree of moves
#[derive(Args)]
#[command(after_help = "What the format cannot hold, such as statistics of games in a database, is told on stderr.

In a tree (.lib, .sgf, .agr, .agx, .json) each position stands once, on the line that was played most.

Examples:
  kifu book export games.agb -o games.db
  kifu book export games.agb --raw -o games.db
  kifu book export games.agb -t rapfi-csv > games.csv
  kifu book export games.agb -o games.lib
  kifu book export games.agb --position opening:D4 --stats --link-comments -o d4.sgf")]
pub struct Export {
    /// Book; - is stdin
    book: PathBuf,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output: yixin-db, rapfi-csv, or one of records [default: told by the extension of -o]
    #[arg(short, long, value_parser = target, value_name = "FORMAT")]
    to: Option<Target>,
    /// Leave a database unpacked, as Rapfi reads it too
    #[arg(long)]
    raw: bool,
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

/// The format of a name or an extension on the command line.
fn target(name: &str) -> Result<Target, String> {
    if let Ok(format) = entry_format(name) {
        return Ok(Target::Entries(format));
    }
    format(name).map(Target::Records).map_err(|_| {
        let entries = ENTRY_FORMATS.iter().map(|format| format.name);
        let names: Vec<&str> = entries.chain(FORMATS.iter().map(|format| format.name)).collect();
        format!("`{name}` is not a format that a book can be written in: write one of {}", names.join(", "))
    })
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
        match to {
            Target::Entries(format) => {
                self.tree.refuse_for(format.name)?;
                self.entries(&book, input.len() as u64, format, file)
            }
            Target::Records(format) => {
                if self.raw {
                    anyhow::bail!("--raw is for databases, and {} is a format of records", format.name);
                }
                self.tree.write(&book, input.len() as u64, &self.book, format, file, self.force)
            }
        }
    }

    fn entries(&self, book: &Book<&[u8]>, bytes: u64, format: &EntryFormat, file: Option<&Path>) -> Result<Exit> {
        let mut losses = Losses::default();
        let mut frames = Frames::new(book.is_symmetric());
        let mut convert = |out: &mut dyn Write| -> Result<()> {
            let _bar = Bar::watch(bytes);
            let failed = |error: Error| match (error.blame, file) {
                (Blame::World, Some(path)) => anyhow!("{}: it cannot be written: {error}", path.display()),
                (Blame::World, None) => anyhow!("stdout cannot be written: {error}"),
                _ => anyhow::Error::new(error).context(name(&self.book)),
            };
            let mut out = Stoppable(out);
            let mut writer = (format.writer)(&mut out, &WriteOptions { raw: self.raw, ..WriteOptions::default() });
            for position in book.entries() {
                let (key, entry) = position.with_context(|| name(&self.book))?;
                let (_, size) = ::book::board(&key).expect("a block that is read names its board");
                let key = frames.of(size).key(&key).expect("a key that is read names a position");
                writer.entry(&key, &entry, &mut losses).map_err(failed)?;
            }
            writer.finish(&mut losses).map_err(failed)
        };
        match file {
            Some(path) => {
                refuse_existing(path, self.force)?;
                let mut output = Output::create(path, self.force)?;
                convert(&mut output)?;
                output.commit()?;
            }
            None => convert(&mut std::io::stdout().lock())?,
        }
        for loss in losses.list() {
            let Loss { what, count, first, .. } = loss;
            let (number, one) = (thousands(*count), if *count > 1 { "first " } else { "" });
            complain(&format!("{}: {} cannot hold {what}: {number} ({one}{first})", name(&self.book), format.name));
        }
        Ok(Exit::Done)
    }
}
