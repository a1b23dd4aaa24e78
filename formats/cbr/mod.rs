//! CCBridge's records of xiangqi (`.cbr`): one game with its variations. `SPEC.md` beside this file is the format.

mod old;
mod read;
#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::Game;
pub(crate) use read::record;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "cbr",
    title: "CCBridge record of xiangqi",
    extensions: &["cbr"],
    many: false,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: None,
};

/// The first bytes of a record.
pub(crate) const MAGIC: &[u8; 16] = b"CCBridge Record\0";

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(MAGIC) { Likeness::Magic } else { Likeness::No }
}
