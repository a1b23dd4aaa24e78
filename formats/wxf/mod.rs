//! WXF files of xiangqi, also those that playOK exports (`.wxf`). `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "wxf",
    title: "WXF and playOK games of xiangqi",
    extensions: &["wxf"],
    many: true,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;

/// Keys of one value and the tags they are, in the order in which they are written.
const TAGS: [(&str, &str); 6] = [
    ("GAME", "Title"),
    ("EVENT", "Event"),
    ("DATE", "Date"),
    ("ROUND", "Round"),
    ("SITE", "Site"),
    ("FORMAT", "Format"),
];

/// Keys of a player and the tags of the values between the semicolons.
const PLAYERS: [(&str, [&str; 4]); 2] =
    [("RED", ["Red", "RedTeam", "RedTitle", "RedElo"]), ("BLACK", ["Black", "BlackTeam", "BlackTitle", "BlackElo"])];

/// What stands for the result where it is none of a game.
const RESULT: &str = "Result";

/// The key of a line and what stands behind it.
fn key(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let is_key = key.len() > 1 && key.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_key && (rest.is_empty() || rest.starts_with(['\t', ' ', '{']))).then_some((key, rest))
}

/// Whether a key has a meaning of its own.
fn is_known(key: &str) -> bool {
    ["RED", "BLACK", "RESULT", "FEN", "SETUP", "START", "END"].contains(&key)
        || TAGS.iter().any(|(name, _)| *name == key)
}

/// A line that names the format, or keys of a game and the beginning of its moves.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let line = head.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let Some((key, value)) = std::str::from_utf8(line).ok().and_then(key) else { return Likeness::No };
    let has_moves = head.windows(6).any(|word| word == b"START{");
    match key {
        "FORMAT" if has_moves || ["WXF", "ICCS", "AXF", "LALG", "SALG"].contains(&value.trim()) => Likeness::Magic,
        "FORMAT" => Likeness::Shape,
        _ if is_known(key) && has_moves => Likeness::Magic,
        _ => Likeness::No,
    }
}
