//! How much a book gains by what is evaluated in it, and in which order: regret against the number of evaluations.
//!
//! Books grow from balanced openings by moves chosen at random, by depth alone, and by the cheapest lines. Then the
//! move that each would play is compared with a search of many more nodes, in positions that are reached when both
//! sides play the likelier a move the less it loses. What is printed is the mean loss of win rate of these moves:
//!
//!     cargo run --release --example regret > regret.csv
//!
//! With the name of an order only that one is measured.

use book::{Choices, Costs, Found, Graph, Leaf, Scale, Study};
use engine::Evaluator;
use games::gomoku::Board;
use games::{Move, Point, Rule, Side, Size};
use record::{Effort, Evaluate, Finding, Line, Question, StoneKey};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// Nodes of an evaluation, and of what it is held against.
const NODES: u64 = 2_000;
const DEEP: u64 = 50_000;
/// The numbers of evaluations at which the books are looked at.
const STEPS: [u64; 7] = [0, 30, 100, 300, 1_000, 3_000, 10_000];
const OPENINGS: usize = 6;
/// Positions for each opening.
const TESTS: usize = 120;
/// A move that loses so much win rate is played e times less often than the best.
const TEMPERATURE: f64 = 0.05;
const BATCH: usize = 16;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[derive(Copy, Clone, PartialEq)]
enum Order {
    Random,
    BreadthFirst,
    BestFirst,
}

impl Order {
    const ALL: [(Order, &'static str); 3] =
        [(Order::Random, "random"), (Order::BreadthFirst, "breadth-first"), (Order::BestFirst, "best-first")];

    fn leaves(self, study: &Study, random: &mut Random) -> Vec<Leaf> {
        if self != Order::Random {
            return study.leaves(BATCH);
        }
        let mut all = study.leaves(usize::MAX);
        (0..BATCH.min(all.len())).map(|_| all.swap_remove(random.below(all.len()))).collect()
    }

    fn costs(self) -> Costs {
        match self {
            Order::BestFirst => Costs::BALANCED,
            Order::Random | Order::BreadthFirst => Costs { loss: 0.0, rank: 0.0, games: 0.0, ..Costs::BALANCED },
        }
    }
}

struct Asker {
    engine: Evaluator,
    /// What moves were found to lose: the orders often agree.
    regrets: HashMap<(StoneKey, Point), f64>,
}

impl Asker {
    fn ask(&mut self, question: &Question) -> Finding {
        self.engine.evaluate(question, &AtomicBool::new(false)).expect("nobody stops it, and nobody has won")
    }

    fn search(&mut self, position: &StoneKey, nodes: u64, lines: usize) -> Finding {
        let effort = Effort { nodes: Some(nodes), ..Effort::default() };
        let position = position.clone().into();
        self.ask(&Question { position, history: Vec::new(), except: Vec::new(), lines, effort })
    }

    /// What a move is worth to the side that plays it, and what the best is worth.
    fn regret(&mut self, position: &StoneKey, play: Point) -> f64 {
        let asked = (position.clone(), play);
        if let Some(regret) = self.regrets.get(&asked) {
            return *regret;
        }
        let regret = self.measure(position, play);
        self.regrets.insert(asked, regret);
        regret
    }

    fn measure(&mut self, position: &StoneKey, play: Point) -> f64 {
        let best = self.search(position, DEEP, 1).lines[0].clone();
        if best.points()[0] == play {
            return 0.0;
        }
        let after = played(position, play);
        let own = if has_won(&after) { 29_999 } else { -self.search(&after, DEEP, 1).lines[0].value.unwrap_or(0) };
        (rate(best.value.unwrap_or(0).max(own)) - rate(own)).max(0.0)
    }
}

fn rate(value: i32) -> f64 {
    record::win_rate(value, record::Judgement::SCALE)
}

fn played(position: &StoneKey, play: Point) -> StoneKey {
    position.after(Move::Place(play)).expect("a move of the engine can be played")
}

fn has_won(position: &StoneKey) -> bool {
    let board = Board::with_stones(position.size, position.stones.iter().copied()).expect("stones stand once");
    let won = |(point, side): &(Point, Side)| {
        games::gomoku::made(&board, *point, *side, position.rule) == games::gomoku::Made::Five
    };
    position.stones.iter().any(won)
}

/// A book of one position.
fn study(root: &StoneKey, costs: Costs) -> Study {
    let mut study = Study::new(Graph::new(true, Scale { k: 200, converts: false }), Choices::default());
    study.grow(costs, std::slice::from_ref(root)).expect("a position can be added");
    study
}

fn main() {
    let openings = include_str!("../testdata/engine/openings15.txt");
    let roots: Vec<StoneKey> =
        openings.lines().filter(|line| !line.starts_with('#')).step_by(7).take(OPENINGS).map(root).collect();
    let mut asker = Asker { engine: Evaluator::new(64 << 20), regrets: HashMap::new() };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let tests: Vec<Vec<StoneKey>> = roots.iter().map(|root| positions(root, &mut asker, &mut random)).collect();
    println!("order,evaluations,regret,in_book");
    let wanted = std::env::args().nth(1);
    let orders = Order::ALL.into_iter().filter(|(_, name)| wanted.as_ref().is_none_or(|wanted| wanted == name));
    for (order, name) in orders {
        let mut studies: Vec<(Study, u64)> = roots.iter().map(|root| (study(root, order.costs()), 0)).collect();
        for step in STEPS {
            let (mut sum, mut known, mut count) = (0.0, 0, 0);
            for ((study, evaluations), tests) in studies.iter_mut().zip(&tests) {
                grow(study, evaluations, step, order, &mut asker, &mut random);
                for position in tests {
                    let choice = study.choice(position);
                    known += usize::from(choice.is_some());
                    let choice = choice.unwrap_or_else(|| asker.search(position, NODES, 1).lines[0].points()[0]);
                    sum += asker.regret(position, choice);
                    count += 1;
                }
            }
            println!("{name},{step},{:.5},{:.3}", sum / count as f64, known as f64 / count as f64);
        }
    }
}

/// The position of a line of offsets from the centre: columns to the right and rows downwards.
fn root(line: &str) -> StoneKey {
    let size = Size::default();
    let mut board = Board::new(size);
    let numbers: Vec<i8> = line.split(',').map(|number| number.trim().parse().expect("offsets are numbers")).collect();
    for (pair, ply) in numbers.chunks_exact(2).zip(1..) {
        let point = Point::new((7 + pair[0]) as u8, (7 + pair[1]) as u8).expect("an opening is on its board");
        board.play(point, Side::of_ply(ply)).expect("the moves of an opening can be played");
    }
    StoneKey::new(&board, Side::of_ply(numbers.len() / 2 + 1), Rule::Freestyle)
}

/// A move of one of these lines, the likelier the less it loses against the first.
fn likely(lines: &[Line], random: &mut Random) -> Point {
    const PARTS: f64 = 1e6;
    let rates: Vec<f64> = lines.iter().map(|line| rate(line.value.unwrap_or(0))).collect();
    let weights: Vec<usize> =
        rates.iter().map(|own| (PARTS * ((own - rates[0]) / TEMPERATURE).exp()) as usize).collect();
    let mut at = random.below(weights.iter().sum());
    for (line, weight) in lines.iter().zip(weights) {
        match at.checked_sub(weight) {
            Some(rest) => at = rest,
            None => return line.points()[0],
        }
    }
    unreachable!("the number is below the sum of the weights")
}

/// Positions up to six plies after a root, as games come to them: likely moves of both sides, and those that are
/// reached often count often.
fn positions(root: &StoneKey, asker: &mut Asker, random: &mut Random) -> Vec<StoneKey> {
    let mut found: Vec<StoneKey> = Vec::new();
    while found.len() < TESTS {
        let mut here = root.clone();
        for _ in 0..random.below(7) {
            let lines = asker.search(&here, NODES, 3).lines;
            let next = played(&here, likely(&lines, random));
            if has_won(&next) {
                break;
            }
            here = next;
        }
        found.push(here);
    }
    found
}

fn grow(study: &mut Study, evaluations: &mut u64, step: u64, order: Order, asker: &mut Asker, random: &mut Random) {
    let effort = Effort { nodes: Some(NODES), ..Effort::default() };
    while *evaluations < step {
        let leaves = order.leaves(study, random);
        if leaves.is_empty() {
            return;
        }
        let questions = study.questions(&leaves, effort);
        let found: Vec<Found> = questions
            .into_iter()
            .map(|question| {
                let finding = asker.ask(&question);
                Found { position: question.position, except: question.except, finding, source: "kifu".into() }
            })
            .collect();
        *evaluations += found.len() as u64;
        study.absorb(&found).expect("answers of one engine are of one scale");
    }
}
