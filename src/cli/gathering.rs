use super::Exit;
use super::book::{blame, tell_losses};
use super::kind::Kind;
use super::output::{Output, failed, refuse_existing};
use super::progress::Stoppable;
use super::reading::encoding;
use super::record_output::record_format;
use super::terminal::complain;
use ::formats::{Format, Losses, WriteOptions, Writer};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use encoding_rs::Encoding;
use games::Coords;
use games::xiangqi::notation::Style;
use record::Record;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Where records go, and how they are written.
#[derive(Args)]
pub struct OutputArgs {
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the output, by name or extension [default: told by the extension of -o]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT")]
    pub to: Option<Kind>,
    /// Notation of points in outputs that leave it open
    #[arg(long)]
    pub output_coords: Option<Coords>,
    /// Encoding of the texts in .lib and SGF outputs [default: the source's, or one that holds them all]
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    pub output_encoding: Option<&'static Encoding>,
    /// Notation of the moves in xiangqi PGN [default: chinese], or traditional, wxf, iccs
    #[arg(long, value_name = "NAME")]
    pub notation: Option<Style>,
    /// Write no file that would lose something, and exit with 3
    #[arg(long)]
    pub fail_on_loss: bool,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
}

/// One output that takes records of many inputs.
pub struct Gathering<'a> {
    writer: Box<dyn Writer + 'a>,
    format: &'static Format,
    file: Option<&'a Path>,
    losses: &'a mut Losses,
    /// How many records it has taken.
    pub records: u64,
}

impl OutputArgs {
    /// The file to write; `None` where the output is stdout.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Whether the output is a folder: one that is there, or is named with a `/` at its end.
    pub fn is_folder(&self) -> bool {
        self.file().is_some_and(|path| path.is_dir() || super::convert::ends_as_folder(path))
    }

    /// The format of the output.
    pub fn format(&self) -> Result<&'static Format> {
        match (self.file(), self.to) {
            (Some(path), to) => record_format(path, to),
            (None, Some(to)) => to.target().map_err(|message| anyhow!(message)),
            (None, None) => bail!("name the format to write with -t, or a file with -o"),
        }
    }

    /// How it is written.
    pub fn write_options(&self) -> WriteOptions {
        WriteOptions {
            encoding: self.output_encoding,
            coords: self.output_coords,
            style: self.notation,
            ..WriteOptions::default()
        }
    }

    /// Writes one output; `fill` hands it the records. Nothing is written where there are none.
    pub fn gather(&self, fill: impl FnOnce(&mut Gathering) -> Result<Exit>) -> Result<Exit> {
        let format = self.format()?;
        let file = self.file();
        let mut losses = Losses::default();
        let (records, exit) = match file {
            Some(path) => {
                refuse_existing(path, self.force)?;
                let mut output = Output::create(path, self.force)?;
                let mut buffer = BufWriter::new(&mut output);
                let (records, exit) = self.fill(format, &mut buffer, &mut losses, fill)?;
                buffer.flush().map_err(|error| failed(path, &error))?;
                drop(buffer);
                if records > 0 && !self.refuses(&losses) {
                    output.commit()?;
                }
                (records, exit)
            }
            None if self.fail_on_loss => {
                let mut held = Vec::new();
                let (records, exit) = self.fill(format, &mut held, &mut losses, fill)?;
                if records > 0 && !self.refuses(&losses) {
                    stdout().lock().write_all(&held)?;
                }
                (records, exit)
            }
            None => self.fill(format, &mut stdout().lock(), &mut losses, fill)?,
        };
        let target = file.unwrap_or(Path::new("stdout"));
        tell_losses(target, format.name, &losses);
        if records == 0 {
            complain(&format!("{}: there is no record to write, and nothing is written", target.display()));
            return Ok(exit.max(Exit::No));
        }
        if self.refuses(&losses) {
            complain(&format!("{}: what would lose something is not written", target.display()));
            return Ok(exit.max(Exit::Loss));
        }
        Ok(exit)
    }

    fn refuses(&self, losses: &Losses) -> bool {
        self.fail_on_loss && !losses.is_empty()
    }

    fn fill(
        &self,
        format: &'static Format,
        out: &mut dyn Write,
        losses: &mut Losses,
        fill: impl FnOnce(&mut Gathering) -> Result<Exit>,
    ) -> Result<(u64, Exit)> {
        let file = self.file();
        let mut out = Stoppable(out);
        let writer = format.start(&mut out, &self.write_options());
        let mut gathering = Gathering { writer, format, file, losses, records: 0 };
        let exit = fill(&mut gathering)?;
        if gathering.records > 0 {
            gathering.writer.finish().map_err(|error| blame(Path::new("the records"), file, error))?;
        }
        Ok((gathering.records, exit))
    }
}

impl Gathering<'_> {
    /// Writes a record that comes from a file.
    pub fn take(&mut self, source: &Path, record: &Record) -> Result<()> {
        if self.records == 1 && !self.format.many {
            let target = self.file.map_or("stdout".into(), |path| path.display().to_string());
            bail!(
                "{target}: {} holds one record, and there are more: name a folder with -o, or another format with -t",
                self.format.name
            );
        }
        self.records += 1;
        self.losses.next_record();
        self.writer.record(record, self.losses).map_err(|error| blame(source, self.file, error))
    }
}
