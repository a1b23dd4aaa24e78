use super::progress::PROGRESS;
use engine::{Answer, Board, Variation, Vcf, VcfOptions, verify};
use games::gomoku::{self, Made, forbidden_slow, made};
use games::{Point, Rule, Side};
use record::Bound;
use std::sync::atomic::Ordering;

/// What proves the wins and losses that a search claims, with a limit of nodes for all of them together.
pub struct Claims {
    solver: Vcf,
    left: u64,
}

impl Claims {
    /// For the claims of one search.
    pub fn new(max_nodes: u64) -> Claims {
        const TABLE: usize = 1 << 20;
        Claims { solver: Vcf::new(TABLE), left: max_nodes }
    }

    /// Whether a line that claims a win or a loss is proven; `None` if it claims neither.
    ///
    /// A first move wins if it makes a five, or if after each reply fours win that the rules alone confirm; it loses if
    /// such fours of the other side follow. What needs more is not proven here, and neither is anything after Ctrl-C.
    pub fn prove(&mut self, board: &Board, side: Side, line: &Variation) -> Option<bool> {
        let wins = line.value.wins_in().is_some();
        if line.bound == Bound::None || !wins && line.value.loses_in().is_none() {
            return None;
        }
        let first = *line.moves.first()?;
        let mut board = board.clone();
        if made(board.stones(), first, side, board.rule()) == Made::Five {
            return Some(wins);
        }
        if !is_allowed(&board, first, side) {
            return Some(false);
        }
        board.put(first, side);
        if !wins {
            return Some(self.wins_by_fours(&mut board, side.other()));
        }
        // The reply that the search holds for the best is the one most likely to show that nothing is proven.
        let expected = line.moves.get(1).copied().filter(|reply| board.stones().is_empty(*reply));
        let others = board.stones().empty_points().filter(|reply| Some(*reply) != expected);
        let replies: Vec<Point> = expected.into_iter().chain(others).collect();
        let replies: Vec<Point> =
            replies.into_iter().filter(|reply| is_allowed(&board, *reply, side.other())).collect();
        Some(!replies.is_empty() && replies.into_iter().all(|reply| self.wins_after(&mut board, side, reply)))
    }

    /// Whether the side wins by fours after the other's reply.
    fn wins_after(&mut self, board: &mut Board, side: Side, reply: Point) -> bool {
        if made(board.stones(), reply, side.other(), board.rule()) == Made::Five {
            return false;
        }
        board.put(reply, side.other());
        let wins = self.wins_by_fours(board, side);
        board.take(reply, side.other());
        wins
    }

    fn wins_by_fours(&mut self, board: &mut Board, attacker: Side) -> bool {
        if PROGRESS.stop.load(Ordering::Relaxed) {
            return false;
        }
        let options = VcfOptions { max_nodes: self.left, ..VcfOptions::default() };
        let answer = self.solver.solve(board, attacker, &options);
        self.left = self.left.saturating_sub(self.solver.nodes());
        match answer {
            Answer::Proven(proof) => verify(board.stones(), board.rule(), board.three(), &proof).is_ok(),
            Answer::Disproven(_) | Answer::Aborted(_) => false,
        }
    }
}

/// Whether the rules, asked the slow way, allow a stone there.
fn is_allowed(board: &Board, point: Point, side: Side) -> bool {
    let stones: &gomoku::Board = board.stones();
    stones.is_empty(point)
        && (board.rule() != Rule::Renju
            || side == Side::Second
            || forbidden_slow::kinds(stones, point, board.three()).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Value;
    use games::gomoku::Three;
    use games::{Coords, Size};

    fn point(name: &str) -> Point {
        Coords::A1.parse(name, Size::default()).unwrap()
    }

    /// The board after these moves and whether the value of this line is proven.
    fn prove(rule: Rule, moves: &str, line: &str, value: Value) -> Option<bool> {
        let mut stones = gomoku::Board::new(Size::default());
        let mut side = Side::First;
        for name in moves.split_whitespace() {
            stones.play(point(name), side).unwrap();
            side = side.other();
        }
        let board = Board::new(&stones, rule, Three::Rif).unwrap();
        let moves = line.split_whitespace().map(point).collect();
        let line = Variation { moves, value, bound: Bound::Exact, depth: 1 };
        Claims::new(1 << 20).prove(&board, side, &line)
    }

    const WIN: Value = Value::win_in(5);
    const LOSS: Value = Value::loss_in(6);

    #[test]
    fn a_five_and_what_leads_to_one_are_wins() {
        let fours = "h8 a1 i8 a3 j8 a5 k8 a7";
        assert_eq!(prove(Rule::Renju, fours, "l8", Value::win_in(1)), Some(true));
        assert_eq!(prove(Rule::Renju, fours, "h9", WIN), Some(true), "White cannot stop both ends");
        let threes = "h8 a1 i8 a3 j8 a5";
        assert_eq!(prove(Rule::Freestyle, threes, "k8", WIN), Some(true), "a straight four");
        assert_eq!(prove(Rule::Freestyle, threes, "c3", WIN), Some(false), "White stops the three");
        let two_threes = "h8 a1 i8 e2 j9 o14 j10 b12";
        assert_eq!(prove(Rule::Freestyle, two_threes, "j8", WIN), Some(true), "two threes at once");
        assert_eq!(prove(Rule::Renju, two_threes, "j8", WIN), Some(false), "which renju forbids");
    }

    #[test]
    fn a_reply_that_makes_five_refutes_a_win() {
        let both = "h8 a1 i8 b1 j8 c1 o15 d1";
        assert_eq!(prove(Rule::Freestyle, both, "k8", WIN), Some(false));
    }

    #[test]
    fn a_loss_is_proven_by_the_fours_that_follow() {
        let threes = "h8 a1 i8 a3 j8";
        assert_eq!(prove(Rule::Standard, threes, "o15", LOSS), Some(true));
        assert_eq!(prove(Rule::Standard, threes, "k8", LOSS), Some(false));
        assert_eq!(prove(Rule::Standard, threes, "k8", Value::points(-900)), None, "no claim");
    }
}
