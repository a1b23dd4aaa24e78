use crate::frame::board;
use crate::reader::InOrder;
use crate::source::Source;
use crate::{Book, Error, Frames, row};
use record::Entry;
use std::cmp::Ordering;

/// A position of which two books say different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The key.
    pub key: Vec<u8>,
    /// What the first book says; `None` if it does not have the position.
    pub before: Option<Entry>,
    /// What the second book says.
    pub after: Option<Entry>,
}

/// How the second book differs from the first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Only the second book has the position.
    New,
    /// Only the first book has it.
    Gone,
    /// Both have it.
    Changed,
}

impl Kind {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::New => "new",
            Kind::Gone => "gone",
            Kind::Changed => "changed",
        }
    }
}

impl Change {
    /// What kind of change it is.
    pub fn kind(&self) -> Kind {
        match (&self.before, &self.after) {
            (None, _) => Kind::New,
            (_, None) => Kind::Gone,
            _ => Kind::Changed,
        }
    }
}

/// The positions of which two books say different things, in the order of their keys; after an error there is none.
pub struct Changes<'a> {
    books: [InOrder<'a>; 2],
    frames: Frames,
    same: u64,
    has_failed: bool,
}

/// Compares two books, in time that grows with their length alone and memory that does not.
///
/// Books of equal [content hash](Book::content_hash) need no comparison. The two are both symmetric or neither is.
pub fn diff<'a, D: AsRef<[u8]>>(first: &'a Book<D>, second: &'a Book<D>) -> Result<Changes<'a>, Error> {
    if first.is_symmetric() != second.is_symmetric() {
        return Err(Error::Symmetry);
    }
    let begin = |number, book: &'a Book<D>| book.positions_in_order().map_err(|error: Error| error.of_book(number));
    let frames = Frames::new(first.is_symmetric());
    Ok(Changes { books: [begin(0, first)?, begin(1, second)?], frames, same: 0, has_failed: false })
}

impl Changes<'_> {
    /// How many positions were passed over of which both books say the same.
    pub fn same(&self) -> u64 {
        self.same
    }

    fn step(&mut self) -> Result<Option<Change>, Error> {
        loop {
            let order = match [&self.books[0], &self.books[1]].map(Source::head) {
                [None, None] => return Ok(None),
                [Some(_), None] => Ordering::Less,
                [None, Some(_)] => Ordering::Greater,
                [Some((one, known)), Some((other, known_too))] => match one.cmp(other) {
                    Ordering::Equal if known == known_too => {
                        self.advance(0)?;
                        self.advance(1)?;
                        self.same += 1;
                        continue;
                    }
                    order => order,
                },
            };
            let mut change = Change { key: Vec::new(), before: None, after: None };
            if order.is_le() {
                (change.key, change.before) = self.pull(0)?;
            }
            if order.is_ge() {
                (change.key, change.after) = self.pull(1)?;
            }
            return Ok(Some(change));
        }
    }

    /// The position at hand of one of the books.
    fn pull(&mut self, number: usize) -> Result<(Vec<u8>, Option<Entry>), Error> {
        let (key, known) = self.books[number].head().expect("the order says which one is there");
        let ground = board(key).ok_or(Error::Order)?;
        let entry = row::entry(known, self.frames.of_board(ground)).expect("a block that is read has whole rows");
        let key = key.to_vec();
        self.advance(number)?;
        Ok((key, Some(entry)))
    }

    fn advance(&mut self, number: usize) -> Result<(), Error> {
        self.books[number].advance().map_err(|error| error.of_book(number))
    }
}

impl Iterator for Changes<'_> {
    type Item = Result<Change, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let step = self.step();
        self.has_failed = step.is_err();
        step.transpose()
    }
}
