//! CCBridge's records of xiangqi in XML (`.cbf`). `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{Format, Likeness};
use games::Game;
use record::Outcome;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "cbf",
    title: "CCBridge record of xiangqi (XML)",
    extensions: &["cbf"],
    many: false,
    games: &[Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;
/// The root element.
const ROOT: &str = "ChineseChessRecord";
/// The element of the result.
const RESULT: &str = "RecordResult";
/// The results by their numbers.
const RESULTS: [Outcome; 4] = [Outcome::Unknown, Outcome::First, Outcome::Second, Outcome::Draw];

/// Elements of the head and the tags of a record they are; others keep their names.
const TAGS: [(&str, &str); 13] = [
    ("Name", "Title"),
    ("From", "Source"),
    ("ContestType", "Class"),
    ("Contest", "Event"),
    ("TimeRule", "TimeControl"),
    ("RedRating", "RedElo"),
    ("BlackRating", "BlackElo"),
    ("Commentator", "Annotator"),
    ("CommentatorURL", "AnnotatorMail"),
    ("Creator", "Author"),
    ("CreatorURL", "AuthorMail"),
    ("DateCreated", "Created"),
    ("DateModified", "Modified"),
];

/// The tag that an element of the head is.
fn tag_of(element: &str) -> &str {
    TAGS.iter().find(|(known, _)| *known == element).map_or(element, |(_, tag)| tag)
}

/// XML whose root element is named early on.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let named = |at: usize| head.get(at + 1..).is_some_and(|rest| rest.starts_with(ROOT.as_bytes()));
    // Before it stand a declaration and comments alone.
    let root = head.windows(2).position(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic());
    if head.starts_with(b"<") && root.is_some_and(named) { Likeness::Magic } else { Likeness::No }
}

/// The result of a number.
fn result(text: &str) -> Option<Outcome> {
    RESULTS.get(text.parse::<usize>().ok()?).copied()
}
