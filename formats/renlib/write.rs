use super::{EXTENSION, HEADER, MAGIC, MAX_PLY, flag, shape};
use crate::encoding::{code_page, decode, encode};
use crate::loss::{AGAIN, EMPTY_LINE};
use crate::{Error, Losses, Out, WriteOptions, Writer, label_to_encoding};
use encoding_rs::{Encoding, UTF_8};
use games::Move;
use record::{Newline, NodeId, Note, Once, Part, Play, Record};
use std::io::Write;

pub fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(LibraryWriter { out: Out::new(out), encoding: options.encoding })
}

struct LibraryWriter<'a> {
    out: Out<'a>,
    encoding: Option<&'static Encoding>,
}

impl Writer for LibraryWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let record = shape::fit(record, losses)?;
        let plan = Plan::new(&record, self.encoding, losses);
        self.header(plan.rooted);
        let tree = &record.tree;
        for (_, node) in tree.walk() {
            if node == NodeId::ROOT && !plan.rooted {
                // It has no record and holds nothing that would stand there: only losses are told.
                plan.notes(&record, node, self.out.buffer(), losses);
                continue;
            }
            plan.node(&record, node, self.out.buffer(), losses);
            self.out.spill()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl LibraryWriter<'_> {
    fn header(&mut self, rooted: bool) {
        let mut header = [0xFF; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..10].copy_from_slice(if rooted { &[3, 4] } else { &[3, 0] });
        self.out.push(&header);
    }
}

/// How a record is written, known before its first node is.
struct Plan {
    /// With a root record, as version 3.4.
    rooted: bool,
    encoding: &'static Encoding,
    newline: Newline,
    /// The record's bytes are in the encoding that is written.
    keep_bytes: bool,
}

impl Plan {
    fn new(record: &Record, asked: Option<&'static Encoding>, losses: &mut Losses) -> Plan {
        let tree = &record.tree;
        let source = record.head.encoding.and_then(label_to_encoding);
        let found = || {
            let texts = tree.nodes().flat_map(|node| tree.notes(node)).filter_map(|note| match note {
                Note::Line(text) | Note::Body(text) | Note::Text(text) => Some(text),
                _ => None,
            });
            code_page(texts).unwrap_or_else(|| {
                losses.named("texts that no Windows code page holds (in UTF-8, which RenLib shows garbled)", "UTF-8");
                UTF_8
            })
        };
        let encoding = asked.or(source).unwrap_or_else(found);
        lose_head(record, losses);
        let root = NodeId::ROOT;
        let mut rooted = tree.is_found(root) || tree.is_start(root) || tree.notes(root).any(|note| is_kept(&note));
        for (depth, node) in tree.walk().skip(1) {
            let play = tree.play(node);
            let h8 = play.stone().is_some_and(|point| point.agi() == Some(0x78));
            rooted |= play == Play::Move(Move::Pass) || (depth == 1 && !h8);
            if depth > MAX_PLY {
                losses.node("nodes beyond ply 225 (written all the same)", record, node);
            }
        }
        let newline = record.head.newline.unwrap_or(Newline::CrLf);
        Plan { rooted, encoding, newline, keep_bytes: encoding == source.unwrap_or(UTF_8) }
    }

    #[inline]
    fn node(&self, record: &Record, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) {
        let tree = &record.tree;
        let play = tree.play(node);
        let pos = play.point().and_then(|point| point.agi()).unwrap_or(0);
        let mut flags = 0;
        let mut set = |flag: u8, is: bool| flags |= if is { flag } else { 0 };
        set(flag::SIBLING, tree.next_sibling(node).is_some());
        set(flag::LEAF, tree.is_leaf(node));
        set(flag::MARK, tree.is_found(node));
        set(flag::START, tree.is_start(node));
        set(flag::NO_MOVE, matches!(play, Play::Label(_)));
        let at = out.len();
        out.extend([pos, flags]);
        if tree.notes(node).next().is_some() {
            out[at + 1] |= self.notes(record, node, out, losses);
        }
    }

    /// Appends extension, comment and board text, and answers the flags that announce them.
    fn notes(&self, record: &Record, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) -> u8 {
        let tree = &record.tree;
        let (mut line, mut body, mut text, mut extension) = (None, None, None, 0);
        let mut once = Once::default();
        for note in tree.notes(node) {
            match note {
                note if once.is_again(&note) => losses.node(AGAIN, record, node),
                Note::Line(value) => line = Some(value),
                Note::Body(value) => body = Some(value),
                Note::Text(value) => text = Some(value),
                Note::Property(EXTENSION, bits) => match unknown_bits(bits) {
                    Some(bits) => extension |= bits,
                    None => losses.node(lost_note(&note), record, node),
                },
                // Bytes come last.
                Note::Bytes(Part::Line, _) if line.is_some() => {}
                Note::Bytes(Part::Body, _) if body.is_some() => {}
                Note::Bytes(Part::Text, _) if text.is_some() => {}
                lost => losses.node(lost_note(&lost), record, node),
            }
        }
        extension |= if text.is_some() { flag::BOARD_TEXT } else { 0 };
        let mut flags = 0;
        if extension != 0 {
            flags |= flag::EXTENSION;
            out.extend(extension.to_be_bytes());
        }
        if line.is_some() || body.is_some() {
            flags |= flag::COMMENT;
            if line == Some("") && body.is_some() {
                losses.node(EMPTY_LINE, record, node);
            }
            let start = out.len();
            if let Some(line) = line {
                self.text(record, node, Part::Line, line, out, losses);
            }
            if let Some(body) = body {
                out.push(0x08);
                self.text(record, node, Part::Body, body, out, losses);
            }
            end_text(start, out);
        }
        if let Some(text) = text {
            let start = out.len();
            self.text(record, node, Part::Text, text, out, losses);
            end_text(start, out);
        }
        flags
    }

    fn text(&self, record: &Record, node: NodeId, part: Part, text: &str, out: &mut Vec<u8>, losses: &mut Losses) {
        if let Some(bytes) = record.tree.bytes(node, part) {
            let ends_early = bytes.contains(&0) || (part == Part::Line && bytes.contains(&0x08));
            // Somebody may have changed the text and not the bytes.
            let own = || decode(bytes, self.encoding, &mut None).text == text;
            if self.keep_bytes && !ends_early && own() {
                return out.extend_from_slice(bytes);
            }
            losses.node("bytes of texts, in another encoding or of another text (the text is written)", record, node);
        }
        match encode(text, self.encoding, self.newline) {
            Some(bytes) => out.extend_from_slice(&bytes),
            None => {
                losses.node("texts with characters the encoding lacks (written as ?)", record, node);
                for c in text.chars() {
                    let mut utf8 = [0; 4];
                    match encode(c.encode_utf8(&mut utf8), self.encoding, self.newline) {
                        Some(bytes) => out.extend_from_slice(&bytes),
                        None => out.push(b'?'),
                    }
                }
            }
        }
    }
}

/// The extension bits a property keeps, if it is one that the reader makes.
fn unknown_bits(text: &str) -> Option<u16> {
    let bits = u16::from_str_radix(text, 16).ok()?;
    (text.len() == 4 && bits != 0 && bits & flag::BOARD_TEXT == 0).then_some(bits)
}

/// The NUL, and another if the length with it is odd.
fn end_text(start: usize, out: &mut Vec<u8>) {
    out.push(0);
    if (out.len() - start) % 2 == 1 {
        out.push(0);
    }
}

/// Whether a note has a place in a node record.
fn is_kept(note: &Note<'_>) -> bool {
    match note {
        Note::Line(_) | Note::Body(_) | Note::Text(_) => true,
        Note::Property(EXTENSION, bits) => unknown_bits(bits).is_some(),
        _ => false,
    }
}

fn lost_note(note: &Note<'_>) -> &'static str {
    match note {
        Note::ToMove(_) => "sides to move (left out)",
        Note::Value(_) => "values (left out)",
        Note::Time(_) => "times (left out)",
        Note::Mark(..) => "signs on points (left out)",
        Note::Bytes(..) => "bytes without a text (left out)",
        _ => "properties (left out)",
    }
}

fn lose_head(record: &Record, losses: &mut Losses) {
    let head = &record.head;
    for (name, _) in &head.tags {
        losses.named("tags (left out)", name);
    }
    if let Some(rule) = head.rule.filter(|rule| *rule != games::Rule::Renju) {
        losses.named("rules (left out)", rule.name());
    }
    if let Some(result) = head.result {
        losses.named("results (left out)", result.text());
    }
    if head.opening != record::Opening::default() {
        losses.named("openings (left out)", "the offered fifth moves, their number or the swaps");
    }
}
