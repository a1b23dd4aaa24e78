use crate::frame::board;
use crate::played::{Row, games_of};
use crate::source::Source;
use crate::{Book, Error, Frames, Holds, Writer, Written, in_order, row};
use record::Entry;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;

/// Some moves may be missing that lead from one position to another.
const UNLISTED: Holds = Holds { unlisted: true, judged: false };

/// Writes a book again, each entry as `each` leaves it and without those of which it says no.
///
/// `each` is given the number of the position in the book from 0 on, its key, and its entry. Games to which no position
/// refers any more leave the list of games; the numbers of the others are held, 8 bytes each or a little more.
pub fn rewrite<D: AsRef<[u8]>>(
    book: &Book<D>,
    mut each: impl FnMut(u64, &[u8], &mut Entry) -> bool,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut writer = Writer::new(out, book.is_symmetric())?;
    writer.hold(book.holds());
    let mut named = Named::default();
    for (number, position) in (0..).zip(book.entries()) {
        let (key, mut entry) = position?;
        let has_moves = !entry.moves.is_empty();
        if each(number, &key, &mut entry) {
            if has_moves && entry.moves.is_empty() {
                writer.hold(UNLISTED);
            }
            let ground = board(&key).ok_or(Error::Order)?;
            in_order(&mut entry, frames.of_board(ground));
            named.add(&entry);
            writer.push(key, entry)?;
        }
    }
    named.finish(book, writer, provenance)
}

/// Writes a book again with other entries at some keys; `None` takes a position out. The entries are in order.
pub fn replace<D: AsRef<[u8]>>(
    book: &Book<D>,
    entries: BTreeMap<Vec<u8>, Option<Entry>>,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut writer = Writer::new(out, book.is_symmetric())?;
    writer.hold(book.holds());
    let mut new = entries.into_iter().peekable();
    let mut named = Named::default();
    let has_games = book.games()?.is_some();
    let mut frames = Frames::new(book.is_symmetric());
    let mut positions = book.positions_in_order()?;
    let put = |writer: &mut Writer<_>, named: &mut Named, (key, entry): (Vec<u8>, Option<Entry>)| {
        let Some(entry) = entry else { return Ok(()) };
        named.add(&entry);
        writer.push(key, entry)
    };
    while let Some((key, row)) = positions.head() {
        while let Some(added) = new.next_if(|(other, _)| **other < *key) {
            writer.hold(UNLISTED);
            put(&mut writer, &mut named, added)?;
        }
        match new.next_if(|(other, _)| **other == *key) {
            Some(changed) => put(&mut writer, &mut named, changed)?,
            None => {
                if has_games {
                    let ground = board(key).ok_or(Error::Order)?;
                    let entry = row::entry(row, frames.of_board(ground)).expect("a block that is read has whole rows");
                    named.add(&entry);
                }
                writer.push_row(key, row)?;
            }
        }
        positions.advance()?;
    }
    new.try_for_each(|added| {
        writer.hold(UNLISTED);
        put(&mut writer, &mut named, added)
    })?;
    named.finish(book, writer, provenance)
}

/// Writes a book again with each entry as `each` leaves it, and with positions that it did not have, to which listed
/// moves lead.
pub(crate) fn renew<D: AsRef<[u8]>>(
    book: &Book<D>,
    added: BTreeMap<Vec<u8>, Entry>,
    mut each: impl FnMut(&[u8], &mut Entry),
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let mut writer = Writer::new(out, book.is_symmetric())?;
    writer.hold(book.holds());
    let mut named = Named::default();
    let mut added = added.into_iter().peekable();
    let mut push = |writer: &mut Writer<_>, named: &mut Named, key: Vec<u8>, mut entry: Entry| {
        let ground = board(&key).ok_or(Error::Order)?;
        in_order(&mut entry, frames.of_board(ground));
        named.add(&entry);
        writer.push(key, entry)
    };
    for position in book.entries() {
        let (key, mut entry) = position?;
        while let Some((other, entry)) = added.next_if(|(other, _)| *other < key) {
            push(&mut writer, &mut named, other, entry)?;
        }
        each(&key, &mut entry);
        push(&mut writer, &mut named, key, entry)?;
    }
    for (key, entry) in added {
        push(&mut writer, &mut named, key, entry)?;
    }
    named.finish(book, writer, provenance)
}

/// The numbers of the games that the positions of a new book refer to.
#[derive(Default)]
struct Named(HashSet<u64>);

impl Named {
    fn add(&mut self, entry: &Entry) {
        self.0.extend(&entry.games);
    }

    /// Ends the new book with those of the games of the old one that are named.
    fn finish<D: AsRef<[u8]>>(
        self,
        book: &Book<D>,
        writer: Writer<impl Write>,
        provenance: &str,
    ) -> Result<Written, Error> {
        let games = games_of(std::slice::from_ref(book))?.filter(|_| !self.0.is_empty());
        let is_named = |game: &Row| game.as_ref().map_or(true, |(id, _)| self.0.contains(id));
        writer.finish_with(games.map(|(refs, games)| (refs, games.filter(is_named))), provenance)
    }
}
