use super::super::Exit;
use super::super::input::{Input, name};
use super::super::output::{Output, refuse_existing};
use super::super::progress::{Bar, Stoppable};
use super::super::terminal::{complain, thousands};
use super::{entry_format, open};
use ::book::Frames;
use ::formats::{Blame, EntryFormat, Error, Loss, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a book as a database of Yixin and Rapfi
#[derive(Args)]
#[command(after_help = "What a database cannot hold, such as statistics of games, is told on stderr.

Examples:
  kifu book export games.agb -o games.db
  kifu book export games.agb --raw -o games.db
  kifu book export games.agb -t rapfi-csv > games.csv")]
pub struct Export {
    /// Book; - is stdin
    book: PathBuf,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output: yixin-db or rapfi-csv [default: told by the extension of -o]
    #[arg(short, long, value_parser = entry_format, value_name = "FORMAT")]
    to: Option<&'static EntryFormat>,
    /// Leave a database unpacked, as Rapfi reads it too
    #[arg(long)]
    raw: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

impl Export {
    /// Reads the book and writes the database.
    pub fn run(self) -> Result<Exit> {
        let input = Input::open(&self.book)?;
        let book = open(&input, &self.book)?;
        let file = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        let extension = file.and_then(Path::extension).and_then(|extension| extension.to_str());
        let format = match (self.to, extension) {
            (Some(format), _) => format,
            (None, Some(extension)) => entry_format(extension).map_err(anyhow::Error::msg)?,
            (None, None) => anyhow::bail!("name the format to write with -t, or a file with -o"),
        };
        let mut losses = Losses::default();
        let mut frames = Frames::new(book.is_symmetric());
        let mut convert = |out: &mut dyn Write| -> Result<()> {
            let _bar = Bar::watch(input.len() as u64);
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
