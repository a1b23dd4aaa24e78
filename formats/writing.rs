use crate::{Error, Losses};
use encoding_rs::Encoding;
use games::Coords;
use record::Record;

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// The encoding of texts in formats that fix none; by default the source's, else the first that holds them all.
    pub encoding: Option<&'static Encoding>,
    /// How points are written, in formats that leave it open.
    pub coords: Option<Coords>,
}

/// Writes records one after another.
pub trait Writer {
    /// Writes a record; what the format cannot say goes to `losses`.
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error>;

    /// Writes what follows the last record.
    fn finish(&mut self) -> Result<(), Error>;
}
