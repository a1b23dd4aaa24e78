//! Lists of positions of xiangqi (`.fen`, `.eglib`), a FEN a line. `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "fen",
    title: "xiangqi positions, a FEN a line",
    extensions: &["fen", "eglib"],
    many: true,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;

/// What the first line looks for that is neither blank nor a remark: a board of ten ranks of nine files.
fn likeness(head: &[u8]) -> Likeness {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else { return Likeness::No };
    if line.split(|byte| matches!(byte, b'|' | b' ' | b'_' | b'\t')).any(is_board) {
        Likeness::Magic
    } else {
        Likeness::No
    }
}

fn is_board(word: &[u8]) -> bool {
    let mut ranks = 0;
    let is_whole = word.split(|byte| *byte == b'/').all(|rank| {
        ranks += 1;
        let files: usize =
            rank.iter().map(|byte| if byte.is_ascii_digit() { usize::from(byte - b'0') } else { 1 }).sum();
        files == 9 && rank.iter().all(|byte| b"123456789kabnrcphegms".contains(&byte.to_ascii_lowercase()))
    });
    is_whole && ranks == 10
}
