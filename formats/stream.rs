//! A binary file without a header: its numbers one after another, as they are or out of an LZ4 frame.

use crate::frame::{self, Source, Stop};
use crate::{Error, Place, Reading, Severity};

/// The numbers of a file and how far it is read.
pub(crate) struct Stream<'a> {
    source: Source<'a>,
    length: usize,
    packed: bool,
    /// Bytes taken so far, of what is unpacked.
    pub at: u64,
}

impl<'a> Stream<'a> {
    /// The stream of a file; a frame is looked through first, so that a cut one is no shorter file.
    pub fn new(bytes: &'a [u8], reading: &mut Reading<'_>) -> Result<Stream<'a>, Error> {
        let bytes = frame::content(bytes, reading)?;
        let packed = bytes.starts_with(&frame::MAGIC);
        Ok(Stream { source: Source::new(bytes), length: bytes.len(), packed, at: 0 })
    }

    /// Fills `out`; false where nothing is left.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<bool, Stop> {
        match frame::take(&mut self.source, &mut self.at, out)? {
            taken if taken == out.len() => Ok(true),
            0 => Ok(false),
            _ => Err(Stop::Cut),
        }
    }

    /// As [`Stream::fill`] for so many bytes more behind those that `out` holds; memory grows as they come.
    pub fn append(&mut self, mut count: usize, out: &mut Vec<u8>) -> Result<(), Stop> {
        const PIECE: usize = 1 << 14;
        while count > 0 {
            let (start, piece) = (out.len(), count.min(PIECE));
            out.resize(start + piece, 0);
            if !self.fill(&mut out[start..])? {
                return Err(Stop::Cut);
            }
            count -= piece;
        }
        Ok(())
    }

    /// Tells how much of the file is read.
    pub fn progress(&self, reading: &mut Reading<'_>) -> Result<(), Error> {
        reading.progress(self.length - self.source.left())
    }

    /// A place, and the message with what its byte is counted in.
    pub fn told(&self, at: u64, message: String) -> (Place, String) {
        let counted = if self.packed { " (bytes are counted in what the LZ4 frame holds)" } else { "" };
        (Place { byte: Some(at), ..Place::default() }, message + counted)
    }

    /// Ends the reading before the file does: an error, unless it is lenient and something was kept.
    pub fn ended(&self, stop: &Stop, reading: &mut Reading<'_>) -> Result<(), Error> {
        let (kind, message) = match stop {
            Stop::Cut => ("cut-file", "the file ends inside a game".to_owned()),
            Stop::Frame(error) => ("bad-frame", format!("the LZ4 frame is damaged{}", frame::reason(error))),
        };
        let rest = match (reading.records(), reading.lenient()) {
            (0, _) => ", and no game stands before it",
            (_, false) => ": --lenient keeps what stands before it",
            _ => ": reading ended there",
        };
        let (place, message) = self.told(self.at, message + rest);
        if reading.records() == 0 || !reading.lenient() {
            return Err(reading.error(place, message));
        }
        reading.fault(kind, Severity::Damage, || (place, message))
    }
}
