//! From records to text.

use super::{FORMAT, GLYPH};
use crate::encoding::{charset, encode_marked};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use encoding_rs::Encoding;
use games::xiangqi::notation::Style;
use games::{Move, Side};
use record::{Head, NodeId, Note, Outcome, Play, Record, WRITTEN, spell};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(PgnWriter {
        out: Out::new(out),
        asked: options.encoding,
        encoding: None,
        style: options.style.unwrap_or(Style::Chinese),
        text: String::new(),
    })
}

const BRACES: &str = "closing braces in comments (written as full-width ones)";
const CHARACTERS: &str = "characters the encoding lacks (written as `?`; UTF-8 has all)";
const MOVELESS: &str = "nodes without a move (left out with all after them)";
const TAG_LINES: &str = "line breaks in tags (written as blanks)";
const BLANKS: &str = "blanks and empty lines at the ends of comments (left out)";
const NAMES: &str = "tags whose names are more than letters, digits and _ (left out)";

struct PgnWriter<'a> {
    out: Out<'a>,
    asked: Option<&'static Encoding>,
    /// Of the file; settled by its first record.
    encoding: Option<&'static Encoding>,
    style: Style,
    /// A game on its way out.
    text: String,
}

impl Writer for PgnWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        if matches!(self.style, Style::Uci10 | Style::San) {
            let message = "PGN names moves as Chinese, WXF or ICCS does: we write nothing else";
            return Err(Error::new(Blame::Caller, FORMAT.name, message));
        }
        let encoding = *self.encoding.get_or_insert_with(|| self.asked.unwrap_or_else(|| charset(record)));
        self.text.clear();
        if self.out.is_begun() {
            self.text.push('\n');
        }
        head(&record.head, self.style, &mut self.text, losses);
        moves(record, self.style, &mut self.text, losses);
        for _ in 0..encode_marked(&self.text, encoding, self.out.buffer()) {
            losses.named(CHARACTERS, "in the text");
        }
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

fn head(head: &Head, style: Style, text: &mut String, losses: &mut Losses) {
    text.push_str("[Game \"Chinese Chess\"]\n");
    let mut tag = |name: &str, value: &str| {
        if value.contains(['\n', '\r']) {
            losses.named(TAG_LINES, name);
        }
        let _ = write!(text, "[{name} \"");
        for sign in value.chars() {
            match sign {
                '"' | '\\' => text.extend(['\\', sign]),
                '\n' | '\r' => text.push(' '),
                sign => text.push(sign),
            }
        }
        text.push_str("\"]\n");
    };
    let own = |name: &str| ["Game", "Format", "Result"].contains(&name);
    let mut odd = Vec::new();
    for (name, value) in &head.tags {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            odd.push(name);
        } else if !own(name) || name == "Result" && head.result.is_none() {
            tag(name, value);
        }
    }
    if let Some(result) = head.result {
        tag("Result", result.text());
    }
    match style {
        Style::Chinese | Style::ChineseTraditional | Style::Uci10 | Style::San => {}
        Style::Iccs => tag("Format", "ICCS"),
        Style::Wxf => tag("Format", "WXF"),
    }
    odd.into_iter().for_each(|name| losses.named(NAMES, name));
    text.push('\n');
}

/// What is to be written next.
enum Next {
    /// A move and what follows it: the node, its ply, and whether the others of its place are written as variations.
    Node(NodeId, usize, bool),
    Open,
    Close,
}

fn moves(record: &Record, style: Style, text: &mut String, losses: &mut Losses) {
    let tree = &record.tree;
    // Where the first position cannot be read, moves stand as points.
    let spelled = spell(&record.head, tree, style).unwrap_or_default();
    let word = |node: NodeId| -> Option<Cow<'_, str>> {
        match tree.play(node) {
            Play::Move(Move::Step(step)) => match spelled.get(node.index()) {
                Some(text) => Some(Cow::Borrowed(text)),
                None => Some(Cow::Owned(step.to_string())),
            },
            Play::Move(Move::Pass) => Some(Cow::Borrowed("--")),
            _ => tree.notes(node).find_map(|note| match note {
                Note::Property(WRITTEN, text) => Some(Cow::Borrowed(text)),
                _ => None,
            }),
        }
    };
    let children = |node: NodeId| tree.children(node).filter(|child| word(*child).is_some());
    for node in tree.nodes().skip(1).filter(|node| word(*node).is_none()) {
        losses.node(MOVELESS, record, node);
    }
    notes(record, NodeId::ROOT, text, losses);
    let mut waiting: Vec<Next> =
        children(NodeId::ROOT).next().map(|node| Next::Node(node, 1, true)).into_iter().collect();
    let black_begins = usize::from(record.head.side_of_ply(1) == Side::Second);
    // Whether the number of the move must stand before Black's.
    let mut numbered = true;
    while let Some(next) = waiting.pop() {
        match next {
            Next::Open => {
                text.push_str(if text.ends_with('\n') { "(" } else { " (" });
                numbered = true;
            }
            Next::Close => {
                text.truncate(text.trim_end().len());
                text.push_str(")\n");
                numbered = true;
            }
            Next::Node(node, ply, is_first) => {
                waiting.extend(children(node).next().map(|child| Next::Node(child, ply + 1, true)));
                if is_first {
                    let parent = tree.parent(node).expect("a move stands below the root");
                    let others: Vec<NodeId> = children(parent).skip(1).collect();
                    for other in others.into_iter().rev() {
                        waiting.extend([Next::Close, Next::Node(other, ply, false), Next::Open]);
                    }
                }
                let place = ply + black_begins;
                let (number, is_black) = (place.div_ceil(2), place.is_multiple_of(2));
                if !text.is_empty() && !text.ends_with(['\n', '(']) {
                    text.push(' ');
                }
                let _ = match (is_black, numbered) {
                    (false, _) => write!(text, "{number}. "),
                    (true, true) => write!(text, "{number}. ... "),
                    (true, false) => Ok(()),
                };
                text.push_str(&word(node).expect("those without a move were passed over"));
                numbered = notes(record, node, text, losses);
                if is_black && !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let end = record.head.result.filter(|result| *result != Outcome::Void).unwrap_or(Outcome::Unknown);
    text.push_str(end.text());
    text.push('\n');
}

/// Writes the glyphs and the comment of a node; whether there is a comment.
fn notes(record: &Record, node: NodeId, text: &mut String, losses: &mut Losses) -> bool {
    let tree = &record.tree;
    if tree.is_found(node) {
        losses.node("nodes marked to be found (left out)", record, node);
    }
    if tree.is_start(node) {
        losses.node("start positions (left out)", record, node);
    }
    let (mut line, mut body) = (None, None);
    for note in tree.notes(node) {
        let what = match note {
            Note::Line(text) => {
                line = Some(text);
                continue;
            }
            Note::Body(text) => {
                body = Some(text);
                continue;
            }
            Note::Property(GLYPH, number) if node != NodeId::ROOT && number.parse::<u16>().is_ok() => {
                let _ = write!(text, " ${number}");
                continue;
            }
            Note::Property(WRITTEN, _) => continue,
            Note::Stone(..) => "set-up stones (left out)",
            Note::ToMove(_) => "sides to move (left out)",
            Note::Value(_) => "values (left out)",
            Note::Time(_) => "times (left out)",
            Note::Text(_) => "board texts (left out)",
            Note::Label(..) => "labels (left out)",
            Note::Mark(..) => "marks (left out)",
            Note::Property(..) => "properties (left out)",
            Note::Bytes(..) => "texts' own bytes (left out)",
        };
        losses.node(what, record, node);
    }
    let comment = [line, body].into_iter().flatten().collect::<Vec<_>>().join("\n");
    let bare = comment.trim();
    if bare.len() != comment.len() || line == Some("") && body.is_some() {
        losses.node(BLANKS, record, node);
    }
    if bare.is_empty() {
        return false;
    }
    if bare.contains('}') {
        losses.node(BRACES, record, node);
    }
    if !text.ends_with('\n') {
        text.push(' ');
    }
    let _ = write!(text, "{{{}}}", bare.replace('}', "｝"));
    text.push_str(if node == NodeId::ROOT { "\n" } else { "" });
    true
}
