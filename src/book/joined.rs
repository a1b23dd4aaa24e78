use crate::frame::board;
use crate::rows::KeyAndRow;
use crate::source::Source;
use crate::sum::Sum;
use crate::{Conflict, Conflicts, Error, Frames, row};
use record::Label;

/// Sorted positions with those of the same key made one.
pub(crate) struct Joined<S> {
    source: S,
    frames: Frames,
    key: Vec<u8>,
    row: Vec<u8>,
    sum: Sum,
    /// What did not stay, where that is to be known.
    conflicts: Option<Conflicts>,
}

impl<S: Source> Joined<S> {
    /// At each position so many references to games are kept, those of the least numbers; all if it is 0.
    pub fn new(source: S, symmetric: bool, refs: usize) -> Joined<S> {
        let (key, row, sum) = (Vec::new(), Vec::new(), Sum::new(refs, Conflict::default()));
        Joined { source, frames: Frames::new(symmetric), key, row, sum, conflicts: None }
    }

    /// As [`Joined::new`], by a rule, and counting what did not stay.
    pub fn by(source: S, symmetric: bool, refs: usize, rule: Conflict) -> Joined<S> {
        let sum = Sum::new(refs, rule);
        Joined { sum, conflicts: Some(Conflicts::default()), ..Joined::new(source, symmetric, refs) }
    }

    /// What did not stay so far.
    pub fn conflicts(&self) -> Conflicts {
        self.conflicts.unwrap_or_default()
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
            let ground = board(&self.key).ok_or(Error::Order)?;
            let frame = self.frames.of_board(ground);
            let counts = self.conflicts.is_some();
            let said_in = |row: &[u8]| if counts { row::verdict(row) } else { None };
            let mut said: Vec<_> = said_in(&self.row).into_iter().collect();
            self.sum.clear(frame);
            self.sum.add(&self.row, frame);
            // Those of a position come in the order of the sources.
            while let Some((_, row)) = self.source.head().filter(|(key, _)| **key == *self.key) {
                self.sum.add(row, frame);
                said.extend(said_in(row));
                self.source.advance()?;
            }
            self.sum.put(&mut self.row, frame);
            if let Some(conflicts) = &mut self.conflicts {
                let (value, label) = self.sum.verdict();
                conflicts.values += u64::from(said.iter().any(|(other, _)| other.is_some() && other != value));
                conflicts.labels += u64::from(said.iter().any(|(_, other)| *other != Label::None && *other != label));
            }
        }
        Ok(Some((&self.key, &self.row)))
    }
}
