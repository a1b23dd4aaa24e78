//! Games saved by Yixin-Board (`.sav`); see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::lines::{lines, without_bom};
use crate::{Format, Likeness};
use games::Game;

const NAME: &str = "yixin-sav";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "Yixin-Board saved game",
    extensions: &["sav"],
    many: false,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// Whether there are three lines of a number each and behind them one of two.
fn likeness(head: &[u8]) -> Likeness {
    let counts: Vec<usize> = lines(without_bom(head)).take(4).map(|(.., line)| numbers(line)).collect();
    match counts[..] {
        [1, 1, 1] | [1, 1, 1, 2] => Likeness::Shape,
        _ => Likeness::No,
    }
}

/// How many numbers are in a line that holds nothing else.
fn numbers(line: &[u8]) -> usize {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| if word.len() <= 3 && word.iter().all(u8::is_ascii_digit) { 1 } else { 100 }).sum()
}
