//! `kifu solve`: answers, proofs, threats, and what cannot be solved.

mod support;

use serde_json::{Value, json};
use std::fs;
use support::{Desk, Said, shared, testdata};

/// White wins by four fours.
const GAME: &str = "h8i9f9h7k8j8f8k7h10j7i7j6j5i5h4j9j10l6m5k6m6";

/// The lines of a file of puzzles.
fn puzzles(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A puzzle as `board:` writes it.
fn board(puzzle: &Value) -> String {
    let mut rows = vec![['.'; 15]; 15];
    for (field, sign) in [("black", 'X'), ("white", 'O')] {
        for point in puzzle[field].as_array().unwrap() {
            let (column, row) = point.as_str().unwrap().split_at(1);
            let row: usize = row.parse().unwrap();
            rows[15 - row][usize::from(column.as_bytes()[0] - b'a')] = sign;
        }
    }
    let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    let turn = if puzzle["side"] == "black" { 'X' } else { 'O' };
    format!("board:{} turn:{turn}", rows.join("/"))
}

/// Solves the puzzles of each rule in one run, and holds the answers against those of the file.
fn solve(puzzles: &[Value]) {
    let desk = Desk::new();
    for rule in ["freestyle", "standard", "renju"] {
        let of_rule: Vec<&Value> = puzzles.iter().filter(|puzzle| puzzle["rule"] == rule).collect();
        let input: String = of_rule.iter().map(|puzzle| board(puzzle) + "\n").collect();
        // A file: the answers of so many lines do not fit into a pipe that nobody reads yet.
        desk.put("positions.txt", input);
        let mut command = desk.command(&["solve", "--rule", rule, "--shortest", "--json", "-"]);
        command.stdin(fs::File::open(desk.path("positions.txt")).unwrap());
        let said = Said::of(command.output().unwrap());
        assert_eq!((said.err.as_str(), said.code), ("", 1), "{rule}");
        let answers = said.json();
        assert_eq!(answers.len(), of_rule.len());
        for (puzzle, answer) in of_rule.iter().zip(answers) {
            let wins = puzzle["result"] == "win";
            assert_eq!(answer["result"], if wins { "win" } else { "none" }, "{}", puzzle["id"]);
            assert_eq!(answer["fours"], puzzle["min_fours"], "{}", puzzle["id"]);
            assert_eq!(answer["verified"], wins);
            assert_eq!(answer["input"], board(puzzle), "answers come in the order of the lines");
        }
    }
}

#[test]
fn puzzles_are_solved_with_the_least_number_of_fours() {
    solve(&puzzles(&fs::read_to_string(testdata("engine/puzzles.jsonl")).unwrap()));
}

#[test]
fn puzzles_of_the_samples_are_solved_with_the_least_number_of_fours() {
    let Some(folder) = shared("data/puzzles") else { return };
    let files = ["mined_free15.jsonl", "mined_std15.jsonl", "mined_renju15.jsonl"];
    // The samples say null where there is no win, and so does the command.
    let text: String = files.iter().map(|file| fs::read_to_string(folder.join(file)).unwrap()).collect();
    solve(&puzzles(&text));
}

#[test]
fn a_win_is_drawn_and_told() {
    let said = Desk::new().kifu(&["solve", "--rule", "renju", "--shortest", GAME]);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    assert!(said.out.contains(" 9  .  .  .  .  .  X X6 O5  O  O O3 X4 O1  .  .\n"), "{}", said.out);
    assert!(said.out.contains("\nWhite wins by 4 fours: m9 l8 k9 l9 h9 g9 i8\n"), "{}", said.out);
}

#[test]
fn a_five_is_a_win_without_fours() {
    let said = Desk::new().kifu(&["solve", "--rule", "standard", "--json", "h8a1i8b1j8c1k8d2"]);
    let answer = &said.json()[0];
    assert_eq!((&answer["fours"], &answer["line"]), (&json!(0), &json!(["g8"])));
    let said = Desk::new().kifu(&["solve", "--rule", "standard", "h8a1i8b1j8c1k8d2"]);
    assert!(said.out.contains("Black wins with a five: g8\n"), "{}", said.out);
}

#[test]
fn no_win_and_no_answer_have_their_exit_codes() {
    let desk = Desk::new();
    let none = desk.kifu(&["solve", "--rule", "caro", "h8i9"]);
    assert_eq!((none.out.as_str(), none.code), ("Black has no victory by fours (caro, 0 nodes)\n", 1));
    let aborted = desk.kifu(&["solve", "--rule", "renju", "--max-nodes", "2", GAME]);
    assert_eq!((aborted.out.as_str(), aborted.code), ("White: no answer within 2 nodes (renju)\n", 2));
    let json = desk.kifu(&["solve", "--rule", "renju", "--max-nodes", "2", "--json", GAME]);
    assert_eq!(json.json()[0]["result"], "aborted");
}

#[test]
fn the_rule_comes_from_the_file_the_option_or_the_format() {
    let desk = Desk::new();
    desk.put("said.agr", "[Agr \"1\"]\n[Size \"15\"]\n[Rule \"standard\"]\n[Coords \"agi\"]\n\n1. 78 *\n");
    desk.sample("renlib/showcase.lib");
    let rule = |arguments: &[&str]| {
        let said = desk.kifu(&[&["solve", "--json"], arguments].concat());
        if said.err.is_empty() { said.json()[0]["rule"].as_str().unwrap().to_owned() } else { said.err }
    };
    assert_eq!(rule(&["said.agr", "--rule", "caro"]), "standard");
    assert_eq!(rule(&["showcase.lib"]), "renju");
    assert_eq!(rule(&["showcase.lib", "--rule", "caro"]), "caro");
    assert_eq!(rule(&["agi:7869"]), "renju");
    assert_eq!(rule(&["h8"]), "kifu: nothing says the rule: name it with --rule\n");
}

#[test]
fn proofs_are_written_in_every_format_of_trees() {
    let desk = Desk::new();
    for extension in ["lib", "sgf", "agr", "agx", "json"] {
        let file = format!("proof.{extension}");
        let said = desk.kifu(&["solve", "--rule", "renju", "--shortest", GAME, "-o", &file]);
        assert_eq!((said.err.as_str(), said.code), ("", 0), "{file}");
        let show = desk.kifu(&["show", "--json", &file, "--ply", "28"]);
        let moves = show.json()[0]["moves"].as_array().unwrap().clone();
        assert_eq!(moves[21..], ["m9", "l8", "k9", "l9", "h9", "g9", "i8"], "{file}");
        let comment = desk.kifu(&["show", "--json", &file, "--ply", "21"]).json()[0]["line"].clone();
        assert!(comment.as_str().unwrap().starts_with("White wins by 4 fours (renju)"), "{file}: {comment}");
        let again = desk.kifu(&["solve", "--rule", "renju", GAME, "-o", &file]);
        assert_eq!(again.err, format!("kifu: {file}: this file exists: use --force to replace it\n"));
        // What was written is a position like others: after the last four Black is lost.
        let lost = desk.kifu(&["solve", "--rule", "renju", "--json", "--threat", &file]);
        assert_eq!(lost.json()[0]["fours"], 0, "{file}");
    }
    let none = desk.kifu(&["solve", "--rule", "renju", "h8", "-o", "none.lib"]);
    assert_eq!(none.code, 1);
    assert!(!desk.path("none.lib").exists());
}

#[test]
fn a_straight_four_wins_unless_caro_can_enclose_it() {
    let desk = Desk::new();
    let solve = |rule, row: &str| {
        let bare = "...........";
        let position = format!("board:{bare}/{bare}/{row}/{bare}/{bare}/{bare}/{bare} turn:X");
        desk.kifu(&["solve", "--rule", rule, "--shortest", "--json", &position]).json()[0]["fours"].clone()
    };
    for rule in ["freestyle", "standard", "renju", "caro"] {
        assert_eq!(solve(rule, "...XXX....."), 1, "{rule}");
        let enclosed = if rule == "caro" { Value::Null } else { json!(1) };
        assert_eq!(solve(rule, ".O.XXX..O.."), enclosed, "{rule}");
    }
}

#[test]
fn threats_win_where_fours_do_not() {
    let desk = Desk::new();
    let puzzles = puzzles(&fs::read_to_string(testdata("engine/threats.jsonl")).unwrap());
    let puzzle = puzzles.iter().find(|puzzle| puzzle["rule"] == "standard").unwrap();
    let position = board(puzzle);
    let solve = |more: &[&str]| desk.kifu(&[&["solve", "--rule", "standard", &position], more].concat());
    let fours = solve(&[]);
    assert_eq!((fours.code, fours.out.contains("has no victory by fours (standard, ")), (1, true), "{}", fours.out);
    let threats = solve(&["--vct"]);
    assert_eq!(threats.code, 0);
    assert!(threats.out.contains(" wins by threats in "), "{}", threats.out);
    let json = solve(&["--vct", "--json"]).json()[0].clone();
    assert_eq!((&json["kind"], &json["result"], &json["level"]), (&json!("vct"), &json!("win"), &json!(2)));
    assert_eq!((&json["verified"], &json["fours"]), (&json!(true), &Value::Null));
    assert_eq!(json["length"], json["line"].as_array().unwrap().len());
    let none = solve(&["--vct", "--level", "0"]);
    let told = none.out.contains("has no victory by threats of level 0 (standard, ");
    assert_eq!((none.code, told), (1, true), "{}", none.out);
    let aborted = solve(&["--vct", "--max-nodes", "3"]);
    assert_eq!((aborted.code, aborted.out.contains(": no answer within 3 nodes (standard)")), (2, true));
    // The proof is a record in which the win can be looked at.
    for extension in ["agr", "sgf", "json"] {
        let file = format!("proof.{extension}");
        let said = solve(&["--vct", "-o", &file]);
        assert_eq!((said.err.as_str(), said.code), ("", 0), "{file}");
        let info = desk.kifu(&["info", &file]);
        assert_eq!((info.err.as_str(), info.code), ("", 0), "{file}");
    }
    for (more, message) in [(&["--vct", "--vcf"][..], "cannot be used with"), (&["--level", "1"], "--vct")] {
        let said = solve(more);
        assert_eq!((said.code, said.err.contains(message)), (2, true), "{}", said.err);
    }
}

#[test]
fn threats_are_stopped_by_points_after_which_nothing_wins() {
    let desk = Desk::new();
    // The ends of an open three; after a stone farther away there is a straight four all the same.
    let bare = "...........";
    let position = format!("board:{bare}/{bare}/{bare}/....XXX..../{bare}/{bare}/{bare}/{bare} turn:O");
    let said = desk.kifu(&["solve", "--rule", "freestyle", "--json", "--vct", "--threat", "--defences", &position]);
    let answer = &said.json()[0];
    assert_eq!((&answer["attacker"], &answer["result"]), (&json!("black"), &json!("win")));
    assert_eq!((&answer["defences"], &answer["unknown"]), (&json!(["d5", "h5"]), &json!([])));
}

#[test]
fn defences_are_the_points_after_which_nothing_wins() {
    let desk = Desk::new();
    let position = format!("{GAME}a1");
    let said = desk.kifu(&["solve", "--rule", "renju", "--json", "--threat", "--defences", &position]);
    let answer = &said.json()[0];
    assert_eq!((&answer["side"], &answer["attacker"]), (&json!("black"), &json!("white")));
    let defences: Vec<&str> =
        answer["defences"].as_array().unwrap().iter().map(|point| point.as_str().unwrap()).collect();
    assert!(defences.contains(&"m9") && answer["unknown"] == json!([]), "{answer}");
    for point in ["m9", "k9", "e7", "b2", "g9", "a15", "o1", "l10", "n9"] {
        let after = desk.kifu(&["solve", "--rule", "renju", "--json", &format!("{position}{point}")]);
        let holds = after.json()[0]["result"] == "none";
        assert_eq!(holds, defences.contains(&point), "{point}");
    }
}

#[test]
fn positions_that_cannot_be_solved_are_told_and_the_others_solved() {
    let desk = Desk::new();
    let said =
        desk.pipe(&["solve", "--rule", "freestyle", "--json", "-"], b"h8h99\n\nh8a1i8b1j8c1k8d2\nh8a1i8b1j8c1k8d1l8\n");
    assert_eq!(said.json().len(), 1);
    assert_eq!(said.code, 2);
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines[0], "kifu: stdin: line 1: `h99` at byte 2 is not a point of a 15x15 board in the notation a1");
    assert_eq!(lines[1], "kifu: stdin: line 4: the game is over: h8 stands in a row that wins");
    for (arguments, message) in [
        (&["h8", "--rule", "renju", "--size", "4"][..], "this is no file and no position: "),
        (&["d4", "--rule", "renju", "--size", "4"], "the engine plays on boards from 5x5 to 22x22, not on 4x4"),
        (&["d4", "--rule", "renju", "--size", "26"], "the engine plays on boards from 5x5 to 22x22, not on 26x26"),
        (&["h8", "--rule", "go"], "--rule: `go` is not a rule: write freestyle, standard, renju or caro"),
        (&["h8", "--rule", "caro", "-o", "a.foo"], "a.foo: its extension tells no format: name one with -t"),
        (&["-", "--rule", "caro", "-o", "a.sgf"], "-o takes one position, not those on stdin"),
        (&["nothere.sgf"], "nothere.sgf: there is no such file"),
    ] {
        let said = desk.kifu(&[&["solve"], arguments].concat());
        assert!(said.err.starts_with(&format!("kifu: {message}")), "{}", said.err);
        assert_eq!(said.code, 2);
    }
}
