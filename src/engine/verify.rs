use crate::{Proof, StepId};
use games::gomoku::{Board, Direction, Made, Three, forbidden_slow, made};
use games::{Coords, Point, Rule, Side, Size};
use std::fmt;

/// Why a proof proves nothing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// Somebody has won before it begins, with a row through this stone.
    Over(Point, Size),
    /// A move cannot be played: the point has a stone or lies off the board.
    Unplayable(Point, Size),
    /// The rules forbid the attacker's move.
    Forbidden(Point, Size),
    /// The attacker's move leaves the other side a five on this point.
    Lost(Point, Size),
    /// This reply is not answered, and no five is left after it.
    Unanswered(Point, Size),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (point, size, what) = match *self {
            Flaw::Over(point, size) => (point, size, "stands in a row that wins already"),
            Flaw::Unplayable(point, size) => (point, size, "cannot be played"),
            Flaw::Forbidden(point, size) => (point, size, "is forbidden"),
            Flaw::Lost(point, size) => (point, size, "makes a five for the defender"),
            Flaw::Unanswered(point, size) => (point, size, "is not answered"),
        };
        let name = if size.contains(point) { Coords::A1.text(point, size) } else { "a point off the board".into() };
        write!(f, "{name} {what}")
    }
}

impl std::error::Error for Flaw {}

/// Replays a proof against every reply, by the slow rules and with nothing of the solver's.
///
/// Of the replies that are not in the proof each must be forbidden, or leave the attacker a five, or lose to what the
/// proof plays against all others.
pub fn verify(stones: &Board, rule: Rule, three: Three, proof: &Proof) -> Result<(), Flaw> {
    let size = stones.size();
    if let Some((point, _)) = stones.stones().find(|&(point, side)| made(stones, point, side, rule) == Made::Five) {
        return Err(Flaw::Over(point, size));
    }
    let board = *stones;
    let mut replay = Replay { board, rule, three, proof, verified: vec![None; proof.steps().len()] };
    let fives = [Side::First, Side::Second].map(|side| replay.all_fives(side));
    replay.attack(proof.first(), &fives)
}

/// The other stones of a row of five are no farther away.
const FAR: i8 = 4;

/// The points that win for each side.
type Fives = [Vec<Point>; 2];

struct Replay<'a> {
    board: Board,
    rule: Rule,
    three: Three,
    proof: &'a Proof,
    /// Of each step the position in which it was verified last.
    verified: Vec<Option<Box<Board>>>,
}

impl Replay<'_> {
    fn wins(&self, point: Point, side: Side) -> bool {
        self.board.is_empty(point) && made(&self.board, point, side, self.rule) == Made::Five
    }

    fn is_forbidden(&self, point: Point, side: Side) -> bool {
        self.rule == Rule::Renju
            && side == Side::First
            && !forbidden_slow::kinds(&self.board, point, self.three).is_empty()
    }

    fn all_fives(&self, side: Side) -> Vec<Point> {
        self.board.empty_points().filter(|point| self.wins(*point, side)).collect()
    }

    /// The points that win after a stone of a side's.
    ///
    /// It takes points from both sides, and adds some to its own on lines on which a row of five lacks one stone.
    fn fives_after(&self, before: &Fives, stone: Point, side: Side) -> Fives {
        let mut fives = [Side::First, Side::Second].map(|side| {
            before[side as usize].iter().copied().filter(|five| self.wins(*five, side)).collect::<Vec<_>>()
        });
        let own = &mut fives[side as usize];
        for direction in Direction::ALL {
            let along = || (-FAR..=FAR).filter_map(|steps| direction.step(stone, steps));
            if along().filter(|point| self.board.stone(*point) == Some(side)).count() < 4 {
                continue;
            }
            for point in along() {
                if self.wins(point, side) && !own.contains(&point) {
                    own.push(point);
                }
            }
        }
        fives
    }

    /// The attacker plays a step.
    ///
    /// The depth is bounded by the empty points: each step puts a stone on the board. It may be left there where a
    /// flaw is found.
    fn attack(&mut self, id: StepId, fives: &Fives) -> Result<(), Flaw> {
        let (size, proof) = (self.board.size(), self.proof);
        let (attacker, defender) = (proof.attacker(), proof.attacker().other());
        let step = proof.step(id);
        let attack = step.attack;
        if self.wins(attack, attacker) {
            return Ok(());
        }
        // One position may be reached by many ways.
        if self.verified[id.0 as usize].as_deref() == Some(&self.board) {
            return Ok(());
        }
        let before = self.board;
        if self.is_forbidden(attack, attacker) {
            return Err(Flaw::Forbidden(attack, size));
        }
        self.board.play(attack, attacker).map_err(|_| Flaw::Unplayable(attack, size))?;
        let fives = self.fives_after(fives, attack, attacker);
        if let Some(five) = fives[defender as usize].first() {
            return Err(Flaw::Lost(*five, size));
        }
        let attacked = self.board;
        for reply in attacked.empty_points() {
            if step.replies.iter().any(|(answered, _)| *answered == reply) {
                continue;
            }
            self.board.play_unchecked(reply, defender);
            let is_won = fives[attacker as usize].iter().any(|five| self.wins(*five, attacker)) || {
                let otherwise = step.otherwise.map(|id| (id, self.fives_after(&fives, reply, defender)));
                otherwise.is_some_and(|(id, fives)| self.attack(id, &fives).is_ok())
            };
            self.board = attacked;
            // Asked last: few replies are forbidden, and the rule takes long.
            if !is_won && !self.is_forbidden(reply, defender) {
                return Err(Flaw::Unanswered(reply, size));
            }
        }
        for &(reply, next) in &step.replies {
            self.board.play(reply, defender).map_err(|_| Flaw::Unplayable(reply, size))?;
            let fives = self.fives_after(&fives, reply, defender);
            self.attack(next, &fives)?;
            self.board.undo_unchecked(reply, defender);
        }
        self.board.undo_unchecked(attack, attacker);
        self.verified[id.0 as usize] = Some(Box::new(before));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;
    use crate::{Board as Patterns, Vcf, VcfOptions};

    /// Any proof, as a replay has to have one.
    fn proof() -> Proof {
        let size = Size::default();
        let points = ["h8", "i8", "j8", "k8"].map(|name| (Coords::A1.parse(name, size).unwrap(), Side::First));
        let stones = Board::with_stones(size, points.to_vec()).unwrap();
        let mut board = Patterns::new(&stones, Rule::Freestyle, Three::Rif).unwrap();
        match Vcf::new(0).solve(&mut board, Side::First, &VcfOptions::default()) {
            crate::Answer::Proven(proof) => proof,
            answer => panic!("{answer:?}"),
        }
    }

    #[test]
    fn points_that_win_are_those_of_the_whole_board_after_each_stone() {
        let mut random = Random(5);
        let proof = proof();
        let mut seen = [0; 4];
        for round in 0..200 {
            let (rule, size) = (Rule::ALL[round % 4], random.size(10));
            let (board, three) = (Board::new(size), Three::Rif);
            let mut replay = Replay { board, rule, three, proof: &proof, verified: Vec::new() };
            let mut fives: Fives = [Vec::new(), Vec::new()];
            for _ in 0..size.points().count() * 3 / 4 {
                let empty: Vec<Point> = replay.board.empty_points().collect();
                let (point, side) = (empty[random.below(empty.len() as u64) as usize], random.below(3));
                let side = if side == 0 { Side::Second } else { Side::First };
                if replay.wins(point, side) {
                    continue;
                }
                replay.board.play_unchecked(point, side);
                fives = replay.fives_after(&fives, point, side);
                for side in [Side::First, Side::Second] {
                    fives[side as usize].sort();
                    assert_eq!(fives[side as usize], replay.all_fives(side), "{rule} {:?}", replay.board);
                    seen[round % 4] += fives[side as usize].len();
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
    }
}
