//! PengFei's records of xiangqi (`.pfc`): one game with its variations, XML. `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::xml::first_tag;
use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "pfc",
    title: "PengFei record of xiangqi (XML)",
    extensions: &["pfc"],
    many: false,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;
/// The name of every element.
const ELEMENT: &[u8] = b"n";

/// XML whose root is called so short: with a move or a position in it.
fn likeness(head: &[u8]) -> Likeness {
    let is_root = first_tag(head) == Some(ELEMENT);
    let has = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    match is_root {
        true if has(b" m=\"") || has(b" m='") => Likeness::Magic,
        true => Likeness::Shape,
        false => Likeness::No,
    }
}
