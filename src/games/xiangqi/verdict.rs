use super::chase::chases;
use super::square::square;
use super::{Board, History, Undo};
use crate::{Side, Step};
use std::collections::HashMap;

/// How a history is judged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Judging {
    /// The occurrence of a position that ends the game.
    pub fold: u32,
    /// Whether the position of the FEN is its own first occurrence.
    pub counts_start: bool,
    /// The plies without a capture that end the game; `None` for no limit.
    pub limit: Option<u32>,
    /// Which checks count as such plies.
    pub checks: Checks,
}

impl Default for Judging {
    /// The third occurrence, that of the FEN included; 120 plies, checks included.
    fn default() -> Judging {
        Judging { fold: 3, counts_start: true, limit: Some(120), checks: Checks::All }
    }
}

/// Which checks count among the plies without a capture.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Checks {
    /// All of them.
    All,
    /// Ten of each side; what goes beyond is not counted, nor are the answers to it.
    Ten,
    /// None, nor the answers to them.
    None,
}

/// What the rules say of a position with its history.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The game goes on.
    None,
    /// A side has lost.
    Loss(Side, Loss),
    /// Nobody has won.
    Draw(Draw),
    /// A position has come back too often without perpetual check. Whether a side chases perpetually is not judged,
    /// since it attacks a piece with every move by taking its protection away, or the repetition is very long.
    ChaseNotJudged,
}

/// Why a side has lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// It is in check and has no move.
    Mate,
    /// It has no move.
    Stalemate,
    /// It has given check with every move of the cycle, and the other side has not.
    PerpetualCheck,
    /// It has attacked one and the same piece anew with every move since the first occurrence, and the other side has
    /// done nothing of the kind.
    PerpetualChase,
}

/// Why nobody has won.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Draw {
    /// A position has come back, and neither side has to change or both have.
    Repetition,
    /// Too many plies without a capture.
    Limit,
}

/// A history and what the rules say of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// How often the last position has occurred, this time included.
    pub occurrences: u32,
    /// What the rules say of it.
    pub verdict: Verdict,
    /// The plies whose positions end the game, and how, counted from 0 for the start.
    pub met: Vec<(usize, Verdict)>,
    /// The legal moves by which the side to move would lose at once, or after the only reply.
    pub loses_now: Vec<Step>,
}

/// Repetitions over more plies are not searched for chases.
const LONGEST_CHASE: usize = 120;

impl History {
    /// Judges every position of the history, and the moves that may follow.
    ///
    /// A side that has given check with every move since the position was there before loses, if the other has not.
    /// Else chases are judged by the Asian rules as far as they are plain. A chase attacks one and the same piece anew
    /// with every move, itself or by opening a line, where taking it would win something: a rook, taken by something
    /// else than a rook; or an unprotected piece, where a pawn on its own side counts as nothing, and two of a kind
    /// that attack each other as an exchange. Kings and pawns may chase. Where only protections change, the verdict is
    /// [`Verdict::ChaseNotJudged`].
    pub fn judge(&self, judging: &Judging) -> Judgement {
        let mut course = Course::new(&self.start.board, self.start.halfmove, judging);
        let mut met = Vec::new();
        let mut verdict = course.verdict();
        for (ply, step) in self.moves.iter().enumerate() {
            if verdict != Verdict::None {
                met.push((ply, verdict));
            }
            course.play(*step);
            verdict = course.verdict();
        }
        if verdict != Verdict::None {
            met.push((self.moves.len(), verdict));
        }
        let occurrences = course.occurrences();
        let loses_now = course.losing_moves();
        Judgement { occurrences, verdict, met, loses_now }
    }
}

/// A game under way, with what repetition needs.
struct Course<'j> {
    judging: &'j Judging,
    board: Board,
    key: u128,
    seen: HashMap<u128, Vec<u32>>,
    plies: Vec<Ply>,
    count: Count,
}

/// A ply played.
struct Ply {
    step: Step,
    undo: Undo,
    is_check: bool,
    key_before: u128,
    count_before: Count,
}

/// Plies without a capture that count, and checks of both sides among them.
#[derive(Copy, Clone)]
struct Count {
    plies: u32,
    checks: [u32; 2],
    /// Whether the last ply was a check that does not count.
    is_free: bool,
}

impl<'j> Course<'j> {
    fn new(board: &Board, halfmove: u32, judging: &'j Judging) -> Course<'j> {
        let key = board.key();
        let mut seen: HashMap<u128, Vec<u32>> = HashMap::new();
        if judging.counts_start {
            seen.entry(key).or_default().push(0);
        }
        let count = Count { plies: halfmove, checks: [0; 2], is_free: false };
        Course { judging, board: board.clone(), key, seen, plies: Vec::new(), count }
    }

    fn play(&mut self, step: Step) {
        let (Some(from), Some(to)) = (square(step.from), square(step.to)) else { return };
        let (side, key_before, count_before) = (self.board.to_move(), self.key, self.count);
        self.key = self.board.key_after(self.key, from, to);
        let is_capture = self.board.piece(step.to).is_some();
        let undo = self.board.shift(from, to);
        let is_check = self.board.is_check();
        if is_capture {
            self.count = Count { plies: 0, checks: [0; 2], is_free: false };
        } else {
            let checks = &mut self.count.checks[side as usize];
            *checks += u32::from(is_check);
            let is_answer = count_before.is_free;
            self.count.is_free = is_check
                && match self.judging.checks {
                    Checks::All => false,
                    Checks::Ten => *checks > 10,
                    Checks::None => true,
                };
            if !is_answer && !self.count.is_free {
                self.count.plies = self.count.plies.saturating_add(1);
            }
        }
        self.plies.push(Ply { step, undo, is_check, key_before, count_before });
        self.seen.entry(self.key).or_default().push(self.plies.len() as u32);
    }

    fn take_back(&mut self) {
        let Some(ply) = self.plies.pop() else { return };
        if let Some(seen) = self.seen.get_mut(&self.key) {
            seen.pop();
        }
        self.board.unshift(ply.undo);
        self.key = ply.key_before;
        self.count = ply.count_before;
    }

    fn occurrences(&self) -> u32 {
        self.seen.get(&self.key).map_or(1, |seen| seen.len() as u32).max(1)
    }

    fn verdict(&self) -> Verdict {
        let side = self.board.to_move();
        if !self.board.has_moves() {
            return Verdict::Loss(side, if self.board.is_check() { Loss::Mate } else { Loss::Stalemate });
        }
        let seen = self.seen.get(&self.key).map_or(&[][..], Vec::as_slice);
        if let [.., last, _] = seen
            && let Some(first) = seen.len().checked_sub(self.judging.fold as usize)
        {
            return self.repetition(seen[first] as usize, *last as usize);
        }
        if self.judging.limit.is_some_and(|limit| self.count.plies >= limit) {
            return Verdict::Draw(Draw::Limit);
        }
        Verdict::None
    }

    /// Who has lost by a position that was there at the ply `first`, when the occurrences began that count, and `last`.
    fn repetition(&self, first: usize, last: usize) -> Verdict {
        let cycle = &self.plies[last..];
        // The side to move has made the first move of it.
        let mover = self.board.to_move();
        let checks = |side: Side| cycle.iter().skip(usize::from(side != mover)).step_by(2).all(|ply| ply.is_check);
        match [Side::First, Side::Second].map(checks) {
            [true, false] => return Verdict::Loss(Side::First, Loss::PerpetualCheck),
            [false, true] => return Verdict::Loss(Side::Second, Loss::PerpetualCheck),
            [true, true] => return Verdict::Draw(Draw::Repetition),
            [false, false] => {}
        }
        let plies = &self.plies[first..];
        if plies.len() > LONGEST_CHASE {
            return Verdict::ChaseNotJudged;
        }
        let mut board = self.board.clone();
        plies.iter().rev().for_each(|ply| board.unshift(ply.undo));
        let steps: Vec<Step> = plies.iter().map(|ply| ply.step).collect();
        let [red, black] = chases(&board, &steps);
        match (red.is_sure, black.is_sure) {
            (true, false) => Verdict::Loss(Side::First, Loss::PerpetualChase),
            (false, true) => Verdict::Loss(Side::Second, Loss::PerpetualChase),
            (false, false) if red.may_be && !black.is_busy || black.may_be && !red.is_busy => Verdict::ChaseNotJudged,
            _ => Verdict::Draw(Draw::Repetition),
        }
    }

    fn losing_moves(&mut self) -> Vec<Step> {
        let side = self.board.to_move();
        let is_lost = |verdict| matches!(verdict, Verdict::Loss(loser, _) if loser == side);
        let moves: Vec<Step> = self.board.moves().collect();
        let mut losing = Vec::new();
        for step in moves {
            self.play(step);
            let verdict = self.verdict();
            let mut loses = is_lost(verdict);
            if verdict == Verdict::None {
                let mut replies = self.board.moves();
                if let (Some(reply), None) = (replies.next(), replies.next()) {
                    self.play(reply);
                    loses = is_lost(self.verdict());
                    // A reply that mates is no matter of repetition.
                    loses &= self.board.has_moves();
                    self.take_back();
                }
            }
            self.take_back();
            if loses {
                losing.push(step);
            }
        }
        losing
    }
}
