//! json (`.json`, `.jsonl`): records as kifu understood them, for scripts; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "json",
    title: "JSON, the record as kifu understood it",
    extensions: &["json", "jsonl"],
    many: true,
    games: &[Game::Gomoku, Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

fn likeness(head: &[u8]) -> Likeness {
    const KEY: &[u8] = b"\"kifu\"";
    let body = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let is_book = crate::book_jsonl::likeness(head) == Likeness::Magic;
    match !is_book && body.starts_with(b"{") && body.windows(KEY.len()).any(|window| window == KEY) {
        true => Likeness::Magic,
        false => Likeness::No,
    }
}
