use super::super::Exit;
use super::super::input::Input;
use super::super::output::{Output, folder_of};
use super::super::progress::Bar;
use super::{entry_format, memory, open, tell_losses, write_positions};
use ::formats::{EntryFormat, Losses, WriteOptions};
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a book as JSON lines, as a table, or as a database of Yixin and Rapfi
#[derive(Args)]
#[command(after_help = "JSON lines and tables (book-csv) hold all of a book. What a database cannot hold, such as
statistics of games, is told on stderr.

Examples:
  kifu book export games.agb -o games.db
  kifu book export games.agb -t book-jsonl | jq -c 'select(.games > 9)'
  kifu book export games.agb --bom -o games.csv
  kifu book export games.agb -t rapfi-csv > games.csv")]
pub struct Export {
    /// Book; - is stdin
    book: PathBuf,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the output: book-jsonl, book-csv, yixin-db or rapfi-csv [default: told by the extension of -o]
    #[arg(short, long, value_parser = entry_format, value_name = "FORMAT")]
    to: Option<&'static EntryFormat>,
    /// Leave a database unpacked, as Rapfi reads it too
    #[arg(long)]
    raw: bool,
    /// Begin a table with a byte order mark, without which Excel mistakes its letters
    #[arg(long)]
    bom: bool,
    /// Memory to sort a database in, such as 256M; what is beyond it waits in files beside the output
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "1G")]
    memory: usize,
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
        let (memory, folder) = (Some(self.memory), file.map(|path| folder_of(path).into()));
        let options = WriteOptions { raw: self.raw, bom: self.bom, memory, folder, ..WriteOptions::default() };
        let mut convert = |out: &mut dyn Write| {
            let _bar = Bar::watch(input.len() as u64);
            write_positions(&book, &self.book, format, &options, out, file, &mut losses)
        };
        let output = match file {
            Some(path) => {
                let mut output = Output::create(path, self.force)?;
                convert(&mut output)?;
                Some(output)
            }
            None => {
                convert(&mut std::io::stdout().lock())?;
                None
            }
        };
        // Windows replaces no file that is still mapped.
        drop(input);
        output.map_or(Ok(()), Output::commit)?;
        tell_losses(&self.book, format.name, &losses);
        Ok(Exit::Done)
    }
}
