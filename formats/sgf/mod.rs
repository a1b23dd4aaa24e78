//! SGF, the smart game format: games and variations of gomoku and renju as nested, bracketed text.
//!
//! `SPEC.md` in this folder says what is read and written.

mod charset;
mod names;
mod outcome;
mod read;
#[cfg(test)]
mod tests;
mod value;
mod write;

use crate::{Format, Likeness};
use encoding_rs::Encoding;
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "sgf",
    title: "SGF, the smart game format",
    extensions: &["sgf"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

fn likeness(head: &[u8]) -> Likeness {
    let text;
    let head = match Encoding::for_bom(head) {
        Some((encoding, length)) => {
            text = encoding.decode_without_bom_handling(&head[length..]).0;
            text.as_bytes()
        }
        None => head,
    };
    let head = head.trim_ascii_start();
    let opens = |text: &[u8]| text.strip_prefix(b"(").is_some_and(|rest| rest.trim_ascii_start().starts_with(b";"));
    let later = || head.iter().zip(1..).any(|(byte, next)| *byte == b'(' && head.get(next) == Some(&b';'));
    match head.first() {
        _ if opens(head) => Likeness::Magic,
        Some(b'(' | b';') => Likeness::Shape,
        _ if later() => Likeness::Shape,
        _ => Likeness::No,
    }
}
