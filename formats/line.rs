//! A record as formats see it that hold a line of moves and no more than some notes beside it.

use crate::loss::AGAIN;
use crate::{Blame, Error, Losses};
use games::{Game, Move, Side};
use record::{Head, NodeId, Note, Once, Outcome, Play, Record, Tree};

/// A move of the main line.
#[derive(Copy, Clone)]
pub(crate) struct Ply {
    /// Its node.
    pub node: NodeId,
    /// What is played; sides alternate, the first player begins.
    pub play: Move,
}

/// The moves of the [`main_line`].
///
/// What stands elsewhere is lost, and so is each note that the format does not `keep`.
pub(crate) fn plies(record: &Record, keep: impl Fn(NodeId, &Note<'_>) -> bool, losses: &mut Losses) -> Vec<Ply> {
    plies_and(record, |_| false, keep, losses)
}

/// As [`plies`]; the nodes that are written `beside` the main line are no loss.
pub(crate) fn plies_and(
    record: &Record,
    beside: impl Fn(NodeId) -> bool,
    keep: impl Fn(NodeId, &Note<'_>) -> bool,
    losses: &mut Losses,
) -> Vec<Ply> {
    let tree = &record.tree;
    let mut line = main_line(tree).peekable();
    let mut plies = Vec::new();
    notes_lost(record, NodeId::ROOT, &keep, losses);
    for node in tree.nodes().skip(1) {
        if line.next_if_eq(&node).is_none() {
            if beside(node) {
                notes_lost(record, node, &keep, losses);
                continue;
            }
            losses.node("nodes off the main line (left out)", record, node);
            continue;
        }
        let Play::Move(play) = tree.play(node) else {
            losses.node("nodes without a move (left out)", record, node);
            notes_lost(record, node, &|_, _| false, losses);
            continue;
        };
        if tree.side(node) != Side::of_ply(plies.len() + 1) {
            losses.node("moves out of turn (written as if sides alternated)", record, node);
        }
        notes_lost(record, node, &keep, losses);
        plies.push(Ply { node, play });
    }
    plies
}

/// The first child that is not a mere label, its first such child, and so on.
pub(crate) fn main_line(tree: &Tree) -> impl Iterator<Item = NodeId> {
    let next = |node: NodeId| tree.children(node).find(|child| !matches!(tree.play(*child), Play::Label(_)));
    std::iter::successors(next(NodeId::ROOT), move |node| next(*node))
}

/// Counts what is written at a node and has no place in the format.
pub(crate) fn notes_lost(
    record: &Record,
    node: NodeId,
    keep: &impl Fn(NodeId, &Note<'_>) -> bool,
    losses: &mut Losses,
) {
    let tree = &record.tree;
    if tree.is_found(node) {
        losses.node("nodes marked to be found (left out)", record, node);
    }
    if tree.is_start(node) {
        losses.node("start positions (left out)", record, node);
    }
    let mut once = Once::default();
    for note in tree.notes(node) {
        let again = once.is_again(&note);
        let what = match note {
            _ if keep(node, &note) => {
                if again {
                    losses.node(AGAIN, record, node);
                }
                continue;
            }
            Note::Stone(..) => "set-up stones (left out)",
            Note::ToMove(_) => "sides to move (left out)",
            Note::Value(_) => "values (left out)",
            Note::Time(_) => "times (left out)",
            Note::Line(_) | Note::Body(_) => "comments (left out)",
            Note::Text(_) => "board texts (left out)",
            Note::Label(..) => "labels (left out)",
            Note::Mark(..) => "marks (left out)",
            Note::Property(..) => "properties (left out)",
            Note::Bytes(..) => "texts' own bytes (left out)",
        };
        losses.node(what, record, node);
    }
}

/// Counts the rule as lost.
pub(crate) fn rule_lost(head: &Head, losses: &mut Losses) {
    if let Some(rule) = head.rule {
        losses.named("rules (left out)", rule.name());
    }
}

/// Counts a result as lost.
pub(crate) fn result_lost(result: Option<Outcome>, losses: &mut Losses) {
    if let Some(result) = result {
        losses.named("results (left out)", result.text());
    }
}

/// Counts the tags as lost that are none of those `written`, each of which is written once.
pub(crate) fn tags_lost(head: &Head, written: &[&str], losses: &mut Losses) {
    let mut written = written.to_vec();
    for (name, _) in &head.tags {
        match written.iter().position(|known| known == name) {
            Some(at) => drop(written.swap_remove(at)),
            None => losses.named("tags (left out)", name),
        }
    }
}

/// Counts what is known of the opening procedure as lost.
pub(crate) fn opening_lost(head: &Head, losses: &mut Losses) {
    let opening = &head.opening;
    for (there, name) in [
        (!opening.offered.is_empty(), "offered fifth moves"),
        (opening.declared.is_some(), "the declared number of fifth moves"),
        (opening.swaps.is_some(), "swaps"),
    ] {
        if there {
            losses.named("parts of the opening procedure (left out)", name);
        }
    }
}

/// An error if the record is of another game than gomoku.
pub(crate) fn must_be_gomoku(record: &Record, format: &'static str) -> Result<(), Error> {
    match record.head.game {
        Game::Gomoku => Ok(()),
        game => Err(Error::new(Blame::Target, format, format!("this format holds games of gomoku, not of {game}"))),
    }
}
