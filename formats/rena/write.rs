//! From records to strings.

use super::{NAME, flag};
use crate::encoding::{code_page, encode};
use crate::line::{must_be_gomoku, notes_lost, opening_lost, result_lost, rule_lost, tags_lost};
use crate::loss::EMPTY_LINE;
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, hex, label_to_encoding};
use encoding_rs::{Encoding, UTF_8};
use games::{Move, Rule, Side, Size};
use record::{Newline, NodeId, Note, Once, Play, Record};
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Strings { out: Out::new(target), encoding: options.encoding })
}

struct Strings<'a> {
    out: Out<'a>,
    encoding: Option<&'static Encoding>,
}

impl Writer for Strings<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        must_be_gomoku(record, NAME)?;
        let (head, tree) = (&record.head, &record.tree);
        if head.size != Size::default() {
            let message = format!("this format holds boards of 15x15, and this one is {}", head.size);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let nodes = moves(record, losses);
        if nodes.is_empty() {
            losses.named("games without a move (left out)", "with nothing else either");
            return Ok(());
        }
        if head.rule != Some(Rule::Renju) {
            rule_lost(head, losses);
        }
        result_lost(head.result, losses);
        tags_lost(head, &[], losses);
        opening_lost(head, losses);
        let source = head.encoding.and_then(label_to_encoding);
        let encoding = self.encoding.or(source).unwrap_or_else(|| page(record));
        let pen = Pen { record, encoding, newline: head.newline.unwrap_or(Newline::CrLf) };
        let pass = tree.play(nodes[0].1) == Play::Move(Move::Pass);
        let mut bytes = vec![0, 0];
        bytes[1] = pen.notes(NodeId::ROOT, &mut bytes, losses);
        if bytes[1] != 0 || pass {
            hex::push(&bytes, self.out.buffer());
        }
        let siblings = siblings(&nodes);
        for (at, (depth, node)) in nodes.iter().enumerate() {
            if tree.side(*node) != Side::of_ply(*depth) {
                losses.node("moves out of turn (written as if sides alternated)", record, *node);
            }
            let point = tree.play(*node).stone().and_then(|point| point.agi()).unwrap_or(0);
            let leaf = nodes.get(at + 1).is_none_or(|(next, _)| next <= depth);
            bytes.clear();
            bytes.extend([point, 0]);
            let notes = pen.notes(*node, &mut bytes, losses);
            bytes[1] = notes | if siblings[at] { flag::SIBLING } else { 0 } | if leaf { flag::LEAF } else { 0 };
            hex::push(&bytes, self.out.buffer());
            self.out.spill()?;
        }
        self.out.push(b"\n");
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

/// The moves with their depths; a node without one is lost with all below it.
fn moves(record: &Record, losses: &mut Losses) -> Vec<(usize, NodeId)> {
    let mut kept = Vec::new();
    // The depth of the node that is lost with what comes below it.
    let mut lost = usize::MAX;
    for (depth, node) in record.tree.walk().skip(1) {
        if depth > lost {
            losses.node("nodes without a move (left out)", record, node);
            continue;
        }
        lost = usize::MAX;
        match record.tree.play(node) {
            Play::Move(_) => kept.push((depth, node)),
            _ => {
                lost = depth;
                losses.node("nodes without a move (left out)", record, node);
            }
        }
    }
    kept
}

/// Whether a node of the same parent comes later, of nodes in pre-order.
fn siblings(nodes: &[(usize, NodeId)]) -> Vec<bool> {
    let mut later: Vec<bool> = Vec::new();
    let mut found = vec![false; nodes.len()];
    for (at, (depth, _)) in nodes.iter().enumerate().rev() {
        found[at] = later.get(*depth).copied().unwrap_or(false);
        later.resize(*depth, false);
        later.push(true);
    }
    found
}

/// The first code page that holds all texts.
fn page(record: &Record) -> &'static Encoding {
    let tree = &record.tree;
    let texts = tree.nodes().flat_map(|node| tree.notes(node)).filter_map(|note| match note {
        Note::Line(text) | Note::Body(text) | Note::Label(_, text) => Some(text),
        _ => None,
    });
    code_page(texts).unwrap_or(UTF_8)
}

struct Pen<'r> {
    record: &'r Record,
    encoding: &'static Encoding,
    newline: Newline,
}

impl Pen<'_> {
    /// Appends comment and labels, and answers the flags that announce them.
    fn notes(&self, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) -> u8 {
        let (record, tree) = (self.record, &self.record.tree);
        let is_kept = |_: NodeId, note: &Note<'_>| matches!(note, Note::Line(_) | Note::Body(_) | Note::Label(..));
        notes_lost(record, node, &is_kept, losses);
        let (mut comment, mut labels) = (None::<String>, Vec::new());
        let mut once = Once::default();
        for note in tree.notes(node) {
            match note {
                // It has been counted.
                note if once.is_again(&note) => {}
                Note::Line(line) => comment = Some(line.into()),
                Note::Body(body) => {
                    if comment.as_deref() == Some("") {
                        losses.node(EMPTY_LINE, record, node);
                        comment = None;
                    }
                    comment = Some(comment.map_or_else(|| body.into(), |line| format!("{line}\n{body}")));
                }
                Note::Label(point, text) => {
                    let bytes = encode(text, self.encoding, self.newline).filter(|text| matches!(text.len(), 1 | 2));
                    match (point.agi(), bytes) {
                        (Some(pos), Some(bytes)) => labels.push((pos, bytes[0], bytes.get(1).copied().unwrap_or(0))),
                        _ => losses.node("labels that are not one or two bytes (left out)", record, node),
                    }
                }
                _ => {}
            }
        }
        let mut flags = 0;
        if let Some(comment) = comment {
            match encode(&comment, self.encoding, self.newline) {
                Some(bytes) => {
                    flags |= flag::COMMENT;
                    let length = (bytes.len() + 1).next_multiple_of(2);
                    let end = out.len() + length;
                    out.extend_from_slice(&bytes);
                    out.resize(end, 0);
                }
                None => losses.node("texts with characters the encoding lacks (left out)", record, node),
            }
        }
        for (at, (pos, first, second)) in labels.iter().enumerate() {
            flags |= flag::LABELS;
            let more = if at + 1 < labels.len() { flag::LABELS } else { 0 };
            out.extend([*pos, *first, *second, more]);
        }
        flags
    }
}
