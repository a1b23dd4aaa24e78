//! Rena strings; the format is written down in `SPEC.md`.

mod node;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::{Game, Rule};
use node::{Digits, Node, Stop};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "rena",
    title: "Rena strings, trees in hexadecimal digits",
    extensions: &["rena"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;

mod flag {
    pub const SIBLING: u8 = 0x80;
    pub const LEAF: u8 = 0x40;
    pub const COMMENT: u8 = 0x08;
    pub const LABELS: u8 = 0x04;
    pub const ALL: u8 = SIBLING | LEAF | COMMENT | LABELS;
}

/// Nothing but digits, and every node that is whole can be one.
fn likeness(head: &[u8]) -> Likeness {
    let digits = Digits::of(crate::lines::without_bom(head));
    let (mut at, mut nodes) = (0, 0);
    while at < digits.bytes.len() {
        match Node::take(&digits.bytes, &mut at) {
            Ok(node) if node.flags & !flag::ALL == 0 && (nodes > 0 || matches!(node.pos, 0 | 0x78)) => nodes += 1,
            Err(Stop::Cut) => break,
            _ => return Likeness::No,
        }
    }
    if nodes > 0 && digits.stranger.is_none() { Likeness::Shape } else { Likeness::No }
}
