use super::names;
use super::outcome;
use super::value::{Escape, escape};
use crate::encoding::{charset, encode_exactly};
use crate::loss::{AGAIN, EMPTY_LINE};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use encoding_rs::{Encoding, UTF_8};
use games::{Coords, Game, Move, Point, Side, Size};
use record::{Head, NodeId, Note, Once, Outcome, Part, Play, Record, Score, Tree, Value};
use std::borrow::Cow;
use std::io::Write;

/// Starts a file.
pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(SgfWriter {
        out: Out::new(out),
        asked: options.encoding,
        encoding: UTF_8,
        records: 0,
        levels: Vec::new(),
        set: vec![0; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)],
        scratch: Vec::new(),
    })
}

/// Nodes on a line of the file.
const NODES_A_LINE: u32 = 10;

const LABELS: &str = "board texts (written as labels of the position before)";
const TEXTS: &str = "board texts of passes and of nodes without a stone (left out)";
const POINTS: &str = "points of nodes without a stone (left out, the nodes are kept)";
const BYTES: &str = "texts kept only as decoded (their bytes fit no encoding)";
const CHARACTERS: &str = "characters the encoding lacks (written as `?`; UTF-8 has all)";
const LINES: &str = "line breaks in the one-line part of comments (what follows joins the body)";
const LABEL_LINES: &str = "line breaks in labels (written as blanks)";
const TABS: &str = "texts with tabs (SGF reads them as blanks)";
const SETUP: &str = "set-up of points that the same node sets up again (left out)";

struct SgfWriter<'a> {
    out: Out<'a>,
    asked: Option<&'static Encoding>,
    /// Of the file; settled by its first record.
    encoding: &'static Encoding,
    records: u64,
    /// The nodes from the root to the last one written.
    levels: Vec<Level>,
    /// Of each point, which of the set-up notes of a node is its last, from 1.
    set: Vec<u32>,
    /// A text with its escapes, on its way to another encoding than UTF-8.
    scratch: Vec<u8>,
}

#[derive(Copy, Clone, Default)]
struct Level {
    /// Whether a parenthesis was opened before the node.
    open: bool,
    /// Whether a child was written.
    child: bool,
}

/// Whose text is written: what a loss names.
#[derive(Copy, Clone)]
enum Owner<'a> {
    Tag(&'a str),
    Node(&'a Record, NodeId),
}

impl Owner<'_> {
    fn lost(self, losses: &mut Losses, what: &'static str) {
        match self {
            Owner::Tag(name) => losses.named(what, name),
            Owner::Node(record, node) => losses.node(what, record, node),
        }
    }
}

impl Writer for SgfWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        if record.head.game != Game::Gomoku {
            let message = format!("games of {} have no place in this SGF (GM[4], gomoku)", record.head.game);
            return Err(Error::new(Blame::Target, "sgf", message));
        }
        if self.records == 0 {
            self.encoding = self.asked.unwrap_or_else(|| charset(record));
        }
        self.records += 1;
        self.out.push(b"(;");
        self.head(&record.head, losses);
        self.tree(record, losses)?;
        self.out.push(b")\n");
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl SgfWriter<'_> {
    fn head(&mut self, head: &Head, losses: &mut Losses) {
        self.out.push(b"FF[4]GM[4]CA[");
        self.out.push(self.encoding.name().as_bytes());
        self.out.push(concat!("]AP[kifu:", env!("CARGO_PKG_VERSION"), "]SZ[").as_bytes());
        self.number(head.size.width().into());
        if head.size.width() != head.size.height() {
            self.out.push(b":");
            self.number(head.size.height().into());
        }
        self.out.push(b"]");
        if let Some(rule) = head.rule {
            self.plain("RU", rule.name());
        }
        // RE stands where the tag is that it takes in, so that the order of tags is kept.
        let taken = head.tags.iter().position(|(name, _)| name == "Termination");
        let taken = taken.filter(|at| outcome::can_follow(&head.tags[*at].1, head.result));
        if let (Some(result), None) = (head.result, taken) {
            self.plain("RE", outcome::text(result));
        }
        for (at, (name, value)) in head.tags.iter().enumerate() {
            match head.result {
                Some(result) if taken == Some(at) => self.won(result, value, losses),
                _ => self.tag(head, at, name, value, losses),
            }
        }
        self.opening(head, losses);
    }

    fn won(&mut self, result: Outcome, termination: &str, losses: &mut Losses) {
        self.open("RE");
        self.out.push(outcome::text(result).as_bytes());
        self.text(termination, Escape::Text, Owner::Tag("Termination"), losses);
        self.out.push(b"]");
    }

    fn tag(&mut self, head: &Head, at: usize, name: &str, value: &str, losses: &mut Losses) {
        let known = names::TAGS.iter().find(|(_, tag)| *tag == name).map(|(property, _)| *property);
        let property = match name {
            "Rules" if head.rule.is_none() && names::rule(value.trim()).is_none() => Some("RU"),
            _ => known,
        };
        let once = head.tags[..at].iter().all(|(other, _)| other != name);
        let fits = once && (name == names::GAME_COMMENT || !value.contains('\n'));
        match property.filter(|_| fits) {
            Some(property) => self.open(property),
            None => {
                self.open("KX");
                self.text(name, Escape::Paired, Owner::Tag(name), losses);
                self.out.push(b":");
            }
        }
        self.text(value, Escape::Text, Owner::Tag(name), losses);
        self.out.push(b"]");
    }

    fn opening(&mut self, head: &Head, losses: &mut Losses) {
        let opening = &head.opening;
        for (at, point) in opening.offered.iter().enumerate() {
            self.item("XO", at == 0);
            self.point(*point, head.size);
            self.out.push(b"]");
        }
        if let Some(declared) = opening.declared {
            self.open("XD");
            self.number(declared.into());
            self.out.push(b"]");
        }
        if let Some(swaps) = &opening.swaps {
            self.open("XR");
            self.text(swaps, Escape::Text, Owner::Tag("XR"), losses);
            self.out.push(b"]");
        }
    }

    fn tree(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let tree = &record.tree;
        self.levels.clear();
        self.levels.push(Level::default());
        let mut on_line = NODES_A_LINE;
        self.notes(record, NodeId::ROOT, losses);
        for (depth, node) in tree.walk().skip(1) {
            if becomes_label(tree, node) {
                if tree.bytes(node, Part::Text).is_some() {
                    losses.node(BYTES, record, node);
                }
                continue;
            }
            self.close(depth);
            let parent = self.levels.last_mut().expect("the root's level is never closed");
            let open = parent.child || has_more(tree, node);
            parent.child = true;
            self.levels.push(Level { open, child: false });
            if open || on_line == NODES_A_LINE {
                self.out.push(b"\n");
                on_line = 0;
            }
            on_line += 1;
            self.out.push(if open { b"(;" } else { b";" });
            self.play(record, node, losses);
            self.out.spill()?;
        }
        self.close(1);
        Ok(())
    }

    /// Closes the parentheses of nodes at `depth` and deeper.
    fn close(&mut self, depth: usize) {
        for level in self.levels.drain(depth..).rev() {
            if level.open {
                self.out.push(b")");
            }
        }
    }

    fn play(&mut self, record: &Record, node: NodeId, losses: &mut Losses) {
        let tree = &record.tree;
        match tree.play(node) {
            Play::Move(played) => {
                self.out.push(if tree.side(node) == Side::First { b"B[" } else { b"W[" });
                if let Move::Place(point) = played {
                    self.point(point, record.head.size);
                }
                self.out.push(b"]");
                self.notes(record, node, losses);
            }
            other => {
                if let Play::Label(_) = other {
                    losses.node(POINTS, record, node);
                }
                let before = self.out.buffer().len();
                self.notes(record, node, losses);
                if self.out.buffer().len() == before {
                    self.plain("XE", "1");
                }
            }
        }
    }

    /// Writes what stands at a node, and the board texts of the nodes below it.
    fn notes(&mut self, record: &Record, node: NodeId, losses: &mut Losses) {
        let tree = &record.tree;
        let owner = Owner::Node(record, node);
        if tree.is_found(node) {
            self.plain("XF", "1");
        }
        if tree.is_start(node) {
            self.plain("XS", "1");
        }
        let (mut line, mut body, mut labels) = (None, None, false);
        let (mut setup, mut marks) = (false, false);
        let mut before = None;
        let mut once = Once::default();
        for note in tree.notes(node) {
            match note {
                note if once.is_again(&note) => losses.node(AGAIN, record, node),
                Note::Stone(..) if !setup => {
                    setup = true;
                    self.setup(record, node, losses);
                }
                Note::Mark(..) if !marks => {
                    marks = true;
                    self.marks(record, node);
                }
                Note::Stone(..) | Note::Mark(..) => {}
                Note::ToMove(side) => self.plain("PL", if side == Side::First { "B" } else { "W" }),
                Note::Value(Value { score: Score::Points(points), depth: None }) => {
                    self.open("V");
                    self.number(points.into());
                    self.out.push(b"]");
                }
                Note::Value(value) => self.plain("KV", &value.text()),
                Note::Time(ms) => {
                    self.open("KT");
                    self.number(ms.into());
                    self.out.push(b"]");
                }
                Note::Line(text) => line = Some(text),
                Note::Body(text) => body = Some(text),
                // Of a node with a point it is written at the parent.
                Note::Text(_) if tree.play(node).point().is_none() => losses.node(TEXTS, record, node),
                Note::Text(_) => {}
                Note::Label(..) => labels = true,
                Note::Property(name, value) => {
                    let own = self.property(owner, before == Some(name), name, value, losses);
                    before = own.then_some(name);
                }
                Note::Bytes(..) => losses.node(BYTES, record, node),
            }
        }
        if line.is_some() || body.is_some() {
            self.comment(owner, line, body, losses);
        }
        self.labels(record, node, labels, losses);
    }

    fn comment(&mut self, owner: Owner<'_>, line: Option<&str>, body: Option<&str>, losses: &mut Losses) {
        self.open("C");
        if line == Some("") && body.is_some() {
            owner.lost(losses, EMPTY_LINE);
        }
        let line = line.unwrap_or_default();
        if line.contains('\n') {
            owner.lost(losses, LINES);
        }
        self.text(line, Escape::Text, owner, losses);
        if let Some(body) = body {
            self.out.push(b"\n");
            self.text(body, Escape::Text, owner, losses);
        }
        self.out.push(b"]");
    }

    /// Writes the labels of the node, if it has `own` ones, and the board texts of its children.
    fn labels(&mut self, record: &Record, node: NodeId, own: bool, losses: &mut Losses) {
        let tree = &record.tree;
        let mut first = true;
        if own {
            for note in tree.notes(node) {
                if let Note::Label(point, text) = note {
                    self.label(Owner::Node(record, node), std::mem::take(&mut first), point, text, losses);
                }
            }
        }
        for child in tree.children(node) {
            if let (Some(text), Some(point)) = (tree.text(child), tree.play(child).point()) {
                losses.node(LABELS, record, child);
                self.label(Owner::Node(record, child), std::mem::take(&mut first), point, text, losses);
            }
        }
    }

    fn label(&mut self, owner: Owner<'_>, first: bool, point: Point, text: &str, losses: &mut Losses) {
        let Owner::Node(record, _) = owner else { return };
        if text.contains('\n') {
            owner.lost(losses, LABEL_LINES);
        }
        self.item("LB", first);
        self.point(point, record.head.size);
        self.out.push(b":");
        self.text(text, Escape::Label, owner, losses);
        self.out.push(b"]");
    }

    /// Writes the set-up: of notes on one point, the last holds.
    fn setup(&mut self, record: &Record, node: NodeId, losses: &mut Losses) {
        let tree = &record.tree;
        let stones = || {
            (1..).zip(tree.notes(node)).map_while(|(at, note)| match note {
                Note::Stone(point, side) => Some((at, point, side)),
                // Set-up comes first in the order of notes.
                _ => None,
            })
        };
        for (at, point, _) in stones() {
            self.set[usize::from(point.code())] = at;
        }
        for (name, side) in names::SETUP {
            let mut first = true;
            for (at, point, _) in stones().filter(|(.., of)| *of == side) {
                if self.set[usize::from(point.code())] != at {
                    losses.node(SETUP, record, node);
                    continue;
                }
                self.item(name, std::mem::take(&mut first));
                self.point(point, record.head.size);
                self.out.push(b"]");
            }
        }
    }

    fn marks(&mut self, record: &Record, node: NodeId) {
        for (name, shape) in names::SHAPES {
            let mut first = true;
            for note in record.tree.notes(node) {
                if let Note::Mark(point, of) = note
                    && of == shape
                {
                    self.item(name, std::mem::take(&mut first));
                    self.point(point, record.head.size);
                    self.out.push(b"]");
                }
            }
        }
    }

    /// Writes a property under its own name where that reads back as the same property, else as KP; says which.
    fn property(&mut self, owner: Owner<'_>, again: bool, name: &str, value: &str, losses: &mut Losses) -> bool {
        let root = matches!(owner, Owner::Node(_, NodeId::ROOT));
        let own = is_own(name, value, root);
        if own {
            self.item(name, !again);
        } else {
            self.open("KP");
            self.text(name, Escape::Paired, owner, losses);
            self.out.push(b":");
        }
        self.text(value, Escape::Text, owner, losses);
        self.out.push(b"]");
        own
    }

    /// Writes a text in the encoding of the file.
    fn text(&mut self, text: &str, how: Escape, owner: Owner<'_>, losses: &mut Losses) {
        if text.contains('\t') {
            owner.lost(losses, TABS);
        }
        if self.encoding == UTF_8 || text.is_ascii() {
            return escape(text, how, self.out.buffer());
        }
        self.scratch.clear();
        escape(text, how, &mut self.scratch);
        let escaped = std::str::from_utf8(&self.scratch).expect("escapes are ASCII in a text");
        if let Some(bytes) = encode_exactly(escaped, self.encoding) {
            return self.out.push(&bytes);
        }
        owner.lost(losses, CHARACTERS);
        for c in escaped.chars() {
            self.out.push(&encode_exactly(c.encode_utf8(&mut [0; 4]), self.encoding).unwrap_or(Cow::Borrowed(b"?")));
        }
    }

    /// Writes a property whose value needs no escapes.
    fn plain(&mut self, name: &str, value: &str) {
        self.open(name);
        self.out.push(value.as_bytes());
        self.out.push(b"]");
    }

    fn open(&mut self, name: &str) {
        self.item(name, true);
    }

    /// Begins a value: with its name if it is the first of a list.
    fn item(&mut self, name: &str, first: bool) {
        if first {
            self.out.push(name.as_bytes());
        }
        self.out.push(b"[");
    }

    fn point(&mut self, point: Point, size: Size) {
        Coords::Sgf.push(point, size, self.out.buffer());
    }

    fn number(&mut self, number: i64) {
        write!(self.out.buffer(), "{number}").expect("a buffer in memory takes all");
    }
}

/// Whether the node is nothing but a text on a point: its parent's label says all of it.
fn becomes_label(tree: &Tree, node: NodeId) -> bool {
    let Play::Label(_) = tree.play(node) else { return false };
    let mut notes = tree.notes(node);
    let only_text = matches!(notes.next(), Some(Note::Text(_))) && notes.all(|note| matches!(note, Note::Bytes(..)));
    only_text && tree.is_leaf(node) && !tree.is_found(node) && !tree.is_start(node)
}

/// Whether a sibling that is written follows.
fn has_more(tree: &Tree, node: NodeId) -> bool {
    std::iter::successors(tree.next_sibling(node), |sibling| tree.next_sibling(*sibling))
        .any(|sibling| !becomes_label(tree, sibling))
}

/// Whether a property can stand under its own name and is read back as the same.
fn is_own(name: &str, value: &str, root: bool) -> bool {
    let valid = name.len() <= names::LONGEST
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && name.bytes().any(|byte| byte.is_ascii_uppercase());
    let read = names::is_read(name) || root && names::is_head(name);
    let integer = name == "V" && value.trim().parse::<i32>().is_ok();
    valid && !read && !integer
}
