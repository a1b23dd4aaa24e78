//! From records to text.

use super::{NAME, RULES, eval_of};
use crate::line::{main_line, must_be_gomoku, opening_lost, plies_and, tags_lost};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, decimal};
use games::{Coords, Move, Rule, Side};
use record::{NodeId, Note, Outcome, Play, Record, Tree, Value};
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Positions { out: Out::new(target) })
}

struct Positions<'a> {
    out: Out<'a>,
}

impl Writer for Positions<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let (head, tree) = (&record.head, &record.tree);
        if head.size.width() != head.size.height() {
            let message = format!("boards of this format are square, and this one is {}", head.size);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let best = best_moves(tree);
        let is_best = |node: NodeId| best.binary_search_by_key(&node, |(other, _)| *other).is_ok();
        let keep = |node, note: &Note<'_>| is_best(node) && matches!(note, Note::Value(_));
        let mut plies = plies_and(record, is_best, keep, losses);
        if plies.last().is_some_and(|ply| is_best(ply.node)) {
            plies.pop();
        }
        let out = self.out.buffer();
        decimal::push(head.size.width().into(), out);
        out.push(b',');
        let rule = RULES.iter().find(|(_, rule)| head.rule == Some(*rule));
        out.extend_from_slice(rule.map_or("", |(name, _)| name).as_bytes());
        out.push(b',');
        let mut count = 0;
        for ply in plies {
            match ply.play {
                Move::Place(point) => push(Coords::Rapfi.text(point, head.size), out),
                Move::Pass | Move::Step(_) => {
                    losses.node("passes (left out: who plays next changes)", record, ply.node)
                }
            }
            count += usize::from(ply.play != Move::Pass);
        }
        out.push(b',');
        let mover = Side::of_ply(count + 1);
        match head.result {
            Some(Outcome::Draw) => out.push(b'1'),
            Some(Outcome::First) => out.push(if mover == Side::First { b'2' } else { b'0' }),
            Some(Outcome::Second) => out.push(if mover == Side::Second { b'2' } else { b'0' }),
            Some(other) => losses.named("results (left out)", other.text()),
            None => {}
        }
        out.push(b',');
        for (at, (node, value)) in best.iter().enumerate() {
            if at > 0 {
                out.push(b'|');
            }
            if let Some(point) = tree.play(*node).stone() {
                push(Coords::Rapfi.text(point, head.size), out);
            }
            if value.depth.is_some() {
                losses.node("depths of values (left out)", record, *node);
            }
            // The side that a pass before it makes another has the other's values.
            if let Some(eval) = eval_of(*value, mover) {
                out.push(b'(');
                decimal::push_signed(eval.into(), out);
                out.push(b')');
            }
        }
        out.push(b'\n');
        if let Some(rule @ Rule::Caro) = head.rule {
            losses.named("rules that Rapfi has no name for (left out)", rule.name());
        }
        tags_lost(head, &[], losses);
        opening_lost(head, losses);
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

/// The last node of the main line and its siblings, if all that is written is a move with a value at each.
fn best_moves(tree: &Tree) -> Vec<(NodeId, Value)> {
    let line: Vec<NodeId> = main_line(tree).collect();
    let Some(last) = line.last() else { return Vec::new() };
    let above = tree.parent(*last).unwrap_or(NodeId::ROOT);
    let has_pass = line.iter().any(|node| tree.play(*node) == Play::Move(Move::Pass));
    let moves = line.iter().filter(|node| matches!(tree.play(**node), Play::Move(_))).count();
    let mover = Side::of_ply(moves);
    let best = |node: NodeId| {
        let value = tree.notes(node).find_map(|note| if let Note::Value(value) = note { Some(value) } else { None });
        let value = value.filter(|value| eval_of(*value, mover).is_some())?;
        (tree.is_leaf(node) && tree.play(node).stone().is_some()).then_some((node, value))
    };
    // The first of them is the end of the main line, else it is a move like the others.
    if has_pass || best(*last).is_none() {
        return Vec::new();
    }
    tree.children(above).filter_map(best).collect()
}

/// Appends a point in capital letters.
fn push(text: String, out: &mut Vec<u8>) {
    out.extend(text.bytes().map(|byte| byte.to_ascii_uppercase()));
}
