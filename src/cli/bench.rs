use super::Exit;
use super::progress::{Live, PROGRESS};
use super::terminal::{JSON, count, thousands};
use anyhow::Result;
use clap::Args;
use cpu_time::ThreadTime;
use engine::{Board, Engine, Limits, Report, Request, Time, Vcf, VcfOptions};
use games::gomoku::{self, Three};
use games::{Coords, Move, Point, Rule, Side, Size, parse_moves};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{Write, stdout};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Measure the engine: its speed, and a signature of what it searches
#[derive(Args)]
#[command(
    after_help = "The signature is made of the nodes, values and lines of searches of fixed size, with one thread, of
positions that are part of the program. It is the same every time and on every machine; where it differs between two
versions of this program, the versions do not search alike.

The speeds are those of a second of the processor, but for those of two threads, beside which nothing else should run.

Examples:
  kifu bench
  kifu bench --signature
  kifu bench --json"
)]
pub struct Bench {
    /// Tell the signature alone, which takes a few seconds less
    #[arg(long)]
    signature: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The nodes of each search of the signature.
const NODES: u64 = 30_000;

/// The table of a search, in bytes.
const TABLE: usize = 16 << 20;

const POSITIONS: &str = include_str!("../../testdata/engine/bench.txt");
const PUZZLES: &str = include_str!("../../testdata/engine/puzzles.jsonl");

/// A position of the bench.
struct Position {
    board: Board,
    to_move: Side,
}

/// What was measured.
#[derive(Default)]
struct Measured {
    signature: u64,
    /// Of the searches that the signature is made of.
    nodes: u64,
    /// By rule, stones a second.
    put_and_take: Vec<(Rule, u64)>,
    /// By rule, nodes a second.
    search: Vec<(Rule, u64)>,
    /// Nodes of the solver of fours a second.
    fours: u64,
    /// The nodes of two threads for one of a single one.
    two_threads: f64,
}

impl Bench {
    /// Measures.
    pub fn run(self) -> Result<Exit> {
        let positions = positions();
        let live = Live::new(true);
        let mut measured = Measured::default();
        live.show("signature …".into());
        (measured.signature, measured.nodes) = signature(&positions);
        if !self.signature {
            live.show("stones …".into());
            measured.put_and_take = Rule::ALL.map(|rule| (rule, put_and_take(&positions, rule))).into();
            for rule in Rule::ALL {
                live.show(format!("search, {rule} …"));
                measured.search.push((rule, search(&positions, rule)));
            }
            live.show("fours …".into());
            measured.fours = fours(&puzzles());
            live.show("two threads …".into());
            measured.two_threads = two_threads(&positions);
        }
        drop(live);
        if PROGRESS.stop.load(Ordering::Relaxed) {
            return Ok(Exit::Stopped);
        }
        let text =
            if self.json { self.object(&measured, positions.len()) } else { self.text(&measured, positions.len()) };
        stdout().lock().write_all(text.as_bytes())?;
        Ok(Exit::Done)
    }

    fn object(&self, measured: &Measured, positions: usize) -> String {
        let mut object = json!({
            "kifu": JSON, "signature": hex(measured.signature), "positions": positions, "nodes": measured.nodes,
        });
        if !self.signature {
            let by_rule = |speeds: &[(Rule, u64)]| {
                let members = speeds.iter().map(|(rule, speed)| (rule.name().into(), Value::from(*speed)));
                Value::Object(members.collect::<Map<_, _>>())
            };
            object["put_and_take"] = by_rule(&measured.put_and_take);
            object["search"] = by_rule(&measured.search);
            object["fours"] = measured.fours.into();
            object["two_threads"] = ((measured.two_threads * 100.0).round() / 100.0).into();
        }
        format!("{object}\n")
    }

    fn text(&self, measured: &Measured, positions: usize) -> String {
        if self.signature {
            return format!("{}\n", hex(measured.signature));
        }
        let mut text = String::new();
        let (positions, nodes) = (count(positions as u64, "position"), count(measured.nodes, "node"));
        let _ = writeln!(text, "signature        {} ({positions}, {nodes})\n", hex(measured.signature));
        let _ = write!(text, "a second        ");
        for rule in Rule::ALL {
            let _ = write!(text, " {:>11}", rule.name());
        }
        for (name, speeds) in [("stones put, taken", &measured.put_and_take), ("nodes of a search", &measured.search)] {
            let _ = write!(text, "\n{name:<16}");
            for (at, (_, speed)) in speeds.iter().enumerate() {
                let width = if at == 0 { 11 } else { 12 };
                let _ = write!(text, "{:>width$}", thousands(*speed));
            }
        }
        let _ = writeln!(text, "\nnodes of fours   {:>11}", thousands(measured.fours));
        let _ = writeln!(text, "\ntwo threads search {:.2} times the nodes of one", measured.two_threads);
        text
    }
}

/// The signature in hexadecimal digits.
fn hex(signature: u64) -> String {
    format!("{signature:016x}")
}

/// A position of these stones.
fn position(stones: &gomoku::Board, rule: Rule, to_move: Side) -> Position {
    Position { board: Board::new(stones, rule, Three::Rif).expect(OURS), to_move }
}

/// Why the files that are part of the program hold no faults.
const OURS: &str = "the tests read these positions";

fn positions() -> Vec<Position> {
    let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().expect(OURS);
        let (rule, size) = (word().parse().expect(OURS), word().parse().expect(OURS));
        let mut stones = gomoku::Board::new(size);
        let mut to_move = Side::First;
        for point in parse_moves(word(), Coords::A1, size).expect(OURS).into_iter().filter_map(Move::point) {
            stones.play(point, to_move).expect(OURS);
            to_move = to_move.other();
        }
        position(&stones, rule, to_move)
    };
    lines.map(read).collect()
}

fn puzzles() -> Vec<Position> {
    let read = |line: &str| {
        let object: Value = serde_json::from_str(line).expect(OURS);
        let size = object["size"].as_u64().and_then(|size| Size::square(size as u8)).expect(OURS);
        let mut stones = gomoku::Board::new(size);
        for (field, side) in [("black", Side::First), ("white", Side::Second)] {
            for name in object[field].as_array().expect(OURS) {
                let point = name.as_str().and_then(|name| Coords::A1.parse(name, size)).expect(OURS);
                stones.play(point, side).expect(OURS);
            }
        }
        let to_move = if object["side"] == "black" { Side::First } else { Side::Second };
        position(&stones, object["rule"].as_str().expect(OURS).parse().expect(OURS), to_move)
    };
    PUZZLES.lines().map(read).collect()
}

/// A search that has seen no other.
fn fresh(engine: &mut Engine, position: &Position, limits: Limits) -> Report {
    engine.forget();
    searched(engine, position, limits)
}

fn searched(engine: &mut Engine, position: &Position, limits: Limits) -> Report {
    let request = Request { limits, ..Request::default() };
    engine.search(&position.board, position.to_move, &request, &PROGRESS.stop, &mut |_| ())
}

/// A number that differs where the searches do, and how many nodes they took.
fn signature(positions: &[Position]) -> (u64, u64) {
    let mut engine = Engine::new(TABLE, 1);
    let mut nodes = 0;
    let mut said = String::new();
    for position in positions {
        let report = fresh(&mut engine, position, Limits { nodes: Some(NODES), ..Limits::default() });
        nodes += report.nodes;
        let _ = write!(said, "{} {};", report.depth, report.nodes);
        for line in &report.lines {
            let moves: Vec<u16> = line.moves.iter().map(|point| point.code()).collect();
            let _ = writeln!(said, "{} {} {moves:?}", line.value.get(), line.bound.name());
        }
    }
    // FNV-1a, which is short and never changes.
    let hash = said
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    (hash, nodes)
}

/// So many a second.
fn rate(number: u64, time: Duration) -> u64 {
    (number as f64 / time.as_secs_f64().max(1e-9)) as u64
}

/// Does something again and again for a time of the processor, and gives how many of what it counts it did a second.
///
/// What else the machine does then changes little.
fn repeat(time: Duration, mut what: impl FnMut() -> u64) -> u64 {
    let begin = ThreadTime::now();
    let mut number = 0;
    while begin.elapsed() < time && !PROGRESS.stop.load(Ordering::Relaxed) {
        number += what();
    }
    rate(number, begin.elapsed())
}

/// Stones put and taken again a second.
fn put_and_take(positions: &[Position], rule: Rule) -> u64 {
    let size = Size::default();
    let mut board = Board::new(&gomoku::Board::new(size), rule, Three::Rif).expect("an empty board has no five");
    let of_size = positions.iter().filter(|position| position.board.stones().size() == size);
    let stones: Vec<Vec<(Point, Side)>> = of_size.map(|position| position.board.stones().stones().collect()).collect();
    repeat(Duration::from_millis(400), || {
        for stones in &stones {
            stones.iter().for_each(|(point, side)| board.put(*point, *side));
            stones.iter().rev().for_each(|(point, side)| board.take(*point, *side));
        }
        stones.iter().map(|stones| stones.len() as u64).sum()
    })
}

/// Nodes of a search a second of the processor.
fn search(positions: &[Position], rule: Rule) -> u64 {
    let mut engine = Engine::new(TABLE, 1);
    let limits = Limits { nodes: Some(8 * NODES), ..Limits::default() };
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for position in positions.iter().filter(|position| position.board.rule() == rule) {
        engine.forget();
        // With one thread the search is done by this one.
        let begin = ThreadTime::now();
        nodes += searched(&mut engine, position, limits).nodes;
        time += begin.elapsed();
    }
    rate(nodes, time)
}

/// Nodes of the solver of fours a second.
fn fours(puzzles: &[Position]) -> u64 {
    let mut solver = Vcf::new(1 << 20);
    let options = VcfOptions { shortest: true, ..VcfOptions::default() };
    repeat(Duration::from_secs(1), || {
        let nodes = puzzles.iter().map(|puzzle| {
            solver.solve(&mut puzzle.board.clone(), puzzle.to_move, &options);
            solver.nodes()
        });
        nodes.sum()
    })
}

/// The nodes that two threads search for one of a single one, measured in turn by the clock on the wall.
fn two_threads(positions: &[Position]) -> f64 {
    let limits = Limits { time: Some(Time::whole(Duration::from_millis(500))), ..Limits::default() };
    let mut speeds = [0; 2];
    for position in positions.iter().step_by(positions.len() / 4) {
        for (threads, speed) in speeds.iter_mut().enumerate() {
            let report = fresh(&mut Engine::new(TABLE, threads + 1), position, limits);
            *speed += rate(report.nodes, report.time);
        }
    }
    speeds[1] as f64 / (speeds[0] as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_of_all_rules_and_can_be_played_on() {
        let positions = positions();
        assert_eq!(positions.len(), 20);
        for rule in Rule::ALL {
            assert!(positions.iter().filter(|position| position.board.rule() == rule).count() >= 4);
        }
        assert!(positions.iter().any(|position| position.board.stones().size() == Size::square(20).unwrap()));
        assert!(!puzzles().is_empty());
    }

    #[test]
    fn other_searches_change_the_signature() {
        let mut positions = positions();
        let all = signature(&positions[..4]);
        assert_eq!(signature(&positions[..4]), all);
        positions.swap(0, 1);
        assert_ne!(signature(&positions[..4]).0, all.0);
    }
}
