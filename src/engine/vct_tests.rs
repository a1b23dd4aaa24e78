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

/// A puzzle of the samples by its name; none where they are absent.
fn sample(name: &str) -> Option<Puzzle> {
    let mut puzzles = Puzzle::shared("core.jsonl");
    if puzzles.is_empty() {
        return None;
    }
    let at = puzzles.iter().position(|puzzle| puzzle.id == name);
    Some(puzzles.swap_remove(at.unwrap_or_else(|| panic!("{name} is not among the samples"))))
}

/// Checks that puzzles of the samples are won within so many nodes at a level, with a table of so many bytes.
fn are_won(table: usize, wins: &[(&str, u32, u64)]) {
    let mut solver = Vct::new(table);
    for &(name, level, max_nodes) in wins {
        let Some(puzzle) = sample(name) else { continue };
        let answer = solve(&mut solver, &puzzle, &VctOptions { level, max_nodes, stop: None });
        println!("{name} at level {level}: {} nodes", solver.nodes());
        assert!(matches!(answer, Answer::Proven(_)), "{name} at level {level}: {} nodes", solver.nodes());
    }
}

#[test]
fn victories_by_threats_of_the_samples_are_proven() {
    are_won(
        16 << 20,
        &[
            ("quintet/test_vct_black", 2, 100_000),
            ("quintet/test_vct_white", 2, 10_000),
            ("quintet/test_vct_counter", 2, 1000),
            ("quintet/test_vct_forbidden_breaker", 2, 1000),
            ("quintet/test_vct_dual_forbiddens", 2, 20_000),
            ("quintet/test_vct_fukumi_move", 3, 200_000),
        ],
    );
}

#[test]
#[ignore = "long run: it searches fifteen million nodes"]
fn long_victories_by_threats_of_the_samples_are_proven() {
    let wins = [
        ("quintet/bench_vct_black", 2, 3_000_000),
        ("quintet/bench_vct_white", 2, 1_500_000),
        ("quintet/readme_vct_game92337", 2, 1_500_000),
        ("quintet/bench_vct_small_but_long", 2, 12_000_000),
    ];
    are_won(64 << 20, &wins);
}

#[test]
fn victories_by_fours_of_the_samples_are_proven_and_what_is_none_is_not() {
    let mut solver = Vct::new(16 << 20);
    let mut told = [0; 2];
    for puzzle in Puzzle::shared("core.jsonl") {
        let Some(is_win) = puzzle.is_win else { continue };
        let answer = solve(&mut solver, &puzzle, &VctOptions { level: 0, ..VctOptions::default() });
        assert_eq!(matches!(answer, Answer::Proven(_)), is_win, "{}", puzzle.id);
        if is_win {
            let answer = solve(&mut solver, &puzzle, &VctOptions::default());
            assert!(matches!(answer, Answer::Proven(_)), "{}", puzzle.id);
        }
        told[usize::from(!is_win)] += 1;
    }
    // Those without a win are known by name.
    for name in ["mintaka/bench_endgame.rs#1", "mintaka/bench_endgame.rs#3"] {
        let Some(puzzle) = sample(name) else { continue };
        assert_eq!(puzzle.is_win, Some(false), "{name}");
        let answer = solve(&mut solver, &puzzle, &VctOptions { level: 0, ..VctOptions::default() });
        assert_eq!(answer, Answer::Disproven(Scope::Threats { level: 0 }), "{name}");
    }
    assert!(told == [18, 2] || told == [0; 2], "{told:?}");
}

/// Attacks that published solvers took for wins: after the refutation nothing is left.
#[test]
fn false_proofs_of_the_samples_are_refused() {
    let mut solver = Vct::new(16 << 20);
    for name in ["figrid/counter_167_106", "figrid/a3_068_g1_p31", "figrid/public_071_g0_p20"] {
        let Some(puzzle) = sample(name) else { continue };
        let [attack, refutation] = puzzle.refuted.expect("the file names the refutation");
        let mut stones = puzzle.stones;
        stones.play(attack, puzzle.side).unwrap();
        stones.play(refutation, puzzle.side.other()).unwrap();
        let mut board = Board::new(&stones, puzzle.rule, Three::Rif).unwrap();
        for level in 1..=3 {
            let options = VctOptions { level, max_nodes: 1_000_000, stop: None };
            let answer = solver.solve(&mut board, puzzle.side, &options);
            assert_eq!(answer, Answer::Disproven(Scope::Threats { level }), "{name}, {} nodes", solver.nodes());
        }
        // Where another move wins instead, its proof is one.
        solve(&mut solver, &puzzle, &VctOptions { max_nodes: 100_000, ..VctOptions::default() });
    }
}

/// Positions of games with a victory by fours, and such that look as if they had one.
#[test]
fn positions_of_games_are_answered_as_by_fours() {
    let mut solver = Vct::new(4 << 20);
    for name in ["mined_free15.jsonl", "mined_renju15.jsonl", "mined_std15.jsonl"] {
        let puzzles = Puzzle::shared(name);
        for is_win in [true, false] {
            let like: Vec<_> = puzzles.iter().filter(|puzzle| puzzle.is_win == Some(is_win)).collect();
            for puzzle in like.iter().step_by((like.len() / 20).max(1)).take(20) {
                let answer = solve(&mut solver, puzzle, &VctOptions { max_nodes: 20_000, ..VctOptions::default() });
                assert!(!is_win || matches!(answer, Answer::Proven(_)), "{}: {} nodes", puzzle.id, solver.nodes());
                let answer = solve(&mut solver, puzzle, &VctOptions { level: 0, ..VctOptions::default() });
                assert_eq!(matches!(answer, Answer::Proven(_)), is_win, "{}", puzzle.id);
            }
        }
    }
}

#[test]
fn tables_that_forget_everything_change_no_answer() {
    let mut large = Vct::new(16 << 20);
    let mut small = Vct::new(1 << 10);
    let puzzles = [threats(), Puzzle::own()].concat();
    let mut told = [0; 2];
    for (level, puzzle) in [0, 1, 2].into_iter().flat_map(|level| puzzles.iter().map(move |puzzle| (level, puzzle))) {
        let options = VctOptions { level, max_nodes: 10_000, stop: None };
        let (right, answer) = (solve(&mut large, puzzle, &options), solve(&mut small, puzzle, &options));
        let is_aborted = |answer: &Answer| matches!(answer, Answer::Aborted(_));
        if is_aborted(&answer) {
            assert_eq!(answer, Answer::Aborted(Budget::Nodes(10_000)), "{}", puzzle.id);
        } else if !is_aborted(&right) {
            let is_win = |answer: &Answer| matches!(answer, Answer::Proven(_));
            assert_eq!(is_win(&answer), is_win(&right), "{} at level {level}", puzzle.id);
            told[usize::from(!is_win(&answer))] += 1;
        }
    }
    println!("{told:?}");
    assert!(told.iter().all(|told| *told > 3), "{told:?}");
}

/// The search goes as deep as there are empty points, and its callers may have small stacks.
#[test]
fn a_search_fits_a_stack_of_two_megabytes() {
    let search = || {
        let mut solver = Vct::new(1 << 20);
        for puzzle in threats().iter().chain(&Puzzle::own()) {
            solve(&mut solver, puzzle, &VctOptions { level: 3, max_nodes: 5000, stop: None });
        }
        // The deepest search for fours there is in the samples: 78 stones, and 39 fours.
        if let Some(puzzle) = sample("quintet/test_vcf_long") {
            let answer = solve(&mut solver, &puzzle, &VctOptions::default());
            assert!(matches!(answer, Answer::Proven(_)));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(search).unwrap().join().unwrap();
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
