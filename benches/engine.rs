//! Stones and fours a second of the engine, on one core: `cargo bench --bench engine`.
//!
//! The positions are the puzzles of `testdata/engine/`, and those of `data/puzzles/` where the samples are found.

use divan::Bencher;
use divan::counter::ItemsCount;
use engine::{Answer, Board, Vcf, VcfOptions, Vct, VctOptions};
use games::gomoku::{self, Three};
use games::{Coords, Point, Rule, Side, Size};
use serde_json::Value;
use std::sync::LazyLock;

struct Puzzle {
    stones: Vec<(Point, Side)>,
    board: Board,
    side: Side,
}

static OWN: LazyLock<Vec<Puzzle>> = LazyLock::new(|| read(include_str!("../testdata/engine/puzzles.jsonl")));
static THREATS: LazyLock<Vec<Puzzle>> = LazyLock::new(|| read(include_str!("../testdata/engine/threats.jsonl")));
static RENJU: LazyLock<Vec<Puzzle>> = LazyLock::new(|| {
    let root =
        std::env::var("KIFU_SAMPLES").unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared").into());
    std::fs::read_to_string(format!("{root}/data/puzzles/mined_renju15.jsonl")).map_or(Vec::new(), |text| read(&text))
});

fn main() {
    println!("{} puzzles of the repository, {} of the samples", OWN.len(), RENJU.len());
    for (name, puzzles) in [("of the repository", &*OWN), ("of the samples", &*RENJU)] {
        for shortest in [false, true] {
            println!("{name}, shortest {shortest}: {} nodes", solve(puzzles, shortest));
        }
    }
    for max_nodes in [1000, 10_000, 100_000, 1_000_000] {
        let (solved, nodes) = threats(max_nodes);
        println!("threats, {max_nodes} nodes: {solved} of {} solved, {nodes} nodes", THREATS.len());
    }
    divan::main();
}

fn read(text: &str) -> Vec<Puzzle> {
    let puzzle = |line: &str| {
        let object: Value = serde_json::from_str(line).expect("a line is a puzzle");
        let size = Size::square(object["size"].as_u64().expect("a size") as u8).expect("a board");
        let points = |field: &str, side| {
            let names = object[field].as_array().expect("stones").iter().map(|name| name.as_str().expect("a point"));
            names.map(|name| (Coords::A1.parse(name, size).expect("a point"), side)).collect::<Vec<_>>()
        };
        let stones = [points("black", Side::First), points("white", Side::Second)].concat();
        let rule: Rule = object["rule"].as_str().expect("a rule").parse().expect("a rule");
        let board = gomoku::Board::with_stones(size, stones.iter().copied()).expect("stones on points of their own");
        let side = if object["side"] == "black" { Side::First } else { Side::Second };
        Puzzle { stones, board: Board::new(&board, rule, Three::Rif).expect("nobody has won"), side }
    };
    text.lines().map(puzzle).collect()
}

/// The nodes it took to solve all of them.
fn solve(puzzles: &[Puzzle], shortest: bool) -> u64 {
    let mut solver = Vcf::new(1 << 20);
    let nodes = puzzles.iter().map(|puzzle| {
        let options = VcfOptions { shortest, ..VcfOptions::default() };
        let answer = solver.solve(&mut puzzle.board.clone(), puzzle.side, &options);
        assert!(!matches!(answer, Answer::Aborted(_)));
        solver.nodes()
    });
    nodes.sum()
}

/// Stones put and taken, with all that the board knows kept up to date.
#[divan::bench(args = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro])]
fn put_and_take(bencher: Bencher<'_, '_>, rule: Rule) {
    let stones: Vec<&Vec<_>> = OWN.iter().map(|puzzle| &puzzle.stones).collect();
    let bare = Board::new(&gomoku::Board::new(Size::default()), rule, Three::Rif).expect("an empty board");
    let mut board = bare.clone();
    bencher.counter(ItemsCount::new(stones.iter().map(|stones| stones.len()).sum::<usize>())).bench_local(|| {
        for stones in &stones {
            stones.iter().for_each(|(point, side)| board.put(*point, *side));
            stones.iter().rev().for_each(|(point, side)| board.take(*point, *side));
        }
    });
    assert!(board == bare);
}

/// Nodes of the solver a second, over the puzzles of the repository.
#[divan::bench(args = [false, true])]
fn fours(bencher: Bencher<'_, '_>, shortest: bool) {
    bencher.counter(ItemsCount::new(solve(&OWN, shortest))).bench_local(|| solve(&OWN, shortest));
}

/// The same over the renju puzzles of the samples.
#[divan::bench(args = [false, true], sample_count = 10)]
fn fours_of_the_samples(bencher: Bencher<'_, '_>, shortest: bool) {
    bencher.counter(ItemsCount::new(solve(&RENJU, shortest).max(1))).bench_local(|| solve(&RENJU, shortest));
}

/// How many of the positions are won by threats within so many nodes each, and the nodes of all.
fn threats(max_nodes: u64) -> (usize, u64) {
    let mut solver = Vct::new(16 << 20);
    let mut nodes = 0;
    let mut wins = |puzzle: &Puzzle| {
        let options = VctOptions { max_nodes, ..VctOptions::default() };
        let answer = solver.solve(&mut puzzle.board.clone(), puzzle.side, &options);
        nodes += solver.nodes();
        matches!(answer, Answer::Proven(_))
    };
    let solved = THREATS.iter().filter(|puzzle| wins(puzzle)).count();
    (solved, nodes)
}

/// Nodes of the solver of threats a second.
#[divan::bench(sample_count = 10)]
fn nodes_of_threats(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(threats(10_000).1)).bench_local(|| threats(10_000));
}
