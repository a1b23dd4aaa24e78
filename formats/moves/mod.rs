//! Move strings, one game a line; the format is written down in `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::lines::{lines, without_bom};
use crate::{Format, Likeness};
use games::{Coords, Size};
use read::Line;

const NAME: &str = "moves";

/// The tag that holds the number of opening plies of a game line.
const OPENING_PLIES: &str = "OpeningPlies";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "move strings, one game a line",
    extensions: &["txt", "moves"],
    many: true,
    rule: None,
    likeness,
    read: read::read,
    writer: write::writer,
};

/// Whether the first line that is neither blank nor a comment reads as a game.
fn likeness(head: &[u8]) -> Likeness {
    let head = without_bom(head);
    let Some((start, line)) = lines(head).map(|(_, start, line)| (start, line)).find(|(_, line)| !is_comment(line))
    else {
        return Likeness::No;
    };
    match Line::parse(line, Coords::A1, Size::default()) {
        Ok(_) => Likeness::Shape,
        // The head may end in the middle of a move.
        Err(bad) if start + line.len() == head.len() && bad.at + 4 > line.len() && bad.kept.is_some() => {
            Likeness::Shape
        }
        Err(_) => Likeness::No,
    }
}

/// Whether a line that is not blank is a comment.
fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"#")
}
