//! RenJS, a tree as text; the format is written down in `SPEC.md`.

mod node;
mod read;
#[cfg(test)]
mod tests;

use crate::page::head_text;
use crate::{Format, Likeness};
use games::{Game, Rule};
use node::Nodes;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "renjs",
    title: "RenJS, a tree of variations as text",
    extensions: &["renjs", "ren"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read: read::read,
    writer: None,
};

/// The first node is whole and has a number and a point.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    if !text.trim_start().starts_with("[i=") {
        return Likeness::No;
    }
    if matches!(Nodes::new(&text).next(), Some(Ok(_))) { Likeness::Magic } else { Likeness::No }
}
