//! `kifu analyze`: lines, what is claimed of them, what is written, and what cannot be analyzed.

mod support;

use games::gomoku::{Board, Keys};
use games::{Coords, Side, Size};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use support::{Desk, testdata};

/// Black has four, and White has, too.
const FOURS: &str = "h8a1i8b1j8c1k8d1";

/// An analysis without what differs from run to run.
fn timeless(objects: &[Value]) -> Vec<Value> {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        let object = object.as_object_mut().unwrap();
        assert!(object.remove("time_ms").unwrap().is_u64());
        object.remove("nps").unwrap();
    }
    objects
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn moves(object: &Value) -> Vec<&str> {
    object["lines"].as_array().unwrap().iter().map(|line| line["move"].as_str().unwrap()).collect()
}

#[test]
fn a_line_a_depth_and_a_last_one() {
    let position = "h8i9j10";
    let said = Desk::new().kifu(&["analyze", "--rule", "freestyle", "--json", "-n", "3", "--nodes", "3000", position]);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let objects = said.json();
    let (last, others) = objects.split_last().unwrap();
    assert!(!others.is_empty());
    let depths: Vec<u64> = others.iter().map(|object| object["depth"].as_u64().unwrap()).collect();
    assert!(depths.is_sorted_by(|one, next| one < next), "{depths:?}");
    assert!(others.iter().all(|object| object["final"] == false));
    assert_eq!((&last["final"], &last["stopped"]), (&json!(true), &json!(false)));
    for object in &objects {
        assert_eq!((&object["input"], &object["rule"]), (&json!(position), &json!("freestyle")));
        assert_eq!((&object["side"], &object["size"]), (&json!("white"), &json!([15, 15])));
        assert!(object["nodes"].is_u64() && object["selective_depth"].is_u64());
        let lines = object["lines"].as_array().unwrap();
        assert!((1..=3).contains(&lines.len()));
        for line in lines {
            let (point, x, y) = (line["move"].as_str().unwrap(), line["x"].as_u64(), line["y"].as_u64());
            assert_eq!(format!("{}{}", char::from(b'a' + x.unwrap() as u8), 15 - y.unwrap()), point);
            let pv = names(&line["pv"]);
            assert_eq!(pv[0], point);
            assert_eq!(pv.iter().collect::<BTreeSet<_>>().len(), pv.len(), "no point has two stones: {pv:?}");
            assert!(!pv.iter().any(|point| ["h8", "i9", "j10"].contains(point)));
            assert!(line["value"].is_i64() && line["depth"].is_u64() && line["nodes"].is_u64());
            let rate = line["win_rate"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&rate) && (rate > 0.5) >= (line["value"].as_i64().unwrap() > 1));
            assert!(["exact", "lower", "upper"].contains(&line["bound"].as_str().unwrap()));
        }
    }
    let best = moves(last);
    assert_eq!(best.len(), 3);
    assert_eq!(best.iter().collect::<BTreeSet<_>>().len(), 3, "{best:?}");
    let values: Vec<i64> =
        last["lines"].as_array().unwrap().iter().map(|line| line["value"].as_i64().unwrap()).collect();
    assert!(values.is_sorted_by(|one, next| one >= next), "the best come first: {values:?}");
}

#[test]
fn a_limit_of_nodes_gives_the_same_answer_every_time() {
    let desk = Desk::new();
    for rule in ["freestyle", "standard", "renju", "caro"] {
        let run = || {
            let said = desk.kifu(&["analyze", "--rule", rule, "--json", "-n", "2", "--nodes", "4000", "h8i9j10h9"]);
            timeless(&said.json())
        };
        assert_eq!(run(), run());
    }
    let text = || desk.kifu(&["analyze", "--rule", "renju", "--nodes", "4000", "h8i9j10h9"]);
    assert_eq!(text(), text());
}

#[test]
fn positions_of_stdin_get_the_answers_they_get_alone_in_their_order() {
    let desk = Desk::new();
    let positions = ["h8", "h8i9", "h8i9h9", "h8i9h9h10", FOURS, "opening:D4"];
    let arguments = ["analyze", "--rule", "standard", "--json", "--nodes", "2000"];
    let alone: Vec<Value> = positions
        .iter()
        .flat_map(|position| timeless(&desk.kifu(&[&arguments[..], &[position]].concat()).json()))
        .collect();
    let input = positions.join("\r\n\n");
    for threads in ["1", "3"] {
        let said = desk.pipe(&[&arguments[..], &["-j", threads, "-"]].concat(), input.as_bytes());
        assert_eq!((said.err.as_str(), said.code), ("", 0));
        let told: Vec<Value> = timeless(&said.json());
        assert_eq!(told, alone);
    }
}

#[test]
fn a_five_is_a_win_that_is_proven() {
    let desk = Desk::new();
    let said = desk.kifu(&["analyze", "--rule", "standard", "--json", "--depth", "3", FOURS]);
    let line = said.json().last().unwrap()["lines"][0].clone();
    assert_eq!((&line["mate"], &line["value"], &line["win_rate"]), (&json!(1), &json!(29_999), &json!(1.0)));
    assert_eq!(line["verified"], true);
    assert!(["g8", "l8"].contains(&line["move"].as_str().unwrap()));
    let said = desk.kifu(&["analyze", "--rule", "standard", "--depth", "3", FOURS]);
    let table: Vec<&str> = said.out.lines().filter(|line| line.contains("+M1")).collect();
    assert_eq!(table.len(), 1, "{}", said.out);
    assert!(said.out.contains("\nX (Black) to move, standard, depth "), "{}", said.out);
    assert!(said.out.ends_with("\nA: wins in 1 ply: proven by fours that were replayed against every reply\n"));
}

#[test]
fn every_claim_is_proven_or_said_not_to_be() {
    let desk = Desk::new();
    let puzzles = fs::read_to_string(testdata("engine/puzzles.jsonl")).unwrap();
    let mut proven = 0;
    for puzzle in puzzles.lines().step_by(9).map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let mut rows = vec![['.'; 15]; 15];
        for (field, sign) in [("black", 'X'), ("white", 'O')] {
            for point in names(&puzzle[field]) {
                let row: usize = point[1..].parse().unwrap();
                rows[15 - row][usize::from(point.as_bytes()[0] - b'a')] = sign;
            }
        }
        let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
        let turn = if puzzle["side"] == "black" { 'X' } else { 'O' };
        let position = format!("board:{} turn:{turn}", rows.join("/"));
        let rule = puzzle["rule"].as_str().unwrap();
        let said = desk.kifu(&["analyze", "--rule", rule, "--json", "--nodes", "3000", "-n", "2", &position]);
        assert_eq!((said.err.as_str(), said.code), ("", 0));
        let objects = said.json();
        let last = objects.last().unwrap();
        for line in last["lines"].as_array().unwrap() {
            assert_eq!(line["verified"].is_boolean(), line["mate"].is_i64(), "{line}");
            if line["verified"] != true || line["mate"].as_i64() < Some(2) {
                continue;
            }
            // Asked in another way: no reply stops the fours or threats that follow.
            let mut rows = rows.clone();
            let (x, y) = (line["x"].as_u64().unwrap(), line["y"].as_u64().unwrap());
            rows[y as usize].replace_range(x as usize..=x as usize, &turn.to_string());
            let other = if turn == 'X' { 'O' } else { 'X' };
            let after = format!("board:{} turn:{other}", rows.join("/"));
            let solved = desk.kifu(&["solve", "--rule", rule, "--json", "--vct", "--threat", "--defences", &after]);
            let answer = solved.json().remove(0);
            assert_eq!((&answer["result"], &answer["defences"]), (&json!("win"), &json!([])), "{position} {line}");
            proven += 1;
        }
    }
    assert!(proven > 0);
}

#[test]
fn wins_and_losses_by_fours_are_proven() {
    let desk = Desk::new();
    for (position, claim) in [
        ("h8a1i8a3j8c5", "A: wins in 3 plies: proven by fours that were replayed against every reply\n"),
        ("h8a1i8a3j8c5k8", "A: loses in 2 plies: proven by fours that were replayed against every reply\n"),
    ] {
        for rule in ["freestyle", "standard", "renju", "caro"] {
            let said = desk.kifu(&["analyze", "--rule", rule, "--depth", "4", position]);
            assert!(said.out.ends_with(claim), "{}", said.out);
        }
    }
}

#[test]
fn moves_can_be_named_and_left_out() {
    let desk = Desk::new();
    let run = |options: &[&str]| {
        let said = desk.kifu(
            &[&["analyze", "--rule", "renju", "--json", "-n", "300", "--nodes", "2000", "h8i9"], options].concat(),
        );
        assert_eq!((said.err.as_str(), said.code), ("", 0));
        let last = said.json().pop().unwrap();
        moves(&last).into_iter().map(String::from).collect::<BTreeSet<_>>()
    };
    let only = run(&["--moves", "a1,h10 C3"]);
    assert_eq!(only, ["a1", "c3", "h10"].map(String::from).into());
    let except = run(&["--except", "h9,i8,a1,h8"]);
    assert!(!except.is_empty());
    assert!(["h9", "i8", "a1", "h8"].iter().all(|point| !except.contains(*point)), "{except:?}");
    let said = desk.kifu(&["analyze", "--rule", "renju", "--nodes", "9", "--coords", "agi", "--moves", "6B", "7869"]);
    assert!(said.out.contains("\nA  k9 "), "{}", said.out);
}

/// The last object of an analysis.
fn last(desk: &Desk, options: &[&str]) -> Value {
    let said = desk.kifu(&[&["analyze", "--rule", "freestyle", "--json"], options].concat());
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    said.json().pop().unwrap()
}

#[test]
fn of_equal_moves_one_is_told_where_that_is_asked_for() {
    let desk = Desk::new();
    let size = Size::default();
    let keys = |object: &Value| -> Vec<u128> {
        let key = |name: &str| {
            let stones = [("h8", Side::First), (name, Side::Second)];
            let stones = stones.map(|(name, side)| (Coords::A1.parse(name, size).unwrap(), side));
            Keys::of(&Board::with_stones(size, stones).unwrap()).canonical()
        };
        moves(object).into_iter().map(key).collect()
    };
    let all = keys(&last(&desk, &["--depth", "1", "-n", "300", "h8"]));
    let distinct = keys(&last(&desk, &["--depth", "1", "-n", "300", "--distinct", "h8"]));
    assert_eq!(distinct.iter().collect::<BTreeSet<_>>().len(), distinct.len());
    assert_eq!(all.iter().collect::<BTreeSet<_>>(), distinct.iter().collect());
    assert!(all.len() > distinct.len());
}

#[test]
fn balanced_moves_come_nearest_to_the_value_that_is_asked_for() {
    let desk = Desk::new();
    for bias in [-150, 0, 90] {
        let run = |which: &str| {
            last(&desk, &["--depth", "2", "--balance", which, "--bias", &bias.to_string(), "-n", "8", "h8i9"])
        };
        for (which, length) in [("one", 1), ("two", 2)] {
            let lines = run(which)["lines"].as_array().unwrap().clone();
            assert_eq!(lines.len(), 8);
            let distance = |line: &Value| (line["value"].as_i64().unwrap() - bias).abs();
            let distances: Vec<i64> = lines.iter().map(distance).collect();
            assert!(distances.is_sorted(), "{bias} {which}: {distances:?}");
            let firsts: BTreeSet<Vec<&str>> =
                lines.iter().map(|line| names(&line["pv"]).into_iter().take(length).collect()).collect();
            assert_eq!(firsts.len(), 8, "no move or pair is told twice");
        }
    }
}

#[test]
fn candidates_are_marked_on_the_board() {
    let said = Desk::new().kifu(&["analyze", "--rule", "renju", "--nodes", "9", "-n", "2", "--moves", "h9,j8", "h8i9"]);
    let letters: Vec<(usize, char)> = said
        .out
        .lines()
        .take(15)
        .enumerate()
        .flat_map(|(y, row)| row[2..].chars().filter(char::is_ascii_uppercase).map(move |sign| (y, sign)))
        .filter(|(_, sign)| !"XO".contains(*sign))
        .collect();
    assert_eq!(letters.iter().map(|(y, _)| *y).collect::<Vec<_>>(), [6, 7], "{}", said.out);
    assert_eq!(letters.iter().map(|(_, sign)| *sign).collect::<BTreeSet<_>>(), ['A', 'B'].into());
}

#[test]
fn lines_are_written_in_every_format_of_trees_with_values_for_black() {
    let desk = Desk::new();
    // White wins at once.
    let position = "h8a1i8b1j9c1k2d1o15";
    for extension in ["lib", "sgf", "agr", "agx", "json"] {
        let file = format!("lines.{extension}");
        let arguments = ["analyze", "--rule", "standard", "--depth", "2", "--moves", "e1,a15", "-n", "2", position];
        let said = desk.kifu(&[&arguments[..], &["-o", &file]].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        let there = desk.kifu(&["show", "--json", &file, "--ply", "9"]).json().remove(0);
        assert_eq!(names(&there["next"]), ["e1", "a15"], "{file}");
        assert_eq!(there["labels"], json!([{"point": "e1", "text": "A"}, {"point": "a15", "text": "B"}]), "{file}");
        assert!(there["line"].as_str().unwrap().starts_with("analyzed: standard, depth "), "{there}");
        let win = desk.kifu(&["show", &file, "--ply", "10"]);
        assert!(win.out.contains("\n+M1 for White, 100.0%, depth "), "{}", win.out);
        assert_eq!(win.out.contains("\nvalue #-0,"), extension != "lib", "{file}: {}", win.out);
        let again = desk.kifu(&[&arguments[..], &["-o", &file]].concat());
        assert_eq!(again.err, format!("kifu: {file}: this file exists: use --force to replace it\n"));
    }
    let piped = desk.kifu(&["analyze", "--rule", "renju", "--depth", "1", "h8", "-o", "-", "-t", "agr"]);
    assert!(piped.out.starts_with("[Agr \"1\"]\n"), "{}", piped.out);
}

#[test]
fn places_in_files_are_analyzed_under_their_rule() {
    let desk = Desk::new();
    desk.sample("moves/games.txt");
    let said = desk.kifu(&["analyze", "--json", "--depth", "1", "games.txt", "--game", "2", "--ply", "5"]);
    let show = desk.kifu(&["show", "--json", "games.txt", "--game", "2", "--ply", "5"]).json().remove(0);
    let last = said.json().pop().unwrap();
    assert_eq!((&last["side"], &last["size"]), (&json!("white"), &show["size"]));
    assert!(last["rule"].is_string() && last["input"] == "games.txt");
    let passed = desk.kifu(&["analyze", "--json", "--rule", "renju", "--depth", "1", "h8 -- i9"]);
    assert_eq!(passed.json().pop().unwrap()["side"], "white");
}

#[test]
fn what_cannot_be_analyzed_is_told_in_a_sentence() {
    let desk = Desk::new();
    let full = "board:XXOOX/OOXXO/XXOOX/OOXXO/XXOOX";
    // Black's last point would make seven.
    let forbidden = "board:XXOOXXO/OOXXOOX/XXOOXXO/XXX.XXX/XXOOXXO/OOXXOOX/OOXXOOX turn:X";
    for (arguments, message) in [
        (&["h8a1i8b1j8c1k8d1l8"][..], "the game is over: h8 stands in a row that wins"),
        (&[full], "the board is full"),
        (&[forbidden], "every point that is left is forbidden to Black"),
        (&["h8", "--moves", "h8"], "--moves: there is a stone on h8"),
        (&["h8", "--moves", "pass"], "--moves: a pass is no point"),
        (&["h8", "--moves", "h99"], "--moves: `h99` at byte 0 is not a point of a 15x15 board in the notation a1"),
        (&["h9a1h10a15i8o1j8o15", "--moves", "h8"], "--moves: h8 is forbidden to Black"),
        (&["h8", "--moves", "h9", "--except", "h9"], "--moves cannot be used with --except"),
        (&["h8", "--time", "5"], "--time: `5` is no time: write 5s, 500ms or 2m"),
        (&["h8", "--lines", "0"], "--lines: 0 is not in 1..=65535"),
        (&["h8", "--threads", "65535"], "--threads: 65535 is not in 1..=1024"),
        (&["h8", "--memory", "10000000G"], "--memory: this machine has not so much memory for each search"),
        (&["-", "--memory", "10000000000G"], "--memory: this machine has not so much memory for each search"),
        (&["h8", "--balance", "three"], "--balance: `three` is not one of one, two"),
        (&["d4", "--size", "4"], "the engine plays on boards from 5x5 to 22x22, not on 4x4"),
        (&["-", "-o", "a.sgf"], "-o takes one position, not those on stdin"),
        (&["h8", "-o", "a.foo"], "a.foo: its extension tells no format: name one with -t"),
    ] {
        let said = desk.kifu(&[&["analyze", "--rule", "renju", "--depth", "2"], arguments].concat());
        assert!(said.err.starts_with(&format!("kifu: {message}")), "{arguments:?}: {}", said.err);
        assert_eq!((said.out.as_str(), said.code, said.err.lines().count()), ("", 2, 1));
    }
    let lines = desk.pipe(&["analyze", "--rule", "caro", "--depth", "1", "--json", "-"], b"h8h8\nh8i9\n");
    assert_eq!(lines.err, "kifu: stdin: line 1: a stone stands on h8 already\n");
    assert_eq!((lines.code, lines.json().last().unwrap()["input"].clone()), (2, json!("h8i9")));
    let lines = desk
        .pipe(&["analyze", "--rule", "caro", "--depth", "1", "--json", "-"], b"\xEF\xBB\xBFh8\r\nh\xFF8\r\nh8i9\r\n");
    assert_eq!(lines.err, "kifu: stdin: line 2: this is no UTF-8\n");
    assert_eq!((lines.code, lines.json().last().unwrap()["input"].clone()), (2, json!("h8i9")));
}

#[test]
fn a_time_is_kept() {
    let desk = Desk::new();
    let start = std::time::Instant::now();
    let said = desk.kifu(&["analyze", "--rule", "renju", "--time", "300ms", "--json", "-j", "1", "h8i9"]);
    let last = said.json().pop().unwrap();
    assert!(last["time_ms"].as_u64().unwrap() < 2_000, "{last}");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_was_found() {
    use std::io::{BufRead, BufReader, Read};
    let desk = Desk::new();
    for arguments in [&["h8i9", "--json"][..], &["h8i9"]] {
        let mut child =
            desk.command(&[&["analyze", "--rule", "renju", "--time", "100s"], arguments].concat()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        if arguments.len() > 1 {
            // The first depth is told.
            out.read_line(&mut text).unwrap();
        } else {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        out.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        if arguments.len() > 1 {
            let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!((&last["final"], &last["stopped"]), (&json!(true), &json!(true)));
        } else {
            assert!(text.contains(", stopped\n") && text.contains("\nA  "), "{text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_was_found_of_the_lines_that_were_begun() {
    use std::io::{BufRead, BufReader, Read, Write};
    let desk = Desk::new();
    let arguments = ["analyze", "--rule", "renju", "--time", "100s", "--json", "-j", "2", "-"];
    let mut child = desk.command(&arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
    // The first line is decided at once, so that the two after it are begun; more may come.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{FOURS}\nh8i9\nh8h9\nh8h10\n").as_bytes()).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    out.read_line(&mut text).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let finals: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|object: &Value| object["final"] == true)
        .collect();
    let told: Vec<(&Value, &Value)> = finals.iter().map(|object| (&object["input"], &object["stopped"])).collect();
    let [fours, one, other] = [FOURS, "h8i9", "h8h9"].map(|input| json!(input));
    assert_eq!(told, [(&fours, &json!(false)), (&one, &json!(true)), (&other, &json!(true))]);
}

#[test]
fn a_search_ends_when_nobody_reads() {
    use std::io::{BufRead, BufReader};
    let desk = Desk::new();
    let mut child = desk.command(&["analyze", "--rule", "renju", "--time", "100s", "--json", "h8i9"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
