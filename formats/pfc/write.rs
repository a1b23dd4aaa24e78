//! From a record to XML.

use super::NAME;
use crate::xml::attribute;
use crate::{Error, Losses, Out, WriteOptions, Writer, steps};
use games::Move;
use games::xiangqi::Fen;
use record::{NodeId, Play, Record};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(GameWriter { out: Out::new(out) })
}

struct GameWriter<'a> {
    out: Out<'a>,
}

impl Writer for GameWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        steps::start(record, NAME, &mut Losses::default())?;
        let head = &record.head;
        let mut tags = head.tags.iter();
        let fen = tags.clone().position(|(name, _)| name == "FEN").and_then(|place| {
            // One of them is the position.
            tags.by_ref().take(place).for_each(|(name, _)| losses.named("tags (left out)", name));
            tags.next()
        });
        tags.for_each(|(name, _)| losses.named("tags (left out)", name));
        if let Some(result) = head.result {
            losses.named("results (left out)", result.text());
        }
        steps::lost_head(head, losses);
        let tree = steps::of(record, losses)?.into_owned();
        let record = Record { head: head.clone(), tree };
        self.out.push(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        self.nodes(&record, &fen.map_or_else(|| Fen::start().to_string(), |(_, fen)| fen.clone()), losses)?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl GameWriter<'_> {
    fn nodes(&mut self, record: &Record, fen: &str, losses: &mut Losses) -> Result<(), Error> {
        let tree = &record.tree;
        // How many elements are open: those above the node, but for leaves.
        let mut open = 0;
        for (depth, node) in tree.walk() {
            while open > depth {
                self.out.push(b"</n>\n");
                open -= 1;
            }
            let out = self.out.buffer();
            out.extend_from_slice(b"<n");
            match tree.play(node) {
                _ if node == NodeId::ROOT => {
                    attribute("version", "1", out);
                    attribute("m", fen, out);
                }
                Play::Move(Move::Step(step)) => attribute("m", &step.to_string(), out),
                _ => {}
            }
            if let Some(text) = steps::comment(record, node, losses) {
                attribute("c", &text, out);
            }
            let is_first = tree.parent(node).is_some_and(|parent| tree.first_child(parent) == Some(node));
            if is_first && tree.next_sibling(node).is_some() {
                attribute("default", "true", out);
            }
            if tree.is_found(node) || tree.is_start(node) {
                losses.node(steps::FLAGS, record, node);
            }
            let is_leaf = tree.is_leaf(node);
            out.extend_from_slice(if is_leaf { b"/>\n" } else { b">\n" });
            open += usize::from(!is_leaf);
            self.out.spill()?;
        }
        (0..open).for_each(|_| self.out.push(b"</n>\n"));
        Ok(())
    }
}
