use crate::runs::{Joined, Merged};
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
    let merged = Merged::new(books.iter().map(Book::entries).collect())?;
    let mut writer = Writer::new(out, symmetric)?;
    for position in Joined::new(merged, symmetric) {
        let (key, entry) = position?;
        writer.push(key, entry)?;
    }
    writer.finish(provenance)
}
