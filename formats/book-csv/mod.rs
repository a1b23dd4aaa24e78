//! book-csv (`.csv`): the positions of a book as a table for spreadsheets; `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{EntryFormat, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: EntryFormat = EntryFormat {
    name: "book-csv",
    title: "positions of a book, a table for spreadsheets",
    extensions: &["csv"],
    games: &[Game::Gomoku, Game::Xiangqi],
    likeness,
    read: read::read,
    writer: write::writer,
};

/// The columns in the order they are written; they are read in any.
const COLUMNS: [&str; 25] = [
    "position",
    "rule",
    "size",
    "side",
    "games",
    "black",
    "draws",
    "white",
    "value",
    "depth",
    "bound",
    "label",
    "moves",
    "comment",
    "texts",
    "last_year",
    "rating_sum",
    "rating_count",
    "nodes",
    "scale",
    "source",
    "game_refs",
    "written",
    "more",
    "red",
];

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// What stands for a pass; a cell that begins with `--` is a formula to spreadsheets.
const PASS: &str = "pass";
/// What stands between the moves of a cell.
const BETWEEN: &str = " / ";

/// Whether spreadsheets may take a text for a formula, or it could be taken for one that is guarded from that.
fn is_risky(text: &str) -> bool {
    let text = text.trim_start_matches(GUARD);
    // A line end may have become one of Windows on its way.
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !text.starts_with("\r\n")
}

/// Stands before a text that [`is_risky`], and is taken away again.
const GUARD: char = '\'';

/// Whether the first line names a column `position`.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_position = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        let cell = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell);
        cell.eq_ignore_ascii_case(b"position")
    };
    match line.split(|byte| read::SEPARATORS.contains(byte)).any(is_position) {
        true => Likeness::Magic,
        false => Likeness::No,
    }
}
