//! Games of Kurnik and PlayOK; the format is written down in `SPEC.md`.

mod read;
#[cfg(test)]
mod tests;

use crate::page::head_text;
use crate::{Format, Likeness};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "kurnik-pgn",
    title: "games of Kurnik and PlayOK (PGN)",
    extensions: &["pgn"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: None,
};

/// The server names itself in the first game's tags.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let Some(game) = crate::pgn::games(&text).next() else { return Likeness::No };
    let site = game.tag("Site").unwrap_or_default().to_ascii_lowercase();
    if site.contains("kurnik") || site.contains("playok") { Likeness::Magic } else { Likeness::No }
}
