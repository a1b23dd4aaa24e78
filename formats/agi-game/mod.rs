//! agi-game (`.agx`): collections of games and trees in XML; see `SPEC.md` and `agx.xsd`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "agi-game",
    title: "AGI game record (XML)",
    extensions: &["agx"],
    many: true,
    games: &[Game::Gomoku, Game::Xiangqi],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The namespace of version 1.
const NAMESPACE: &str = "urn:agi:game:1";

/// What the root element looks for: `<agx` behind a byte order mark, declarations and comments.
///
/// A DOCTYPE that names it is taken too, so that the reader can say why it refuses it.
fn likeness(head: &[u8]) -> Likeness {
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    while let Some(end) = [(&b"<?"[..], &b"?>"[..]), (b"<!--", b"-->")].iter().find_map(|(open, close)| {
        let inside = rest.strip_prefix(*open)?;
        inside.windows(close.len()).position(|window| window == *close).map(|at| open.len() + at + close.len())
    }) {
        rest = rest[end..].trim_ascii_start();
    }
    let name = rest.strip_prefix(b"<!DOCTYPE ").or(rest.strip_prefix(b"<"));
    let after = name.and_then(|name| name.strip_prefix(b"agx"));
    match after.and_then(<[u8]>::first) {
        Some(byte) if byte.is_ascii_whitespace() || b">/[".contains(byte) => Likeness::Magic,
        _ => Likeness::No,
    }
}
