//! RenLib's positions (`.pos`): the moves of a line as bytes; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::{Game, Point, Rule};

const NAME: &str = "pos";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "RenLib position, the moves of a line",
    extensions: &["pos"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The width of the board.
const WIDTH: u8 = 15;

/// The point of a byte.
fn point(byte: u8) -> Option<Point> {
    if byte < WIDTH * WIDTH { Point::new(byte % WIDTH, byte / WIDTH) } else { None }
}

/// Whether the file is as long as its first byte says and names no point twice.
///
/// From five moves on that is no accident.
fn likeness(head: &[u8]) -> Likeness {
    let Some((count, moves)) = head.split_first() else { return Likeness::No };
    let distinct = || moves.iter().enumerate().all(|(at, byte)| point(*byte).is_some() && !moves[..at].contains(byte));
    match usize::from(*count) {
        0 => Likeness::No,
        count if count != moves.len() || !distinct() => Likeness::No,
        1..5 => Likeness::Shape,
        _ => Likeness::Magic,
    }
}
