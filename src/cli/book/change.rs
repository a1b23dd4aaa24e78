//! A book that is written again with something changed, in its place or beside it.

use super::super::input::{Input, name};
use super::super::output::{folder_of, refuse_existing};
use super::super::progress::{Bar, PROGRESS};
use super::{draft, open, refuse_changed, say};
use ::book::{Book, Error, Work, Written};
use anyhow::{Result, bail};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the changed book goes.
#[derive(Args)]
pub struct Target {
    /// Book to write [default: the changed one takes the place of the old]
    #[arg(short, long, value_name = "BOOK")]
    output: Option<PathBuf>,
    /// Replace the file of -o if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

impl Target {
    /// The file to write, before any work is done.
    pub fn path(&self, book: &Path) -> Result<PathBuf> {
        match &self.output {
            Some(output) => refuse_existing(output, self.force).map(|()| output.clone()),
            None if book.as_os_str() == "-" => bail!("stdin cannot be changed in its place: name a file with -o"),
            // What a link leads to changes, not the link.
            None => book.canonicalize().or_else(|_| Ok(book.to_path_buf())),
        }
    }

    /// Whether the changed book takes the place of the old.
    pub fn is_in_place(&self) -> bool {
        self.output.is_none()
    }

    /// Whether a file that is there is replaced.
    pub fn replaces(&self) -> bool {
        self.output.is_none() || self.force
    }

    /// Writes a book into the file that [`Target::path`] answered, and says so; the old one is read so many times.
    pub fn write(
        &self,
        book: &Path,
        input: Input,
        target: &Path,
        readings: u64,
        what: impl FnOnce(&Book<&[u8]>, Work<'_>, &mut dyn Write) -> Result<Written, Error>,
    ) -> Result<Written> {
        let written = rewrite(book, input, target, self.replaces(), readings, what)?;
        say(self.output.as_deref().unwrap_or(book), &written)?;
        Ok(written)
    }
}

/// Writes a book made of another one, which is read so many times from end to end; its file is let go before the new
/// one takes its place.
pub fn rewrite(
    book: &Path,
    input: Input,
    target: &Path,
    force: bool,
    readings: u64,
    what: impl FnOnce(&Book<&[u8]>, Work<'_>, &mut dyn Write) -> Result<Written, Error>,
) -> Result<Written> {
    let opened = open(&input, book)?;
    let work = Work { folder: folder_of(target), stop: &PROGRESS.stop };
    let _bar = Bar::watch(readings * input.len() as u64);
    let drafted = draft(target, force, |out| {
        what(&opened, work, out).map_err(|error| match error {
            Error::Io(_) => error,
            error => Error::Input(0, Box::new(error)),
        })
    });
    let (output, written) = drafted.map_err(|error| match error.downcast_ref() {
        Some(Error::Input(..)) => error.context(name(book)),
        _ => error,
    })?;
    if target.canonicalize().is_ok_and(|place| book.canonicalize().is_ok_and(|book| book == place)) {
        refuse_changed(book, &input)?;
    }
    // Windows replaces no file that is mapped.
    drop(input);
    output.commit()?;
    Ok(written)
}
