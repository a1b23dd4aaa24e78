//! XQStudio's records of xiangqi (`.xqf`): one game with its variations. `SPEC.md` beside this file is the format.

mod header;
mod key;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "xqf",
    title: "XQStudio record of xiangqi",
    extensions: &["xqf"],
    many: false,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;
const MAGIC: &[u8; 2] = b"XQ";
/// Bytes before the first record of a move.
const HEADER: usize = 0x400;
/// The version without keys, and the last one that is known.
const PLAIN: u8 = 10;
const LAST: u8 = 18;

/// Bits of a record in keyed versions; a plain one says the first two by its half bytes.
mod flag {
    pub const CHILD: u8 = 0x80;
    pub const SIBLING: u8 = 0x40;
    pub const COMMENT: u8 = 0x20;
}

/// A version is a control character, and the header has zeros: neither is in a text that begins with `XQ`.
fn likeness(head: &[u8]) -> Likeness {
    let is_known = head.starts_with(MAGIC) && head.get(2).is_some_and(|version| (PLAIN..0x20).contains(version));
    match is_known && head[..head.len().min(HEADER)].contains(&0) {
        true if head.len() >= HEADER => Likeness::Magic,
        true => Likeness::Shape,
        false => Likeness::No,
    }
}
