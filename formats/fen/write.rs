use super::NAME;
use crate::encoding::encode;
use crate::{Error, Losses, Out, WriteOptions, Writer, steps};
use encoding_rs::{Encoding, UTF_8};
use games::xiangqi::Fen;
use games::{Move, xiangqi};
use record::{Newline, NodeId, Play, Record};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(ListWriter { out: Out::new(out), encoding: options.encoding.unwrap_or(UTF_8) })
}

struct ListWriter<'a> {
    out: Out<'a>,
    encoding: &'static Encoding,
}

impl Writer for ListWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        steps::start(record, NAME, &mut Losses::default())?;
        let options = xiangqi::FenOptions { strict: false, other_letters: true };
        let read = |text| Fen::read(text, options).map(|(fen, _)| fen).ok();
        let fen = record.head.fen().and_then(read).unwrap_or_else(Fen::start).to_string();
        let title = record.head.tag("Title").unwrap_or_default();
        let name = title.trim().replace(['|', '\n', '\t'], " ");
        if name != title || name.starts_with('#') {
            losses.named("bars, line breaks and blanks around titles (left out or written as blanks)", title);
        }
        let name = name.trim_start_matches('#').trim();
        let moves = self.moves(record, losses)?;
        let line = match (name, moves.as_str()) {
            ("", "") => fen,
            (name, "") => format!("{name}|{fen}"),
            (name, moves) => format!("{name}|{fen}|{moves}"),
        };
        match encode(&line, self.encoding, Newline::Lf) {
            Some(bytes) => self.out.push(&bytes),
            None => {
                losses.named("characters that the encoding lacks (written as ?)", "Title");
                let known = |c: char| if c.is_ascii() { c } else { '?' };
                self.out.push(line.chars().map(known).collect::<String>().as_bytes());
            }
        }
        self.out.push(b"\n");
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl ListWriter<'_> {
    /// The main line, divided by blanks; what else there is is lost.
    fn moves(&self, record: &Record, losses: &mut Losses) -> Result<String, Error> {
        let head = &record.head;
        let mut seen = Vec::new();
        for (name, _) in &head.tags {
            if !["Title", "FEN"].contains(&name.as_str()) || seen.contains(&name) {
                losses.named("tags (left out)", name);
            }
            seen.push(name);
        }
        if let Some(result) = head.result {
            losses.named("results (left out)", result.text());
        }
        steps::lost_head(head, losses);
        let tree = steps::of(record, losses)?.into_owned();
        let record = &Record { head: head.clone(), tree };
        let tree = &record.tree;
        let mut main = tree.main_line().peekable();
        let mut words = Vec::new();
        // Nodes are in pre-order, and the main line stands first.
        for node in tree.nodes() {
            let is_main = node == NodeId::ROOT || main.next_if_eq(&node).is_some();
            if !is_main {
                losses.node("moves beside the main line (left out)", record, node);
            } else if let Play::Move(Move::Step(step)) = tree.play(node) {
                words.push(step.to_string());
            }
            if tree.notes(node).next().is_some() || tree.is_found(node) || tree.is_start(node) {
                losses.node("comments, values and other notes (left out)", record, node);
            }
        }
        Ok(words.join(" "))
    }
}
