//! Plays the engine against itself for training: `cargo run --release -p kifu-engine --example self_play -- RULE SIZE
//! GAMES NODES SEED >> games.txt`
//!
//! A line of the output is a game as `train` reads it. Games begin with some random stones near the middle, of
//! positions in which neither side is far ahead; they end when the search has found a win. The same arguments give the
//! same games.

use engine::{Board, Engine, Kind, Limits, Request, Value};
use games::gomoku::{self, Three};
use games::{Coords, Point, Rule, Side, Size};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Neither side is further ahead after the opening, in points.
const BALANCED: i32 = 200;
/// Games this long are drawn.
const LONGEST: usize = 160;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rule, size, games, nodes, seed] = &arguments[..] else { panic!("RULE SIZE GAMES NODES SEED") };
    let rule: Rule = rule.parse().expect("a rule");
    let size = Size::square(size.parse().expect("a size")).expect("a size");
    let nodes: u64 = nodes.parse().expect("nodes");
    let mut random = Random(seed.parse().expect("a seed"));
    let mut engine = Engine::new(16 << 20, 1);
    let bare = Board::new(&gomoku::Board::new(size), rule, Three::Rif).expect("an empty board");
    for _ in 0..games.parse().expect("a number of games") {
        println!("{}", game(&mut engine, bare.clone(), nodes, &mut random));
    }
}

fn game(engine: &mut Engine, bare: Board, nodes: u64, random: &mut Random) -> String {
    let (mut board, mut played, mut side) = opening(engine, &bare, nodes, random);
    let (size, rule) = (board.stones().size(), board.rule());
    let opening = played.len();
    engine.forget();
    let mut moves = String::new();
    let mut tell = |point: Point, value: Option<Value>| {
        let value = value.map_or(String::new(), |value| format!("={}", value.get()));
        write!(moves, " {}{value}", Coords::A1.text(point, size)).expect("a text takes all");
    };
    played.iter().for_each(|point| tell(*point, None));
    let result = loop {
        let report = search(engine, &board, side, nodes + random.below(nodes / 4 + 1));
        let Some(best) = report.filter(|_| played.len() < LONGEST) else { break 0.5 };
        let (point, value) = best;
        tell(point, Some(value));
        let wins = |side: Side| f32::from(u8::from(side == Side::First));
        if value.is_decided() {
            break wins(if value.wins_in().is_some() { side } else { side.other() });
        }
        board.put(point, side);
        played.push(point);
        side = side.other();
    };
    format!("{rule} {} {result} {opening}{moves}", size.width())
}

/// The best move and its value.
fn search(engine: &mut Engine, board: &Board, side: Side, nodes: u64) -> Option<(Point, Value)> {
    let request = Request { limits: Limits { nodes: Some(nodes), ..Limits::default() }, ..Request::default() };
    let report = engine.search(board, side, &request, &AtomicBool::new(false), &mut |_| {});
    report.lines.first().map(|line| (line.moves[0], line.value))
}

/// Random stones near the middle after which neither side is far ahead, in the order they were played.
fn opening(engine: &mut Engine, bare: &Board, nodes: u64, random: &mut Random) -> (Board, Vec<Point>, Side) {
    loop {
        let mut board = bare.clone();
        let mut played = Vec::new();
        let mut side = Side::First;
        let count = 2 + random.below(7);
        // Some openings keep close together, some do not.
        let spread = 1 + random.below(4) as u8;
        let size = board.stones().size();
        let middle = Point::new(size.width() / 2, size.height() / 2).expect("the middle is a point");
        while (played.len() as u64) < count {
            let is_near = |point: &Point| {
                let distance = |other: &Point| point.x().abs_diff(other.x()).max(point.y().abs_diff(other.y()));
                if played.is_empty() {
                    distance(&middle) <= spread
                } else {
                    played.iter().any(|other| distance(other) <= spread) && distance(&middle) <= 5
                }
            };
            let points: Vec<Point> = board.empty().iter().filter(is_near).collect();
            let point = points[random.below(points.len() as u64) as usize];
            if board.kind(point, side).has(Kind::FIVE) || board.is_forbidden(point, side) {
                continue;
            }
            board.put(point, side);
            played.push(point);
            side = side.other();
        }
        engine.forget();
        let is_balanced = |(_, value): (Point, Value)| value.get().abs() <= BALANCED;
        if search(engine, &board, side, nodes).is_some_and(is_balanced) {
            return (board, played, side);
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ bits >> 31) % limit
    }
}
