//! `kifu bench`: the signature of the search, which changes only where the search does.

mod support;

use engine::{Board, Engine, Limits, Report, Request};
use games::gomoku::{self, Three};
use games::{Coords, Move, Side, Size, parse_moves};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use support::{Desk, testdata};

fn signature() -> String {
    let said = Desk::new().kifu(&["bench", "--signature"]);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let word = said.out.trim_end().to_owned();
    assert!(word.len() == 16 && word.bytes().all(|digit| digit.is_ascii_hexdigit()), "{word}");
    word
}

/// Whoever changes the search on purpose puts the new signature into the file, and says so.
#[test]
fn the_signature_is_the_one_of_the_file() {
    let path = testdata("engine/signature.txt");
    let word = signature();
    if std::env::var_os("KIFU_DOCS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, format!("{word}\n")).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        known.trim_end(),
        word,
        "the search is not what it was; if that is meant: KIFU_DOCS=overwrite cargo test --test bench"
    );
    let object = Desk::new().kifu(&["bench", "--signature", "--json"]).json().remove(0);
    assert_eq!((&object["signature"], &object["positions"]), (&word.into(), &20.into()));
    assert!(object["nodes"].as_u64().unwrap() >= 20 && object["search"].is_null());
}

/// The positions of the bench.
fn positions() -> Vec<(Board, Side)> {
    let text = std::fs::read_to_string(testdata("engine/bench.txt")).unwrap();
    let read = |line: &str| {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let size: Size = words[1].parse().unwrap();
        let mut stones = gomoku::Board::new(size);
        let mut to_move = Side::First;
        for point in parse_moves(words[2], Coords::A1, size).unwrap().into_iter().filter_map(Move::point) {
            stones.play(point, to_move).unwrap();
            to_move = to_move.other();
        }
        (Board::new(&stones, words[0].parse().unwrap(), Three::Rif).unwrap(), to_move)
    };
    text.lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

#[test]
fn what_was_searched_before_and_forgotten_changes_nothing() {
    let positions = positions();
    let search = |engine: &mut Engine, (board, to_move): &(Board, Side)| -> (Vec<Report>, Report) {
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let request = Request { limits, lines: 2, ..Request::default() };
        let timeless = |report: &Report| Report { time: Duration::ZERO, ..report.clone() };
        let mut told = Vec::new();
        let mut tell = |report: &Report| told.push(timeless(report));
        let last = engine.search(board, *to_move, &request, &AtomicBool::new(false), &mut tell);
        (told, timeless(&last))
    };
    let mut used = Engine::new(1 << 20, 1);
    for (at, position) in positions.iter().enumerate() {
        let alone = search(&mut Engine::new(1 << 20, 1), position);
        search(&mut used, &positions[(at + 7) % positions.len()]);
        search(&mut used, position);
        used.forget();
        assert_eq!(search(&mut used, position), alone, "position {}", at + 1);
    }
}

#[test]
#[ignore = "long run: it measures for ten seconds"]
fn speeds_are_told() {
    let said = Desk::new().kifu(&["bench", "--json"]);
    let object = said.json().remove(0);
    for rule in ["freestyle", "standard", "renju", "caro"] {
        assert!(object["put_and_take"][rule].as_u64() > Some(0) && object["search"][rule].as_u64() > Some(0));
    }
    assert!(object["fours"].as_u64() > Some(0) && object["two_threads"].as_f64() > Some(0.0));
}
