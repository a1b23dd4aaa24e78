use super::NAMESPACE;
use crate::{Error, Losses, Out, WriteOptions, Writer, hex};
use games::{Game, Move, Point};
use record::{Head, NodeId, Note, Part, Play, Record, Score, Value, is_plain};
use std::borrow::Cow;
use std::io::{self, Write};

/// Moves on a line of a run.
const LINE: usize = 20;

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    let mut out = Out::new(out);
    let head = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<agx xmlns=\"", NAMESPACE, "\" version=\"1.0\">\n"];
    head.iter().for_each(|part| out.push(part.as_bytes()));
    Box::new(AgxWriter { out })
}

struct AgxWriter<'a> {
    out: Out<'a>,
}

impl Writer for AgxWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        write_head(&record.head, self.out.buffer(), losses)?;
        let (tree, head) = (&record.tree, &record.head);
        let mut run = 0;
        let mut before = 0;
        for (depth, node) in tree.walk() {
            let out = self.out.buffer();
            let jump = (depth > 0 && depth != before + 1).then_some(depth);
            if run > 0 && (jump.is_some() || !is_bare(record, depth, node)) {
                out.extend_from_slice(b"</moves>\n");
                run = 0;
            }
            if !is_bare(record, depth, node) {
                write_node(record, depth, node, jump, out, losses)?;
            } else if depth > 0 {
                match run {
                    0 => {
                        out.extend_from_slice(b" <moves");
                        write_depth(jump, out)?;
                        out.push(b'>');
                    }
                    _ => out.push(if run % LINE == 0 { b'\n' } else { b' ' }),
                }
                write_play(tree.play(node), head, out);
                run += 1;
            }
            before = depth;
            self.out.spill()?;
        }
        if run > 0 {
            self.out.push(b"</moves>\n");
        }
        self.out.push(b"</game>\n");
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.out.push(b"</agx>\n");
        Ok(self.out.flush()?)
    }
}

fn write_head(head: &Head, out: &mut Vec<u8>, losses: &mut Losses) -> io::Result<()> {
    let (width, height) = (head.size.width(), head.size.height());
    write!(out, "<game size=\"{width}")?;
    if height != width {
        write!(out, "x{height}")?;
    }
    out.push(b'"');
    if head.game != Game::Gomoku {
        attribute("game", head.game.name(), out);
    }
    let known = [
        ("rule", head.rule.map(|rule| rule.name())),
        ("result", head.result.map(|result| result.text())),
        ("encoding", head.encoding),
        ("newline", head.newline.map(|newline| newline.name())),
    ];
    known.iter().for_each(|(name, value)| value.iter().for_each(|value| attribute(name, value, out)));
    out.extend_from_slice(b">\n");
    for (name, value) in &head.tags {
        out.extend_from_slice(b" <tag");
        attribute("name", &allowed(name, name, losses), out);
        out.push(b'>');
        escape(&allowed(value, name, losses), false, out);
        out.extend_from_slice(b"</tag>\n");
    }
    write_opening(head, out, losses)
}

fn write_opening(head: &Head, out: &mut Vec<u8>, losses: &mut Losses) -> io::Result<()> {
    let opening = &head.opening;
    if opening.offered.is_empty() && opening.declared.is_none() && opening.swaps.is_none() {
        return Ok(());
    }
    out.extend_from_slice(b" <opening");
    if !opening.offered.is_empty() {
        let before = [&b" offered=\""[..]].into_iter().chain(std::iter::repeat(&b" "[..]));
        for (point, before) in opening.offered.iter().zip(before) {
            out.extend_from_slice(before);
            head.game.coords().push(*point, head.size, out);
        }
        out.push(b'"');
    }
    if let Some(declared) = opening.declared {
        write!(out, " declared=\"{declared}\"")?;
    }
    if let Some(swaps) = &opening.swaps {
        attribute("swaps", &allowed(swaps, "swaps", losses), out);
    }
    out.extend_from_slice(b"/>\n");
    Ok(())
}

/// Whether the node holds nothing but a move of the side that its depth says, or is a root that holds nothing.
fn is_bare(record: &Record, depth: usize, node: NodeId) -> bool {
    let tree = &record.tree;
    let bare = match tree.play(node) {
        Play::Move(_) => tree.side(node) == record.head.side_of_ply(depth),
        _ => depth == 0,
    };
    bare && !tree.is_found(node) && !tree.is_start(node) && tree.notes(node).next().is_none()
}

fn write_node(
    record: &Record,
    depth: usize,
    node: NodeId,
    jump: Option<usize>,
    out: &mut Vec<u8>,
    losses: &mut Losses,
) -> io::Result<()> {
    let (tree, head) = (&record.tree, &record.head);
    let element = if depth == 0 { "root" } else { "node" };
    write!(out, " <{element}")?;
    write_depth(jump, out)?;
    match tree.play(node) {
        Play::Nothing => {}
        play => {
            out.extend_from_slice(if let Play::Label(_) = play { b" label=\"" } else { b" move=\"" });
            write_play(play, head, out);
            out.push(b'"');
        }
    }
    if depth > 0 && tree.side(node) != head.side_of_ply(depth) {
        attribute("side", tree.side(node).name(head.game), out);
    }
    if tree.is_found(node) {
        attribute("found", "true", out);
    }
    if tree.is_start(node) {
        attribute("start", "true", out);
    }
    let mut last = None;
    for note in tree.notes(node) {
        let kind = std::mem::discriminant(&note);
        match note {
            Note::ToMove(_) | Note::Value(_) | Note::Time(_) if last == Some(kind) => {
                losses.node("second values, times or turns of a node (left out)", record, node);
            }
            Note::ToMove(side) => attribute("turn", side.name(head.game), out),
            Note::Value(value) => write_value(value, out)?,
            Note::Time(ms) => write!(out, " time=\"{ms}\"")?,
            _ => {}
        }
        last = Some(kind);
    }
    let mut inside = false;
    for note in tree.notes(node).filter(|note| !matches!(note, Note::ToMove(_) | Note::Value(_) | Note::Time(_))) {
        if !inside {
            out.push(b'>');
            inside = true;
        }
        write_note(note, head, out);
    }
    match inside {
        true => writeln!(out, "</{element}>"),
        false => writeln!(out, "/>"),
    }
}

fn write_depth(jump: Option<usize>, out: &mut Vec<u8>) -> io::Result<()> {
    match jump {
        Some(depth) => write!(out, " depth=\"{depth}\""),
        None => Ok(()),
    }
}

fn write_play(play: Play, head: &Head, out: &mut Vec<u8>) {
    match play {
        Play::Move(Move::Place(point)) | Play::Label(point) => head.game.coords().push(point, head.size, out),
        Play::Move(Move::Step(step)) => write!(out, "{step}").expect("memory can be written to"),
        Play::Move(Move::Pass) => out.extend_from_slice(b"--"),
        Play::Nothing => {}
    }
}

/// As [`Value::text`], without a string of its own.
fn write_value(value: Value, out: &mut Vec<u8>) -> io::Result<()> {
    match value.score {
        Score::Points(points) => write!(out, " value=\"{points}")?,
        Score::FirstWins(plies) => write!(out, " value=\"#+{plies}")?,
        Score::SecondWins(plies) => write!(out, " value=\"#-{plies}")?,
    }
    if let Some(depth) = value.depth {
        write!(out, ",{depth}")?;
    }
    out.push(b'"');
    Ok(())
}

fn write_note(note: Note<'_>, head: &Head, out: &mut Vec<u8>) {
    match note {
        Note::Stone(point, side) => {
            open("stone", Some(point), head, out);
            attribute("side", side.map_or("none", |side| side.name(head.game)), out);
            out.extend_from_slice(b"/>");
        }
        Note::Line(text) => element("line", None, text, head, out),
        Note::Body(text) => element("body", None, text, head, out),
        Note::Text(text) => element("text", None, text, head, out),
        Note::Label(point, text) => element("label", Some(point), text, head, out),
        Note::Mark(point, shape) => {
            open("mark", Some(point), head, out);
            attribute("shape", shape.name(), out);
            out.extend_from_slice(b"/>");
        }
        Note::Property(name, value) => {
            open("property", None, head, out);
            attribute("name", name, out);
            out.push(b'>');
            escape(value, false, out);
            out.extend_from_slice(b"</property>");
        }
        Note::Bytes(part, bytes) => {
            let (of, point) = match part {
                Part::Line => ("line", None),
                Part::Body => ("body", None),
                Part::Text => ("text", None),
                Part::Label(point) => ("label", Some(point)),
            };
            open("bytes", point, head, out);
            attribute("of", of, out);
            out.push(b'>');
            hex::push(bytes, out);
            out.extend_from_slice(b"</bytes>");
        }
        // Attributes of the node.
        Note::ToMove(_) | Note::Value(_) | Note::Time(_) => {}
    }
}

/// `<name point="h8"`, to be closed by the caller.
fn open(name: &str, point: Option<Point>, head: &Head, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    if let Some(point) = point {
        out.extend_from_slice(b" point=\"");
        head.game.coords().push(point, head.size, out);
        out.push(b'"');
    }
}

fn element(name: &str, point: Option<Point>, text: &str, head: &Head, out: &mut Vec<u8>) {
    open(name, point, head, out);
    out.push(b'>');
    escape(text, false, out);
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

fn attribute(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escape(value, true, out);
    out.push(b'"');
}

/// Text as it stands in an element, or between the quotes of an attribute, where blanks would become spaces.
fn escape(text: &str, in_quotes: bool, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'\r' => b"&#13;",
            b'"' if in_quotes => b"&quot;",
            b'\t' if in_quotes => b"&#9;",
            b'\n' if in_quotes => b"&#10;",
            _ => continue,
        };
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(escaped);
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// A text of the head with U+FFFD for what XML cannot hold; a tree has no such texts.
fn allowed<'t>(text: &'t str, name: &str, losses: &mut Losses) -> Cow<'t, str> {
    let holds = |c: char| is_plain(c) || c == '\r';
    if text.chars().all(holds) {
        return Cow::Borrowed(text);
    }
    losses.named("tags with characters that XML cannot hold (written as U+FFFD)", name);
    Cow::Owned(text.chars().map(|c| if holds(c) { c } else { '\u{FFFD}' }).collect())
}
