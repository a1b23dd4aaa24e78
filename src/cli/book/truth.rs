//! What the solvers say of positions of books, confirmed by the rules alone.

use engine::{Answer, Board, Unfit, Vcf, VcfOptions, Vct, VctOptions, verify};
use games::gomoku::{self, Made, Three, forbidden_slow, made};
use games::{Point, Rule, Side};
use record::StoneKey;
use std::sync::atomic::{AtomicBool, Ordering};

/// Proves wins and losses, with a limit of nodes for each question to a solver.
pub struct Prover<'s> {
    fours: Vcf,
    threats: Vct,
    nodes: u64,
    three: Three,
    stop: &'s AtomicBool,
}

/// A position as it is asked about.
pub enum Asked {
    /// Nobody has won.
    Open(Box<Board>),
    /// The game is over, and this side has won.
    Won(Side),
    /// No board that the solvers play on.
    Unfit,
}

impl Prover<'_> {
    /// One that gives up a question after so many nodes.
    pub fn new(nodes: u64, three: Three, stop: &AtomicBool) -> Prover<'_> {
        const FOURS: usize = 1 << 20;
        const THREATS: usize = 4 << 20;
        Prover { fours: Vcf::new(FOURS), threats: Vct::new(THREATS), nodes, three, stop }
    }

    /// The board of a position.
    pub fn board(&self, key: &StoneKey) -> Asked {
        let Ok(stones) = gomoku::Board::with_stones(key.size, key.stones.iter().copied()) else { return Asked::Unfit };
        match Board::new(&stones, key.rule, self.three) {
            Ok(board) => Asked::Open(Box::new(board)),
            Err(Unfit::Over(point, _)) => stones.stone(point).map_or(Asked::Unfit, Asked::Won),
            Err(Unfit::Size(_)) => Asked::Unfit,
        }
    }

    /// Whether the side, which is to move, wins by fours or threats.
    pub fn wins(&mut self, board: &mut Board, side: Side) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        let is_proof = |board: &Board, answer: Answer| match answer {
            Answer::Proven(proof) => verify(board.stones(), board.rule(), board.three(), &proof).is_ok(),
            Answer::Disproven(_) | Answer::Aborted(_) => false,
        };
        let (max_nodes, stop) = (self.nodes, Some(self.stop));
        let answer = self.fours.solve(board, side, &VcfOptions { max_nodes, stop, ..VcfOptions::default() });
        if is_proof(board, answer) {
            return true;
        }
        let answer = self.threats.solve(board, side, &VctOptions { max_nodes, stop, ..VctOptions::default() });
        is_proof(board, answer)
    }

    /// Whether the side, which is to move, wins by this move: it makes a five, or every reply loses.
    pub fn wins_by(&mut self, board: &mut Board, side: Side, point: Point) -> bool {
        if !is_allowed(board, side, point) {
            return false;
        }
        if made(board.stones(), point, side, board.rule()) == Made::Five {
            return true;
        }
        board.put(point, side);
        let wins = self.loses(board, side.other(), |_| false);
        board.take(point, side);
        wins
    }

    /// Whether every move of the side, which is to move, loses: those that are `known` to, and all others by fours or
    /// threats that follow. A side without a move does not lose.
    pub fn loses(&mut self, board: &mut Board, side: Side, mut known: impl FnMut(Point) -> bool) -> bool {
        let moves: Vec<Point> = board.stones().empty_points().collect();
        let mut has_move = false;
        for point in moves {
            if made(board.stones(), point, side, board.rule()) == Made::Five {
                return false;
            }
            if !is_allowed(board, side, point) {
                continue;
            }
            has_move = true;
            if known(point) {
                continue;
            }
            board.put(point, side);
            let is_answered = self.wins(board, side.other());
            board.take(point, side);
            if !is_answered {
                return false;
            }
        }
        has_move
    }
}

/// Whether the rules, asked the slow way, allow a stone there.
pub fn is_allowed(board: &Board, side: Side, point: Point) -> bool {
    let stones = board.stones();
    stones.is_empty(point)
        && (board.rule() != Rule::Renju
            || side == Side::Second
            || forbidden_slow::kinds(stones, point, board.three()).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Coords, Size};

    fn key(rule: Rule, moves: &str) -> (StoneKey, Side) {
        let mut board = gomoku::Board::new(Size::default());
        let mut side = Side::First;
        for name in moves.split_whitespace() {
            board.play(Coords::A1.parse(name, Size::default()).unwrap(), side).unwrap();
            side = side.other();
        }
        (StoneKey::new(&board, side, rule), side)
    }

    /// Whether the side to move wins, and whether it loses.
    fn ask(rule: Rule, moves: &str) -> (bool, bool) {
        let stop = AtomicBool::new(false);
        let mut prover = Prover::new(200_000, Three::Rif, &stop);
        let (key, side) = key(rule, moves);
        let Asked::Open(mut board) = prover.board(&key) else { panic!("somebody has won") };
        (prover.wins(&mut board, side), prover.loses(&mut board, side, |_| false))
    }

    #[test]
    fn who_has_a_three_wins_and_who_faces_two_of_them_loses() {
        assert_eq!(ask(Rule::Freestyle, "h8 a1 i8 a3 j8 a5"), (true, false));
        assert_eq!(ask(Rule::Freestyle, "h8 a1 i8 e2 j9 o14 j10 b12 j8"), (false, true), "two threes");
        assert_eq!(ask(Rule::Freestyle, "h8 a1 i8 e2 j8"), (false, false), "a three can be stopped");
        assert_eq!(ask(Rule::Freestyle, ""), (false, false));
    }

    #[test]
    fn a_game_that_is_over_has_a_winner() {
        let stop = AtomicBool::new(false);
        let prover = Prover::new(1000, Three::Rif, &stop);
        let (key, _) = key(Rule::Renju, "h8 a1 i8 a3 j8 a5 k8 a7 l8");
        assert!(matches!(prover.board(&key), Asked::Won(Side::First)));
    }
}
