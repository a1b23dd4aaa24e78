use super::header::{PIECES, RESULT, RESULTS, SLOTS, STAGE, STAGES, TO_MOVE, TYPE, byte};
use super::{HEADER, MAGIC, NAME, PLAIN};
use crate::encoding::{decode, encode};
use crate::loss::{AGAIN, EMPTY_LINE};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, label_to_encoding, start, steps};
use encoding_rs::{Encoding, GB18030, UTF_8};
use games::xiangqi::Board;
use games::{Move, Side};
use record::{Newline, NodeId, Note, Once, Part, Play, Record};
use std::io::Write;

pub fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(GameWriter { out: Out::new(out), encoding: options.encoding })
}

struct GameWriter<'a> {
    out: Out<'a>,
    encoding: Option<&'static Encoding>,
}

impl Writer for GameWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let source = record.head.encoding.and_then(label_to_encoding).unwrap_or(UTF_8);
        let encoding = self.encoding.unwrap_or(GB18030);
        // All that GBK says is the same in GB18030, but for one sign that old programs wrote.
        let keep_bytes = encoding == source || encoding == GB18030 && source.name() == "GBK";
        let newline = record.head.newline.unwrap_or(Newline::CrLf);
        let writing = Writing { record, encoding, newline, keep_bytes };
        let board = steps::start(record, NAME, losses)?;
        let header = writing.header(&board, losses)?;
        self.out.push(&header);
        let kept = steps::of(record, losses)?;
        let kept = Record { head: record.head.clone(), tree: kept.into_owned() };
        let writing = Writing { record: &kept, ..writing };
        for (_, node) in kept.tree.walk() {
            writing.node(node, self.out.buffer(), losses);
            self.out.spill()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

struct Writing<'a> {
    record: &'a Record,
    encoding: &'static Encoding,
    newline: Newline,
    /// The record's bytes are in the encoding that is written.
    keep_bytes: bool,
}

impl Writing<'_> {
    fn header(&self, board: &Board, losses: &mut Losses) -> Result<[u8; HEADER], Error> {
        let head = &self.record.head;
        let mut header = [0; HEADER];
        header[..2].copy_from_slice(MAGIC);
        header[2] = PLAIN;
        header[PIECES..PIECES + 32].copy_from_slice(&slots(board)?);
        header[TO_MOVE] = u8::from(board.to_move() == Side::Second);
        if let Some(result) = head.result {
            match RESULTS.iter().position(|other| *other == result) {
                Some(byte) => header[RESULT] = byte as u8,
                None => losses.named("results (left out)", result.text()),
            }
        }
        for (at, (name, value)) in head.tags.iter().enumerate() {
            let is_again = head.tags[..at].iter().any(|(other, _)| other == name);
            let slot = SLOTS.iter().find(|slot| slot.tag == name);
            let stage = STAGES.iter().position(|stage| name == TYPE && stage == value).filter(|stage| *stage > 0);
            match (slot, stage) {
                _ if is_again => losses.named("tags (left out)", name),
                (Some(slot), _) => self.slot(name, value, &mut header[slot.at..=slot.at + slot.room], losses),
                (None, Some(stage)) => header[STAGE] = stage as u8,
                (None, None) if name == "FEN" => {}
                (None, None) => losses.named("tags (left out)", name),
            }
        }
        steps::lost_head(head, losses);
        Ok(header)
    }

    /// Writes the text of a tag as far as there is room for it, and its length before it.
    fn slot(&self, name: &str, value: &str, slot: &mut [u8], losses: &mut Losses) {
        let room = slot.len() - 1;
        let mut length = 0;
        for c in value.chars() {
            let mut utf8 = [0; 4];
            let sign = encode(c.encode_utf8(&mut utf8), self.encoding, self.newline);
            if sign.is_none() {
                losses.named("characters of tags that the encoding lacks (written as ?)", name);
            }
            let sign = sign.as_deref().unwrap_or(b"?");
            if length + sign.len() > room {
                losses.named("ends of tags that are longer than their place (left out)", name);
                break;
            }
            slot[1 + length..][..sign.len()].copy_from_slice(sign);
            length += sign.len();
        }
        slot[0] = length as u8;
    }

    fn node(&self, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) {
        let tree = &self.record.tree;
        let mut flags = if tree.is_leaf(node) { 0 } else { 0xF0 };
        flags |= if tree.next_sibling(node).is_some() { 0x0F } else { 0 };
        match tree.play(node) {
            Play::Move(Move::Step(step)) => out.extend([byte(step.from) + 24, byte(step.to) + 32, flags, 0]),
            _ => out.extend([24, 32, flags, 0xFF]),
        }
        let at = out.len();
        out.extend([0; 4]);
        if tree.is_found(node) || tree.is_start(node) {
            losses.node(steps::FLAGS, self.record, node);
        }
        if tree.notes(node).next().is_some() {
            self.comment(node, out, losses);
        }
        // A tree has less than 4 GiB of text, of which no sign has more bytes here than in UTF-8 but a line end.
        let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
        out[at..at + 4].copy_from_slice(&length.to_le_bytes());
    }

    fn comment(&self, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) {
        let (mut line, mut body) = (None, None);
        let mut once = Once::default();
        for note in self.record.tree.notes(node) {
            match note {
                note if once.is_again(&note) => losses.node(AGAIN, self.record, node),
                Note::Line(text) => line = Some(text),
                Note::Body(text) => body = Some(text),
                Note::Bytes(Part::Line, _) if line.is_some() => {}
                Note::Bytes(Part::Body, _) if body.is_some() => {}
                lost => losses.node(steps::lost_note(&lost), self.record, node),
            }
        }
        match (line, body) {
            (Some(""), Some(_)) => losses.node(EMPTY_LINE, self.record, node),
            (Some(""), None) => losses.node("empty comments (left out)", self.record, node),
            (Some(line), _) if line.contains('\n') => {
                losses.node(steps::LINE_BREAKS, self.record, node);
            }
            _ => {}
        }
        if let Some(line) = line {
            self.text(node, Part::Line, line, out, losses);
        }
        if let Some(body) = body {
            out.extend_from_slice(if self.newline == Newline::Lf { b"\n" } else { b"\r\n" });
            self.text(node, Part::Body, body, out, losses);
        }
    }

    fn text(&self, node: NodeId, part: Part, text: &str, out: &mut Vec<u8>, losses: &mut Losses) {
        if let Some(bytes) = self.record.tree.bytes(node, part) {
            // Somebody may have changed the text and not the bytes.
            let own = || decode(bytes, self.encoding, &mut None).text == text;
            if self.keep_bytes && own() {
                return out.extend_from_slice(bytes);
            }
            losses.node(
                "bytes of texts, in another encoding or of another text (the text is written)",
                self.record,
                node,
            );
        }
        if let Some(bytes) = encode(text, self.encoding, self.newline) {
            return out.extend_from_slice(&bytes);
        }
        losses.node("texts with characters the encoding lacks (written as ?)", self.record, node);
        for c in text.chars() {
            let mut utf8 = [0; 4];
            let sign = encode(c.encode_utf8(&mut utf8), self.encoding, self.newline);
            out.extend_from_slice(sign.as_deref().unwrap_or(b"?"));
        }
    }
}

/// The points of the pieces by their slots; 255 for a piece that is not there.
fn slots(board: &Board) -> Result<[u8; 32], Error> {
    let slots = start::slots(board).map_err(|piece| {
        let message =
            format!("an .xqf has no place for another {}: a side has no more than at the start", piece.name());
        Error::new(Blame::Target, NAME, message)
    })?;
    Ok(slots.map(|point| point.map_or(0xFF, byte)))
}
