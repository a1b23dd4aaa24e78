//! PGN for xiangqi, as xqbase describes it and many programs vary it: tags and move text, many games in a file.
//!
//! `SPEC.md` in this folder says what is read and written.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use encoding_rs::GB18030;
use games::Game;
use games::xiangqi::notation::Sight;

const NAME: &str = "xiangqi-pgn";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "PGN of xiangqi games",
    extensions: &["pgn"],
    many: true,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The property of a move for PGN's numeric glyphs, the number without its `$`.
const GLYPH: &str = "NAG";

/// What stands before the first tag in files of some programs.
const INVISIBLE: [char; 2] = ['\u{FEFF}', '\u{200B}'];

/// Whether a tag names the game, or the first move can only be one of xiangqi.
fn likeness(head: &[u8]) -> Likeness {
    // What tells the game is ASCII in all the encodings but the Chinese moves, which only must look Chinese.
    let decoded = std::str::from_utf8(head).map_or_else(|_| GB18030.decode(head).0, Into::into);
    let text = decoded.trim_start_matches(INVISIBLE).trim_start();
    if !text.starts_with('[') {
        let first = text.split_whitespace().find(|word| !word.ends_with('.'));
        return if text.starts_with("1.") && first.is_some_and(is_move) { Likeness::Shape } else { Likeness::No };
    }
    let (mut moves, mut has_tags) = ("", false);
    for line in text.lines() {
        let line = line.trim();
        if let Some((name, value)) = read::tag(line) {
            has_tags = true;
            let value = value.to_ascii_lowercase();
            match name.to_ascii_lowercase().as_str() {
                "game" if value == "chinese chess" => return Likeness::Magic,
                "variant" if value.contains("xiangqi") => return Likeness::Magic,
                "game" | "variant" => return Likeness::No,
                _ => {}
            }
        } else if !line.is_empty() {
            moves = line;
            break;
        }
    }
    let first = moves.split_whitespace().map(read::without_number).find(|word| !word.is_empty());
    if has_tags && first.is_some_and(is_move) { Likeness::Magic } else { Likeness::No }
}

/// Whether a word is a move in one of the notations of xiangqi.
fn is_move(word: &str) -> bool {
    let mut sight = Sight::default();
    sight.see(read::without_number(word));
    matches!(sight.style(), Ok(Some(_)))
}
