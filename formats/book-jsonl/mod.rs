//! book-jsonl (`.jsonl`): the positions of a book, a JSON object a line; `SPEC.md` beside this file is the format.

pub(crate) mod line;
pub(crate) mod read;
#[cfg(test)]
mod tests;
pub(crate) mod write;

use crate::{EntryFormat, Likeness};
use games::Game;
use line::{Line, Stranger};

/// The row of the registry.
pub const FORMAT: EntryFormat = EntryFormat {
    name: "book-jsonl",
    title: "positions of a book, a JSON object a line",
    extensions: &["jsonl"],
    games: &[Game::Gomoku, Game::Xiangqi],
    likeness,
    read: read::read,
    writer: write::writer,
};

const NAME: &str = FORMAT.name;

/// Whether the first line is an object with a position, or names this format.
pub(crate) fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let ends_as_name = |rest: &[u8]| rest.trim_ascii_start().starts_with(b":");
    let has = |member: &[u8]| {
        let after = |at: usize| &line[at + member.len()..];
        line.windows(member.len()).enumerate().any(|(at, window)| window == member && ends_as_name(after(at)))
    };
    // A number of nodes is of a search, a list of them makes a record.
    let is_list = |at: usize| {
        let after = line[at + b"\"nodes\"".len()..].trim_ascii_start().strip_prefix(b":");
        after.is_some_and(|after| after.trim_ascii_start().starts_with(b"["))
    };
    let is_record = line.windows(7).enumerate().any(|(at, window)| window == b"\"nodes\"" && is_list(at));
    let is_head = has(b"\"format\"") && line.windows(NAME.len()).any(|window| window == NAME.as_bytes());
    match line.starts_with(b"{") && (has(b"\"position\"") || is_head) && !is_record {
        true => Likeness::Magic,
        false => Likeness::No,
    }
}

/// Whether the head of a file says that mirrored positions stand apart in it.
pub fn stands_apart(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let head: Result<Line<'_>, _> = read::object(first, &mut Stranger::default());
    head.is_ok_and(|head| head.position.is_none() && head.symmetric == Some(false))
}
