//! Fits the engine's weights to games: `cargo run --release -p kifu-engine --example train -- OUT GAMES…`
//!
//! A line of GAMES is a game: rule, size, Black's result (1, 0.5, 0), plies of the opening, and the moves, such as
//! `h8` or `h8=120`, where 120 is what the position was worth to the side that played h8; lines that begin with `#`
//! are passed over. The same games give the same weights.
//!
//! The value, which is a linear sum and a small net together, is fitted by logistic regression to the result, which
//! counts a fifth, and to what the search thought; the ranks by a softmax over the empty points to the moves that were
//! played. Every tenth game is held out, and the log tells how well these are foreseen.

use engine::{Board, FEATURES, GRADES, HIDDEN, Kind, SideWeights, THREATS, Vcf, VcfOptions, Weights, grades};
use games::gomoku::{self, Three};
use games::{Coords, Point, Rule, Side, Size};
use std::collections::BTreeMap;

/// Points to a natural logarithm of the odds.
const SCALE: f32 = 200.0;
/// Weights of codes to a point.
const FINE: f32 = 32.0;
/// How much the result counts beside the value of the search.
const RESULT: f32 = 0.2;
const EPOCHS: usize = 12;

/// A position with what became of it.
struct Sample {
    /// The codes of the side to move and how often each is there, then those of the other side.
    codes: [Vec<(u16, u8)>; 2],
    threats: u16,
    to_move: Side,
    /// The chance that the side to move wins.
    target: f32,
}

/// A choice between points: the codes of the side to move and of the other side at each.
struct Choice {
    points: Vec<(u16, u16)>,
    played: usize,
    to_move: Side,
}

#[derive(Default)]
struct Lot {
    samples: Vec<Sample>,
    choices: Vec<Choice>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().expect("the file to write");
    // For each place of weights that belong together: what to learn from, and what is held out.
    let mut lots: BTreeMap<usize, [Lot; 2]> = BTreeMap::new();
    let mut games = 0;
    for path in arguments {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let rule: Rule = fields[0].parse().unwrap_or_else(|error| panic!("{path}: {error}"));
            let held_out = usize::from(games % 10 == 9);
            let lot = &mut lots.entry(Weights::place(rule, Side::First)).or_default()[held_out];
            read(rule, &fields[1..], lot);
            games += 1;
        }
    }
    println!("{games} games");
    let mut weights = Weights::zero();
    let mut free: Option<Fit> = None;
    for (place, [lot, held_out]) in &lots {
        let sides = if *place == Weights::place(Rule::Renju, Side::First) { 2 } else { 1 };
        println!(
            "{}: {} positions, {} held out; {} choices, {} held out",
            ["freestyle", "standard", "renju"][*place],
            lot.samples.len(),
            held_out.samples.len(),
            lot.choices.len(),
            held_out.choices.len()
        );
        // Of standard there may be few games, and most of it is as in freestyle.
        let mut fit = free.clone().filter(|_| *place == 1).unwrap_or_else(|| Fit::new(sides));
        fit.values(&lot.samples, &held_out.samples);
        fit.ranks(&lot.choices, &held_out.choices);
        fit.store(&mut weights.sides[*place..*place + sides]);
        if *place == 0 {
            free = Some(fit);
        }
    }
    if !lots.contains_key(&1) {
        weights.sides[1] = weights.sides[0].clone();
    }
    std::fs::write(&out, weights.write()).unwrap_or_else(|error| panic!("{out}: {error}"));
}

fn read(rule: Rule, fields: &[&str], lot: &mut Lot) {
    let size = Size::square(fields[0].parse().expect("a size")).expect("a size");
    let result: f32 = fields[1].parse().expect("a result");
    let opening: usize = fields[2].parse().expect("plies of the opening");
    let mut board = Board::new(&gomoku::Board::new(size), rule, Three::Rif).expect("an empty board");
    let mut solver = Vcf::new(1 << 16);
    let mut side = Side::First;
    for (ply, text) in fields[3..].iter().enumerate() {
        let (name, value) = text.split_once('=').map_or((*text, None), |(name, value)| (name, value.parse().ok()));
        let point = Coords::A1.parse(name, size).expect("a point");
        if !board.stones().is_empty(point) {
            return;
        }
        if ply >= opening && board.fives(side).is_empty() && board.fives(side.other()).is_empty() {
            look(
                &mut board,
                side,
                point,
                value,
                if side == Side::First { result } else { 1.0 - result },
                &mut solver,
                lot,
            );
        }
        if board.kind(point, side).has(Kind::FIVE) {
            return;
        }
        board.put(point, side);
        side = side.other();
    }
}

fn look(
    board: &mut Board,
    side: Side,
    played: Point,
    value: Option<f32>,
    result: f32,
    solver: &mut Vcf,
    lot: &mut Lot,
) {
    let points: Vec<Point> = board.stones().empty_points().collect();
    let both = |point: &Point| (board.code(*point, side) as u16, board.code(*point, side.other()) as u16);
    let choice = Choice {
        points: points.iter().map(both).collect(),
        played: points.iter().position(|point| *point == played).expect("the point is empty"),
        to_move: side,
    };
    lot.choices.push(choice);
    let options = VcfOptions { max_nodes: 2000, ..VcfOptions::default() };
    if matches!(solver.solve(board, side, &options), engine::Answer::Proven(_)) {
        return;
    }
    let counted = |side: Side| {
        let mut counts = BTreeMap::new();
        board.codes(side).for_each(|code| *counts.entry(code as u16).or_insert(0_u8) += 1);
        counts.into_iter().collect()
    };
    let target = value.map_or(result, |value: f32| RESULT * result + (1.0 - RESULT) * odds(value / SCALE));
    lot.samples.push(Sample {
        codes: [counted(side), counted(side.other())],
        threats: board.threats(side) as u16,
        to_move: side,
        target,
    });
}

fn odds(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// Adds a multiple of a row to numbers.
fn add<const WIDTH: usize>(numbers: &mut [f32; WIDTH], row: &[f32; WIDTH], times: f32) {
    numbers.iter_mut().zip(row).for_each(|(number, weight)| *number += times * weight);
}

/// A table of weights with the sums of squares of their gradients (AdaGrad).
#[derive(Clone)]
struct Table {
    weights: Vec<f32>,
    squares: Vec<f32>,
}

/// What a sum of squares begins with.
const FIRST: f32 = 1e-6;

impl Table {
    fn new(size: usize) -> Table {
        Table { weights: vec![0.0; size], squares: vec![FIRST; size] }
    }

    /// Weights between `-most` and `most`.
    fn random(size: usize, most: f32, random: &mut Random) -> Table {
        let weight = |_| (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * most;
        Table { weights: (0..size).map(weight).collect(), squares: vec![FIRST; size] }
    }

    /// A row of a table of rows.
    fn row<const WIDTH: usize>(&self, at: usize) -> &[f32; WIDTH] {
        self.weights[at * WIDTH..][..WIDTH].try_into().expect("it has this width")
    }

    /// Learns a row, whose weights stay between `-most` and `most`.
    fn learn_row<const WIDTH: usize>(&mut self, at: usize, gradients: &[f32; WIDTH], rate: f32, most: f32) {
        let weights: &mut [f32; WIDTH] = (&mut self.weights[at * WIDTH..][..WIDTH]).try_into().expect("the width");
        let squares: &mut [f32; WIDTH] = (&mut self.squares[at * WIDTH..][..WIDTH]).try_into().expect("the width");
        for at in 0..WIDTH {
            let gradient = gradients[at] + 1e-6 * weights[at];
            squares[at] += gradient * gradient;
            weights[at] = (weights[at] - rate * gradient / squares[at].sqrt()).clamp(-most, most);
        }
    }

    fn learn(&mut self, at: usize, gradient: f32, rate: f32) {
        // Rare ones are held near to nothing.
        let gradient = gradient + 1e-6 * self.weights[at];
        self.squares[at] += gradient * gradient;
        self.weights[at] -= rate * gradient / self.squares[at].sqrt();
    }
}

/// How much a sum of features counts in the net.
const SHARE: f32 = 1.0 / 16.0;
/// What features may be at most, so that they fit their bytes.
const MOST_FEATURE: f32 = 127.0 / 64.0;
/// What the weights of sums may be at most, so that nothing overflows.
const MOST_HIDDEN: f32 = 4.0;
/// What other weights of the net may be at most, so that they fit their words.
const MOST: f32 = 10.0;

/// The net at a position.
struct Thought {
    /// The sums of features of the side to move and of the other.
    sums: [[f32; FEATURES]; 2],
    hidden: [f32; HIDDEN],
    logit: f32,
}

/// What is learned of each of one or two sides.
#[derive(Clone)]
struct Fit {
    own: Vec<Table>,
    other: Vec<Table>,
    attack: Vec<Table>,
    defence: Vec<Table>,
    threats: Vec<Table>,
    features: Vec<Table>,
    /// A row of hidden numbers for each feature of the side to move, then for those of the other side.
    hidden: Vec<Table>,
    grades: Vec<Table>,
    out: Vec<Table>,
}

impl Fit {
    fn new(sides: usize) -> Fit {
        let codes = SideWeights::zero().own.len();
        let tables = |size: usize| (0..sides).map(|_| Table::new(size)).collect();
        let mut random = Random(3);
        Fit {
            own: tables(codes),
            other: tables(codes),
            attack: tables(codes),
            defence: tables(codes),
            threats: tables(THREATS),
            features: (0..sides).map(|_| Table::random(codes * FEATURES, 0.1, &mut random)).collect(),
            hidden: (0..sides).map(|_| Table::random(2 * FEATURES * HIDDEN, 0.3, &mut random)).collect(),
            grades: (0..sides).map(|_| Table::random(GRADES * HIDDEN, 0.3, &mut random)).collect(),
            out: (0..sides).map(|_| Table::random(HIDDEN, 0.3, &mut random)).collect(),
        }
    }

    /// The places of the weights of a side and of the other.
    fn places(&self, side: Side) -> [usize; 2] {
        if self.own.len() == 1 { [0, 0] } else { [side as usize, side.other() as usize] }
    }

    fn think(&self, sample: &Sample) -> Thought {
        let places = self.places(sample.to_move);
        let own = places[0];
        let mut logit = self.threats[own].weights[usize::from(sample.threats)];
        let mut hidden = [0.0; HIDDEN];
        for grade in grades(sample.threats.into()) {
            add(&mut hidden, self.grades[own].row(grade), 1.0);
        }
        let mut sums = [[0.0; FEATURES]; 2];
        for (of, sum) in sums.iter_mut().enumerate() {
            let worth = &[&self.own, &self.other][of][places[of]];
            for (code, count) in &sample.codes[of] {
                let (code, count) = (usize::from(*code), f32::from(*count));
                logit += worth.weights[code] * count;
                add(sum, self.features[places[of]].row(code), count);
            }
            for (at, number) in sum.iter().enumerate() {
                add(&mut hidden, self.hidden[own].row(of * FEATURES + at), number * SHARE);
            }
        }
        logit +=
            hidden.iter().zip(&self.out[own].weights).map(|(number, weight)| number.max(0.0) * weight).sum::<f32>();
        Thought { sums, hidden, logit }
    }

    fn learn(&mut self, sample: &Sample, slow: f32) {
        let Thought { sums, hidden, logit } = self.think(sample);
        let wrong = odds(logit) - sample.target;
        let (rate, fast) = (0.02 * slow, 0.1 * slow);
        let places = self.places(sample.to_move);
        let own = places[0];
        self.threats[own].learn(usize::from(sample.threats), wrong, rate);
        let is_on = |at: usize| f32::from(u8::from(hidden[at] > 0.0));
        let out = *self.out[own].row::<HIDDEN>(0);
        let back: [f32; HIDDEN] = std::array::from_fn(|at| wrong * out[at] * is_on(at));
        self.out[own].learn_row::<HIDDEN>(0, &hidden.map(|number| wrong * number.max(0.0)), fast, MOST);
        for grade in grades(sample.threats.into()) {
            self.grades[own].learn_row(grade, &back, fast, MOST);
        }
        for of in 0..2 {
            let mut feature = [0.0; FEATURES];
            for at in 0..FEATURES {
                let weights = self.hidden[own].row::<HIDDEN>(of * FEATURES + at);
                feature[at] = SHARE * back.iter().zip(weights).map(|(back, weight)| back * weight).sum::<f32>();
                let gradients = back.map(|back| back * sums[of][at] * SHARE);
                self.hidden[own].learn_row(of * FEATURES + at, &gradients, fast, MOST_HIDDEN);
            }
            let worth = &mut [&mut self.own, &mut self.other][of][places[of]];
            for (code, count) in &sample.codes[of] {
                let (code, count) = (usize::from(*code), f32::from(*count));
                worth.learn(code, wrong * count, rate);
                let gradients = feature.map(|gradient| gradient * count);
                self.features[places[of]].learn_row(code, &gradients, fast, MOST_FEATURE);
            }
        }
    }

    fn values(&mut self, samples: &[Sample], held_out: &[Sample]) {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        let mut random = Random(1);
        for epoch in 0..EPOCHS {
            random.shuffle(&mut order);
            let slow = (1.0 - epoch as f32 / EPOCHS as f32).max(0.1);
            order.iter().for_each(|at| self.learn(&samples[*at], slow));
            let [loss, right] = self.foresight(held_out);
            let [learned, _] = self.foresight(&samples[..samples.len().min(5000)]);
            println!("  values {epoch}: loss {learned:.4}, held out {loss:.4}, winner foreseen {:.1} %", right * 100.0);
        }
    }

    /// The mean loss, above what the best guess has, and how often the winner is foreseen.
    fn foresight(&self, samples: &[Sample]) -> [f32; 2] {
        let mut sums = [0.0; 2];
        for sample in samples {
            let chance = odds(self.think(sample).logit).clamp(1e-6, 1.0 - 1e-6);
            let target = sample.target;
            sums[0] -= target * chance.ln() + (1.0 - target) * (1.0 - chance).ln();
            sums[1] += f32::from(u8::from((chance > 0.5) == (target > 0.5)));
        }
        sums.map(|sum| sum / samples.len().max(1) as f32)
    }

    fn ranks(&mut self, choices: &[Choice], held_out: &[Choice]) {
        let mut order: Vec<usize> = (0..choices.len()).collect();
        let mut random = Random(2);
        let mut chances = Vec::new();
        for epoch in 0..EPOCHS / 2 {
            random.shuffle(&mut order);
            let rate = 0.05 * (1.0 - epoch as f32 / (EPOCHS / 2) as f32).max(0.1);
            for at in &order {
                let choice = &choices[*at];
                self.chances(choice, &mut chances);
                let [own, other] = self.places(choice.to_move);
                for (at, (mine, theirs)) in choice.points.iter().enumerate() {
                    let wrong = chances[at] - f32::from(u8::from(at == choice.played));
                    if wrong.abs() > 1e-4 {
                        self.attack[own].learn(usize::from(*mine), wrong, rate);
                        self.defence[other].learn(usize::from(*theirs), wrong, rate);
                    }
                }
            }
            let mut firsts = [0; 3];
            for choice in held_out {
                self.chances(choice, &mut chances);
                let better = chances.iter().filter(|chance| **chance > chances[choice.played]).count();
                for (first, most) in firsts.iter_mut().zip([1, 3, 8]) {
                    *first += usize::from(better < most);
                }
            }
            let share = |count: usize| 100.0 * count as f32 / held_out.len().max(1) as f32;
            let [one, three, eight] = firsts.map(share);
            println!("  ranks {epoch}: the move is first in {one:.1} %, of three {three:.1} %, of eight {eight:.1} %");
        }
    }

    fn chances(&self, choice: &Choice, chances: &mut Vec<f32>) {
        let [own, other] = self.places(choice.to_move);
        chances.clear();
        let logit = |(mine, theirs): &(u16, u16)| {
            self.attack[own].weights[usize::from(*mine)] + self.defence[other].weights[usize::from(*theirs)]
        };
        chances.extend(choice.points.iter().map(logit));
        let most = chances.iter().copied().fold(f32::MIN, f32::max);
        let mut sum = 0.0;
        for chance in chances.iter_mut() {
            *chance = (*chance - most).exp();
            sum += *chance;
        }
        chances.iter_mut().for_each(|chance| *chance /= sum);
    }

    fn store(&self, sides: &mut [SideWeights]) {
        let words = |table: &Table, scale: f32| {
            let most = f32::from(i16::MAX);
            table.weights.iter().map(|weight| (weight * scale).round().clamp(-most, most) as i16).collect()
        };
        let bytes = |table: &Table| {
            table.weights.iter().map(|weight| (weight * 16.0).round().clamp(-127.0, 127.0) as i8).collect()
        };
        let features = |table: &Table| {
            let seen = table.weights.iter().zip(&table.squares).map(|(weight, squares)| (weight, *squares > FIRST));
            // What was never seen says nothing.
            seen.map(|(weight, is_seen)| if is_seen { (weight * 64.0).round() as i8 } else { 0 }).collect()
        };
        let hidden = |table: &Table| {
            let weight = |(at, column): (usize, usize)| (table.weights[column * HIDDEN + at] * 128.0).round() as i16;
            (0..HIDDEN).flat_map(|at| (0..2 * FEATURES).map(move |column| (at, column))).map(weight).collect()
        };
        for (at, side) in sides.iter_mut().enumerate() {
            *side = SideWeights {
                own: words(&self.own[at], SCALE * FINE),
                other: words(&self.other[at], SCALE * FINE),
                attack: bytes(&self.attack[at]),
                defence: bytes(&self.defence[at]),
                threats: words(&self.threats[at], SCALE),
                features: features(&self.features[at]),
                hidden: hidden(&self.hidden[at]),
                grades: words(&self.grades[at], 128.0),
                out: words(&self.out[at], SCALE * 16.0),
            };
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for at in (1..order.len()).rev() {
            order.swap(at, self.below(at + 1));
        }
    }
}
