//! How much of games a book knows.

use super::super::terminal::count;
use super::audit::best;
use ::book::{Book, Frames};
use anyhow::Result;
use games::gomoku::Board;
use games::{Move, Rule, Side, Size};
use record::{NodeId, Note, Play, Record, Sketch, StoneKey};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What the book knows of the games that were looked up.
pub struct Coverage<'b> {
    book: &'b Book<&'b [u8]>,
    frames: Frames,
    threshold: i32,
    games: u64,
    /// Moves of games before the first one that leads out of the book.
    plies: u64,
    by_ply: Vec<Ply>,
    /// Moves from positions of the book, each once however many games played it.
    seen: HashSet<(Vec<u8>, Vec<u8>)>,
    good: u64,
    bad: u64,
    /// Of moves where the book has no value of it, or of any.
    unvalued: u64,
    missing: u64,
    trees: Vec<((Rule, Size), Missing)>,
    /// Records that begin with stones.
    set_up: u64,
}

/// What is known of the moves of one number.
#[derive(Copy, Clone, Default)]
struct Ply {
    moves: u64,
    /// The position before them is in the book.
    positions: u64,
    /// And the move, too.
    known: u64,
}

/// A tree of the moves that the book misses.
#[derive(Default)]
struct Missing {
    sketch: Sketch,
    children: HashMap<(NodeId, Side, Move), NodeId>,
}

impl Coverage<'_> {
    /// With no games yet; a move that is worth less than the best by more than the threshold is bad.
    pub fn new<'b>(book: &'b Book<&'b [u8]>, threshold: i32) -> Coverage<'b> {
        Coverage {
            book,
            frames: Frames::new(book.is_symmetric()),
            threshold,
            games: 0,
            plies: 0,
            by_ply: Vec::new(),
            seen: HashSet::new(),
            good: 0,
            bad: 0,
            unvalued: 0,
            missing: 0,
            trees: Vec::new(),
            set_up: 0,
        }
    }

    /// Looks up the main line of a record.
    pub fn add(&mut self, record: &Record, rule: Rule) -> Result<()> {
        let (tree, size) = (&record.tree, record.head.size);
        if tree.notes(NodeId::ROOT).any(|note| matches!(note, Note::Stone(..))) {
            self.set_up += 1;
            return Ok(());
        }
        self.games += 1;
        let mut board = Board::new(size);
        let mut line = Vec::new();
        let mut is_in_book = true;
        for node in tree.main_line() {
            let Play::Move(play) = tree.play(node) else { continue };
            let side = tree.side(node);
            let before = StoneKey::new(&board, side, rule);
            if play.point().is_some_and(|point| board.play(point, side).is_err()) {
                break;
            }
            let after = StoneKey::new(&board, side.other(), rule);
            let ply = line.len();
            line.push((side, play));
            self.by_ply.resize((ply + 1).max(self.by_ply.len()), Ply::default());
            self.by_ply[ply].moves += 1;
            let is_known = self.look_up(&before, &after, &line)?;
            if let Some(is_known) = is_known {
                self.by_ply[ply].positions += 1;
                self.by_ply[ply].known += u64::from(is_known);
            }
            is_in_book &= is_known == Some(true);
            self.plies += u64::from(is_in_book);
        }
        Ok(())
    }

    /// Whether the book knows the last move of a line; `None` where it does not know the position before.
    fn look_up(&mut self, before: &StoneKey, after: &StoneKey, line: &[(Side, Move)]) -> Result<Option<bool>> {
        let frame = self.frames.of_stones(before);
        let Some(answer) = self.book.ask(&before.clone().into(), frame)? else { return Ok(None) };
        let key = frame.canonical_stones(after).key;
        let entry = self.book.get(&key, frame)?;
        let mut listed = None;
        for each in &answer.moves {
            if before.after(each.play).is_some_and(|child| frame.canonical_stones(&child).key == key) {
                listed = Some(each);
                break;
            }
        }
        let is_known = listed.is_some() || entry.is_some();
        if !self.seen.insert((frame.canonical_stones(before).key, key)) {
            return Ok(Some(is_known));
        }
        if !is_known {
            self.missing += 1;
            self.keep(line, before)?;
            return Ok(Some(false));
        }
        let own = entry.as_ref().and_then(|entry| entry.value().map(|judgement| judgement.value.saturating_neg()));
        match (best(&answer.moves).and_then(|best| best.value()), own) {
            (Some(best), Some(own)) if best.saturating_sub(own) > self.threshold => self.bad += 1,
            (_, Some(_)) => self.good += 1,
            _ => self.unvalued += 1,
        }
        Ok(Some(true))
    }

    /// Adds a line to the tree of what is missing.
    fn keep(&mut self, line: &[(Side, Move)], key: &StoneKey) -> Result<()> {
        let board = (key.rule, key.size);
        let at = match self.trees.iter().position(|(other, _)| *other == board) {
            Some(at) => at,
            None => {
                self.trees.push((board, Missing::default()));
                self.trees.len() - 1
            }
        };
        let Missing { sketch, children } = &mut self.trees[at].1;
        let mut node = NodeId::ROOT;
        for (side, play) in line {
            node = match children.get(&(node, *side, *play)) {
                Some(child) => *child,
                None => {
                    let child = sketch.append(node, *side, Play::Move(*play))?;
                    children.insert((node, *side, *play), child);
                    child
                }
            };
        }
        Ok(())
    }

    /// The moves that are missing, with those that lead to them, a record for each rule and board.
    pub fn into_missing(self) -> Vec<Record> {
        let record = |((rule, size), missing): ((Rule, Size), Missing)| {
            let mut record = Record { tree: missing.sketch.build(), ..Record::default() };
            record.head.rule = Some(rule);
            record.head.size = size;
            record
        };
        self.trees.into_iter().map(record).collect()
    }

    fn sums(&self) -> Ply {
        let add = |sum: Ply, each: &Ply| Ply {
            moves: sum.moves + each.moves,
            positions: sum.positions + each.positions,
            known: sum.known + each.known,
        };
        self.by_ply.iter().fold(Ply::default(), add)
    }

    /// As scripts read it; `null` where no games were looked up.
    pub fn object(&self) -> Value {
        if self.games + self.set_up == 0 {
            return Value::Null;
        }
        let row = |(at, ply): (usize, &Ply)| json!({"ply": at + 1, "moves": ply.moves, "positions": ply.positions, "known": ply.known});
        let rows: Vec<Value> = self.by_ply.iter().enumerate().map(row).collect();
        let Ply { moves, positions, known } = self.sums();
        json!({
            "games": self.games, "set_up": self.set_up, "moves": moves, "positions": positions, "known": known,
            "plies_in_book": self.plies as f64 / self.games.max(1) as f64, "good": self.good, "bad": self.bad,
            "unvalued": self.unvalued, "missing": self.missing, "by_ply": rows,
        })
    }

    /// As people read it; nothing where no games were looked up.
    pub fn block(&self) -> String {
        if self.games + self.set_up == 0 {
            return String::new();
        }
        let Ply { moves, positions, known } = self.sums();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut text = format!("  games      {}, {}\n", count(self.games, "game"), count(moves, "move"));
        if self.set_up > 0 {
            text += &format!("  left out   {} that begin with stones\n", count(self.set_up, "record"));
        }
        let mean = self.plies as f64 / self.games.max(1) as f64;
        text += &format!("  in book    {mean:.1} plies a game\n");
        text += &format!("  positions  {positions} known, {:.1} %\n", share(positions, moves));
        text += &format!("  moves      {known} known, {:.1} %\n", share(known, moves));
        let Coverage { good, bad, unvalued, missing, .. } = self;
        text += &format!("  different  {good} good, {bad} bad, {unvalued} without a value, {missing} missing\n");
        text += &format!("  {:<6}{:>9}{:>11}{:>9}\n", "ply", "moves", "positions", "known");
        // Behind the last position that is known all rows are alike.
        let last = self.by_ply.iter().rposition(|ply| ply.positions > 0).map_or(0, |at| at + 1);
        for (at, ply) in self.by_ply[..last].iter().enumerate() {
            text += &format!("  {:<6}{:>9}{:>11}{:>9}\n", at + 1, ply.moves, ply.positions, ply.known);
        }
        text
    }
}
