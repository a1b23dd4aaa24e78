//! eleeye-book (`.dat`): the book of ElephantEye, `BOOK.DAT`; `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;
mod zobrist;

use crate::{EntryFormat, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: EntryFormat = EntryFormat {
    name: "eleeye-book",
    title: "book of ElephantEye",
    extensions: &["dat"],
    games: &[Game::Xiangqi],
    likeness,
    read: read::read,
    writer: write::writer,
};

const NAME: &str = FORMAT.name;
/// Bytes of a record: key, move and weight.
const RECORD: usize = 8;
/// So many records in order, all with moves on the board, are nothing else.
const MANY: usize = 32;

/// A line of the book: a move from the positions of a key.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Item {
    key: u32,
    word: u16,
    weight: u16,
}

impl Item {
    fn read(bytes: &[u8; RECORD]) -> Item {
        let [a, b, c, d, from, to, low, high] = *bytes;
        Item {
            key: u32::from_le_bytes([a, b, c, d]),
            word: u16::from_le_bytes([from, to]),
            weight: u16::from_le_bytes([low, high]),
        }
    }

    fn write(self) -> [u8; RECORD] {
        let ([a, b, c, d], [from, to]) = (self.key.to_le_bytes(), self.word.to_le_bytes());
        let [low, high] = self.weight.to_le_bytes();
        [a, b, c, d, from, to, low, high]
    }
}

/// Records whose keys rise and whose moves stay on the board.
fn likeness(head: &[u8]) -> Likeness {
    let (records, rest) = head.as_chunks::<RECORD>();
    let items = || records.iter().map(Item::read);
    let goes = |item: Item| zobrist::step(item.word).is_some_and(|step| step.from != step.to);
    if records.is_empty() || !rest.is_empty() || !items().all(goes) || !items().is_sorted_by_key(|item| item.key) {
        return Likeness::No;
    }
    if records.len() < MANY { Likeness::Shape } else { Likeness::Magic }
}
