//! From records to text.

use super::read::parity;
use super::{NAME, OPENING_PLIES};
use crate::line::{main_line, opening_lost};
use crate::{Blame, Error, Losses, Out, WriteOptions, Writer};
use games::{Coords, Game, Move, Rule, Side, Size};
use record::{NodeId, Note, Outcome, Play, Record, Stones};
use std::io::Write;

pub(super) fn writer<'a>(target: &'a mut dyn Write, options: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(Lines { out: Out::new(target), coords: options.coords.unwrap_or_default() })
}

struct Lines<'a> {
    out: Out<'a>,
    coords: Coords,
}

/// The form a record is written in.
enum Form {
    Board,
    Game { rule: Rule, result: &'static str },
    Moves,
}

impl Writer for Lines<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        if record.head.game != Game::Gomoku {
            let message = format!("a line of moves is of gomoku, not of {}", record.head.game);
            return Err(Error::new(Blame::Target, NAME, message));
        }
        let size = record.head.size;
        let mut stones = Stones::new(size);
        stones.enter(&record.tree, 0, NodeId::ROOT);
        let form = self.form(record, &stones);
        head_losses(record, &form, losses);
        root_losses(record, &form, &stones, losses);
        match form {
            Form::Board => self.board(record, &stones, losses),
            Form::Game { rule, result } => {
                let plies = opening_plies(record).unwrap_or("0");
                let start = format!("{rule} {} {result} {plies}", size.width());
                self.out.push(start.as_bytes());
                self.moves(record, " ", losses)
            }
            Form::Moves if self.coords.fits(size) => self.moves(record, "", losses),
            Form::Moves => {
                let coords = self.coords.name();
                let message = format!("the notation {coords} has no names for the points of a {size} board: choose a1");
                Err(Error::new(Blame::Target, NAME, message))
            }
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl Lines<'_> {
    fn form(&self, record: &Record, stones: &Stones) -> Form {
        let (head, tree) = (&record.head, &record.tree);
        let idle = !main_line(tree).any(|node| matches!(tree.play(node), Play::Move(_)));
        let set_up = head.size.points().any(|point| stones.get(point).is_some());
        if idle && (set_up || to_move(record, stones) == Side::Second) {
            return Form::Board;
        }
        let result = match head.result {
            Some(Outcome::First) => Some("1"),
            Some(Outcome::Draw) => Some("0.5"),
            Some(Outcome::Second) => Some("0"),
            _ => None,
        };
        match (head.rule, result) {
            (Some(rule), Some(result)) if self.coords == Coords::A1 && head.size.width() == head.size.height() => {
                Form::Game { rule, result }
            }
            _ if idle => Form::Board,
            _ => Form::Moves,
        }
    }

    fn board(&mut self, record: &Record, stones: &Stones, losses: &mut Losses) -> Result<(), Error> {
        let size = record.head.size;
        let mut before = "board:";
        for point in size.points() {
            if point.x() == 0 {
                self.out.push(before.as_bytes());
                before = "/";
            }
            self.out.push(match stones.get(point) {
                None => b".",
                Some(Side::First) => b"X",
                Some(Side::Second) => b"O",
            });
        }
        let turn = to_move(record, stones);
        if turn != parity(size.points().filter_map(|point| stones.get(point))) {
            self.out.push(if turn == Side::First { b" turn:X" } else { b" turn:O" });
        }
        // No moves to write, but all that hangs below the root to report.
        self.moves(record, "", losses)
    }

    /// Writes the moves of the main line and ends the line.
    fn moves(&mut self, record: &Record, mut before: &'static str, losses: &mut Losses) -> Result<(), Error> {
        let tree = &record.tree;
        let mut line = main_line(tree).peekable();
        let mut turn = Side::First;
        for node in tree.nodes() {
            if node == NodeId::ROOT {
                note_losses(record, node, losses);
                continue;
            }
            if line.next_if_eq(&node).is_none() {
                losses.node("nodes off the main line (left out)", record, node);
                continue;
            }
            note_losses(record, node, losses);
            let Play::Move(a_move) = tree.play(node) else {
                losses.node("nodes without a move (left out)", record, node);
                continue;
            };
            if tree.side(node) != turn {
                losses.node("moves out of turn (written as if sides alternated)", record, node);
            }
            turn = turn.other();
            self.out.push(before.as_bytes());
            before = " ";
            match a_move {
                Move::Pass => self.out.push(b"--"),
                Move::Step(step) => self.out.push(step.to_string().as_bytes()),
                Move::Place(point) => self.coords.push(point, record.head.size, self.out.buffer()),
            }
            self.out.spill()?;
        }
        self.out.push(b"\n");
        Ok(self.out.spill()?)
    }
}

/// Who is to move at the root.
fn to_move(record: &Record, stones: &Stones) -> Side {
    stated_turn(record).unwrap_or_else(|| parity(record.head.size.points().filter_map(|point| stones.get(point))))
}

/// Who is to move at the root, where the record says it.
fn stated_turn(record: &Record) -> Option<Side> {
    record.tree.notes(NodeId::ROOT).find_map(|note| if let Note::ToMove(side) = note { Some(side) } else { None })
}

/// The tag that a game line has a place for.
fn opening_plies(record: &Record) -> Option<&str> {
    let plies = record.head.tag(OPENING_PLIES)?;
    plies.parse::<u16>().is_ok_and(|number| number > 0 && number.to_string() == plies).then_some(plies)
}

fn head_losses(record: &Record, form: &Form, losses: &mut Losses) {
    let head = &record.head;
    let is_game = matches!(form, Form::Game { .. });
    if let (Some(rule), false) = (head.rule, is_game) {
        losses.named("rules (left out)", rule.name());
    }
    if let (Some(result), false) = (head.result, is_game) {
        losses.named("results (left out)", result.text());
    }
    if matches!(form, Form::Moves) && head.size != Size::default() {
        losses.named("board sizes (left out: name it when reading)", &head.size.to_string());
    }
    let mut written = if is_game { opening_plies(record) } else { None };
    for (name, _) in &head.tags {
        if name != OPENING_PLIES || written.take().is_none() {
            losses.named("tags (left out)", name);
        }
    }
    opening_lost(head, losses);
}

fn root_losses(record: &Record, form: &Form, stones: &Stones, losses: &mut Losses) {
    for note in record.tree.notes(NodeId::ROOT) {
        match (note, form) {
            (Note::Stone(point, side), Form::Board) if side.is_some() && stones.get(point) == side => {}
            (Note::Stone(..), Form::Board) => {
                losses.node("set-up stones that another replaces (left out)", record, NodeId::ROOT);
            }
            (Note::Stone(..), _) => losses.node("set-up stones (left out)", record, NodeId::ROOT),
            (Note::ToMove(Side::Second), Form::Game { .. } | Form::Moves) => {
                losses.node("sides to move (left out)", record, NodeId::ROOT);
            }
            _ => {}
        }
    }
}

/// What is written at a node of the main line and has no place in it; the root's set-up is [`root_losses`]'.
fn note_losses(record: &Record, node: NodeId, losses: &mut Losses) {
    let tree = &record.tree;
    if tree.is_found(node) {
        losses.node("nodes marked to be found (left out)", record, node);
    }
    if tree.is_start(node) {
        losses.node("start positions (left out)", record, node);
    }
    for note in tree.notes(node) {
        let what = match note {
            Note::Stone(..) | Note::ToMove(_) if node == NodeId::ROOT => continue,
            Note::Stone(..) => "set-up stones (left out)",
            Note::ToMove(_) => "sides to move (left out)",
            Note::Value(_) => "values (left out)",
            Note::Time(_) => "times (left out)",
            Note::Line(_) | Note::Body(_) => "comments (left out)",
            Note::Text(_) => "board texts (left out)",
            Note::Label(..) => "labels (left out)",
            Note::Mark(..) => "marks (left out)",
            Note::Property(..) => "properties (left out)",
            Note::Bytes(..) => "texts' own bytes (left out)",
        };
        losses.node(what, record, node);
    }
}
