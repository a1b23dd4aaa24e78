//! RenLib's text board, as players paste it into letters and forums; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::lines::{lines, without_bom};
use crate::{Format, Likeness};
use games::{Game, Rule};

const NAME: &str = "renlib-text";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "RenLib text board",
    extensions: &["txt"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The first line of a game.
const START: &str = "----- Text Board -----";

/// The tag of the line between the start and the names of the columns.
const TITLE: &str = "Title";

fn likeness(head: &[u8]) -> Likeness {
    match lines(without_bom(head)).next() {
        Some((.., line)) if is_start(line) => Likeness::Magic,
        _ => Likeness::No,
    }
}

fn is_start(line: &[u8]) -> bool {
    line.trim_ascii() == START.as_bytes()
}

/// Whether a line is the names of the columns.
fn is_columns(line: &str) -> bool {
    line.split_whitespace().eq(["Black", "White"])
}

/// The number that a line of moves begins with, and what stands behind it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let number = line[..digits].parse().ok()?;
    rest.starts_with([' ', '\t', '.']).then(|| (number, rest.trim_start_matches(['.', ' ', '\t'])))
}
