//! From records to text.

use super::{NAME, PLAYERS, RESULT, TAGS, is_known, key};
use crate::encoding::{charset, encode_marked};
use crate::xiangqi_pgn::{GLYPH, glyph_signs, outcome};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer, steps};
use encoding_rs::Encoding;
use games::Side;
use games::xiangqi::notation::Style;
use games::xiangqi::{Board, Fen};
use record::{Head, NodeId, Note, Outcome, Record, spell};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(GameWriter { out: Out::new(out), asked: options.encoding, encoding: None, style: options.style })
}

struct GameWriter<'a> {
    out: Out<'a>,
    asked: Option<&'static Encoding>,
    /// Of the file; settled by its first record.
    encoding: Option<&'static Encoding>,
    style: Option<Style>,
}

impl Writer for GameWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        if self.style.is_some_and(|style| style != Style::Wxf) {
            let message = "a .wxf has its moves in WXF: leave --notation out";
            return Err(Error::new(Blame::Caller, NAME, message));
        }
        let encoding = *self.encoding.get_or_insert_with(|| self.asked.unwrap_or_else(|| charset(record)));
        let board = steps::start(record, NAME, losses)?;
        let tree = steps::of(record, losses)?.into_owned();
        let record = &Record { head: record.head.clone(), tree };
        let mut text = String::from(if self.out.is_begun() { "\nFORMAT\tWXF\n" } else { "FORMAT\tWXF\n" });
        head(&record.head, &board, &mut text, losses);
        text.push_str("\nSTART{\n");
        moves(record, &mut text, losses);
        text.push_str("}END\n");
        about(record, &mut text, losses);
        for _ in 0..encode_marked(&text, encoding, self.out.buffer()) {
            losses.named("characters the encoding lacks (written as `?`; UTF-8 has all)", "in the text");
        }
        Ok(self.out.spill()?)
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

fn head(head: &Head, board: &Board, text: &mut String, losses: &mut Losses) {
    let mut left: Vec<(&str, String)> = Vec::new();
    for (at, (name, value)) in head.tags.iter().enumerate() {
        let is_again = head.tags[..at].iter().any(|(other, _)| other == name);
        let line = value.trim().replace(['\n', '\r'], " ");
        let is_own = match name.as_str() {
            // How the moves are written is ours to say.
            "Format" => continue,
            "FEN" if !is_again => continue,
            RESULT => head.result.is_none() && outcome(&line).is_none(),
            _ => is_tag(name),
        };
        if is_again || line.is_empty() || !is_own {
            losses.named("tags (left out)", name);
            continue;
        }
        if line != *value {
            losses.named("line breaks in tags and blanks around them (written as blanks, or left out)", name);
        }
        left.push((name, line));
    }
    let mut take = |name: &str| {
        let place = left.iter().position(|(tag, _)| *tag == name);
        place.map(|place| left.remove(place).1)
    };
    let mut line = |key: &str, value: &str| text.extend([key, "\t", value, "\n"]);
    let [title, others @ .., _] = &TAGS;
    if let Some(value) = take(title.1) {
        line(title.0, &value);
    }
    for (key, names) in PLAYERS {
        let values = names.map(|name| take(name).unwrap_or_default());
        if values.iter().all(String::is_empty) {
            continue;
        }
        let mut player = String::new();
        for (at, (name, value)) in names.iter().zip(&values).enumerate() {
            // The last one goes to the end of the line.
            if at < 3 && value.contains(';') {
                losses.named("semicolons in tags of players (written as commas)", name);
                player.push_str(&value.replace(';', ","));
            } else {
                player.push_str(value);
            }
            player.push_str(if at < 3 { ";" } else { "" });
        }
        line(key, &player);
    }
    for (key, name) in others {
        if let Some(value) = take(name) {
            line(key, &value);
        }
    }
    let void = head.result.filter(|result| *result == Outcome::Void);
    if let Some(result) = void {
        losses.named("results (left out)", result.text());
    }
    let result = head.result.filter(|_| void.is_none()).map(|result| result.text().to_owned());
    if let Some(result) = result.or_else(|| take(RESULT)) {
        line("RESULT", &result);
    }
    for (key, value) in &left {
        line(key, value);
    }
    if *board != Board::start() {
        line("FEN", &position(board));
    }
    steps::lost_head(head, losses);
}

/// Whether a tag has a key.
fn is_tag(name: &str) -> bool {
    let is_plain = || key(name) == Some((name, "")) && name.to_ascii_uppercase() == name && !is_known(name);
    TAGS.iter().any(|(_, tag)| *tag == name) || PLAYERS.iter().any(|(_, tags)| tags.contains(&name)) || is_plain()
}

/// The letters of WXF and the side to move.
fn position(board: &Board) -> String {
    let fen = Fen::from(board.clone()).to_string();
    let ranks = fen.split(' ').next().unwrap_or_default();
    let letter = |c| match c {
        'N' => 'H',
        'n' => 'h',
        'B' => 'E',
        'b' => 'e',
        c => c,
    };
    let side = if board.to_move() == Side::First { 'r' } else { 'b' };
    format!("{} {side}", ranks.chars().map(letter).collect::<String>())
}

fn moves(record: &Record, text: &mut String, losses: &mut Losses) {
    let tree = &record.tree;
    let spelled = spell(&record.head, tree, Style::Wxf).unwrap_or_default();
    let mut main = tree.main_line().peekable();
    let black_begins = usize::from(record.head.side_of_ply(1) == Side::Second);
    // Nodes are in pre-order, and the main line stands first.
    for (depth, node) in tree.walk() {
        if node != NodeId::ROOT && main.next_if_eq(&node).is_none() {
            losses.node("moves beside the main line (left out)", record, node);
            continue;
        }
        let Some(word) = spelled.get(node.index()).filter(|_| node != NodeId::ROOT) else { continue };
        let place = depth + black_begins;
        let (number, is_black) = (place.div_ceil(2), place.is_multiple_of(2));
        match (is_black, depth) {
            (false, _) => text.push_str(&format!("{number}. ")),
            (true, 1) => text.push_str(&format!("{number}. ... ")),
            (true, _) => text.push(' '),
        }
        // With a point between digits it would look like a number and a move.
        match word.starts_with(|c: char| c.is_ascii_digit()) {
            true => text.push_str(word),
            false => text.push_str(&word.replace('=', ".")),
        }
        text.push_str(notes(record, node, losses));
        if is_black || tree.is_leaf(node) {
            text.push('\n');
        }
    }
}

/// Tells of the notes of a node that are not written with its move, and gives the signs of its glyph.
fn notes(record: &Record, node: NodeId, losses: &mut Losses) -> &'static str {
    let tree = &record.tree;
    if tree.is_found(node) || tree.is_start(node) {
        losses.node(steps::FLAGS, record, node);
    }
    let mut signs = "";
    for note in tree.notes(node) {
        match note {
            Note::Line(_) | Note::Body(_) => losses.node("comments of moves (left out)", record, node),
            Note::Property(GLYPH, number) => match glyph_signs(number).filter(|_| signs.is_empty()) {
                Some(found) => signs = found,
                None => losses.node("glyphs without signs (left out)", record, node),
            },
            Note::Bytes(..) => losses.node("bytes of texts (the text is written)", record, node),
            lost => losses.node(steps::lost_note(&lost), record, node),
        }
    }
    signs
}

/// The comment of the game.
fn about(record: &Record, text: &mut String, losses: &mut Losses) {
    if record.tree.is_found(NodeId::ROOT) || record.tree.is_start(NodeId::ROOT) {
        losses.node(steps::FLAGS, record, NodeId::ROOT);
    }
    let Some(comment) = steps::comment(record, NodeId::ROOT, losses) else { return };
    let bare = comment.trim();
    if bare.len() != comment.len() {
        losses.node("blanks and empty lines around the comment of the game (left out)", record, NodeId::ROOT);
    }
    for line in bare.lines() {
        if line.starts_with("FORMAT") {
            losses.node("lines of a comment that would begin a game (written behind a blank)", record, NodeId::ROOT);
            text.push(' ');
        }
        text.extend([line, "\n"]);
    }
}
