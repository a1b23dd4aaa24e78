use crate::levels::{Levels, Work};
use crate::links::{self, after, ancestors, leading};
use crate::prune::write_kept;
use crate::{Bits, Book, Error, Frames, Written, replace};
use games::Move;
use record::{Entry, Key, StoneKey, Tally};
use std::collections::BTreeMap;
use std::io::Write;

/// The numbers, from 0 on, of the positions of a book that are below one, and its own if it is there.
///
/// Below it is what it leads to as [`prune`](crate::prune) says, what that leads to, and so on. The position counts as
/// if it were in the book, and what nothing at all leads to is below it if its stones, in some orientation, are among
/// that one's. What is known of how positions hang together waits in a file in the folder, as for `prune`.
pub fn below<D: AsRef<[u8]>>(book: &Book<D>, position: &Key, work: Work<'_>) -> Result<Bits, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let key = frames.of_key(position).canonical(position).key;
    links::below(&mut Levels::read(book, work, |_, _, _| Some(false))?, &mut frames, &key)
}

/// Writes a position of a book, what is [`below`] it, and all that leads to it; an error if nothing of it is there.
pub fn extract<D: AsRef<[u8]>>(
    book: &Book<D>,
    position: &Key,
    work: Work<'_>,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let key = frames.of_key(position).canonical(position).key;
    let mut levels = Levels::read(book, work, |_, _, _| Some(false))?;
    let mut kept = links::below(&mut levels, &mut frames, &key)?;
    if kept.count() == 0 {
        return Err(Error::Nothing);
    }
    kept.add(&ancestors(&mut levels, &mut frames, Some(&key))?);
    let leading = leading(&mut levels, &kept)?;
    write_kept(book, &kept, &leading, false, &[], out, provenance)
}

/// Writes a book without a position and what is [`below`] it, as far as `meant` says yes to what is known of it.
///
/// Moves without games that led to what is gone go, too.
pub fn delete_below<D: AsRef<[u8]>>(
    book: &Book<D>,
    position: &Key,
    mut meant: impl FnMut(&Entry) -> bool,
    work: Work<'_>,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let key = frames.of_key(position).canonical(position).key;
    let mut levels = Levels::read(book, work, |_, _, entry| Some(meant(entry)))?;
    let below = links::below(&mut levels, &mut frames, &key)?;
    let mut kept = Bits::default();
    levels.all(|row| {
        if !row.is_flagged || !below.has(row.number) {
            kept.set(row.number);
        }
    })?;
    let leading = leading(&mut levels, &kept)?;
    write_kept(book, &kept, &leading, false, &[], out, provenance)
}

/// Writes a book without one position, and without the moves without games that led to it.
pub fn delete<D: AsRef<[u8]>>(
    book: &Book<D>,
    position: &Key,
    out: impl Write,
    provenance: &str,
) -> Result<Written, Error> {
    let mut frames = Frames::new(book.is_symmetric());
    let frame = frames.of_key(position);
    let key = frame.canonical(position).key;
    let mut changed = BTreeMap::new();
    let mut without = |form: Vec<u8>, mut entry: Entry| -> Result<(), Error> {
        // The moves of an entry are those of the key's board.
        let at = frame.key(&form).ok_or(Error::Order)?;
        let moves = entry.moves.len();
        let leads_here = |play: Move| after(frame, &at, play).is_some_and(|next| next == key);
        entry.moves.retain(|each| each.tally != Tally::default() || !leads_here(each.play));
        if entry.moves.len() < moves {
            changed.insert(form, Some(entry));
        }
        Ok(())
    };
    match position {
        Key::Gomoku(stones) => {
            for before in befores(stones) {
                let form = frame.canonical_stones(&before).key;
                if let Some(entry) = book.get(&form, frame)? {
                    without(form, entry)?;
                }
            }
        }
        // What a move took is not known: all positions of the game are looked at.
        Key::Xiangqi(_) => {
            for each in book.entries() {
                let (form, entry) = each?;
                if form.starts_with(&key[..3]) {
                    without(form, entry)?;
                }
            }
        }
    }
    changed.insert(key, None);
    replace(book, changed, out, provenance)
}

/// All positions from which one move leads to this one.
fn befores(position: &StoneKey) -> impl Iterator<Item = StoneKey> {
    let moved = position.to_move.other();
    let passed = StoneKey { to_move: moved, ..position.clone() };
    let stones = position.stones.iter().enumerate().filter(move |(_, (_, side))| *side == moved);
    let placed = stones.map(move |(at, _)| {
        let mut before = StoneKey { to_move: moved, ..position.clone() };
        before.stones.remove(at);
        before
    });
    placed.chain([passed])
}
