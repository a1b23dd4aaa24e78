use super::{KEPT, KEYS, NAME, is_of_game};
use crate::encoding::encode;
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, start, steps};
use encoding_rs::{Encoding, UTF_8};
use games::xiangqi::Board;
use games::{Move, Side, Step};
use record::{Head, Newline, NodeId, Outcome, Play, Record};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(GameWriter { out: Out::new(out), encoding: options.encoding.unwrap_or(UTF_8) })
}

struct GameWriter<'a> {
    out: Out<'a>,
    encoding: &'static Encoding,
}

/// A line of moves: the line that it leaves, the ply that it replaces there, and its moves.
struct Line {
    from: usize,
    ply: usize,
    moves: String,
}

impl Writer for GameWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let board = steps::start(record, NAME, losses)?;
        let tree = steps::of(record, losses)?.into_owned();
        if tree.is_leaf(NodeId::ROOT) && board.to_move() == Side::Second {
            losses.named("side to move of a position without moves (left out)", "FEN");
        }
        let record = Record { head: record.head.clone(), tree };
        let mut text = String::from("[DhtmlXQ]\n");
        head(&record.head, &mut text, losses);
        if board.pieces().ne(Board::start().pieces()) {
            field("binit", &slots(&board)?, &mut text);
        }
        moves(&record, &mut text, losses);
        text.push_str("[/DhtmlXQ]\n");
        self.push(&text, losses);
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl GameWriter<'_> {
    fn push(&mut self, text: &str, losses: &mut Losses) {
        if let Some(bytes) = encode(text, self.encoding, Newline::Lf) {
            return self.out.push(&bytes);
        }
        for c in text.chars() {
            let mut utf8 = [0; 4];
            match encode(c.encode_utf8(&mut utf8), self.encoding, Newline::Lf) {
                Some(bytes) => self.out.push(&bytes),
                // The form that the players of these pages know.
                None if u32::from(c) < 0x1_0000 => self.out.push(format!("\\u{:04x}", u32::from(c)).as_bytes()),
                None => {
                    losses.named("characters that the encoding lacks (written as ?)", c.encode_utf8(&mut utf8));
                    self.out.push(b"?");
                }
            }
        }
    }
}

fn field(key: &str, value: &str, out: &mut String) {
    out.extend(["[DhtmlXQ_", key, "]", value, "[/DhtmlXQ_", key, "]\n"]);
}

fn head(head: &Head, out: &mut String, losses: &mut Losses) {
    for (at, (name, value)) in head.tags.iter().enumerate() {
        let is_again = head.tags[..at].iter().any(|(other, _)| other == name);
        let kept = name.strip_prefix(KEPT).filter(|key| {
            let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
            // A result that nobody knows the meaning of is such a tag.
            let is_free = !is_of_game(key) || *key == "result" && head.result.is_none();
            is_key && !key.is_empty() && is_free && !KEYS.iter().any(|(known, _)| known == key)
        });
        match KEYS.iter().find(|(_, tag)| tag == name).map(|(key, _)| *key).or(kept) {
            Some(key) if !is_again && !value.trim().is_empty() => {
                if value.trim() != value {
                    losses.named("blanks around tags (left out)", name);
                }
                field(key, &escape(value.trim()), out);
            }
            None if name == "FEN" && !is_again => {}
            _ => losses.named("tags (left out)", name),
        }
    }
    let result = head.result.and_then(|result| match result {
        Outcome::First => Some("红胜"),
        Outcome::Second => Some("黑胜"),
        Outcome::Draw => Some("和棋"),
        Outcome::Unknown => Some("未知"),
        Outcome::Void => {
            losses.named("results (left out)", result.text());
            None
        }
    });
    if let Some(result) = result {
        field("result", result, out);
    }
    steps::lost_head(head, losses);
}

fn moves(record: &Record, out: &mut String, losses: &mut Losses) {
    let tree = &record.tree;
    let mut lines = vec![Line { from: 0, ply: 1, moves: String::new() }];
    let mut line_of = vec![0; tree.len()];
    let mut comments = String::new();
    for (depth, node) in tree.walk() {
        if let (Some(parent), Play::Move(Move::Step(step))) = (tree.parent(node), tree.play(node)) {
            let above = line_of[parent.index()];
            let line = if tree.first_child(parent) == Some(node) {
                above
            } else {
                lines.push(Line { from: above, ply: depth, moves: String::new() });
                lines.len() - 1
            };
            line_of[node.index()] = line;
            push_step(step, &mut lines[line].moves);
        }
        if tree.is_found(node) || tree.is_start(node) {
            losses.node(steps::FLAGS, record, node);
        }
        if let Some(text) = steps::comment(record, node, losses) {
            let key = match line_of[node.index()] {
                0 => format!("comment{depth}"),
                line => format!("comment{line}_{depth}"),
            };
            field(&key, &escape(&text), &mut comments);
        }
    }
    for (number, line) in lines.iter().enumerate() {
        let key = match number {
            0 => "movelist".to_owned(),
            _ => format!("move_{}_{}_{number}", line.from, line.ply),
        };
        field(&key, &line.moves, out);
    }
    out.push_str(&comments);
}

fn push_step(step: Step, out: &mut String) {
    for point in [step.from, step.to] {
        out.extend([point.x(), point.y()].map(|number| char::from(b'0' + number)));
    }
}

/// The text on one line, with nothing that is taken for a field.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_sign = match c {
            '|' => true,
            '[' => rest.starts_with("[DhtmlXQ") || rest.starts_with("[/DhtmlXQ"),
            '<' => rest.starts_with("<br>"),
            '\\' => rest.starts_with("\\u"),
            _ => false,
        };
        match c {
            '\n' => out.push_str("||"),
            _ if is_sign => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}

/// The points of the pieces by their slots; 99 for a piece that is not there.
fn slots(board: &Board) -> Result<String, Error> {
    let slots = start::slots(board).map_err(|piece| {
        let message = format!("there is no place for another {}: a side has no more than at the start", piece.name());
        Error::new(Blame::Target, NAME, message)
    })?;
    let text = slots.map(|point| point.map_or("99".to_owned(), |point| format!("{}{}", point.x(), point.y())));
    Ok(text.concat())
}
