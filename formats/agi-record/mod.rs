//! Annotated records of AGI: text shaped like PGN that keeps all a record holds. `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::{Coords, Game, Size};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "agi-record",
    title: "AGI annotated record",
    extensions: &["agr"],
    many: true,
    games: &[Game::Gomoku, Game::Xiangqi],
    rule: Some(games::Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const VERSION: &str = "1";
const OPENING: &[u8] = b"[Agr ";
/// Tags that are fields of the head; others of these names are written as `Tag`.
const FIELDS: [&str; 12] =
    ["Agr", "Tag", "Game", "Size", "Rule", "Result", "Coords", "Encoding", "Newline", "Offered", "Declared", "Swaps"];

fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if head.starts_with(OPENING) { Likeness::Magic } else { Likeness::No }
}

/// The notations of a record, the one of a record that names none first.
fn notations(game: Game, size: Size) -> &'static [Coords] {
    match game {
        Game::Gomoku if Coords::Agi.fits(size) => &[Coords::Agi, Coords::A1],
        Game::Gomoku => &[Coords::A1],
        Game::Xiangqi => &[Coords::Iccs],
    }
}
