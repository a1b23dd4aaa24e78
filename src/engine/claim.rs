use crate::{Answer, Board, Variation, Vcf, VcfOptions, Vct, VctOptions, verify};
use games::gomoku::{self, Made, forbidden_slow, made};
use games::{Point, Rule, Side};
use record::{Bound, Grounds};
use std::sync::atomic::{AtomicBool, Ordering};

/// What proves the wins and losses that a search claims, with limits of nodes for all of them together.
pub struct Claims {
    fours: Vcf,
    threats: Vct,
    left_to_fours: u64,
    left_to_threats: u64,
}

impl Claims {
    /// For the claims of one search.
    pub fn new(nodes_of_fours: u64, nodes_of_threats: u64) -> Claims {
        const FOURS: usize = 1 << 20;
        const THREATS: usize = 4 << 20;
        Claims {
            fours: Vcf::new(FOURS),
            threats: Vct::new(THREATS),
            left_to_fours: nodes_of_fours,
            left_to_threats: nodes_of_threats,
        }
    }

    /// For the claims of another search: nothing is left of the one before.
    pub fn renew(&mut self, nodes_of_fours: u64, nodes_of_threats: u64) {
        self.left_to_fours = nodes_of_fours;
        self.left_to_threats = nodes_of_threats;
    }

    /// By what the win or the loss of a line is proven; `None` if it claims neither, or what it claims is not proven.
    ///
    /// A first move wins if it makes a five, or if after each reply fours or threats win that the rules alone confirm;
    /// it loses if such fours or threats of the other side follow. What needs more is not proven here, and neither is
    /// anything after `stop` is set.
    pub fn prove(&mut self, board: &Board, side: Side, line: &Variation, stop: &AtomicBool) -> Option<Grounds> {
        let wins = line.value.wins_in().is_some();
        if line.bound == Bound::None || !wins && line.value.loses_in().is_none() {
            return None;
        }
        let first = *line.moves.first()?;
        let mut board = board.clone();
        if made(board.stones(), first, side, board.rule()) == Made::Five {
            return wins.then_some(Grounds::Fours);
        }
        if !is_allowed(&board, first, side) {
            return None;
        }
        board.put(first, side);
        if !wins {
            return self.grounds(&mut board, side.other(), stop);
        }
        self.against_all(&mut board, side, line.moves.get(1).copied(), &[], stop)
    }

    /// By what a side loses, which is to move, whatever it plays but what is left out; `None` if that is not proven.
    /// The move that is expected is tried first.
    pub fn prove_loss(
        &mut self,
        board: &Board,
        side: Side,
        expected: Option<Point>,
        except: &[Point],
        stop: &AtomicBool,
    ) -> Option<Grounds> {
        self.against_all(&mut board.clone(), side.other(), expected, except, stop)
    }

    /// By what the side wins against every move of the other, which is to move.
    fn against_all(
        &mut self,
        board: &mut Board,
        side: Side,
        expected: Option<Point>,
        except: &[Point],
        stop: &AtomicBool,
    ) -> Option<Grounds> {
        // The reply that the search holds for the best is the one most likely to show that nothing is proven.
        let expected = expected.filter(|reply| board.stones().is_empty(*reply));
        let others = board.stones().empty_points().filter(|reply| Some(*reply) != expected);
        let replies: Vec<Point> = expected.into_iter().chain(others).filter(|reply| !except.contains(reply)).collect();
        let mut weakest = None;
        for reply in replies {
            if is_allowed(board, reply, side.other()) {
                weakest = weakest.max(Some(self.grounds_after(board, side, reply, stop)?));
            }
        }
        weakest
    }

    /// By what the side wins after the other's reply.
    fn grounds_after(&mut self, board: &mut Board, side: Side, reply: Point, stop: &AtomicBool) -> Option<Grounds> {
        if made(board.stones(), reply, side.other(), board.rule()) == Made::Five {
            return None;
        }
        board.put(reply, side.other());
        let grounds = self.grounds(board, side, stop);
        board.take(reply, side.other());
        grounds
    }

    /// By what the side wins, which is to move.
    fn grounds(&mut self, board: &mut Board, attacker: Side, stop: &AtomicBool) -> Option<Grounds> {
        let is_proof = |board: &Board, answer: Answer| match answer {
            Answer::Proven(proof) => verify(board.stones(), board.rule(), board.three(), &proof).is_ok(),
            Answer::Disproven(_) | Answer::Aborted(_) => false,
        };
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let stop = Some(stop);
        let options = VcfOptions { max_nodes: self.left_to_fours, stop, ..VcfOptions::default() };
        let answer = self.fours.solve(board, attacker, &options);
        self.left_to_fours = self.left_to_fours.saturating_sub(self.fours.nodes());
        if is_proof(board, answer) {
            return Some(Grounds::Fours);
        }
        let options = VctOptions { max_nodes: self.left_to_threats, stop, ..VctOptions::default() };
        let answer = self.threats.solve(board, attacker, &options);
        self.left_to_threats = self.left_to_threats.saturating_sub(self.threats.nodes());
        is_proof(board, answer).then_some(Grounds::Threats)
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
    use crate::Value;
    use games::gomoku::Three;
    use games::{Coords, Size};

    fn point(name: &str) -> Point {
        Coords::A1.parse(name, Size::default()).unwrap()
    }

    /// What the value of this line rests on, on the board after these moves.
    fn prove(rule: Rule, moves: &str, line: &str, value: Value) -> Option<Grounds> {
        let mut stones = gomoku::Board::new(Size::default());
        let mut side = Side::First;
        for name in moves.split_whitespace() {
            stones.play(point(name), side).unwrap();
            side = side.other();
        }
        let board = Board::new(&stones, rule, Three::Rif).unwrap();
        let moves = line.split_whitespace().map(point).collect();
        let line = Variation { moves, value, bound: Bound::Exact, depth: 1 };
        Claims::new(1 << 20, 1 << 17).prove(&board, side, &line, &AtomicBool::new(false))
    }

    const WIN: Value = Value::win_in(5);
    const LOSS: Value = Value::loss_in(6);

    #[test]
    fn a_five_and_what_leads_to_one_are_wins() {
        let fours = "h8 a1 i8 a3 j8 a5 k8 a7";
        assert_eq!(prove(Rule::Renju, fours, "l8", Value::win_in(1)), Some(Grounds::Fours));
        assert_eq!(prove(Rule::Renju, fours, "h9", WIN), Some(Grounds::Fours), "White cannot stop both ends");
        let threes = "h8 a1 i8 a3 j8 a5";
        assert_eq!(prove(Rule::Freestyle, threes, "k8", WIN), Some(Grounds::Fours), "a straight four");
        assert_eq!(prove(Rule::Freestyle, threes, "c3", WIN), None, "White stops the three");
        let two_threes = "h8 a1 i8 e2 j9 o14 j10 b12";
        assert_eq!(prove(Rule::Freestyle, two_threes, "j8", WIN), Some(Grounds::Fours), "two threes at once");
        assert_eq!(prove(Rule::Renju, two_threes, "j8", WIN), None, "which renju forbids");
    }

    #[test]
    fn a_reply_that_makes_five_refutes_a_win() {
        let both = "h8 a1 i8 b1 j8 c1 o15 d1";
        assert_eq!(prove(Rule::Freestyle, both, "k8", WIN), None);
    }

    #[test]
    fn a_loss_is_proven_by_the_fours_that_follow() {
        let threes = "h8 a1 i8 a3 j8";
        assert_eq!(prove(Rule::Standard, threes, "o15", LOSS), Some(Grounds::Fours));
        assert_eq!(prove(Rule::Standard, threes, "k8", LOSS), None);
        assert_eq!(prove(Rule::Standard, threes, "k8", Value::points(-900)), None, "no claim");
    }
    #[test]
    fn threats_prove_what_fours_do_not() {
        let before = "h8 h7 f8 g7 h9 i7 j7 g8 g10 i8";
        assert_eq!(prove(Rule::Renju, before, "h11", LOSS), Some(Grounds::Threats));
        assert_eq!(prove(Rule::Renju, &format!("{before} h11"), "i6 h12", WIN), Some(Grounds::Threats));
        assert_eq!(prove(Rule::Renju, &format!("{before} h11"), "a1", WIN), None);
    }
}
