//! CCBridge's records of xiangqi in XML (`.cbf`). `SPEC.md` beside this file is the format.

mod read;
#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::Game;

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
    writer: None,
};

/// The root element.
const ROOT: &str = "ChineseChessRecord";

/// XML whose root element is named early on.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let named = |at: usize| head.get(at + 1..).is_some_and(|rest| rest.starts_with(ROOT.as_bytes()));
    // Before it stand a declaration and comments alone.
    let root = head.windows(2).position(|pair| pair[0] == b'<' && pair[1].is_ascii_alphabetic());
    if head.starts_with(b"<") && root.is_some_and(named) { Likeness::Magic } else { Likeness::No }
}
