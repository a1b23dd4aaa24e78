//! yixin-db (`.db`): the positions that Yixin and Rapfi remember, and the CSV that Rapfi makes of them.
//! `SPEC.md` beside this file is the format.

mod csv;
mod entry;
mod key;
mod raw;
mod read;
mod sorter;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod write;

use crate::{EntryFormat, HEAD, Likeness, frame};
use games::Game;
use raw::Payload;

/// The row of the registry.
pub const FORMAT: EntryFormat = EntryFormat {
    name: "yixin-db",
    title: "Yixin or Rapfi database",
    extensions: &["db"],
    games: &[Game::Gomoku],
    likeness,
    read: read::read,
    writer: write::writer,
};

pub use csv::CSV;

const NAME: &str = FORMAT.name;
/// What the metadata entry says behind the fields of its record.
const CHARSET: &[u8] = b"charset=\"UTF-8\"";
/// The key of the metadata entry: no board has no columns.
const METADATA: &[u8] = &[0, 0, 0];
/// The text of a record is what its length leaves to it.
const LONGEST_TEXT: usize = u16::MAX as usize - raw::FIELDS;

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(&frame::MAGIC) {
        return raw_likeness(&frame::start(head, HEAD)).max(Likeness::Shape);
    }
    raw_likeness(head)
}

/// The metadata entry is like nothing else; without it, keys that name positions are a shape.
fn raw_likeness(head: &[u8]) -> Likeness {
    let Some((count, entries)) = head.split_at_checked(4) else { return Likeness::No };
    if count == [0; 4] {
        return Likeness::No;
    }
    if entries.starts_with(&[3, 0, 0, 0, 0, 20, 0]) {
        return Likeness::Magic;
    }
    let mut payload = Payload::new(entries);
    let mut keys = 0;
    let (mut key, mut record) = (Vec::new(), Vec::new());
    while let Ok(true) = payload.next(&mut key, &mut record) {
        if key != METADATA && key::parse(&key).is_err() {
            return Likeness::No;
        }
        keys += 1;
    }
    if keys > 0 { Likeness::Shape } else { Likeness::No }
}
