//! `kifu openings`: what is made is even, distinct, allowed, and the same every time.

mod support;

use games::gomoku::{Board, Keys, Made, Three, forbidden_slow, made};
use games::{Coords, Point, Rule, Side, Size};
use serde_json::{Value, json};
use std::collections::HashSet;
use support::Desk;

const NODES: &str = "1500";

/// The openings of a run, which gives as many as were asked for.
fn make(desk: &Desk, rule: &str, number: usize, options: &[&str]) -> String {
    let number = number.to_string();
    let arguments = [&["openings", "--rule", rule, "--nodes", NODES, "-n", &number], options].concat();
    let said = desk.kifu(&arguments);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    assert_eq!(said.out.lines().count().to_string(), number);
    said.out
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn points(object: &Value, size: Size) -> Vec<Point> {
    let moves = object["moves"].as_array().unwrap();
    moves.iter().map(|name| Coords::A1.parse(name.as_str().unwrap(), size).unwrap()).collect()
}

#[test]
fn openings_are_even_by_the_same_search_and_nobody_wins_by_fours() {
    let desk = Desk::new();
    for rule in Rule::ALL.map(Rule::name) {
        let openings = objects(&make(&desk, rule, 8, &["--max-value", "60", "--json"]));
        let lines: Vec<String> = openings
            .iter()
            .map(|opening| {
                let moves = opening["moves"].as_array().unwrap();
                moves.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let input = lines.join("\n");
        let arguments = ["analyze", "--rule", rule, "--json", "--nodes", NODES, "--memory", "4M", "-"];
        let said = desk.pipe(&arguments, input.as_bytes());
        let finals: Vec<Value> = said.json().into_iter().filter(|object| object["final"] == true).collect();
        assert_eq!(finals.len(), openings.len());
        for (opening, analysis) in openings.iter().zip(&finals) {
            let value = opening["value"].as_i64().unwrap();
            assert!(value.abs() <= 60);
            assert_eq!(analysis["lines"][0]["value"], value, "{opening}");
            assert_eq!(analysis["lines"][0]["bound"], "exact");
            assert_eq!(analysis["side"], opening["side"]);
        }
        for options in [&[][..], &["--threat"]] {
            let said = desk.pipe(&[&["solve", "--rule", rule, "--json", "-"], options].concat(), input.as_bytes());
            assert!(said.json().iter().all(|answer| answer["result"] == "none"), "{}", said.out);
        }
    }
}

#[test]
fn openings_are_distinct_up_to_symmetry_and_allowed() {
    let desk = Desk::new();
    for (rule, side) in [(Rule::Renju, 15), (Rule::Freestyle, 20), (Rule::Standard, 9)] {
        let size = Size::square(side).unwrap();
        let options = ["--json", "--plies", "1..6", "--size", &side.to_string(), "--max-value", "200"];
        let mut keys = HashSet::new();
        let mut lengths = HashSet::new();
        for opening in objects(&make(&desk, rule.name(), 40, &options)) {
            assert_eq!((&opening["rule"], &opening["size"]), (&json!(rule.name()), &json!([side, side])));
            let mut board = Board::new(size);
            for (at, point) in points(&opening, size).into_iter().enumerate() {
                let side = Side::of_ply(at + 1);
                assert_ne!(made(&board, point, side, rule), Made::Five);
                if rule == Rule::Renju && side == Side::First {
                    assert!(forbidden_slow::kinds(&board, point, Three::Rif).is_empty(), "{opening}");
                }
                let from_centre = point.x().abs_diff(7).max(point.y().abs_diff(7));
                assert!(rule != Rule::Renju || at > 2 || usize::from(from_centre) <= at, "{opening}");
                board.play(point, side).unwrap();
            }
            lengths.insert(opening["moves"].as_array().unwrap().len());
            assert!(keys.insert(Keys::of(&board).canonical()), "{opening} comes twice");
        }
        assert!(lengths.iter().all(|plies| (1..=6).contains(plies)) && lengths.len() > 3, "{lengths:?}");
    }
}

#[test]
fn a_seed_gives_the_same_openings_with_any_number_of_threads() {
    let desk = Desk::new();
    let one = make(&desk, "standard", 12, &["-j", "1"]);
    assert_eq!(make(&desk, "standard", 12, &["-j", "3"]), one);
    assert!(one.starts_with(&make(&desk, "standard", 5, &[])), "more openings begin with the same");
    assert_ne!(make(&desk, "standard", 12, &["--seed", "2"]), one);
}

#[test]
fn each_form_says_the_same_openings() {
    let desk = Desk::new();
    let size = Size::square(20).unwrap();
    let options = |form: &'static str| ["--size", "20", "--form", form];
    let json: Vec<Vec<Point>> = objects(&make(&desk, "freestyle", 10, &["--size", "20", "--json"]))
        .iter()
        .map(|opening| points(opening, size))
        .collect();
    // 0,0 is the point right of and below the middle of an even board.
    let offsets = |line: &str| -> Vec<Point> {
        let numbers: Vec<i16> = line.split(',').map(|number| number.trim().parse().unwrap()).collect();
        numbers.chunks(2).map(|pair| Point::new((pair[0] + 10) as u8, (pair[1] + 10) as u8).unwrap()).collect()
    };
    for form in ["gomocup", "offset"] {
        let text = make(&desk, "freestyle", 10, &options(form));
        assert_eq!(text.lines().map(offsets).collect::<Vec<_>>(), json);
        assert!(text.lines().all(|line| line.matches(", ").count() * 2 + 1 == line.matches(',').count()), "{text}");
    }
    for (form, coords) in [("pos", Coords::Rapfi), ("c-gomoku-cli", Coords::Rapfi), ("moves", Coords::A1)] {
        let text = make(&desk, "freestyle", 10, &options(form));
        let read = |line: &str| -> Vec<Point> {
            let moves = games::parse_moves(line, coords, size).unwrap();
            moves.into_iter().filter_map(games::Move::point).collect()
        };
        assert_eq!(text.lines().map(read).collect::<Vec<_>>(), json, "{form}");
    }
}

#[test]
fn a_file_is_written_whole_and_what_cannot_be_made_is_told() {
    let desk = Desk::new();
    let out = make(&desk, "renju", 4, &[]);
    let said = desk.kifu(&["openings", "--rule", "renju", "--nodes", NODES, "-n", "4", "-o", "four.txt"]);
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("", "", 0));
    assert_eq!(String::from_utf8(desk.read("four.txt")).unwrap(), out);
    for (arguments, message) in [
        (&["--rule", "renju", "-o", "four.txt"][..], "four.txt: this file exists: use --force to replace it"),
        (&["--rule", "renju", "--plies", "8..3"], "--plies: `8..3` is not 5 or 3..8, at most 40"),
        (&["--rule", "renju", "--size", "4"], "the engine plays on boards from 5x5 to 22x22, not on 4x4"),
        (&["--rule", "renju", "--nodes", "0"], "--nodes: 0 is not in 1.."),
        (&[], "an argument is missing: --rule"),
    ] {
        let said = desk.kifu(&[&["openings"], arguments].concat());
        assert!(said.err.starts_with(&format!("kifu: {message}")), "{}", said.err);
        assert_eq!((said.out.as_str(), said.code), ("", 2));
    }
    // There is one opening of one move in renju.
    let said = desk.kifu(&[
        "openings",
        "--rule",
        "renju",
        "--plies",
        "1",
        "--max-value",
        "20000",
        "--nodes",
        "1000",
        "-n",
        "3",
    ]);
    assert_eq!((said.out.as_str(), said.code), ("0,0\n", 1));
    assert!(said.err.starts_with("kifu: 1 opening of 3 found, and no more in 3,000 tries"), "{}", said.err);
}
