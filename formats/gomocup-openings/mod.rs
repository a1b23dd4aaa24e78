//! Openings of Gomocup as offsets from the centre; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::lines::{lines, without_bom};
use crate::{Format, Likeness};
use games::{Game, Point, Size};

const NAME: &str = "gomocup-openings";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "Gomocup openings, offsets from the centre",
    extensions: &["txt"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// Whether the first line is pairs of small numbers.
fn likeness(head: &[u8]) -> Likeness {
    let body = without_bom(head);
    let Some((_, start, line)) = lines(body).next() else { return Likeness::No };
    // The head may end in the middle of an opening.
    let is_cut = start + line.len() == body.len() && head.len() >= crate::registry::HEAD;
    let Ok(text) = std::str::from_utf8(line) else { return Likeness::No };
    let whole = if is_cut { text.rsplit_once(',').map_or(text, |(whole, _)| whole) } else { text };
    match offsets(whole) {
        Ok(numbers) if numbers.len() % 2 == 0 || is_cut => Likeness::Shape,
        _ => Likeness::No,
    }
}

/// The numbers of a line, or where it is none, the byte and the word.
fn offsets(line: &str) -> Result<Vec<i8>, (usize, &str)> {
    let mut numbers = Vec::new();
    let mut at = 0;
    for part in line.split(',') {
        let word = part.trim();
        let number = word.parse::<i8>().ok().filter(|number| (-50..50).contains(number));
        let start = at + (part.len() - part.trim_start().len());
        numbers.push(number.ok_or((start, word))?);
        at += part.len() + 1;
    }
    Ok(numbers)
}

/// The point so far to the right and down from the centre of the board.
fn point(dx: i8, dy: i8, size: Size) -> Option<Point> {
    let x = (size.width() / 2).checked_add_signed(dx)?;
    let y = (size.height() / 2).checked_add_signed(dy)?;
    Point::new(x, y).filter(|point| size.contains(*point))
}
