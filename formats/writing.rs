use crate::{Error, Losses};
use encoding_rs::Encoding;
use games::Coords;
use games::xiangqi::notation::Style;
use record::{Entry, Key, Record};
use std::path::PathBuf;

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// The encoding of texts in formats that fix none; by default the source's, else the first that holds them all.
    pub encoding: Option<&'static Encoding>,
    /// How points are written, in formats that leave it open.
    pub coords: Option<Coords>,
    /// How moves of xiangqi are written, in formats that leave it open; Chinese by default.
    pub style: Option<Style>,
    /// Not compressed, in formats that are by default.
    pub raw: bool,
    /// Texts that are too long for the format are cut, rather than an error.
    pub cut_texts: bool,
    /// With a byte order mark, in formats that may bear one.
    pub bom: bool,
    /// Bytes to hold before they go to files, in formats that are sorted; 1 GiB by default.
    pub memory: Option<usize>,
    /// Where those files go; they have no names where the system allows that. By default the system's place for them.
    pub folder: Option<PathBuf>,
    /// The positions are of a book that keeps mirrored ones apart, which some formats can say.
    pub apart: bool,
}

/// Writes records one after another.
pub trait Writer {
    /// Writes a record; what the format cannot say goes to `losses`.
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error>;

    /// Writes what follows the last record.
    fn finish(&mut self) -> Result<(), Error>;
}

/// Writes positions, in any order.
pub trait EntryWriter {
    /// Takes a position and what is known of it; what the format cannot say goes to `losses`.
    fn entry(&mut self, key: &Key, entry: &Entry, losses: &mut Losses) -> Result<(), Error>;

    /// Writes what was kept back until all positions were there, and what follows the last one.
    fn finish(&mut self, losses: &mut Losses) -> Result<(), Error>;
}
