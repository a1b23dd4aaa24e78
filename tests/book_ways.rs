//! Books that are made in different ways and are the same, and positions that are turned and have the same answer.

mod support;

use games::gomoku::{Board, own_symmetries};
use games::{Coords, Point, Position, Size, Symmetry};
use serde_json::Value;
use std::collections::BTreeSet;
use support::{Desk, shared, testdata};

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Games that keep near the centre and so meet often, with results, comments and texts on points.
fn games(seed: u64, number: usize) -> Vec<String> {
    let mut random = Random(seed);
    let letter = |at: u64| (b'f' + at as u8) as char;
    let game = |at: usize| {
        let result = ["B+", "W+", "0", "?"][random.below(4) as usize];
        let mut text = format!("(;GM[4]FF[4]SZ[15]RU[renju]RE[{result}]PB[Player {}]DT[20{at:02}]", random.below(5));
        let mut taken = BTreeSet::new();
        for ply in 0..10 + random.below(4) {
            let (mut x, mut y) = (2, 2);
            while !taken.insert((x, y)) || ply > 0 && (x, y) == (2, 2) {
                (x, y) = (random.below(5), random.below(5));
            }
            text += &format!(";{}[{}{}]", ["B", "W"][ply as usize % 2], letter(x), letter(y));
            if random.below(9) == 0 {
                text += &format!("C[Comment {}]", random.below(3));
            }
            if random.below(9) == 0 {
                text += &format!("LB[aa:A{}][{}o:B]", random.below(3), letter(random.below(5)));
            }
        }
        text + ")\n"
    };
    (0..number).map(game).collect()
}

fn well(desk: &Desk, arguments: &[&str]) {
    let said = desk.kifu(&[&["book"], arguments].concat());
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
}

fn content(desk: &Desk, book: &str) -> Value {
    let said = desk.kifu(&["book", "info", "--json", book]);
    assert_eq!(said.code, 0, "{}", said.err);
    well(desk, &["verify", book]);
    said.json()[0]["content_hash"].clone()
}

#[test]
fn a_book_is_the_same_however_it_was_made() {
    let desk = Desk::new();
    let games = games(1, 60);
    desk.put("all.sgf", games.concat());
    for (at, part) in games.chunks(20).enumerate() {
        desk.put(format!("{at}.sgf"), part.concat());
    }
    for options in [&[][..], &["--no-symmetry"]] {
        let build = |arguments: &[&str]| well(&desk, &[&["build", "--force"], options, arguments].concat());
        build(&["all.sgf", "-o", "all.agb"]);
        let all = content(&desk, "all.agb");
        build(&["2.sgf", "0.sgf", "1.sgf", "--memory", "1M", "-o", "small.agb"]);
        build(&["1.sgf", "-o", "added.agb"]);
        well(&desk, &["build", "0.sgf", "2.sgf", "--add", "-o", "added.agb"]);
        for at in ["0", "1", "2"] {
            build(&[&format!("{at}.sgf"), "-o", &format!("{at}.agb")]);
        }
        well(&desk, &["merge", "--force", "2.agb", "0.agb", "-o", "two.agb"]);
        well(&desk, &["merge", "--force", "1.agb", "two.agb", "-o", "merged.agb"]);
        for (extension, made) in [("jsonl", "lines.agb"), ("csv", "table.agb")] {
            let text = format!("all.{extension}");
            well(&desk, &["export", "--force", "all.agb", "-o", &text]);
            well(&desk, &[&["import", "--force", &text, "-o", made], options].concat());
        }
        for made in ["small.agb", "added.agb", "merged.agb", "lines.agb", "table.agb"] {
            assert_eq!(content(&desk, made), all, "{made} {options:?}");
        }
    }
}

#[test]
fn a_book_is_the_union_of_what_comes_after_its_moves() {
    let desk = Desk::new();
    desk.put("all.sgf", games(2, 40).concat());
    well(&desk, &["build", "all.sgf", "-o", "all.agb"]);
    let lines = |book: &str| -> BTreeSet<String> {
        let said = desk.kifu(&["book", "export", book, "-t", "book-jsonl"]);
        assert_eq!(said.code, 0, "{}", said.err);
        said.out.lines().skip(1).map(str::to_owned).collect()
    };
    let all = lines("all.agb");
    let mut union = BTreeSet::new();
    let seconds = desk.kifu(&["book", "query", "--json", "all.agb", "h8"]).json()[0]["moves"].clone();
    for each in seconds.as_array().unwrap() {
        let position = format!("h8 {}", each["move"].as_str().unwrap());
        well(&desk, &["extract", "--force", "all.agb", &position, "-o", "branch.agb"]);
        let branch = lines("branch.agb");
        // Nothing is in a branch that is not in the book, and nothing is known of it that is not known there.
        assert!(branch.is_subset(&all) && branch.len() < all.len(), "{position}");
        union.extend(branch);
    }
    assert_eq!(union, all);
}

/// A position whose points are turned.
fn turned(text: &str, symmetry: Symmetry) -> String {
    let size = Size::default();
    let turn = |point: &str| {
        let point = Coords::A1.parse(point, size)?;
        Some(Coords::A1.text(symmetry.apply(point, size), size).to_string())
    };
    text.split(' ').map(|point| turn(point).unwrap_or(point.into())).collect::<Vec<_>>().join(" ")
}

/// An answer with all points turned back, and those that are alike taken for one.
fn turned_back(answer: &Value, symmetry: Symmetry, own: &[Symmetry]) -> Value {
    let size = Size::default();
    let back = |text: &Value| {
        let point = Coords::A1.parse(text.as_str().unwrap(), size)?;
        let images = own.iter().map(|own| own.apply(symmetry.inverse().apply(point, size), size));
        images.min_by_key(|point: &Point| point.code()).map(|point| Coords::A1.text(point, size).to_string())
    };
    let mut answer = answer.clone();
    answer["input"] = Value::Null;
    for (list, name) in [("moves", "move"), ("texts", "point")] {
        let Some(all) = answer[list].as_array_mut() else { continue };
        for each in all.iter_mut() {
            if let Some(point) = back(&each[name]) {
                each[name] = point.into();
            }
        }
        all.sort_by_key(Value::to_string);
    }
    answer
}

/// Asks a book for positions in all their orientations.
fn answers_are_turned_with_the_board(desk: &Desk, book: &str, positions: &[String]) {
    let size = Size::default();
    for symmetry in Symmetry::ALL {
        let asked: String = positions.iter().map(|text| turned(text, symmetry) + "\n").collect();
        let said = desk.pipe(&["book", "query", "--json", book, "-"], asked.as_bytes());
        let plain = desk.pipe(&["book", "query", "--json", book, "-"], (positions.join("\n") + "\n").as_bytes());
        let (turned, plain) = (said.json(), plain.json());
        assert_eq!((turned.len(), plain.len()), (positions.len(), positions.len()), "{}", said.err);
        for ((text, answer), wanted) in positions.iter().zip(&turned).zip(&plain) {
            let position = Position::parse(text, Coords::A1, size).unwrap();
            let (board, _) = Board::after(&position).unwrap();
            let own: Vec<Symmetry> = own_symmetries(&board).collect();
            let same = turned_back(wanted, Symmetry::Identity, &own);
            assert_eq!(turned_back(answer, symmetry, &own), same, "{text} {symmetry:?}");
        }
    }
}

/// Some positions of a book, as moves with blanks between them.
fn positions_of(desk: &Desk, book: &str) -> Vec<String> {
    let said = desk.kifu(&["book", "export", book, "-t", "book-jsonl"]);
    let position = |line: &str| -> Option<String> {
        let object: Value = serde_json::from_str(line).unwrap();
        let mut points = String::new();
        for letter in object["position"].as_str()?.chars() {
            points.extend((letter.is_alphabetic() && !points.is_empty()).then_some(' '));
            points.push(letter);
        }
        (!points.is_empty() && !points.contains("--")).then_some(points)
    };
    let all: Vec<String> = said.out.lines().filter_map(position).collect();
    assert!(all.len() > 2, "{}", said.err);
    let step = all.len().div_ceil(150);
    all.into_iter().step_by(step).collect()
}

#[test]
fn answers_are_turned_with_the_position() {
    let desk = Desk::new();
    desk.put("all.sgf", games(3, 40).concat());
    well(&desk, &["build", "all.sgf", "--game-refs", "3", "-o", "all.agb"]);
    let mut positions: Vec<String> = ["h8 h9", "h8 i9", "h8 i8 h7", "a1"].map(String::from).into();
    positions.extend(positions_of(&desk, "all.agb"));
    answers_are_turned_with_the_board(&desk, "all.agb", &positions);
}

#[test]
fn answers_of_databases_are_turned_with_the_position() {
    let desk = Desk::new();
    let mut databases = vec![testdata("yixin-db/quirk04.db")];
    databases.extend(shared("data/yixin-db/d4.db"));
    for database in databases {
        well(&desk, &["import", database.to_str().unwrap(), "--force", "-o", "rapfi.agb"]);
        let positions = positions_of(&desk, "rapfi.agb");
        answers_are_turned_with_the_board(&desk, "rapfi.agb", &positions);
    }
}
