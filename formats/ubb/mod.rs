//! DhtmlXQ, the records of xiangqi in web pages and forums (`.ubb`). `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "ubb",
    title: "DhtmlXQ record of xiangqi",
    extensions: &["ubb"],
    many: true,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;
/// What begins and ends a game.
const OPENINGS: [&str; 2] = ["[DhtmlXQ]", "[DhtmlXQHTML]"];
const CLOSING: &str = "[/DhtmlXQ";
/// What begins a field.
const FIELD: &str = "[DhtmlXQ_";
/// The tag of a field that has no other: this, and its key.
const KEPT: &str = "DhtmlXQ_";

/// Fields and the tags of a record they are.
const KEYS: [(&str, &str); 19] = [
    ("title", "Title"),
    ("event", "Event"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("table", "Table"),
    ("red", "Red"),
    ("redteam", "RedTeam"),
    ("redrating", "RedElo"),
    ("redtime", "RedTime"),
    ("black", "Black"),
    ("blackteam", "BlackTeam"),
    ("blackrating", "BlackElo"),
    ("blacktime", "BlackTime"),
    ("timerule", "TimeControl"),
    ("type", "Type"),
    ("open", "Opening"),
    ("author", "Author"),
    ("remark", "Remark"),
];

/// Whether a field of this key is part of the game, and no tag.
fn is_of_game(key: &str) -> bool {
    ["binit", "movelist", "result"].contains(&key) || key.starts_with("move_") || key.starts_with("comment")
}

/// A page that has a game, or a game alone.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let has = |word: &str| head.windows(word.len()).any(|window| window == word.as_bytes());
    let words = OPENINGS.iter().chain(&["[DhtmlXQ_movelist]", "[DhtmlXQ_binit]"]);
    if !words.into_iter().any(|word| has(word)) {
        return Likeness::No;
    }
    if head.starts_with(b"[DhtmlXQ") || head.starts_with(b"<") { Likeness::Magic } else { Likeness::Shape }
}
