//! From text to a record.

use super::node::{Node, Nodes};
use crate::page::{page, rows};
use crate::{Error, Place, Reading, Severity};
use games::{Side, Size};
use record::{Head, NodeId, Note, Play, Record, TreeBuilder, plain};
use std::collections::HashMap;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let place = |at: usize| Place::line(rows(&text[..at]).count().max(1));
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for node in Nodes::new(&text) {
        match node {
            Ok(node) => nodes.push(node),
            Err(wrong) if reading.lenient() && !nodes.is_empty() => {
                reading.fault("cut-game", Severity::Damage, || {
                    (place(wrong.at), format!("{}; what stands before is kept", wrong.message))
                })?;
                break;
            }
            Err(wrong) => return Err(reading.error(place(wrong.at), wrong.message)),
        }
    }
    let ids: HashMap<i64, usize> = nodes.iter().enumerate().rev().map(|(at, node)| (node.id, at)).collect();
    let mut builder = TreeBuilder::new();
    let mut placed = vec![false; nodes.len()];
    let is_root = |node: &Node<'_>| node.above.is_none_or(|above| above < 0) && node.number == Some(0);
    let mut roots = false;
    // What is still to be placed, the next one last: a depth and a node.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, node) in nodes.iter().enumerate().rev().filter(|(_, node)| node.above.is_none_or(|above| above < 0)) {
        open.push((usize::from(!is_root(node)), at));
    }
    // Roots come first, where what is written at them has its place.
    open.sort_by_key(|(depth, at)| std::cmp::Reverse((*depth, *at)));
    while let Some((depth, at)) = open.pop() {
        let node = &nodes[at];
        placed[at] = true;
        if depth > 0 {
            builder.append(depth, Side::of_ply(depth), Play::Move(node.play))?;
        } else if std::mem::replace(&mut roots, true) {
            let message = || (place(node.at), "a second root: what is written at it is left out".into());
            reading.fault("second-root", Severity::Damage, message)?;
        }
        let last = builder.last();
        let after = |builder: &TreeBuilder| place(node.at).after(builder.tree(), last, Size::default());
        let is_second = depth == 0 && last != NodeId::ROOT;
        for (kind, note) in [(0, node.line), (1, node.body), (2, node.text)] {
            if note.is_empty() || is_second {
                continue;
            }
            let note = plain(&note.replace("\r\n", "\n").replace('\r', "\n")).into_owned();
            builder.note(match kind {
                0 => Note::Line(&note),
                1 => Note::Body(&note),
                _ => Note::Text(&note),
            })?;
        }
        if node.number.is_some_and(|number| number != depth as i64) {
            let message = || (after(&builder), "the number of the move is another: not kept".into());
            reading.fault("move-number", Severity::Quirk, message)?;
        }
        if let Some(key) = node.unknown {
            let message = || (after(&builder), format!("the key `{key}` is not known: not kept"));
            reading.fault("unknown-key", Severity::Damage, message)?;
        }
        for id in node.below.iter().rev() {
            match ids.get(id).filter(|below| !placed[**below] && nodes[**below].above == Some(node.id)) {
                Some(below) => {
                    placed[*below] = true;
                    open.push((depth + 1, *below));
                }
                None => reading.fault("no-child", Severity::Damage, || {
                    (after(&builder), format!("node {id} is not there, or stands elsewhere: left out"))
                })?,
            }
        }
    }
    if let Some(lost) = placed.iter().position(|placed| !placed) {
        let count = placed.iter().filter(|placed| !**placed).count();
        reading.fault("lost-nodes", Severity::Damage, || {
            (place(nodes[lost].at), format!("{count} nodes stand below none, this one the first: left out"))
        })?;
    }
    let encoding = reading.encoding.map(|guess| guess.encoding).filter(|encoding| *encoding != encoding_rs::UTF_8);
    let head = Head { encoding: encoding.map(|encoding| encoding.name()), ..Head::default() };
    reading.emit(Record { head, tree: builder.build() })?;
    reading.progress(bytes.len())
}
