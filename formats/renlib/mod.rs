//! RenLib's libraries: one tree of variations a file. `SPEC.md` beside this file is the format.

mod node;
mod read;
mod shape;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::{Game, Rule};
use node::{Nodes, TextMode};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "renlib",
    title: "RenLib library",
    extensions: &["lib"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;
const MAGIC: &[u8; 8] = b"\xFFRenLib\xFF";
const HEADER: usize = 20;
/// The name of the property that keeps unknown extension bits: four hexadecimal digits.
const EXTENSION: &str = "renlib:ext";
/// RenLib's arrays end here.
const MAX_PLY: usize = 225;

mod flag {
    pub const SIBLING: u8 = 0x80;
    pub const LEAF: u8 = 0x40;
    pub const OLD_COMMENT: u8 = 0x20;
    pub const MARK: u8 = 0x10;
    pub const COMMENT: u8 = 0x08;
    pub const START: u8 = 0x04;
    pub const NO_MOVE: u8 = 0x02;
    pub const EXTENSION: u8 = 0x01;
    /// In the extension, taken as a big-endian number.
    pub const BOARD_TEXT: u16 = 0x0001;
}

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(MAGIC) {
        return Likeness::Magic;
    }
    let zeros = head.len() >= HEADER && head[..HEADER].iter().all(|byte| *byte == 0);
    let body = if zeros { &head[HEADER..] } else { head };
    // A node with one child and no text has the flags 00, which no text has.
    let text = body.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..));
    let void = !body.is_empty() && body.iter().all(|byte| *byte == 0);
    let stranger = if zeros { void } else { body.first() != Some(&0x78) || text };
    if stranger {
        return Likeness::No;
    }
    let mode = if zeros { TextMode::ByFlag } else { TextMode::Letter };
    // The head may end inside a node; a point off the board is what tells a stranger.
    let mut nodes = Nodes::new(head, head.len() - body.len(), mode).map_while(Result::ok);
    if nodes.all(|node| node.is_on_board()) { Likeness::Shape } else { Likeness::No }
}
