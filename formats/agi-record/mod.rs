//! Annotated records of AGI: text shaped like PGN that keeps all a record holds. `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Coords;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "agi-record",
    title: "AGI annotated record",
    extensions: &["agr"],
    many: true,
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

/// The notation of a record that names none.
fn default_coords(size: games::Size) -> Coords {
    if Coords::Agi.fits(size) { Coords::Agi } else { Coords::A1 }
}
