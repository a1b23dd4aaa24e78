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
use games::xiangqi::notation::{Sight, Style};
pub(crate) use read::{glyphs, outcome, without_number};

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
pub(crate) const GLYPH: &str = "NAG";

/// The signs behind a move that are the glyphs from 1 on.
const SIGNS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// The signs of the glyph of this number.
pub(crate) fn glyph_signs(number: &str) -> Option<&'static str> {
    SIGNS.get(number.parse::<usize>().ok()?.checked_sub(1)?).copied()
}

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
    let (mut rest, mut has_tags) = (text, false);
    while let Some((name, value)) = rest.lines().next().and_then(|line| read::tag(line.trim())) {
        let value = value.to_ascii_lowercase();
        match name.to_ascii_lowercase().as_str() {
            "game" if value == "chinese chess" => return Likeness::Magic,
            "variant" if value.contains("xiangqi") => return Likeness::Magic,
            "game" | "variant" => return Likeness::No,
            _ => has_tags = true,
        }
        rest = rest.split_once(['\n', '\r']).map_or("", |(_, rest)| rest.trim_start());
    }
    if has_tags && first_word(rest).is_some_and(is_move) { Likeness::Magic } else { Likeness::No }
}

/// The first word of move text that is neither a comment nor a number.
fn first_word(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        if let Some(comment) = text.strip_prefix('{') {
            text = comment.split_once('}')?.1;
        } else if text.starts_with([';', '%']) {
            text = text.split_once(['\n', '\r'])?.1;
        } else {
            let (word, rest) = text.split_at(text.find(|c: char| c.is_whitespace()).unwrap_or(text.len()));
            match without_number(word) {
                "" if word.is_empty() => return None,
                "" => text = rest,
                word => return Some(word),
            }
        }
    }
}

/// Whether a word is a move in one of the notations of xiangqi.
fn is_move(word: &str) -> bool {
    let mut sight = Sight::default();
    sight.see(without_number(word));
    // Pieces and where they go are what PGN of chess says, too.
    matches!(sight.style(), Ok(Some(style)) if style != Style::San)
}
