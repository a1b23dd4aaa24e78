use crate::joined::Joined;
use crate::played::games_of;
use crate::rows::KeyAndRow;
use crate::source::{Merged, Source};
use crate::{Book, Error, Writer, Written};
use std::io::Write;

/// Writes the book of everything that the books know, in time that grows with their length alone.
///
/// The content hash is the same in whatever order they come; [`combine`](crate::combine) says what becomes of a
/// position that several of them know. An error of one of them says which it is.
pub fn merge<D: AsRef<[u8]>>(books: &[Book<D>], out: impl Write, provenance: &str) -> Result<Written, Error> {
    let symmetric = books.first().is_none_or(Book::is_symmetric);
    if books.iter().any(|book| book.is_symmetric() != symmetric) {
        return Err(Error::Symmetry);
    }
    let sources = books.iter().enumerate().map(|(at, book)| Numbered::new(at, book.positions_in_order()));
    let games = games_of(books)?;
    let refs = games.as_ref().map_or(0, |(refs, _)| usize::try_from(*refs).unwrap_or(usize::MAX));
    let mut joined = Joined::new(Merged::new(sources.collect::<Result<_, _>>()?), symmetric, refs);
    let mut writer = Writer::new(out, symmetric)?;
    books.iter().for_each(|book| writer.hold(book.holds()));
    while let Some((key, row)) = joined.next()? {
        writer.push_row(key, row)?;
    }
    writer.finish_with(games, provenance)
}

/// A source whose errors say which one it is.
struct Numbered<S> {
    source: S,
    at: usize,
}

impl<S> Numbered<S> {
    fn new(at: usize, source: Result<S, Error>) -> Result<Numbered<S>, Error> {
        source.map(|source| Numbered { source, at }).map_err(|error| Error::Input(at, Box::new(error)))
    }
}

impl<S: Source> Source for Numbered<S> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        self.source.head()
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.source.advance().map_err(|error| Error::Input(self.at, Box::new(error)))
    }
}
