//! From records to packed games.

use super::entry::{Entry, Header, of_score};
use super::{GAME_TAG, NAME};
use crate::bin::sample::{OPENING_PLIES, number, opening_plies};
use crate::bin::write::{code, rule_number};
use crate::line::{must_be_gomoku, notes_lost, opening_lost, tags_lost};
use crate::{Error, Losses, Out, WriteOptions, Writer};
use games::{Move, Side};
use record::{Head, NodeId, Note, Outcome, Play, Record, Tree};
use std::io::Write;

/// The longest game, the most entries and the largest tag that there are bits for.
const LONGEST: usize = 1023;
const MOST_ENTRIES: usize = (1 << 18) - 1;
const LARGEST_TAG: u16 = (1 << 14) - 1;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Games { out: Out::new(target) })
}

struct Games<'a> {
    out: Out<'a>,
}

impl Writer for Games<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let head = &record.head;
        let Some(result) = head.result.filter(|result| number(*result, Side::First).is_some()) else {
            losses.named("games without a result (left out)", head.result.map_or("*", Outcome::text));
            return Ok(());
        };
        if head.size.width() != head.size.height() {
            losses.named("games on boards that are not square (left out)", &head.size.to_string());
            return Ok(());
        }
        let plies = plies(record, losses);
        let plays: Vec<Move> = plies.iter().filter_map(|(node, _)| played(&record.tree, *node)).collect();
        let fits = |opening: &usize| plays.get(..*opening).is_some_and(|moves| !moves.contains(&Move::Pass));
        let stated = opening_plies(head).filter(fits);
        let opening = stated.unwrap_or(0);
        let tag = game_tag(head);
        let kept = [(OPENING_PLIES, stated.is_some()), (GAME_TAG, tag.is_some())];
        let kept: Vec<&str> = kept.into_iter().filter_map(|(name, kept)| kept.then_some(name)).collect();
        tags_lost(head, &kept, losses);
        opening_lost(head, losses);
        let entries = entries(record, &plies, opening, losses);
        let result = number(result, Side::of_ply(opening + 1)).expect("the result has a number");
        let rule = rule_number(head.rule, losses);
        let size = head.size.width();
        let (total, count) = (plies.len(), entries.len());
        let header = Header { size, rule, result, total, opening, tag: tag.unwrap_or(0), count };
        header.push(self.out.buffer());
        for play in &plays[..opening] {
            let point = play.point().expect("there is no pass in the opening");
            self.out.push(&code(point).to_le_bytes());
        }
        for entry in &entries {
            entry.push(self.out.buffer());
        }
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

fn game_tag(head: &Head) -> Option<u16> {
    let text = head.tag(GAME_TAG)?;
    text.parse().ok().filter(|tag: &u16| (1..=LARGEST_TAG).contains(tag) && tag.to_string() == text)
}

fn played(tree: &Tree, node: NodeId) -> Option<Move> {
    match tree.play(node) {
        Play::Move(play) => Some(play),
        _ => None,
    }
}

/// The nodes of the moves that were played, each with those of the alternatives; what is neither is lost.
fn plies(record: &Record, losses: &mut Losses) -> Vec<(NodeId, Vec<NodeId>)> {
    let tree = &record.tree;
    let next = |node: NodeId| tree.children(node).find(|child| !matches!(tree.play(*child), Play::Label(_)));
    let mut plies: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    // For each ply the node above it, of those whose other children may be alternatives.
    let (mut above, mut node) = (NodeId::ROOT, next(NodeId::ROOT));
    let mut parents = Vec::new();
    let mut skipped = Vec::new();
    while let Some(at) = node {
        if played(tree, at).is_none() {
            losses.node("nodes without a move (left out)", record, at);
            skipped.push(at);
        } else if plies.len() < LONGEST {
            plies.push((at, Vec::new()));
            parents.push(above);
        } else {
            losses.node("moves beyond the longest game of the format (left out)", record, at);
            skipped.push(at);
        }
        above = at;
        node = next(at);
    }
    skipped.push(NodeId::ROOT);
    for node in &skipped {
        notes_lost(record, *node, &|_, _| false, losses);
    }
    // Nodes are in pre-order, so these are sorted.
    let mut line: Vec<NodeId> = plies.iter().map(|(node, _)| *node).chain(skipped).collect();
    line.sort_unstable();
    for node in tree.nodes().filter(|node| line.binary_search(node).is_err()) {
        let parent = tree.parent(node).expect("all but the root have a parent");
        let beside = parents.binary_search(&parent).ok();
        match beside.filter(|_| tree.is_leaf(node) && played(tree, node).is_some()) {
            Some(ply) => plies[ply].1.push(node),
            None => losses.node("nodes off the main line (left out)", record, node),
        }
    }
    plies
}

fn entries(record: &Record, plies: &[(NodeId, Vec<NodeId>)], opening: usize, losses: &mut Losses) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (ply, (node, others)) in plies.iter().enumerate() {
        let side = Side::of_ply(ply + 1);
        if ply < opening {
            in_turn(record, *node, side, losses);
            notes_lost(record, *node, &|_, _| false, losses);
            others.iter().for_each(|other| losses.node("nodes off the main line (left out)", record, *other));
            continue;
        }
        entries.push(entry(record, *node, side, losses));
        let room = MOST_ENTRIES - LONGEST - entries.len().min(MOST_ENTRIES - LONGEST);
        for (at, other) in others.iter().enumerate() {
            match at < room {
                true => entries.push(Entry { first: false, ..entry(record, *other, side, losses) }),
                false => losses.node("nodes off the main line (left out)", record, *other),
            }
        }
        entries.last_mut().expect("one was pushed").last = true;
    }
    entries
}

fn in_turn(record: &Record, node: NodeId, side: Side, losses: &mut Losses) {
    if record.tree.side(node) != side {
        losses.node("moves out of turn (written as if sides alternated)", record, node);
    }
}

/// The entry of a move as if it were the first of several.
fn entry(record: &Record, node: NodeId, side: Side, losses: &mut Losses) -> Entry {
    in_turn(record, node, side, losses);
    let mut value = None;
    let is_value = |_: NodeId, note: &Note<'_>| matches!(note, Note::Value(_));
    notes_lost(record, node, &is_value, losses);
    for note in record.tree.notes(node) {
        let Note::Value(written) = note else { continue };
        if written.depth.is_some() {
            losses.node("depths of values (left out)", record, node);
        }
        // A second one has been counted.
        if value.is_none() {
            value = of_score(written.score, side).map(Some).unwrap_or_else(|(nearest, what)| {
                losses.node(what, record, node);
                nearest
            });
        }
    }
    let point = record.tree.play(node).stone();
    Entry {
        first: true,
        last: false,
        no_value: value.is_none(),
        pass: point.is_none(),
        reserved: false,
        code: point.map_or(0, code),
        value: value.unwrap_or(0),
    }
}
