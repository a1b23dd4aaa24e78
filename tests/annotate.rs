//! `kifu annotate`: what it says of games, and what it leaves as it was.

mod support;

use engine::{Answer, Vcf, VcfOptions};
use games::gomoku::{Board, Made, Three, made};
use games::{Coords, Point, Rule, Side, Size};
use serde_json::Value;
use support::{Desk, Said, shared};

fn done(said: &Said) {
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
}

/// Games in which wins are missed and threats overlooked, with comments of another hand.
const GAMES: &str = "\
(;FF[4]GM[4]CA[UTF-8]SZ[15]RU[freestyle]PB[Ann]PW[Bob]RE[B+]C[before all]
;B[hh];W[hg];B[ih];W[ig]C[a word];B[jh]C[an open three\nkept as it is];W[jg];B[aa];W[kg];B[oo];W[lg])
(;FF[4]GM[4]CA[UTF-8]SZ[15]RU[renju]PB[Cid]PW[Ann]RE[B+]
;B[hh];W[hg];B[ji];W[ag];B[ij];W[ao];B[gi];W[oa];B[hj]V[3];W[oo];B[hi];W[ob];B[ii];W[oc];B[fi])
";

#[test]
fn missed_wins_and_allowed_ones_are_told_and_become_puzzles() {
    let desk = Desk::new();
    desk.put("games.sgf", GAMES);
    let said = desk.kifu(&["annotate", "games.sgf", "-o", "out.sgf", "--each-nodes", "500", "--puzzles", "missed.sgf"]);
    done(&said);
    assert!(said.out.contains("player") && said.out.contains("Ann") && said.out.contains("Cid"), "{said:?}");
    let text = String::from_utf8(desk.read("out.sgf")).unwrap();
    for kept in ["C[before all", "a word", "an open three\nkept as it is"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    // Black has an open three, and plays far away; White then has one, and Black lets it be.
    assert!(text.contains("missed a win by fours"), "{text}");
    assert!(text.contains("lets the other side win by fours"), "{text}");
    let puzzles = desk.kifu(&["info", "missed.sgf", "--json"]);
    assert!(puzzles.json()[0]["records"].as_u64().unwrap() >= 1, "{puzzles:?}");
    // Each is a win by fours, up to symmetry once.
    for at in 1..=puzzles.json()[0]["records"].as_u64().unwrap() {
        let number = at.to_string();
        let solved = desk.kifu(&["solve", "missed.sgf", "--game", &number, "--vcf", "--json"]);
        assert_eq!(solved.json()[0]["result"], "win", "{solved:?}");
    }
}

#[test]
fn a_second_run_replaces_its_own_words_alone_in_every_tree_format() {
    let desk = Desk::new();
    desk.put("all.sgf", GAMES);
    let one = GAMES.split("(;").nth(1).map(|game| format!("(;{game}")).unwrap();
    desk.put("one.sgf", &one);
    let formats = [("all.sgf", "sgf"), ("all.sgf", "agr"), ("all.sgf", "agx"), ("all.sgf", "json"), ("one.sgf", "lib")];
    let plainly: [&[&str]; 2] = [&[], &["--lines", "3", "--variations"]];
    for ((source, name), more) in formats.into_iter().flat_map(|format| plainly.map(|more| (format, more))) {
        let (first, other) = (format!("first.{name}"), format!("other.{name}"));
        let (again, back) = (format!("again.{name}"), format!("back.{name}"));
        let annotate = |from: &str, to: &str, nodes: &str| {
            let annotate = ["annotate", from, "-o", to, "--each-nodes", nodes, "--rule", "freestyle", "--force"];
            let said = desk.kifu(&[&annotate[..], more].concat());
            assert_eq!(said.code, 0, "{said:?}");
        };
        annotate(source, &first, "300");
        annotate(source, &other, "2000");
        assert_ne!(desk.read(&first), desk.read(&other), "{name}");
        let has_variations = desk.read(&first).windows(12).any(|text| text == b"; variation ");
        assert_eq!(has_variations, !more.is_empty(), "{name}");
        annotate(&first, &again, "2000");
        assert_eq!(desk.read(&again), desk.read(&other), "{name}");
        // Judged from a ply that is not there, nothing of ours is left.
        let plain = format!("plain.{name}");
        assert_eq!(desk.kifu(&["convert", source, "-o", &plain, "--rule", "freestyle", "--force"]).code, 0);
        let said = desk.kifu(&["annotate", &first, "-o", &back, "--from-ply", "400", "--rule", "freestyle", "--force"]);
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(desk.read(&back), desk.read(&plain), "{name}");
    }
}

#[test]
fn folders_go_into_folders_whatever_the_number_of_threads() {
    let desk = Desk::new();
    desk.put("in/a.sgf", GAMES);
    desk.put("in/deep/b.sgf", GAMES.replace("Ann", "Dot"));
    desk.put("in/bad.sgf", "(;FF[4]GM[4");
    let run = |out: &str, threads: &str| {
        desk.kifu(&["annotate", "-r", "in", "-o", out, "--each-nodes", "400", "--json", "-j", threads])
    };
    let (one, two) = (run("one", "1"), run("two", "2"));
    assert_eq!(one.code, 2);
    assert!(one.err.contains("bad.sgf"), "{one:?}");
    assert_eq!(one.out, two.out);
    for file in ["a.sgf", "deep/b.sgf"] {
        assert_eq!(desk.read(format!("one/{file}")), desk.read(format!("two/{file}")));
    }
    let rows = one.json();
    let games: Vec<&Value> = rows.iter().filter(|row| row["game"] == true).collect();
    assert_eq!(games.len(), 4);
    assert_eq!(games[0]["black"], "Ann");
    assert!(rows.iter().any(|row| row["missed_win"].is_array()));
    assert!(!desk.path("one.journal").exists());
    let again = run("one", "1");
    assert!(again.code == 2 && again.err.contains("--force"), "{again:?}");
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let desk = Desk::new();
    for number in 0..6 {
        desk.put(format!("in/{number}.sgf"), GAMES.replace("W[ag]", &format!("W[a{}]", char::from(b'b' + number))));
    }
    let run = ["annotate", "-r", "in", "-o", "out", "--each-nodes", "3000", "-j", "1"];
    done(&desk.kifu(&run));
    let wanted: Vec<Vec<u8>> = desk.files("out").iter().map(|file| desk.read(format!("out/{file}"))).collect();
    let mut resumed = 0;
    for wait in [150, 400, 700] {
        std::fs::remove_dir_all(desk.path("out")).unwrap();
        let mut child = desk.command(&run).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = child.kill();
        child.wait().unwrap();
        resumed += usize::from(desk.path("out.journal").exists());
        let said = desk.kifu(&run);
        // One that was done already is refused.
        assert!(said.code == 0 || said.err.contains("--force"), "{said:?}");
        let found: Vec<Vec<u8>> = desk.files("out").iter().map(|file| desk.read(format!("out/{file}"))).collect();
        assert_eq!(found, wanted);
    }
    assert!(resumed > 0);
}

#[test]
fn the_book_is_asked_first() {
    let desk = Desk::new();
    // Nobody can win by fours here, which would be believed before any book.
    desk.put("games.sgf", "(;FF[4]GM[4]SZ[15]RU[freestyle]RE[B+];B[hh];W[ig];B[aa];W[oo];B[ao];W[oa];B[ge];W[kj])");
    done(&desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]));
    let set = ["book", "set", "games.agb", "h8i9a15o1a1o15", "--value", "-777", "--depth", "44"];
    done(&desk.kifu(&set));
    let run = |options: &[&str]| {
        let annotate = ["annotate", "games.sgf", "-o", "out.agr", "--each-nodes", "300", "--json", "--force"];
        let said = desk.kifu(&[&annotate[..], options].concat());
        done(&said);
        said.json().iter().filter(|row| row["ply"] == 6 && row["record"] == 1).map(|row| row["value"].clone()).next()
    };
    assert_eq!(run(&["--book", "games.agb"]), Some(777.into()));
    assert_ne!(run(&[]), Some(777.into()));
}

#[test]
fn as_many_lines_are_told_as_are_wanted() {
    let desk = Desk::new();
    desk.put("games.sgf", GAMES);
    let rows = |lines: &str| {
        let annotate = ["annotate", "games.sgf", "-o", "out.sgf", "--each-nodes", "500", "--json", "--force"];
        let said = desk.kifu(&[&annotate[..], &["--lines", lines, "--from-ply", "2"]].concat());
        done(&said);
        said.json().into_iter().filter(|row| row["lines"].is_array()).collect::<Vec<_>>()
    };
    for (wanted, rows) in [(1, rows("1")), (3, rows("3"))] {
        let lines = |row: &Value| row["lines"].as_array().unwrap().clone();
        assert!(rows.iter().all(|row| lines(row).len() <= wanted));
        assert!(rows.iter().any(|row| lines(row).len() == wanted));
        for row in &rows {
            let values: Vec<i64> = lines(row).iter().map(|line| line["value"].as_i64().unwrap()).collect();
            assert!(values.is_sorted_by(|one, other| one >= other), "{row}");
            let firsts: Vec<Value> = lines(row).iter().map(|line| line["moves"][0].clone()).collect();
            assert!((1..firsts.len()).all(|at| !firsts[..at].contains(&firsts[at])), "{row}");
        }
    }
    let text = String::from_utf8(desk.read("out.sgf")).unwrap();
    let three = |line: &str| line.split("; best ").nth(1).is_some_and(|best| best.matches('(').count() == 3);
    assert!(text.lines().any(three), "{text}");
}

#[test]
fn a_book_alone_judges_what_it_knows() {
    let desk = Desk::new();
    desk.put("games.sgf", "(;FF[4]GM[4]SZ[15]RU[freestyle]RE[B+];B[hh];W[ig];B[aa];W[oo];B[ao];W[oa];B[ge];W[kj])");
    done(&desk.kifu(&["book", "build", "games.sgf", "--short", "-o", "games.agb"]));
    let set = |position: &str, value: &str| {
        done(&desk.kifu(&["book", "set", "games.agb", position, "--value", value, "--depth", "44"]));
    };
    set("h8i9a15o1a1o15", "-777");
    set("h8i9a15o1a1o15g11", "300");
    let judged = |unknown: &str| {
        let annotate = ["annotate", "games.sgf", "-o", "out.sgf", "--from-book", "games.agb", "--from-ply", "6"];
        let said = desk.kifu(&[&annotate[..], &["--json", "--force"]].concat());
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.err.trim_end(), format!("kifu: not evaluated, as the book has no value: {unknown}"));
        let rows = said.json().into_iter().filter(|row| row["ply"].is_u64());
        rows.map(|row| (row["ply"].as_u64().unwrap(), row["value"].as_i64().unwrap())).collect::<Vec<_>>()
    };
    // After the seventh move the book has a value and no move with one, after the eighth neither.
    assert_eq!(judged("2 positions"), [(6, 777)]);
    set("h8i9a15o1a1o15g11k6", "0");
    assert_eq!(judged("1 position"), [(6, 777), (7, -300)]);
}

/// The moves of a row of JSON, a game of `data/games` at a time, and the ply that `kifu` calls the last losing move.
fn last_losing(rows: &[Value]) -> Vec<Option<u64>> {
    rows.iter().filter(|row| row["game"] == true).map(|row| row["last_losing_ply"].as_u64()).collect()
}

/// The same by asking the solver after each move, from the end.
fn slowly(moves: &[Point], rule: Rule, from: usize) -> Option<u64> {
    let mut board = Board::new(Size::default());
    for (point, ply) in moves.iter().zip(1..) {
        board.play(*point, Side::of_ply(ply)).unwrap();
    }
    let last = *moves.last()?;
    let winner = Side::of_ply(moves.len());
    if made(&board, last, winner, rule) != Made::Five {
        return None;
    }
    let mut found = None;
    let mut ply = moves.len();
    while ply > 0 {
        board.undo(moves[ply - 1]);
        ply -= 1;
        if Side::of_ply(ply + 1) != winner || ply + 1 < from {
            continue;
        }
        let mut searched = engine::Board::new(&board, rule, Three::Rif).unwrap();
        let options = VcfOptions { max_nodes: 200_000, ..VcfOptions::default() };
        match Vcf::new(1 << 20).solve(&mut searched, winner, &options) {
            Answer::Proven(_) => found = Some(ply as u64),
            _ => break,
        }
    }
    found
}

#[test]
fn the_last_losing_move_of_a_hundred_games_is_found() {
    let Some(folder) = shared("data/games") else { return };
    let desk = Desk::new();
    for (name, rule) in [("engine_renju15", Rule::Renju), ("engine_std15", Rule::Standard)] {
        let records = std::fs::read_to_string(folder.join(format!("{name}.sgf"))).unwrap();
        let records: Vec<&str> = records.split_inclusive(")\n").take(50).collect();
        desk.put("games.sgf", records.concat());
        let run = |out: &str, threads: &str| {
            let said = desk.kifu(&[
                "annotate",
                "games.sgf",
                "-o",
                out,
                "--each-nodes",
                "60",
                "--json",
                "-j",
                threads,
                "--force",
                "--rule",
                rule.name(),
            ]);
            done(&said);
            said
        };
        let (one, two) = (run("one.sgf", "1"), run("two.sgf", "2"));
        assert_eq!(one.out, two.out);
        assert_eq!(desk.read("one.sgf"), desk.read("two.sgf"));
        let found = last_losing(&one.json());
        assert_eq!(found.len(), 50);
        let json = desk.kifu(&["convert", "games.sgf", "-t", "moves", "-o", "-"]);
        let (mut same, mut won) = (0, 0);
        for (game, found) in json.out.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).zip(&found) {
            // Rule, board, result, and a number of the format's own come before the moves.
            let point = |word: &str| Coords::A1.parse(word, Size::default());
            let moves: Vec<Point> = game.split_whitespace().filter_map(point).collect();
            let wanted = slowly(&moves, rule, 6);
            won += usize::from(wanted.is_some());
            let last = moves.len();
            let mut board = Board::new(Size::default());
            moves.iter().zip(1..).for_each(|(point, ply)| board.play(*point, Side::of_ply(ply)).unwrap());
            let is_five = made(&board, moves[last - 1], Side::of_ply(last), rule) == Made::Five;
            if is_five {
                assert_eq!(*found, wanted, "{game}");
                same += usize::from(wanted.is_some());
            }
        }
        assert!(won > 20 && same == won, "{name}: {won} games were won by a five");
    }
}
