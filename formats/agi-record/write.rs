use super::{FIELDS, FORMAT, VERSION, notations};
use crate::loss::{AGAIN, EMPTY_LINE};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, hex};
use games::{Coords, Game, Move, Point, Size};
use record::{Head, NodeId, Note, Once, Part, Play, Record};
use std::io::Write;

/// Lines of move text are broken at this column.
const WIDTH: usize = 79;
/// Room for a number and a move.
const MOVE: usize = 12;

pub fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(RecordWriter { out: Out::new(out), asked: options.coords, first: true })
}

struct RecordWriter<'a> {
    out: Out<'a>,
    asked: Option<Coords>,
    first: bool,
}

impl Writer for RecordWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let (game, size) = (record.head.game, record.head.size);
        let notations = notations(game, size);
        let coords = self.asked.unwrap_or(notations[0]);
        if !notations.contains(&coords) {
            let message =
                format!("an .agr of {game} on a {size} board cannot have its points in the notation {}", coords.name());
            return Err(Error::new(Blame::Caller, FORMAT.name, message));
        }
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b"\n");
        }
        tags(&record.head, coords, self.out.buffer());
        let mut text = MoveText { out: &mut self.out, record, losses, coords, size, line: 0, gap: false, fresh: true };
        text.write()?;
        text.word(match record.head.result {
            Some(result) if result != record::Outcome::Void => result.text().as_bytes(),
            _ => b"*",
        });
        self.out.push(b"\n");
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

fn tags(head: &Head, coords: Coords, out: &mut Vec<u8>) {
    tag("Agr", VERSION, out);
    if head.game != Game::default() {
        tag("Game", head.game.name(), out);
    }
    let (width, height) = (head.size.width(), head.size.height());
    // A board that its game has is not said.
    if head.game == Game::Gomoku || head.size != head.game.board() {
        tag("Size", &if width == height { width.to_string() } else { head.size.to_string() }, out);
    }
    if let Some(rule) = head.rule {
        tag("Rule", rule.name(), out);
    }
    if let Some(result) = head.result {
        tag("Result", result.text(), out);
    }
    for (name, value) in &head.tags {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain && !name.is_empty() && !FIELDS.contains(&name.as_str()) {
            tag(name, value, out);
        } else {
            out.extend(b"[Tag ");
            string(name, out);
            out.push(b' ');
            string(value, out);
            out.extend(b"]\n");
        }
    }
    let opening = &head.opening;
    if !opening.offered.is_empty() {
        let points: Vec<String> = opening.offered.iter().map(|point| coords.text(*point, head.size)).collect();
        tag("Offered", &points.join(" "), out);
    }
    if let Some(declared) = opening.declared {
        tag("Declared", &declared.to_string(), out);
    }
    if let Some(swaps) = &opening.swaps {
        tag("Swaps", swaps, out);
    }
    if let Some(encoding) = head.encoding {
        tag("Encoding", encoding, out);
    }
    if let Some(newline) = head.newline {
        tag("Newline", newline.name(), out);
    }
    tag("Coords", coords.name(), out);
    out.push(b'\n');
}

fn tag(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b'[');
    out.extend(name.as_bytes());
    out.push(b' ');
    string(value, out);
    out.extend(b"]\n");
}

fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape(text, b"\"\\", out);
    out.push(b'"');
}

/// Appends the text with a backslash before each of `signs`, and `\n` for a line break.
fn escape(text: &str, signs: &[u8], out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        match byte {
            b'\n' => out.extend(b"\\n"),
            _ if signs.contains(&byte) => out.extend([b'\\', byte]),
            _ => out.push(byte),
        }
    }
}

const IN_COMMAND: &[u8] = b"\\{}[]";

/// A text that is not to be taken for a command or the end of the comment.
fn comment_text(text: &str, out: &mut Vec<u8>) {
    for (at, part) in text.split("[%").enumerate() {
        if at > 0 {
            out.extend(b"\\[%");
        }
        escape(part, b"\\{}", out);
    }
}

struct MoveText<'a, 'o> {
    out: &'a mut Out<'o>,
    record: &'a Record,
    losses: &'a mut Losses,
    coords: Coords,
    size: Size,
    /// Bytes in the line so far.
    line: usize,
    /// A blank or a line break is due before the next word.
    gap: bool,
    /// The next move gets a number whatever its ply.
    fresh: bool,
}

enum Step {
    Node(NodeId, usize),
    /// The variations of a node from this one on, then the continuation.
    Variations(Option<NodeId>, Option<NodeId>, usize),
    Close,
}

impl MoveText<'_, '_> {
    fn write(&mut self) -> Result<(), Error> {
        self.comments(NodeId::ROOT);
        if self.gap {
            self.out.push(b"\n");
            (self.line, self.gap) = (0, false);
        }
        let mut steps: Vec<Step> = Vec::new();
        steps.extend(self.record.tree.first_child(NodeId::ROOT).map(|node| Step::Node(node, 1)));
        while let Some(step) = steps.pop() {
            match step {
                Step::Node(node, ply) => {
                    self.node(node, ply);
                    self.out.spill()?;
                    steps.push(Step::Variations(
                        self.record.tree.next_sibling(node),
                        self.record.tree.first_child(node),
                        ply,
                    ));
                }
                Step::Variations(Some(variation), continuation, ply) => {
                    self.word(b"(");
                    self.gap = false;
                    self.fresh = true;
                    self.node(variation, ply);
                    steps.push(Step::Variations(self.record.tree.next_sibling(variation), continuation, ply));
                    steps.push(Step::Close);
                    steps.extend(self.record.tree.first_child(variation).map(|child| Step::Node(child, ply + 1)));
                }
                Step::Variations(None, continuation, ply) => {
                    steps.extend(continuation.map(|node| Step::Node(node, ply + 1)));
                }
                Step::Close => {
                    self.out.push(b")");
                    self.line += 1;
                    self.gap = true;
                    self.fresh = true;
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, node: NodeId, ply: usize) {
        self.space(MOVE);
        let start = self.out.buffer().len();
        if ply % 2 == 1 || self.fresh {
            number(ply, self.out.buffer());
            self.out.push(b". ");
        }
        self.fresh = false;
        self.play(node, ply);
        self.line += self.out.buffer().len() - start;
        self.gap = true;
        let noted = self.record.tree.notes(node).next().is_some();
        if noted || self.record.tree.is_found(node) || self.record.tree.is_start(node) {
            self.comments(node);
        }
    }

    fn play(&mut self, node: NodeId, ply: usize) {
        let side = self.record.tree.side(node);
        let out = self.out.buffer();
        let head = &self.record.head;
        if side != head.side_of_ply(ply) {
            out.extend_from_slice(&side.name(head.game).as_bytes()[..1]);
            out.push(b':');
        }
        match self.record.tree.play(node) {
            Play::Move(Move::Place(point)) => self.coords.push(point, self.size, out),
            Play::Move(Move::Step(step)) => write!(out, "{step}").expect("memory can be written to"),
            Play::Move(Move::Pass) => out.extend(if self.coords == Coords::Agi { b"00" } else { b"--" }),
            Play::Label(point) => {
                out.push(b'@');
                self.coords.push(point, self.size, out);
            }
            Play::Nothing => out.push(b'~'),
        }
    }

    /// A comment of the commands and the text.
    fn comments(&mut self, node: NodeId) {
        let start = self.open();
        if self.record.tree.is_found(node) {
            self.command("found", &[]);
        }
        if self.record.tree.is_start(node) {
            self.command("start", &[]);
        }
        let (mut line, mut body) = (None, None);
        let record = self.record;
        let mut once = Once::default();
        for note in record.tree.notes(node) {
            match note {
                note if once.is_again(&note) => self.losses.node(AGAIN, record, node),
                Note::Line(text) => line = Some(text),
                Note::Body(text) => body = Some(text),
                Note::Stone(point, side) => {
                    let side = side.map_or("none", |side| side.name(record.head.game));
                    self.command("stone", &[&self.point(point), side]);
                }
                Note::ToMove(side) => self.command("turn", &[side.name(record.head.game)]),
                Note::Value(value) => self.command("val", &[&value.text()]),
                Note::Time(ms) => self.command("time", &[&ms.to_string()]),
                Note::Text(text) => self.command("text", &[text]),
                Note::Label(point, text) => self.command("label", &[&self.point(point), text]),
                Note::Mark(point, shape) => self.command("mark", &[&self.point(point), shape.name()]),
                Note::Property(name, value) => match name.strip_prefix('%') {
                    Some(name) if is_word(name) && !is_ours(name) => self.command(name, &[value]),
                    _ => self.command("prop", &[&name.replace('_', "__").replace(' ', "_-"), value]),
                },
                Note::Bytes(part, bytes) => {
                    let part = match part {
                        Part::Line => "line".into(),
                        Part::Body => "body".into(),
                        Part::Text => "text".into(),
                        Part::Label(point) => format!("label:{}", self.point(point)),
                    };
                    let out = self.out.buffer();
                    out.extend(format!("[%bytes {part} ").as_bytes());
                    hex::push(bytes, out);
                    out.push(b']');
                }
            }
        }
        if line.is_some() || body.is_some() {
            if line == Some("") && body.is_some() {
                self.losses.node(EMPTY_LINE, record, node);
            }
            let blank = [line, body].into_iter().flatten().all(|text| text.trim().is_empty());
            match self.out.buffer().len() > start {
                // Behind commands a reader takes blanks for the space between.
                true if blank => {
                    self.close(start);
                    self.open();
                }
                true => self.out.push(b" "),
                false => {}
            }
            self.text(line, body);
        }
        match self.out.buffer().len() > start || line.is_some() {
            true => self.close(start),
            // Nothing is written at the root.
            false => self.out.buffer().truncate(start - 1),
        }
        self.fresh = true;
    }

    fn point(&self, point: Point) -> String {
        self.coords.text(point, self.size)
    }

    /// Begins a comment and answers where its content begins.
    fn open(&mut self) -> usize {
        self.space(2);
        self.out.push(b"{");
        self.out.buffer().len()
    }

    fn close(&mut self, start: usize) {
        self.out.push(b"}");
        let content = &self.out.buffer()[start..];
        self.line = match content.iter().rposition(|byte| *byte == b'\n') {
            Some(newline) => content.len() - newline - 1,
            None => self.line + 1 + content.len(),
        };
        self.gap = true;
    }

    fn command(&mut self, name: &str, arguments: &[&str]) {
        let out = self.out.buffer();
        out.extend(b"[%");
        out.extend(name.as_bytes());
        for argument in arguments {
            out.push(b' ');
            escape(argument, IN_COMMAND, out);
        }
        out.push(b']');
    }

    fn text(&mut self, line: Option<&str>, body: Option<&str>) {
        let out = self.out.buffer();
        if let Some(line) = line {
            comment_text(line, out);
        }
        for part in body.into_iter().flat_map(|body| body.split('\n')) {
            out.push(b'\n');
            comment_text(part, out);
        }
    }

    fn word(&mut self, word: &[u8]) {
        self.space(word.len());
        self.out.push(word);
        self.line += word.len();
        self.gap = true;
    }

    /// A blank before a word of this length, or a line break where it would not fit.
    fn space(&mut self, length: usize) {
        if !self.gap {
            return;
        }
        if self.line + 1 + length > WIDTH {
            self.out.push(b"\n");
            self.line = 0;
        } else {
            self.out.push(b" ");
            self.line += 1;
        }
    }
}

fn number(number: usize, out: &mut Vec<u8>) {
    if number >= 10 {
        self::number(number / 10, out);
    }
    out.push(b'0' + (number % 10) as u8);
}

/// Whether a text can be the name of a command.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Whether a command of this name has a meaning of ours.
pub(super) fn is_ours(name: &str) -> bool {
    const OURS: [&str; 11] =
        ["val", "time", "text", "label", "mark", "stone", "turn", "found", "start", "prop", "bytes"];
    OURS.contains(&name)
}
