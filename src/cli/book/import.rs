use super::super::Exit;
use super::super::input::{Input, name};
use super::super::output::{folder_of, refuse_existing};
use super::super::progress::{Bar, PROGRESS};
use super::super::reading::{encoding, forgiven, strictness};
use super::super::terminal::complain;
use super::{entry_format, finish, origin, program, say, unsorted};
use ::book::{BuildOptions, Builder};
use ::formats::{Blame, ENTRY_FORMATS, EntryFormat, EntryReading, Error, HEAD, Likeness, ReadOptions};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use encoding_rs::Encoding;
use record::{Entry, Key};
use std::path::{Path, PathBuf};

/// Make a book of databases of Yixin and Rapfi
#[derive(Args)]
#[command(
    after_help = "Databases are read packed (LZ4) or raw, and so is the CSV that Rapfi makes of them. Where several
know a position, a proven win or loss stays, else the deeper value.

Examples:
  kifu book import rapfi.db -o rapfi.agb
  kifu book import old.db --encoding gbk -o old.agb"
)]
pub struct Import {
    /// Databases; - is stdin
    #[arg(required = true, value_name = "IN")]
    files: Vec<PathBuf>,
    /// Book to write
    #[arg(short, long, value_name = "BOOK")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// Format of the input: yixin-db or rapfi-csv [default: told by the file]
    #[arg(short = 'f', long = "from", value_parser = entry_format, value_name = "FORMAT")]
    from: Option<&'static EntryFormat>,
    /// Encoding of the texts [default: the file's, else guessed]
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    encoding: Option<&'static Encoding>,
    /// Refuse input that is not to the letter
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Keep what stands before a fault that would end the reading
    #[arg(long)]
    lenient: bool,
}

impl Import {
    /// Reads the databases and writes the book.
    pub fn run(self) -> Result<Exit> {
        refuse_existing(&self.output, self.force)?;
        let folder = folder_of(&self.output).to_path_buf();
        let mut builder = Builder::new(BuildOptions { folder, ..BuildOptions::default() });
        let mut provenance = program();
        for path in &self.files {
            let input = Input::open(path)?;
            self.read(path, &input, &mut builder)?;
            provenance += &origin(path, &input);
        }
        let written = finish(&self.output, self.force, builder, &provenance)?;
        say(&self.output, &written)?;
        Ok(Exit::Done)
    }

    fn read(&self, path: &Path, input: &Input, builder: &mut Builder) -> Result<()> {
        let format = match self.from {
            Some(format) => format,
            None => detect(path, input)?,
        };
        let _bar = Bar::watch(input.len() as u64);
        let strictness = strictness(self.strict, self.lenient);
        let options = ReadOptions { strictness, encoding: self.encoding, keep_faults: 1, ..ReadOptions::default() };
        let mut broken = None;
        let mut each = |(key, entry): (Key, Entry)| {
            builder.add_entry(&key, entry).map_err(|error| {
                if let ::book::Error::Io(error) = &error {
                    broken = Some(unsorted(folder_of(&self.output), error));
                }
                Error::new(Blame::World, "", error.to_string())
            })
        };
        let mut reading = EntryReading::new(format.name, &options, &PROGRESS, &mut each);
        let read = (format.read)(input, &mut reading);
        let (faults, guess) = (reading.faults, reading.encoding);
        if let Some(broken) = broken {
            return Err(broken);
        }
        read.with_context(|| name(path))?;
        for line in forgiven(&faults, guess) {
            complain(&format!("{}: {line}", name(path)));
        }
        Ok(())
    }
}

/// The format of a database by its first bytes, and where they leave it open by its extension.
fn detect(path: &Path, bytes: &[u8]) -> Result<&'static EntryFormat> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let named = |format: &&EntryFormat| format.extensions.contains(&extension);
    let like = |wanted| ENTRY_FORMATS.iter().filter(move |format| (format.likeness)(head) == wanted);
    if bytes.is_empty() {
        bail!("{}: there is nothing in it", name(path));
    }
    let found =
        like(Likeness::Magic).next().or_else(|| like(Likeness::Shape).find(named)).or(like(Likeness::Shape).next());
    found.ok_or_else(|| anyhow!("{}: this is no database of Yixin or Rapfi: name its format with --from", name(path)))
}
