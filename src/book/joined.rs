use crate::frame::board;
use crate::rows::KeyAndRow;
use crate::source::Source;
use crate::sum::Sum;
use crate::{Error, Frames};

/// Sorted positions with those of the same key made one.
pub(crate) struct Joined<S> {
    source: S,
    frames: Frames,
    key: Vec<u8>,
    row: Vec<u8>,
    sum: Sum,
}

impl<S: Source> Joined<S> {
    /// At each position so many references to games are kept, those of the least numbers; all if it is 0.
    pub fn new(source: S, symmetric: bool, refs: usize) -> Joined<S> {
        let (key, row) = (Vec::new(), Vec::new());
        Joined { source, frames: Frames::new(symmetric), key, row, sum: Sum::new(refs) }
    }

    /// The key and the row of the next position.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<KeyAndRow<'_>>, Error> {
        let Some((key, row)) = self.source.head() else { return Ok(None) };
        self.key.clear();
        self.key.extend(key);
        self.row.clear();
        self.row.extend(row);
        self.source.advance()?;
        let same = |source: &S, known: &[u8]| source.head().is_some_and(|(key, _)| *key == *known);
        if same(&self.source, &self.key) {
            let (_, size) = board(&self.key).ok_or(Error::Order)?;
            let frame = self.frames.of(size);
            self.sum.clear(frame);
            self.sum.add(&self.row, frame);
            while let Some((_, row)) = self.source.head().filter(|(key, _)| **key == *self.key) {
                self.sum.add(row, frame);
                self.source.advance()?;
            }
            self.sum.put(&mut self.row, frame);
        }
        Ok(Some((&self.key, &self.row)))
    }
}
