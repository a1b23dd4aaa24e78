use super::book::{blame, tell_losses};
use super::input::name;
use super::kind::{Kind, extension};
use super::output::{Output, failed};
use ::formats::{Format, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow};
use record::Record;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// The format to write a record in: the one that is named, or the one that the file's extension tells.
pub fn record_format(path: &Path, named: Option<Kind>) -> Result<&'static Format> {
    let kind = named.or_else(|| extension(path).and_then(Kind::by_extension));
    let kind = kind.with_context(|| format!("{}: its extension tells no format: name one with -t", name(path)))?;
    kind.target().map_err(|message| anyhow!(message))
}

/// Writes one record into a file, or to stdout where there is none, and says what the format cannot hold.
///
/// `source` is what the record was made of.
pub fn write_record(
    record: &Record,
    format: &'static Format,
    file: Option<&Path>,
    force: bool,
    source: &str,
) -> Result<()> {
    let mut losses = Losses::default();
    let mut put = |out: &mut dyn Write| -> Result<()> {
        let mut writer = format.start(out, &WriteOptions::default());
        let source = PathBuf::from(source);
        writer.record(record, &mut losses).map_err(|error| blame(&source, file, error))?;
        writer.finish().map_err(|error| blame(&source, file, error))
    };
    match file {
        None => put(&mut stdout().lock())?,
        Some(path) => {
            let mut output = Output::create(path, force)?;
            let mut buffer = BufWriter::new(&mut output);
            put(&mut buffer)?;
            buffer.flush().map_err(|error| failed(path, &error))?;
            drop(buffer);
            output.commit()?;
        }
    }
    tell_losses(file.unwrap_or(Path::new("-")), format.name, &losses);
    Ok(())
}
