use crate::loss::AGAIN;
use crate::{Error, Losses, Out, WriteOptions, Writer, hex};
use games::{Move, Point, Side};
use record::{Head, NodeId, Note, Part, Play, Record, Score, Value};
use std::io::{self, Write};

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(JsonWriter { out: Out::new(out) })
}

struct JsonWriter<'a> {
    out: Out<'a>,
}

impl Writer for JsonWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        write_head(&record.head, self.out.buffer())?;
        self.out.push(b",\"nodes\":[");
        for (depth, node) in record.tree.walk() {
            if depth > 0 {
                self.out.push(b",");
            }
            write_node(record, depth, node, self.out.buffer(), losses)?;
            self.out.spill()?;
        }
        self.out.push(b"]}\n");
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

fn write_head(head: &Head, out: &mut Vec<u8>) -> io::Result<()> {
    let (width, height) = (head.size.width(), head.size.height());
    write!(out, "{{\"kifu\":1,\"game\":\"{}\",\"size\":[{width},{height}]", head.game.name())?;
    if let Some(rule) = head.rule {
        string_member("rule", rule.name(), out)?;
    }
    if let Some(result) = head.result {
        string_member("result", result.text(), out)?;
    }
    if !head.tags.is_empty() {
        out.extend_from_slice(b",\"tags\":");
        serde_json::to_writer(&mut *out, &head.tags)?;
    }
    write_opening(head, out)?;
    if let Some(encoding) = head.encoding {
        string_member("encoding", encoding, out)?;
    }
    if let Some(newline) = head.newline {
        string_member("newline", newline.name(), out)?;
    }
    Ok(())
}

fn write_opening(head: &Head, out: &mut Vec<u8>) -> io::Result<()> {
    let opening = &head.opening;
    let mut before = &b",\"opening\":{"[..];
    let mut open = |name: &str, out: &mut Vec<u8>| {
        out.extend_from_slice(before);
        before = b",";
        write!(out, "\"{name}\":")
    };
    if !opening.offered.is_empty() {
        open("offered", out)?;
        for (at, offered) in opening.offered.iter().enumerate() {
            out.push(if at == 0 { b'[' } else { b',' });
            point(*offered, head, out);
        }
        out.push(b']');
    }
    if let Some(declared) = opening.declared {
        open("declared", out)?;
        write!(out, "{declared}")?;
    }
    if let Some(swaps) = &opening.swaps {
        open("swaps", out)?;
        string(swaps, out)?;
    }
    if before == b"," {
        out.push(b'}');
    }
    Ok(())
}

fn write_node(record: &Record, depth: usize, node: NodeId, out: &mut Vec<u8>, losses: &mut Losses) -> io::Result<()> {
    let (tree, head) = (&record.tree, &record.head);
    write!(out, "{{\"depth\":{depth}")?;
    if depth > 0 {
        out.extend_from_slice(b",\"side\":\"");
        out.extend_from_slice(tree.side(node).name(head.game).as_bytes());
        out.push(b'"');
        write_play(tree.play(node), head, out);
    }
    if tree.is_found(node) {
        out.extend_from_slice(b",\"found\":true");
    }
    if tree.is_start(node) {
        out.extend_from_slice(b",\"start\":true");
    }
    let mut last = None;
    let mut list = "";
    for note in tree.notes(node) {
        let name = list_of(&note);
        if name != list && !list.is_empty() {
            out.push(b']');
        }
        if name.is_empty() {
            let kind = std::mem::discriminant(&note);
            if last == Some(kind) {
                losses.node(AGAIN, record, node);
                continue;
            }
            last = Some(kind);
        } else if name == list {
            out.push(b',');
        } else {
            member(name, out);
            out.push(b'[');
        }
        list = name;
        write_note(note, head, out)?;
    }
    out.extend_from_slice(if list.is_empty() { b"}" } else { b"]}" });
    Ok(())
}

fn write_play(play: Play, head: &Head, out: &mut Vec<u8>) {
    let place = match play {
        Play::Nothing => return,
        Play::Move(Move::Step(step)) => return write!(out, ",\"move\":\"{step}\"").expect("memory can be written to"),
        Play::Move(Move::Pass) => return out.extend_from_slice(b",\"move\":\"--\""),
        Play::Move(Move::Place(place)) => {
            out.extend_from_slice(b",\"move\":");
            place
        }
        Play::Label(place) => {
            out.extend_from_slice(b",\"label_only\":");
            place
        }
    };
    point(place, head, out);
    out.extend_from_slice(b",\"x\":");
    coordinate(place.x(), out);
    out.extend_from_slice(b",\"y\":");
    coordinate(place.y(), out);
}

/// The list that notes of this kind stand in; they follow one another. Empty for what a node has once.
fn list_of(note: &Note<'_>) -> &'static str {
    match note {
        Note::Stone(..) => "stones",
        Note::Label(..) => "labels",
        Note::Mark(..) => "marks",
        Note::Property(..) => "properties",
        Note::Bytes(..) => "bytes",
        _ => "",
    }
}

/// A member of the node, or an element of the list that is open.
fn write_note(note: Note<'_>, head: &Head, out: &mut Vec<u8>) -> io::Result<()> {
    match note {
        Note::ToMove(side) => string_member("to_move", side.name(head.game), out),
        Note::Value(value) => write_value(value, head, out),
        Note::Time(ms) => write!(out, ",\"time_ms\":{ms}"),
        Note::Line(text) => string_member("line", text, out),
        Note::Body(text) => string_member("body", text, out),
        Note::Text(text) => string_member("text", text, out),
        Note::Stone(at, side) => {
            out.extend_from_slice(b"{\"point\":");
            point(at, head, out);
            string_member("side", side.map_or("none", |side| side.name(head.game)), out)?;
            write!(out, "}}")
        }
        Note::Label(at, text) => {
            out.extend_from_slice(b"{\"point\":");
            point(at, head, out);
            string_member("text", text, out)?;
            write!(out, "}}")
        }
        Note::Mark(at, shape) => {
            out.extend_from_slice(b"{\"point\":");
            point(at, head, out);
            string_member("shape", shape.name(), out)?;
            write!(out, "}}")
        }
        Note::Property(name, value) => {
            out.push(b'[');
            string(name, out)?;
            out.push(b',');
            string(value, out)?;
            out.push(b']');
            Ok(())
        }
        Note::Bytes(part, bytes) => {
            let (name, at) = match part {
                Part::Line => ("line", None),
                Part::Body => ("body", None),
                Part::Text => ("text", None),
                Part::Label(at) => ("label", Some(at)),
            };
            write!(out, "{{\"part\":\"{name}\"")?;
            if let Some(at) = at {
                member("point", out);
                point(at, head, out);
            }
            member("hex", out);
            out.push(b'"');
            hex::push(bytes, out);
            out.extend_from_slice(b"\"}");
            Ok(())
        }
    }
}

fn write_value(value: Value, head: &Head, out: &mut Vec<u8>) -> io::Result<()> {
    match value.score {
        Score::Points(points) => write!(out, ",\"value\":{{\"points\":{points}")?,
        Score::FirstWins(plies) => write_win(Side::First, plies, head, out)?,
        Score::SecondWins(plies) => write_win(Side::Second, plies, head, out)?,
    }
    match value.depth {
        Some(depth) => write!(out, ",\"depth\":{depth}}}"),
        None => write!(out, "}}"),
    }
}

fn write_win(side: Side, plies: u16, head: &Head, out: &mut Vec<u8>) -> io::Result<()> {
    write!(out, ",\"value\":{{\"wins\":\"{}\",\"plies\":{plies}", side.name(head.game))
}

/// `,"name":`
fn member(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

fn string_member(name: &str, value: &str, out: &mut Vec<u8>) -> io::Result<()> {
    member(name, out);
    string(value, out)
}

fn string(text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}

fn point(point: Point, head: &Head, out: &mut Vec<u8>) {
    out.push(b'"');
    head.game.coords().push(point, head.size, out);
    out.push(b'"');
}

/// A number below [`Point::LIMIT`]: two of them a node are worth writing quickly.
fn coordinate(number: u8, out: &mut Vec<u8>) {
    if number >= 10 {
        out.push(b'0' + number / 10);
    }
    out.push(b'0' + number % 10);
}
