//! `kifu find`: positions in any order and orientation, texts, labels and marks, in many files.

mod support;

use games::gomoku::{Board, symmetries};
use games::{Coords, Move, Point, Position, Side, Size, Symmetry};
use std::collections::BTreeMap;
use std::fmt::Write;
use support::{Desk, testdata};

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

/// Games of some plies in the middle three by three of a board of seven, where positions come again and again.
fn games(random: &mut Random, number: usize) -> Vec<Vec<Point>> {
    let game = |random: &mut Random| {
        let mut free: Vec<Point> =
            (2..5).flat_map(|x| (2..5).map(move |y| (x, y))).map(|(x, y)| Point::new(x, y).unwrap()).collect();
        let plies = 1 + random.below(8);
        (0..plies).map(|_| free.swap_remove(random.below(free.len() as u64) as usize)).collect()
    };
    (0..number).map(|_| game(random)).collect()
}

fn sgf(games: &[Vec<Point>]) -> String {
    let mut text = String::new();
    for game in games {
        text += "(;GM[4]FF[4]SZ[7]RU[freestyle]";
        for (ply, point) in game.iter().enumerate() {
            let letter = |at: u8| char::from(b'a' + at);
            write!(text, ";{}[{}{}]", ["B", "W"][ply % 2], letter(point.x()), letter(point.y())).unwrap();
        }
        text += ")\n";
    }
    text
}

fn board(moves: &[Point]) -> Board {
    let sides = (1..).map(Side::of_ply);
    Board::with_stones(Size::square(7).unwrap(), moves.iter().copied().zip(sides)).unwrap()
}

#[test]
fn random_collections_are_searched_as_a_slow_reference_does() {
    let mut random = Random(11);
    for round in 0..12 {
        let desk = Desk::new();
        let mut files: BTreeMap<String, Vec<Vec<Point>>> = BTreeMap::new();
        for number in 0..5 {
            files.insert(format!("in/{number}.sgf"), games(&mut random, 1 + number * 7));
        }
        files.iter().for_each(|(name, games)| desk.put(name, sgf(games)));
        let all: Vec<&Vec<Point>> = files.values().flatten().collect();
        let asked = all[random.below(all.len() as u64) as usize].clone();
        let asked = &asked[..1 + random.below(asked.len() as u64) as usize];
        let size = Size::square(7).unwrap();
        let text: String = asked.iter().map(|point| Coords::A1.text(*point, size)).collect();
        let exact = round % 3 == 0;
        let mut arguments = vec!["find", "-r", "in", "--json", "--size", "7", "--position", &text, "-j", "3"];
        arguments.extend(exact.then_some("--exact"));
        let said = desk.kifu(&arguments);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let found = said.json().into_iter().map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().replace('\\', "/");
            (text("file"), row["record"].as_u64().unwrap(), row["ply"].as_u64().unwrap(), text("orientation"))
        });
        let wanted = board(asked);
        let symmetries = if exact { &[Symmetry::Identity] } else { symmetries(size) };
        let mut expected = Vec::new();
        for (name, games) in &files {
            for (at, game) in games.iter().enumerate() {
                for ply in 1..=game.len() {
                    let there = board(&game[..ply]);
                    let symmetry = symmetries.iter().find(|symmetry| wanted.turned(**symmetry) == there);
                    expected.extend(
                        symmetry.map(|found| (name.clone(), at as u64 + 1, ply as u64, found.name().to_owned())),
                    );
                }
            }
        }
        assert!(!expected.is_empty());
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_place_is_told_with_file_game_ply_orientation_and_path() {
    let desk = Desk::new();
    desk.put("games.txt", "h8 i9 j10 k3\na1 h8\nh8 g9 f10\n");
    let said = desk.kifu(&["find", "games.txt", "--position", "j10 i9 h8"]);
    assert_eq!(
        said.out,
        "games.txt: game 1, ply 3, as asked, after h8 i9 j10\ngames.txt: game 3, ply 3, r270, after h8 g9 f10\n"
    );
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let said = desk.kifu(&["find", "games.txt", "--position", "j10 i9 h8", "--exact"]);
    assert_eq!(said.out, "games.txt: game 1, ply 3, as asked, after h8 i9 j10\n");
    let said = desk.kifu(&["find", "games.txt", "--position", "h8", "-l"]);
    assert_eq!((said.out.as_str(), said.code), ("games.txt\n", 0));
    let said = desk.kifu(&["find", "games.txt", "--position", "h8", "--count"]);
    assert_eq!((said.out.as_str(), said.code), ("games.txt: 2 places\n", 0));
    let said = desk.kifu(&["find", "games.txt", "--position", "b2"]);
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), ("", "", 1));
}

#[test]
fn texts_labels_marks_and_signs_are_found_where_they_are() {
    let desk = Desk::new();
    let tree = "(;GM[4]SZ[15]RU[renju]PB[Ann];B[hh]C[White\nloses];W[ih](;B[jf]LB[aa:W41]CR[bb])(;B[gg]C[this WINS]))";
    desk.put("a.sgf", tree);
    let find = |arguments: &[&str]| {
        let mut all = vec!["find", "a.sgf"];
        all.extend(arguments);
        let said = desk.kifu(&all);
        (said.out, said.code)
    };
    let wins = "a.sgf: game 1, ply 3, after h8 i8 g9: this WINS\n";
    assert_eq!(find(&["--text", "wins"]), (wins.into(), 0));
    assert_eq!(find(&["--text", "loses"]).0, "a.sgf: game 1, ply 1, after h8: loses\n");
    let label = "a.sgf: game 1, ply 3, after h8 i8 j10\n";
    assert_eq!(find(&["--label", "W41"]), (label.into(), 0));
    assert_eq!(find(&["--sign", "circle"]), (label.into(), 0));
    assert_eq!(find(&["--label", "W4"]), (String::new(), 1));
    assert_eq!(find(&["--label", "W41", "--sign", "cross"]), (String::new(), 1));
    assert_eq!(find(&["--text", "wins", "--position", "h8 i8 g9"]).0, wins.replace("ply 3,", "ply 3, as asked,"));
    assert_eq!(find(&["--text", "wins", "--position", "h8 i8 j10"]), (String::new(), 1));
    assert_eq!(find(&["--player", "ann"]).0, "a.sgf: game 1: Ann - ?\n");
    assert_eq!(find(&["--text", "wins", "--player", "bob"]), (String::new(), 1));
    let said = desk.kifu(&["find", testdata("renlib/showcase.lib").to_str().unwrap(), "--mark", "--json"]);
    assert_eq!(said.code, 0);
    for row in said.json() {
        assert!(row["path"].as_str().is_some() && row["orientation"].is_null(), "{row}");
    }
}

#[test]
fn a_bad_file_is_told_and_the_others_are_searched() {
    let desk = Desk::new();
    desk.put("in/a.txt", "h8 i9\n");
    desk.put("in/b.lib", b"\xFFRenLib\xFFnot whole");
    desk.put("in/c.txt", "h8\n");
    desk.put("in/d.doc", "h8\n");
    let said = desk.kifu(&["find", "-r", "in", "--position", "h8"]);
    assert_eq!(
        said.out.replace('\\', "/"),
        "in/a.txt: game 1, ply 1, as asked, after h8\nin/c.txt: game 1, ply 1, as asked, after h8\n"
    );
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("b.lib") && said.err.contains("2 files read, 1 failed (1 file of another kind"),
        "{}",
        said.err
    );
}

#[test]
fn what_cannot_be_asked_is_said() {
    let desk = Desk::new();
    desk.put("a.txt", "h8\n");
    for (arguments, message) in [
        (vec!["--position", "z99"], "--position: "),
        (vec!["--position", "h8h8"], "--position: "),
        (vec!["--exact"], "--position"),
        (vec!["--opening", "D14"], "not a renju opening"),
        (vec!["--length", "9..3"], "not a length"),
        (vec!["--sign", "star"], "not a sign"),
        (vec!["--text", " "], "empty"),
    ] {
        let mut all = vec!["find", "a.txt"];
        all.extend(arguments);
        let said = desk.kifu(&all);
        assert!(said.code == 2 && said.err.contains(message) && said.out.is_empty(), "{all:?}: {said:?}");
    }
}

#[test]
fn the_text_of_a_position_is_read_as_everywhere() {
    let size = Size::default();
    let position = Position::parse("h8i9j10", Coords::A1, size).unwrap();
    assert_eq!(position.moves.len(), 3);
    let desk = Desk::new();
    desk.put("a.txt", "h8 i9 j10\n");
    let rows: Vec<String> = (0..15_u8)
        .map(|y| {
            let cell = |x: u8| match position.moves.iter().position(|m| *m == Move::Place(Point::new(x, y).unwrap())) {
                None => '.',
                Some(ply) => ['X', 'O'][ply % 2],
            };
            (0..15).map(cell).collect()
        })
        .collect();
    for text in [format!("board:{}", rows.join("/")), "agi:78695A".into(), "I9 isn't".into()] {
        let said = desk.kifu(&["find", "a.txt", "--position", &text, "--count"]);
        assert_eq!(said.code, if text.contains("isn't") { 2 } else { 0 }, "{text}: {said:?}");
    }
}
