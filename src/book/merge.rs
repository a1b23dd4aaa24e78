use crate::joined::Joined;
use crate::played::games_of;
use crate::rows::KeyAndRow;
use crate::source::{Merged, Source};
use crate::{Book, Conflict, Error, Writer, Written};
use std::io::Write;

/// What did not stay of what books said of the same position.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Conflicts {
    /// Positions of which a book has another value than the one that stayed.
    pub values: u64,
    /// Positions of which a book has another label than the one that stayed.
    pub labels: u64,
}

/// Writes the book of everything that the books know, in time that grows with their length alone.
///
/// The content hash is the same in whatever order they come. Of a position that several of them know the games add up,
/// and [`Conflict::BetterValueDepthBound`] says which value and label stay. An error of one of them says which it is.
pub fn merge<D: AsRef<[u8]>>(books: &[Book<D>], out: impl Write, provenance: &str) -> Result<Written, Error> {
    merge_by(books, Conflict::default(), out, provenance).map(|(written, _)| written)
}

/// As [`merge`], by a rule for values and labels; the content is the same in any order if the rule is symmetric.
pub fn merge_by<D: AsRef<[u8]>>(
    books: &[Book<D>],
    rule: Conflict,
    out: impl Write,
    provenance: &str,
) -> Result<(Written, Conflicts), Error> {
    let symmetric = books.first().is_none_or(Book::is_symmetric);
    if books.iter().any(|book| book.is_symmetric() != symmetric) {
        return Err(Error::Symmetry);
    }
    let sources = books.iter().enumerate().map(|(at, book)| Numbered::new(at, book.positions_in_order()));
    let merged = Merged::new(sources.collect::<Result<_, _>>()?);
    let games = games_of(books)?;
    let refs = games.as_ref().map_or(0, |(refs, _)| usize::try_from(*refs).unwrap_or(usize::MAX));
    let mut writer = Writer::new(out, symmetric)?;
    books.iter().for_each(|book| writer.hold(book.holds()));
    let mut joined = Joined::by(merged, symmetric, refs, rule);
    while let Some((key, row)) = joined.next()? {
        writer.push_row(key, row)?;
    }
    let written = writer.finish_with(games, provenance)?;
    Ok((written, joined.conflicts()))
}

/// A source whose errors say which one it is.
struct Numbered<S> {
    source: S,
    at: usize,
}

impl<S> Numbered<S> {
    fn new(at: usize, source: Result<S, Error>) -> Result<Numbered<S>, Error> {
        source.map(|source| Numbered { source, at }).map_err(|error| error.of_book(at))
    }
}

impl<S: Source> Source for Numbered<S> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        self.source.head()
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.source.advance().map_err(|error| error.of_book(self.at))
    }
}
