use crate::samples::{Puzzle, Random};
use crate::tests::{random_board, slow_vcf};
use crate::{Answer, Board, Budget, Line, Proof, Scope, Vcf, VcfOptions, Vct, VctOptions, verify};
use games::gomoku::{self, Direction, Made, Three, forbidden_slow, made};
use games::{Point, Rule, Side};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// The search that tries every move and every reply, by the slow rules.
struct Slow<'a> {
    /// What it asks for nothing but which moves are looked for: fours in reach, and what a move makes on its lines.
    board: &'a mut Board,
    attacker: Side,
    level: u32,
    known: HashMap<u64, bool>,
    /// How many positions may still be looked at.
    left: u32,
}

impl Slow<'_> {
    fn stones(&self) -> gomoku::Board {
        *self.board.stones()
    }

    fn fives(&self, side: Side) -> Vec<Point> {
        let stones = self.board.stones();
        stones.empty_points().filter(|point| made(stones, *point, side, self.board.rule()) == Made::Five).collect()
    }

    fn is_forbidden(&self, point: Point, side: Side) -> bool {
        self.board.rule() == Rule::Renju
            && side == Side::First
            && !forbidden_slow::kinds(self.board.stones(), point, self.board.three()).is_empty()
    }

    /// Whether a move makes a three, or a two beside a four.
    fn is_looked_for(&self, point: Point) -> bool {
        Direction::ALL.into_iter().any(|direction| {
            let line = self.board.line(point, direction, self.attacker);
            let mut near = (-4..=4).filter_map(|steps| direction.step(point, steps));
            let is_beside_four = near.any(|near| self.board.fours(self.attacker).contains(near));
            let is_three = (Line::Three..Line::Four).contains(&line);
            self.level > 0 && is_three
                || self.level > 1 && (is_beside_four || self.level > 2) && (Line::Two..Line::Four).contains(&line)
        })
    }

    /// Whether the attacker, who is to move, wins; `None` if that takes too long to find out.
    fn wins(&mut self) -> Option<bool> {
        let key = self.board.key();
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        self.left = self.left.checked_sub(1)?;
        let (rule, three) = (self.board.rule(), self.board.three());
        let mut wins = slow_vcf(&mut self.stones(), rule, three, self.attacker, 2).is_some();
        if !wins {
            let is_forced = !self.fives(self.attacker.other()).is_empty();
            for attack in self.stones().empty_points() {
                if self.is_forbidden(attack, self.attacker) {
                    continue;
                }
                let is_looked_for = is_forced || self.is_looked_for(attack);
                self.board.put(attack, self.attacker);
                let loses = self.loses(is_looked_for);
                self.board.take(attack, self.attacker);
                if loses? {
                    wins = true;
                    break;
                }
            }
        }
        self.known.insert(key, wins);
        Some(wins)
    }

    /// Whether the defender loses after a move, which has to be a four or, if such moves are looked for, a threat.
    fn loses(&mut self, is_looked_for: bool) -> Option<bool> {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if !self.fives(defender).is_empty() {
            return Some(false);
        }
        if self.fives(attacker).is_empty() {
            let (rule, three) = (self.board.rule(), self.board.three());
            let threatens = || slow_vcf(&mut self.stones(), rule, three, attacker, self.level).is_some();
            if !is_looked_for || !threatens() {
                return Some(false);
            }
        }
        for reply in self.stones().empty_points() {
            if self.is_forbidden(reply, defender) {
                continue;
            }
            self.board.put(reply, defender);
            let wins = self.wins();
            self.board.take(reply, defender);
            if !wins? {
                return Some(false);
            }
        }
        Some(true)
    }
}

#[test]
fn answers_are_those_of_a_search_that_tries_everything() {
    let mut random = Random(9);
    let mut solver = Vct::new(1 << 20);
    let mut fours = Vcf::new(1 << 16);
    // By rule: wins that take threes, and positions without one.
    let mut told = [[0; 2]; 4];
    let mut aborted = 0;
    for round in 0..rounds(3000) {
        let rule = Rule::ALL[round % 4];
        let (mut board, _) = random_board(&mut random, rule, 8);
        let before = board.clone();
        for (attacker, level) in [(Side::First, 1), (Side::Second, 2), (Side::First, 3)] {
            if let Answer::Proven(_) = fours.solve(&mut board, attacker, &VcfOptions::default()) {
                continue;
            }
            let options = VctOptions { level, max_nodes: 3000, stop: None };
            let fast = match solver.solve(&mut board, attacker, &options) {
                Answer::Proven(proof) => {
                    assert_eq!(verify(board.stones(), rule, board.three(), &proof), Ok(()), "{board:?}");
                    true
                }
                Answer::Disproven(scope) => {
                    assert_eq!(scope, Scope::Threats { level });
                    false
                }
                Answer::Aborted(_) => {
                    aborted += 1;
                    continue;
                }
            };
            assert!(board == before);
            // Wins are rare here, and take longer.
            if !fast && random.below(8) > 0 {
                continue;
            }
            let left = if fast { 2000 } else { 100 };
            let slow = Slow { board: &mut board, attacker, level, known: HashMap::new(), left }.wins();
            let Some(slow) = slow else { continue };
            assert_eq!(fast, slow, "{attacker:?} at level {level} in {board:?}");
            told[rule as usize][usize::from(!fast)] += 1;
        }
    }
    println!("{told:?}, {aborted} not answered");
    assert!(told.iter().flatten().all(|told| *told > 4), "{told:?}");
}

/// Solves a puzzle, checks a proof, and leaves the board as it was.
fn solve(solver: &mut Vct, puzzle: &Puzzle, options: &VctOptions<'_>) -> Answer {
    let mut board = Board::new(&puzzle.stones, puzzle.rule, Three::Rif).unwrap();
    let before = board.clone();
    let answer = solver.solve(&mut board, puzzle.side, options);
    assert!(board == before, "{}", puzzle.id);
    if let Answer::Proven(proof) = &answer {
        assert_eq!(verify(&puzzle.stones, puzzle.rule, Three::Rif, proof), Ok(()), "{}", puzzle.id);
    }
    answer
}

/// Positions that threes win and fours alone do not.
fn threats() -> Vec<Puzzle> {
    include_str!("../../testdata/engine/threats.jsonl").lines().map(Puzzle::read).collect()
}

#[test]
fn puzzles_are_solved_that_fours_alone_do_not() {
    let mut solver = Vct::new(16 << 20);
    for puzzle in threats() {
        let mut board = Board::new(&puzzle.stones, puzzle.rule, Three::Rif).unwrap();
        let fours = Vcf::new(1 << 20).solve(&mut board, puzzle.side, &VcfOptions::default());
        assert_eq!(fours, Answer::Disproven(Scope::Fours), "{}", puzzle.id);
        let options = VctOptions { max_nodes: 500_000, ..VctOptions::default() };
        let answer = solve(&mut solver, &puzzle, &options);
        assert!(matches!(answer, Answer::Proven(_)), "{}: {} nodes", puzzle.id, solver.nodes());
    }
}

/// Every victory by fours is one by threats, and what fours do not win is not won by threats of level 0.
#[test]
fn victories_by_fours_are_victories_by_threats() {
    let mut solver = Vct::new(1 << 20);
    for puzzle in Puzzle::own() {
        let options = VctOptions { level: 0, ..VctOptions::default() };
        let answer = solve(&mut solver, &puzzle, &options);
        assert_eq!(puzzle.is_win, Some(matches!(answer, Answer::Proven(_))), "{}", puzzle.id);
        let options = VctOptions { max_nodes: 20_000, ..VctOptions::default() };
        let answer = solve(&mut solver, &puzzle, &options);
        assert!(puzzle.is_win == Some(false) || matches!(answer, Answer::Proven(_)), "{}", puzzle.id);
    }
}

/// The samples: victories by threats, and attacks that published solvers took for such.
#[test]
fn puzzles_of_the_samples_are_solved() {
    let mut solver = Vct::new(16 << 20);
    let puzzles = Puzzle::shared("core.jsonl");
    for puzzle in &puzzles {
        let options = VctOptions { max_nodes: 100_000, ..VctOptions::default() };
        let answer = solve(&mut solver, puzzle, &options);
        let is_win = matches!(answer, Answer::Proven(_));
        let is_easy = ["black", "white", "counter", "forbidden_breaker", "dual_forbiddens"];
        if puzzle.is_win == Some(true) || is_easy.iter().any(|name| puzzle.id == format!("quintet/test_vct_{name}")) {
            assert!(is_win, "{}: {} nodes", puzzle.id, solver.nodes());
        }
        // After the refutation the attack is over.
        if let Some([attack, refutation]) = puzzle.refuted {
            let mut stones = puzzle.stones;
            stones.play(attack, puzzle.side).unwrap();
            stones.play(refutation, puzzle.side.other()).unwrap();
            let mut board = Board::new(&stones, puzzle.rule, Three::Rif).unwrap();
            let answer = solver.solve(&mut board, puzzle.side, &options);
            assert_eq!(answer, Answer::Disproven(Scope::Threats { level: VctOptions::LEVEL }), "{}", puzzle.id);
        }
    }
}

#[test]
fn proofs_that_leave_something_out_are_refused() {
    let mut solver = Vct::new(1 << 20);
    let mut refused = [0; 3];
    for puzzle in threats().iter().take(20) {
        let options = VctOptions { max_nodes: 10_000, ..VctOptions::default() };
        let Answer::Proven(proof) = solve(&mut solver, puzzle, &options) else { continue };
        let is_refused = |proof: &Proof| verify(&puzzle.stones, puzzle.rule, Three::Rif, proof).is_err();
        for at in (0..proof.steps.len()).step_by(7) {
            for reply in 0..proof.steps[at].replies.len() {
                let mut other = proof.clone();
                other.steps[at].replies.remove(reply);
                // Where what is played otherwise wins after the reply as well, nothing is missing.
                refused[0] += usize::from(is_refused(&other));
            }
            if proof.steps[at].otherwise.is_some() {
                let mut other = proof.clone();
                other.steps[at].otherwise = None;
                assert!(is_refused(&other), "{}", puzzle.id);
                refused[1] += 1;
            }
            let mut other = proof.clone();
            other.steps[at].attack = puzzle.stones.stones().next().unwrap().0;
            assert!(is_refused(&other), "{}", puzzle.id);
            refused[2] += 1;
        }
    }
    assert!(refused.iter().all(|refused| *refused > 10), "{refused:?}");
}

#[test]
fn budgets_and_stops_end_a_search_and_change_no_answer() {
    let mut solver = Vct::new(16 << 20);
    for puzzle in threats().iter().take(12) {
        let answer = solve(&mut solver, puzzle, &VctOptions { max_nodes: 50_000, ..VctOptions::default() });
        let nodes = solver.nodes();
        if !matches!(answer, Answer::Proven(_)) {
            continue;
        }
        let again = solve(&mut solver, puzzle, &VctOptions { max_nodes: nodes, ..VctOptions::default() });
        assert_eq!((again, solver.nodes()), (answer, nodes), "{}", puzzle.id);
        let cut = solve(&mut solver, puzzle, &VctOptions { max_nodes: nodes / 2, ..VctOptions::default() });
        assert_eq!(cut, Answer::Aborted(Budget::Nodes(nodes / 2)), "{}", puzzle.id);
        let stop = AtomicBool::new(true);
        let stopped = solve(&mut solver, puzzle, &VctOptions { stop: Some(&stop), ..VctOptions::default() });
        assert_eq!(stopped, Answer::Aborted(Budget::Stopped), "{}", puzzle.id);
    }
}

/// How often to try something: more often if `KIFU_ROUNDS` says so.
fn rounds(usual: usize) -> usize {
    std::env::var("KIFU_ROUNDS").ok().and_then(|times| times.parse::<usize>().ok()).map_or(usual, |times| usual * times)
}
