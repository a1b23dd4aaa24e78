use super::super::input::{Input, name};
use super::super::output::failed;
use super::super::progress::Stoppable;
use super::{open, parse_origin, refuse_changed, unwritten};
use ::book::{Book, Error, Written, merge};
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A book that is added to.
pub struct Base {
    path: PathBuf,
    input: Input,
    /// Whether it makes turned positions one.
    pub is_symmetric: bool,
    /// Where it comes from.
    pub provenance: String,
    /// The names of the inputs that were counted, by their lengths and what they hash to.
    counted: HashMap<(u64, u64), String>,
}

impl Base {
    /// Opens the book.
    pub fn open(path: &Path) -> Result<Base> {
        if path.as_os_str() == "-" {
            bail!("stdin: name the book to add to with -o");
        }
        let input = Input::open(path)?;
        let book = open(&input, path)?;
        let provenance = book.provenance().with_context(|| name(path))?.to_owned();
        let is_symmetric = book.is_symmetric();
        let origins = provenance.lines().filter_map(parse_origin);
        let counted = origins.map(|(name, length, hash)| ((length, hash), name.to_owned())).collect();
        Ok(Base { path: path.into(), input, is_symmetric, provenance, counted })
    }

    /// The name of an input of these bytes that was counted before; else it is noted that it is now.
    pub fn meet(&mut self, path: &Path, bytes: &[u8]) -> Option<String> {
        let number = (bytes.len() as u64, ::book::fingerprint(bytes));
        let before = self.counted.get(&number).cloned();
        if before.is_none() {
            self.counted.insert(number, name(path));
        }
        before
    }

    /// Whether all that is in the book was chosen and counted by these options.
    pub fn has_options(&self, options: &str) -> bool {
        let mut stated = self.provenance.lines().filter_map(|line| line.strip_prefix("options\t")).peekable();
        if options.is_empty() {
            stated.peek().is_none()
        } else {
            stated.peek().is_some() && stated.all(|o| o == options)
        }
    }

    /// Writes what the book and another one know.
    pub fn write_with(&self, added: &Input, out: &mut dyn Write, provenance: &str) -> Result<Written, Error> {
        let books = [Book::open(&self.input[..])?, Book::open(&added[..])?];
        // Only the book that is added to can be damaged, and its name is that of the output.
        merge(&books, out, provenance).map_err(|error| if let Error::Input(_, error) = error { *error } else { error })
    }

    /// An error if another run has changed the book since it was opened.
    pub fn refuse_changed(&self) -> Result<()> {
        refuse_changed(&self.path, &self.input)
    }

    /// The name of the book's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A book in a file without a name, for what is still to be done with it before it is written to `path`; the folder is
/// that of `path`, or another one where that is no file.
pub fn stage(folder: &Path, path: &Path, what: impl FnOnce(&mut dyn Write) -> Result<Written, Error>) -> Result<Input> {
    let file = tempfile::tempfile_in(folder).map_err(|error| failed(path, &error))?;
    let mut buffer = BufWriter::with_capacity(1 << 16, &file);
    what(&mut Stoppable(&mut buffer)).map_err(|error| unwritten(path, error))?;
    buffer.flush().map_err(|error| failed(path, &error))?;
    drop(buffer);
    Input::mapped(&file).with_context(|| name(path))
}
