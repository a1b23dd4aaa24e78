//! `kifu filter`, `stats`, `dedupe`, `merge` and `split`: work on many games and libraries.

mod support;

use games::{Coords, Point, Size, Symmetry, parse_moves};
use std::collections::BTreeMap;
use support::{Desk, Said, shared, testdata};

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

/// Games of a few moves around the middle, some of which are others turned, or beginnings of others.
fn games(random: &mut Random, number: usize) -> Vec<Vec<Point>> {
    let size = Size::default();
    let mut games: Vec<Vec<Point>> = Vec::new();
    for _ in 0..number {
        let old = if games.is_empty() { Vec::new() } else { games[random.below(games.len() as u64) as usize].clone() };
        let game = match random.below(4) {
            0 => old[..random.below(old.len() as u64 + 1) as usize].to_vec(),
            1 => {
                let symmetry = Symmetry::ALL[random.below(8) as usize];
                old.iter().map(|point| symmetry.apply(*point, size)).collect()
            }
            _ => {
                let mut free: Vec<Point> =
                    (6..9).flat_map(|x| (6..9).map(move |y| (x, y))).map(|(x, y)| Point::new(x, y).unwrap()).collect();
                let plies = random.below(4);
                (0..plies).map(|_| free.swap_remove(random.below(free.len() as u64) as usize)).collect()
            }
        };
        games.push(game);
    }
    games.retain(|game| !game.is_empty());
    games
}

fn text(games: &[Vec<Point>]) -> String {
    let line = |game: &Vec<Point>| {
        let names: Vec<String> = game.iter().map(|point| Coords::A1.text(*point, Size::default())).collect();
        names.join(" ") + "\n"
    };
    games.iter().map(line).collect()
}

fn moves(line: &str) -> Vec<Point> {
    parse_moves(line, Coords::A1, Size::default()).unwrap().iter().map(|m| m.point().unwrap()).collect()
}

fn assert_done(said: &Said) {
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn doubles_and_beginnings_are_those_that_a_slow_reference_finds() {
    let size = Size::default();
    let mut random = Random(5);
    let mut met = (0, 0);
    for round in 0..16 {
        let (symmetric, prefix) = (round & 1 == 0, round & 2 == 0);
        let all = games(&mut random, 60);
        let desk = Desk::new();
        let (first, second) = all.split_at(all.len() / 2);
        desk.put("a.txt", text(first));
        desk.put("b.txt", text(second));
        let mut arguments = vec!["dedupe", "a.txt", "b.txt", "-o", "out.txt", "--list", "--json", "-j", "2"];
        arguments.extend(symmetric.then_some("--symmetry"));
        arguments.extend(prefix.then_some("--prefix"));
        let said = desk.kifu(&arguments);
        assert_done(&said);
        let images = |game: &Vec<Point>| -> Vec<Vec<Point>> {
            let all = if symmetric { &Symmetry::ALL[..] } else { &Symmetry::ALL[..1] };
            let turn = |symmetry: &Symmetry| game.iter().map(|point| symmetry.apply(*point, size)).collect();
            all.iter().map(turn).collect()
        };
        let begins = |short: &Vec<Point>, long: &Vec<Point>| {
            short.len() < long.len() && images(short).iter().any(|image| long.starts_with(image))
        };
        let (mut kept, mut doubles, mut beginnings) = (Vec::new(), 0, 0);
        for (at, game) in all.iter().enumerate() {
            if all[..at].iter().any(|other| images(other).contains(game)) {
                doubles += 1;
            } else if prefix && all.iter().any(|other| begins(game, other)) {
                beginnings += 1;
            } else {
                kept.push(game.clone());
            }
        }
        let out = String::from_utf8(desk.read("out.txt")).unwrap();
        let written: Vec<Vec<Point>> = out.lines().filter(|line| !line.starts_with('#')).map(moves).collect();
        assert_eq!(written, kept);
        let rows = said.json();
        let count = |is: &str| rows.iter().filter(|row| row["is"] == is).count();
        assert_eq!((count("double"), count("beginning")), (doubles, beginnings));
        met = (met.0 + doubles, met.1 + beginnings);
        let game = |place: &serde_json::Value| {
            let games = if place["file"] == "a.txt" { first } else { second };
            &games[place["record"].as_u64().unwrap() as usize - 1]
        };
        for row in &rows {
            let (this, of) = (game(row), game(&row["of"]));
            let fits = if row["is"] == "double" { images(this).contains(of) } else { begins(this, of) };
            assert!(fits, "{row}");
        }
    }
    assert!(met.0 > 100 && met.1 > 20, "{met:?}");
}

#[test]
fn doubles_are_told_without_an_output_and_trees_are_compared_whole() {
    let desk = Desk::new();
    let tree = |last: &str| format!("(;GM[4]SZ[15]RU[renju];B[hh](;W[ih];B[{last}])(;W[hg]C[text]))\n");
    desk.put("a.sgf", [tree("jj"), tree("kk"), tree("jj")].concat());
    desk.put(
        "b.sgf",
        "(;GM[4]SZ[15]RU[renju])(;GM[4]SZ[15]RU[renju])(;GM[4]SZ[15]RU[freestyle];B[hh])(;GM[4]SZ[15]RU[renju];B[hh])",
    );
    let said = desk.kifu(&["dedupe", "a.sgf", "b.sgf"]);
    let told = "6 records, 1 double; 1 of those left out have comments or variations\n";
    assert_eq!((said.out.as_str(), said.err.as_str(), said.code), (told, "", 0));
    let said = desk.kifu(&["dedupe", "a.sgf", "b.sgf", "--list"]);
    assert_eq!(said.out, "a.sgf: game 3 is a double of a.sgf: game 1\n");
    let said = desk.pipe(&["dedupe", "-", "--prefix"], b"h8 i9\n");
    assert!(said.code == 2 && said.err.contains("only once"), "{said:?}");
    let said = desk.kifu(&["dedupe", "a.sgf", "--list", "-t", "sgf"]);
    assert!(said.code == 2 && said.err.contains("name a file"), "{said:?}");
}

#[test]
fn a_filter_keeps_what_meets_all_conditions_and_convert_takes_them_too() {
    let desk = Desk::new();
    let game = |tags: &str, moves: &str| format!("(;GM[4]SZ[15]RU[renju]{tags};B[hh];W[{moves}])\n");
    desk.put(
        "in/a.sgf",
        [
            game("PB[Ann]PW[Bob]RE[B+]DT[2001-01-01]", "hg];B[ig];W[aa"),
            game("PB[Bob]PW[Ann]RE[W+]", "ig];B[jf"),
            game("PB[Ann]PW[Cid]RE[0]", "hg"),
        ]
        .concat(),
    );
    desk.put("in/b.sgf", game("PB[Dan]PW[Ann]RE[B+]", "hg];B[ig"));
    let kept = |arguments: &[&str]| {
        let mut all = vec!["filter", "-r", "in", "-t", "sgf"];
        all.extend(arguments);
        let said = desk.kifu(&all);
        let names: Vec<String> =
            said.out.split("PB[").skip(1).map(|rest| rest.split(']').next().unwrap().to_owned()).collect();
        (names.join(" "), said.code)
    };
    let is = |names: &str| (names.to_owned(), 0);
    assert_eq!(kept(&["--player", "ann"]), is("Ann Bob Ann Dan"));
    assert_eq!(kept(&["--player", "ann", "--side", "black", "--result", "1-0"]), is("Ann"));
    assert_eq!(kept(&["--opening", "Kagetsu"]), is("Ann Dan"));
    assert_eq!(kept(&["--opening", "D4", "--opening", "I1", "--length", "..3"]), is("Bob Dan"));
    assert_eq!(kept(&["--position", "h8h9g9"]), is("Ann Dan"));
    assert_eq!(kept(&["--position", "h8h9g9", "--exact"]), (String::new(), 1));
    assert_eq!(kept(&["--until", "2002"]), is("Ann"));
    assert_eq!(kept(&["--only-rule", "freestyle"]), (String::new(), 1));
    let said = desk.kifu(&["filter", "-r", "in", "--result", "1-0", "-o", "won.sgf"]);
    assert_eq!((said.err.as_str(), said.code), ("kifu: 2 records meet the conditions, 2 left out\n", 0));
    assert_eq!(String::from_utf8(desk.read("won.sgf")).unwrap().matches("RE[B+]").count(), 2);
    let said = desk.kifu(&["filter", "-r", "in", "--result", "1-0", "-o", "won.sgf"]);
    assert!(said.code == 2 && said.err.contains("--force"), "{said:?}");
    let said = desk.kifu(&["convert", "in/a.sgf", "--player", "bob", "-o", "bob.agr"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("2 records meet the conditions, 1 left out"), "{said:?}");
    let said = desk.kifu(&["convert", "in/a.sgf", "--player", "nobody", "-o", "none.agr"]);
    assert!(said.code == 1 && said.err.contains("nothing is written") && !desk.path("none.agr").exists(), "{said:?}");
    let said = desk.kifu(&["convert", "in/a.sgf", "--player", "bob", "-o", "bob.agb"]);
    assert!(said.code == 2 && said.err.contains("is for records"), "{said:?}");
}

#[test]
fn a_folder_goes_into_a_folder_within_it_that_is_not_read() {
    let desk = Desk::new();
    for number in 0..30 {
        desk.put(format!("in/{}/{number}.txt", number % 3), if number % 2 == 0 { "h8 i9\n" } else { "h8\n" });
    }
    desk.put("in/1/4.sgf", "(;GM[4]SZ[15];B[hh];W[ig])");
    desk.put("in/bad.lib", b"\xFFRenLib\xFFno");
    for round in 0..2 {
        let mut arguments = vec!["filter", "-r", "in", "--length", "2", "-t", "sgf", "-o", "in/out/"];
        arguments.extend((round == 1).then_some("--force"));
        let said = desk.kifu(&arguments);
        assert_eq!(said.code, 2);
        let told = said.err.replace('\\', "/");
        for wanted in [
            "in/bad.lib",
            "in/1/4.txt: it would go to in/out/1/4.sgf, as in/1/4.sgf does",
            "30 files converted, 2 failed",
        ] {
            assert!(told.contains(wanted), "{wanted}: {told}");
        }
        assert_eq!(desk.files("in/out").len(), 15);
    }
}

#[test]
fn a_merge_keeps_what_both_say_and_tells_what_cannot_stand_together() {
    let desk = Desk::new();
    desk.put("a.sgf", "(;GM[4]SZ[15]RU[renju]EV[Cup];B[hh]C[one];W[ig]C[left])");
    desk.put("b.sgf", "(;GM[4]SZ[15]RU[renju]EV[Open];B[hh]C[two](;W[ih])(;W[ig]C[left]LB[aa:x]))");
    desk.put("c.sgf", "(;GM[4]SZ[19];B[hh])");
    let said = desk.kifu(&["merge", "a.sgf", "b.sgf", "c.sgf", "-o", "all.sgf"]);
    assert_eq!(said.code, 2);
    for wanted in [
        "Event: 1 record disagrees with what came before (as `Open`), and `Cup` is kept",
        "c.sgf: game 1 is left out: its board is 19x19",
        "2 records of 5 nodes are a tree of 3",
    ] {
        assert!(said.err.contains(wanted), "{wanted}: {}", said.err);
    }
    let all = String::from_utf8(desk.read("all.sgf")).unwrap();
    for wanted in ["one", "two", "left", "LB[aa:x]", "EV[Cup]"] {
        assert_eq!(all.matches(wanted).count(), 1, "{wanted}: {all}");
    }
    let said = desk.kifu(&["merge", "all.sgf", "all.sgf", "a.sgf", "-o", "again.sgf"]);
    assert_done(&said);
    assert_eq!(desk.read("again.sgf"), desk.read("all.sgf"));
    let said = desk.kifu(&["merge", "all.sgf", "-o", "folder/"]);
    assert!(said.code == 2 && said.err.contains("one tree"), "{said:?}");
}

#[test]
fn mirrored_lines_are_joined_if_asked() {
    let desk = Desk::new();
    desk.put("a.txt", "h8 h9 i9 j10\nh8 g8 g7 f6\nh8 i8 i9\n");
    let nodes = |arguments: &[&str]| {
        let mut all = vec!["merge", "a.txt", "-t", "agr"];
        all.extend(arguments);
        desk.kifu(&all).err
    };
    assert_eq!(nodes(&[]), "kifu: 3 records of 11 nodes are a tree of 9\n");
    assert_eq!(nodes(&["--symmetry"]), "kifu: 3 records of 11 nodes are a tree of 4\n");
}

/// Samples in which two siblings have the same move, or none.
const DOUBLE_SIBLINGS: [&str; 3] = ["21_dup_sibling.lib", "25_concat_second_root.lib", "tree.sgf"];

#[test]
fn every_sample_is_itself_merged_with_itself_and_split_and_merged_again() {
    let mut trees = 0;
    for folder in ["renlib", "sgf", "agi-game", "json"] {
        for path in support::files(&testdata(folder)) {
            let desk = Desk::new();
            let source = path.to_str().unwrap();
            let agr = |arguments: &[&str], out: &str| {
                let mut all = arguments.to_vec();
                all.extend(["-t", "agi-record", "-o", out]);
                desk.kifu(&all)
            };
            if agr(&["convert", source], "one.agr").code != 0 {
                continue;
            }
            let one = desk.read("one.agr");
            let said = agr(&["merge", source, source], "twice.agr");
            // What the file repairs is told twice, and another game, board or set-up cannot be joined.
            if said.code != 0 {
                assert!(said.err.contains("left out"), "{}: {said:?}", path.display());
                continue;
            }
            let games = String::from_utf8_lossy(&one).matches("[Agr ").count();
            if games > 1 {
                continue;
            }
            assert!(desk.read("twice.agr") == one, "{}", path.display());
            assert_done(&agr(&["split", source, "--lines"], "lines.agr"));
            assert_done(&agr(&["merge", "lines.agr"], "merged.agr"));
            // Lines cannot tell two siblings of the same move apart.
            let is_double = DOUBLE_SIBLINGS.iter().any(|name| path.ends_with(name));
            assert!((desk.read("merged.agr") == one) != is_double, "{}: lines", path.display());
            trees += 1;
        }
    }
    assert!(trees > 30, "{trees}");
}

#[test]
fn a_collection_goes_into_files_whose_names_are_told_where_they_collide() {
    let desk = Desk::new();
    let game = |black: &str| format!("(;GM[4]SZ[15]PB[{black}];B[hh])");
    desk.put("in/a.sgf", [game("Ann"), game("Bob/X"), game("Ann")].concat());
    desk.put("in/sub/b.sgf", game("Ann"));
    let said = desk.kifu(&["split", "-r", "in", "-t", "sgf", "-o", "in/out/"]);
    assert_done(&said);
    assert_eq!(desk.files("in/out"), ["a-0001.sgf", "a-0002.sgf", "a-0003.sgf", "sub/b-0001.sgf"]);
    let said = desk.kifu(&["split", "-r", "in", "-t", "sgf", "--name", "{black}", "-o", "in/out/"]);
    assert_eq!(said.code, 2);
    let told = said.err.replace('\\', "/");
    assert!(told.contains("in/a.sgf: game 3: it would go to in/out/Ann.sgf, as in/a.sgf: game 1 does"), "{told}");
    assert!(told.contains("3 files written, 1 not"), "{told}");
    assert_eq!(desk.files("in/out").len(), 7);
    let said = desk.kifu(&["split", "in/a.sgf", "-o", "out.sgf"]);
    assert!(said.code == 2 && said.err.contains("name a folder"), "{said:?}");
    let said = desk.kifu(&["split", "in/a.sgf", "-t", "sgf", "--name", "{colour}", "-o", "x/"]);
    assert!(said.code == 2 && said.err.contains("{black}"), "{said:?}");
}

#[test]
fn statistics_count_what_is_there() {
    let desk = Desk::new();
    desk.put("a.txt", "# a game\nrenju 15 1 3 h8 h9 i9 a1\nrenju 15 0.5 3 h8 g8 g7\n");
    desk.put(
        "b.sgf",
        "(;GM[4]SZ[15]RU[renju]PB[Ann]PW[Bob]RE[W+]DT[1999];B[hh];W[ig];B[jf])(;GM[4]SZ[15];B[hh](;W[aa])(;W[bb]))",
    );
    let said = desk.kifu(&["stats", "a.txt", "b.sgf", "--json"]);
    assert_done(&said);
    let [all] = &said.json()[..] else { panic!("{said:?}") };
    assert_eq!(
        (&all["games"], &all["trees"], &all["files"], &all["moves"]),
        (&3.into(), &1.into(), &2.into(), &13.into())
    );
    let results = &all["results"];
    assert_eq!((&results["black"], &results["draws"], &results["white"]), (&1.into(), &1.into(), &1.into()));
    let openings: BTreeMap<String, u64> = all["openings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["opening"].as_str().unwrap().to_owned(), row["games"].as_u64().unwrap()))
        .collect();
    assert_eq!(openings, BTreeMap::from([("D4".to_owned(), 2), ("I1".to_owned(), 1)]));
    assert_eq!(all["players"][1]["as_white"]["white"], 1);
    assert_eq!(all["median"], 3);
    let said = desk.kifu(&["stats", "a.txt", "b.sgf", "--player", "nobody"]);
    assert_eq!((said.out.as_str(), said.code), ("2 files: 0 games, 0 moves\n", 0));
}

#[test]
fn the_games_of_the_samples_are_counted_and_none_is_double() {
    let Some(folder) = shared("data/games") else { return };
    let file = folder.join("engine_renju15.sgf");
    let desk = Desk::new();
    let said = desk.kifu(&["stats", file.to_str().unwrap(), "--json"]);
    let all = &said.json()[0];
    assert_eq!(all["games"], 4147);
    let openings = all["openings"].as_array().unwrap();
    let games: u64 = openings.iter().map(|row| row["games"].as_u64().unwrap()).sum();
    assert_eq!((openings.len(), games), (26, 4147));
    let whole = desk.kifu(&["find", file.to_str().unwrap(), "--position", "opening:D4", "--count"]);
    let counted = openings.iter().find(|row| row["opening"] == "D4").unwrap()["games"].as_u64().unwrap();
    assert!(whole.out.ends_with(&format!(": {counted} places\n")), "{whole:?}");
}

#[test]
fn games_of_xiangqi_are_worked_on_in_their_own_words() {
    let desk = Desk::new();
    let game = |red: &str, black: &str, fen: &str, moves: &str| {
        format!("[Red \"{red}\"]\n[Black \"{black}\"]\n{fen}\n1. {moves} 1-0\n\n")
    };
    let end = "[FEN \"3k5/9/9/9/9/9/9/9/9/4K4 w\"]\n";
    let games = [
        game("Ann", "Bob", "", "h2e2 h9g7 2. h0g2"),
        game("Bob", "Cid", "", "h2e2 h9g7 2. h0g2"),
        game("Ann", "Bob", "", "b2e2"),
        game("Ann", "Bob", end, "e0e1"),
    ];
    desk.put("games.pgn", games.concat());
    let told = desk.kifu(&["stats", "games.pgn"]).out;
    assert!(told.contains("red's score") && told.contains("as black (+ = -)"), "{told}");
    assert!(!told.contains("white") && !told.contains("26"), "{told}");
    let counts = desk.kifu(&["stats", "games.pgn", "--json"]).json().remove(0);
    assert_eq!((&counts["results"]["red"], &counts["results"]["black"]), (&4.into(), &0.into()));
    let kept = |conditions: &[&str]| {
        let said =
            desk.kifu(&[&["filter", "games.pgn", "-t", "xiangqi-pgn", "--notation", "iccs"], conditions].concat());
        said.out.matches("[Game ").count()
    };
    assert_eq!([kept(&["--player", "ann"]), kept(&["--player", "bob", "--side", "black"])], [3, 1 + 2]);
    assert_eq!(kept(&["--player", "bob", "--side", "white"]), 0);
    // A game and the same moves from another position are two; boards are not turned.
    let said = desk.kifu(&["dedupe", "games.pgn", "--symmetry", "-o", "single.pgn"]);
    assert!(said.err.contains("1 double"), "{}", said.err);
    let said = desk.kifu(&["merge", "games.pgn", "--symmetry", "-o", "tree.agr"]);
    assert!(said.err.contains("game 4 is left out"), "{}", said.err);
    let info = desk.kifu(&["info", "tree.agr", "--json"]).json().remove(0);
    assert_eq!(info["nodes"], 4);
    let said = desk.kifu(&["annotate", "games.pgn", "-o", "out.pgn"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("this is xiangqi, and the engine plays gomoku: name one with --engine"), "{}", said.err);
}
