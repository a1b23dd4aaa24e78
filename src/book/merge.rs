use crate::joined::Joined;
use crate::played::games_of;
use crate::source::Merged;
use crate::{Book, Error, Writer, Written};
use std::io::Write;

/// Writes the book of everything that the books know, in time that grows with their length alone.
///
/// The content hash is the same in whatever order they come; [`combine`](crate::combine) says what becomes of a
/// position that several of them know.
pub fn merge<D: AsRef<[u8]>>(books: &[Book<D>], out: impl Write, provenance: &str) -> Result<Written, Error> {
    let symmetric = books.first().is_none_or(Book::is_symmetric);
    if books.iter().any(|book| book.is_symmetric() != symmetric) {
        return Err(Error::Symmetry);
    }
    let sources = books.iter().map(Book::positions_in_order).collect::<Result<_, _>>()?;
    let games = games_of(books)?;
    let refs = games.as_ref().map_or(0, |(refs, _)| usize::try_from(*refs).unwrap_or(usize::MAX));
    let mut joined = Joined::new(Merged::new(sources), symmetric, refs);
    let mut writer = Writer::new(out, symmetric)?;
    while let Some((key, row)) = joined.next()? {
        writer.push_row(key, row)?;
    }
    writer.finish_with(games, provenance)
}
