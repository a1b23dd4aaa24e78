//! From strings to records.

use super::flag;
use super::node::{Digits, Node, Stop};
use crate::encoding::decode;
use crate::lines::pass_mark;
use crate::{Error, Guess, Place, Reading, Severity, Sure, guess};
use encoding_rs::{Encoding, UTF_8};
use games::{Move, Point, Side, Size};
use record::{Head, Newline, Note, Part, Play, Record, TreeBuilder};

/// Progress is told after so many nodes.
const STRIDE: usize = 1 << 14;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    let digits = Digits::of(&bytes[mark..]);
    let guess = match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess(texts(&digits.bytes).map(|range| &digits.bytes[range])),
    };
    reading.encoding = Some(guess);
    let mut strings = Strings { digits: &digits, mark, encoding: guess.encoding, at: 0, number: 0, nodes: 0 };
    while strings.at < digits.bytes.len() || digits.stranger.is_some() {
        strings.number += 1;
        if !strings.tree(reading)? {
            break;
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// Where the texts of all nodes stand, as far as nodes can be read.
fn texts(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    let nodes = std::iter::from_fn(move || Node::take(bytes, &mut at).ok());
    nodes.flat_map(|node| node.comment.into_iter().chain(node.labels.into_iter().map(|(_, text)| text)))
}

struct Strings<'d> {
    digits: &'d Digits<'d>,
    /// Bytes of the file before the digits.
    mark: usize,
    encoding: &'static Encoding,
    at: usize,
    number: u64,
    nodes: usize,
}

impl Strings<'_> {
    /// Reads a tree; false if nothing behind it can be read.
    fn tree(&mut self, reading: &mut Reading<'_>) -> Result<bool, Error> {
        let mut builder = TreeBuilder::new();
        let mut newline = None;
        // Depths at which a sibling is to come.
        let mut open = Vec::new();
        let (mut depth, mut is_first) = (1, true);
        let bad = loop {
            let start = self.at;
            let node = match Node::take(&self.digits.bytes, &mut self.at) {
                Ok(node) => node,
                Err(stop) => break Some(self.bad(start, &stop)),
            };
            let is_root = is_first && node.pos == 0;
            is_first = false;
            if !is_root {
                let play = Point::from_agi(node.pos).map_or(Move::Pass, Move::Place);
                builder.append(depth, Side::of_ply(depth), Play::Move(play))?;
                if node.flags & flag::SIBLING != 0 {
                    open.push(depth);
                }
                depth += 1;
            }
            self.notes(start, &node, &mut builder, &mut newline, reading)?;
            self.nodes += 1;
            if self.nodes.is_multiple_of(STRIDE) {
                reading.progress(self.mark + 2 * self.at)?;
            }
            if node.flags & flag::LEAF != 0 {
                match open.pop() {
                    Some(sibling) => depth = sibling,
                    None => break None,
                }
            }
        };
        let encoding = (self.encoding != UTF_8).then(|| self.encoding.name());
        let head = Head { encoding, newline, ..Head::default() };
        let Some((byte, message)) = bad else {
            reading.emit(Record { head, tree: builder.build() })?;
            return Ok(true);
        };
        let place = Place { record: Some(self.number), ..Place::byte(byte) };
        let place = place.after(builder.tree(), builder.last(), Size::default());
        if reading.lenient() && builder.tree().len() > 1 {
            let message = format!("{message}; the tree is kept up to there");
            reading.fault("cut-game", Severity::Damage, || (place, message))?;
            reading.emit(Record { head, tree: builder.build() })?;
        } else {
            let error = reading.error(place, message);
            reading.leave_out("bad-game", error)?;
        }
        Ok(false)
    }

    /// Where in the file a node is bad, and what is found there.
    fn bad(&self, start: usize, stop: &Stop) -> (usize, String) {
        match (stop, self.digits.stranger) {
            (Stop::OffBoard, _) => {
                let pos = self.digits.bytes[start];
                (self.mark + self.digits.place(start), format!("point {pos:02X} is off the board"))
            }
            (Stop::Cut, Some((at, byte))) => {
                let shown =
                    if byte.is_ascii_graphic() { format!("`{}`", byte as char) } else { format!("{byte:#04x}") };
                (self.mark + at, format!("{shown} is no hexadecimal digit"))
            }
            (Stop::Cut, None) => {
                let end = self.mark + self.digits.place(self.digits.bytes.len());
                (end, "the digits end before the last leaf".to_owned())
            }
        }
    }

    fn notes(
        &self,
        start: usize,
        node: &Node,
        builder: &mut TreeBuilder,
        newline: &mut Option<Newline>,
        reading: &mut Reading<'_>,
    ) -> Result<(), Error> {
        let place = |builder: &TreeBuilder| {
            let place = Place { record: Some(self.number), ..Place::byte(self.mark + self.digits.place(start)) };
            place.after(builder.tree(), builder.last(), Size::default())
        };
        let unknown = node.flags & !flag::ALL;
        if unknown != 0 {
            reading.fault("unknown-flags", Severity::Quirk, || {
                (place(builder), format!("the bits {unknown:02X} of the flags are not known: not kept"))
            })?;
        }
        let mut texts = Vec::new();
        if let Some(range) = &node.comment {
            texts.push((None, range.clone()));
        }
        for (pos, range) in &node.labels {
            match Point::from_agi(*pos) {
                Some(point) => texts.push((Some(point), range.clone())),
                None => reading.fault("bad-label", Severity::Damage, || {
                    (place(builder), format!("a label stands on {pos:02X}, which is no point: left out"))
                })?,
            }
        }
        if node.open_labels {
            reading.fault("bad-label", Severity::Damage, || {
                (place(builder), "neither 04 nor 00 stands behind a label: it is taken for the last".into())
            })?;
        }
        for (point, range) in texts {
            let bytes = &self.digits.bytes[range];
            let decoded = decode(bytes, self.encoding, newline);
            let part = match point {
                Some(point) => Part::Label(point),
                None if decoded.text.contains('\n') => Part::Body,
                None => Part::Line,
            };
            builder.note(match part {
                Part::Label(point) => Note::Label(point, &decoded.text),
                Part::Body => Note::Body(&decoded.text),
                _ => Note::Line(&decoded.text),
            })?;
            if !decoded.exact {
                builder.note(Note::Bytes(part, bytes))?;
                reading.fault("bad-text", Severity::Damage, || {
                    let name = self.encoding.name();
                    (place(builder), format!("a text is not in {name}: its bytes are kept"))
                })?;
            }
        }
        Ok(())
    }
}
