//! `kifu match`: results, what they say, games that are lost without being beaten, and the records.

mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Desk, Said, random_engine};

/// The engine with these switches, as an argument.
fn engine(switches: &str) -> String {
    format!("'{}' {switches}", random_engine())
}

/// A match of two engines with these switches and options.
fn play(desk: &Desk, first: &str, second: &str, options: &[&str]) -> Said {
    let engines = [engine(first), engine(second)];
    let rule = if options.contains(&"--rule") { &[][..] } else { &["--rule", "freestyle"] };
    let words = [&["match", &engines[0], &engines[1]], rule, options].concat();
    desk.kifu(&words)
}

/// The object of the match, and those of its games.
fn json_of(desk: &Desk, first: &str, second: &str, options: &[&str]) -> (Value, Vec<Value>) {
    let said = play(desk, first, second, &[options, &["--json"]].concat());
    assert_eq!(said.err, "");
    let mut games = said.json();
    let last = games.pop().unwrap();
    assert_eq!(last["final"], true);
    (last, games)
}

/// Openings after which Black, who is to move, is forbidden h8 in renju: it makes two threes.
const TWO_THREES: &str = "f8a1g8o1h6a15h7o15\n";

#[test]
fn a_match_is_told_in_words() {
    let desk = Desk::new();
    desk.put("openings.txt", "h8\nh8h9\nh8i9\nh8i10\nh8h10\n");
    let options = ["--games", "20", "-j", "2", "--openings", "openings.txt"];
    let said = play(&desk, "--greedy --name eager", "--name lazy", &options);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], "eager 1 against lazy 1: 20 games, freestyle 15x15");
    assert_eq!(lines[1], "won 20, drawn 0, lost 0: 100.0 % (95 %: 82.5 to 100.0)");
    assert_eq!(lines[3], "as Black 10-0-0, as White 10-0-0; pairs with 0, 1/2, 1, 3/2 and 2 points: 0 0 0 0 10");
    assert!(lines[4].starts_with("eager 1: ") && lines[5].starts_with("lazy 1: "), "{}", said.out);
    assert_eq!(lines.len(), 6);
}

#[test]
fn engines_of_one_name_are_told_apart_and_names_can_be_given() {
    let desk = Desk::new();
    let (same, games) = json_of(&desk, "", "", &["--games", "2"]);
    let names = |object: &Value| [object["engines"][0]["name"].clone(), object["engines"][1]["name"].clone()];
    assert_eq!(names(&same), ["random 1 (1)", "random 1 (2)"]);
    // Colours are swapped, and equal engines play the same game twice.
    assert_eq!((&games[0]["black"], &games[1]["black"]), (&json!("random 1 (1)"), &json!("random 1 (2)")));
    assert_eq!(games[0]["moves"], games[1]["moves"]);
    assert_eq!((&same["score"], &same["pairs"]), (&json!(0.5), &json!([0, 0, 1, 0, 0])));
    let (named, _) = json_of(&desk, "", "", &["--games", "2", "--name1", "new", "--name2", "old"]);
    assert_eq!(names(&named), ["new", "old"]);
}

#[test]
fn games_count_in_their_order_however_many_are_played_at_a_time() {
    let desk = Desk::new();
    let outcome = |threads: &str| {
        let options = ["--games", "30", "--draw-after", "40", "--sprt", "0", "100", "-j", threads];
        let (mut last, games) = json_of(&desk, "--seed 3", "--seed 4", &options);
        let times = last["engines"].take();
        assert!(times[0]["moves"].as_u64() > Some(0));
        (last, games)
    };
    assert_eq!(outcome("1"), outcome("3"));
}

#[test]
fn a_test_ends_the_match_and_sets_the_exit_code() {
    let desk = Desk::new();
    let options = ["--games", "400", "--sprt", "0", "100", "-j", "2"];
    let better = play(&desk, "--greedy", "", &options);
    assert_eq!((better.err.as_str(), better.code), ("", 0));
    assert!(better.out.contains(" (from -2.94 to 2.94), random 1 (1) is better\n"), "{}", better.out);
    let worse = play(&desk, "", "--greedy", &options);
    assert_eq!((worse.err.as_str(), worse.code), ("", 1));
    assert!(worse.out.contains("random 1 (1) is not better\n"), "{}", worse.out);
    let (last, games) = json_of(&desk, "", "--greedy", &options);
    assert_eq!(last["sprt"]["verdict"], "not-better");
    assert_eq!(last["games"], games.len());
    assert!(games.len() < 100, "{} games are more than this takes", games.len());
    let short = play(&desk, "--greedy", "", &["--games", "2", "--sprt", "0", "100"]);
    assert_eq!(short.code, 0);
    assert!(short.out.contains("not decided\n"), "{}", short.out);
}

#[test]
fn what_engines_do_wrong_loses_the_game_and_is_told() {
    let desk = Desk::new();
    let fast = ["--games", "2", "--turn", "50", "--forfeit", "250"];
    for (switches, fault, reason) in [
        ("--hang 2", "time", "no move within 300 ms"),
        ("--flood 2", "time", "no move within 300 ms"),
        ("--crash 2", "crash", "the last it said was `the board is on fire`"),
        ("--occupied 2", "illegal", "a stone stands on"),
        ("--off-board 2", "illegal", "the move `15,0` is off the board"),
        ("--nonsense 2", "illegal", "`7,` is no move"),
    ] {
        let (last, games) = json_of(&desk, "", switches, &fast);
        assert_eq!((&last["won"], &last["lost"]), (&json!(2), &json!(0)), "{switches}");
        let told = &last["engines"][1]["faults"][fault];
        assert_eq!((&told["games"], &told["first"]), (&json!(2), &json!(1)), "{switches}: {last}");
        assert!(told["reason"].as_str().unwrap().contains(reason), "{switches}: {told}");
        assert_eq!(last["engines"][0]["faults"], json!({}));
        for game in games {
            assert_eq!(game["ending"], fault, "{switches}");
            assert!(game["reason"].as_str().unwrap().contains(reason));
        }
        let said = play(&desk, switches, "", &[&fast[..], &["-v"]].concat());
        assert!(said.out.contains("\n  lost 2 games "), "{}", said.out);
        assert_eq!(said.err.lines().count(), 2, "{}", said.err);
    }
}

#[test]
fn a_forbidden_move_loses_in_renju_alone() {
    let desk = Desk::new();
    desk.put("openings.txt", TWO_THREES);
    let options = ["--games", "2", "--openings", "openings.txt", "--draw-after", "20"];
    let (renju, games) = json_of(&desk, "--moves 7,7", "", &[&options[..], &["--rule", "renju"]].concat());
    assert_eq!(games[0]["ending"], "forbidden");
    assert_eq!((&games[0]["moves"], &games[0]["result"]), (&json!(["h8"]), &json!("0-1")));
    assert_eq!(games[0]["reason"], "h8 is forbidden to Black (double-three)");
    assert_eq!(renju["engines"][0]["faults"]["forbidden"]["games"], 1);
    // White may play there.
    assert_ne!(games[1]["ending"], "forbidden");
    for rule in ["freestyle", "standard", "caro"] {
        let (last, _) = json_of(&desk, "--moves 7,7", "", &[&options[..], &["--rule", rule]].concat());
        assert_eq!(last["engines"][0]["faults"], json!({}), "{rule}");
    }
}

#[test]
fn rules_say_what_wins() {
    let desk = Desk::new();
    // Black fills the gap of six; in caro White has closed a five at both ends.
    for (opening, at, wins) in [
        ("e8a1f8a3g8a5i8a7j8a9", "7,7", ["freestyle"].as_slice()),
        ("e8d8f8a3g8a5i8a7", "7,7", &["freestyle", "standard", "renju", "caro"]),
        ("e8d8f8j8g8a5i8a7", "7,7", &["freestyle", "standard", "renju"]),
    ] {
        desk.put("openings.txt", opening);
        for rule in ["freestyle", "standard", "renju", "caro"] {
            let options = ["--rule", rule, "--games", "2", "--openings", "openings.txt", "--draw-after", "13"];
            let (_, games) = json_of(&desk, &format!("--moves {at}"), "", &options);
            let won = games[0]["moves"] == json!(["h8"]) && games[0]["result"] == "1-0";
            assert_eq!(won, wins.contains(&rule), "{rule} {opening}: {}", games[0]);
        }
    }
}

#[test]
fn late_moves_are_told_and_lose_only_far_beyond_the_limit() {
    let desk = Desk::new();
    desk.put("openings.txt", "h8");
    let options = ["--games", "2", "--turn", "20", "--draw-after", "6", "--openings", "openings.txt"];
    let (last, _) = json_of(&desk, "--late 200", "", &options);
    assert_eq!(last["engines"][0]["faults"], json!({}));
    assert!(last["engines"][0]["late"].as_u64() > Some(0) && last["engines"][0]["latest_ms"].as_u64() >= Some(180));
    let said = play(&desk, "--late 200", "", &options);
    assert!(said.out.contains(" late, by "), "{}", said.out);
    // Its own limit, and the time for all moves of a game.
    let (own, _) = json_of(&desk, "--late 200", "", &[&options[..], &["--turn1", "5s"]].concat());
    assert_eq!(own["engines"][0]["late"], 0);
    let all = ["--games", "2", "--match", "500", "--forfeit", "200"];
    let (last, _) = json_of(&desk, "--late 200", "", &all);
    assert_eq!(last["engines"][0]["faults"]["time"]["games"], 2, "{last}");
    assert_eq!(last["lost"], 2);
}

#[test]
fn long_games_and_full_boards_are_drawn() {
    let desk = Desk::new();
    let (last, games) = json_of(&desk, "", "", &["--games", "4", "--draw-after", "9"]);
    assert_eq!((&last["drawn"], &games[0]["ending"]), (&json!(4), &json!("draw-after")));
    desk.put("openings.txt", "a1");
    let small = ["--games", "2", "--openings", "openings.txt", "--size", "4"];
    let (last, games) = json_of(&desk, "", "", &small);
    assert_eq!((&last["drawn"], &games[0]["ending"]), (&json!(2), &json!("full")));
    assert_eq!(games[0]["moves"].as_array().unwrap().len(), 15);
}

#[test]
fn games_are_written_as_records_that_are_right() {
    let desk = Desk::new();
    for extension in ["sgf", "agr", "agx", "json"] {
        let file = format!("games.{extension}");
        let said = play(&desk, "--greedy --eval --name eager", "--crash 9", &["--games", "6", "-o", &file]);
        assert_eq!((said.err.as_str(), said.code), ("", 0), "{file}");
        let info = &desk.kifu(&["info", "--json", &file]).json()[0];
        assert_eq!((&info["records"], &info["rule"]), (&json!(6), &json!("freestyle")), "{file}");
        assert!(info["values"].as_u64() > Some(6), "{info}");
        let check = desk.kifu(&["check", &file]);
        assert_eq!((check.code, check.err.as_str()), (0, ""), "{file}: {}", check.out);
        let again = play(&desk, "", "", &["--games", "2", "-o", &file]);
        assert_eq!(again.err, format!("kifu: {file}: this file exists: use --force to replace it\n"));
    }
    let text = String::from_utf8(desk.read("games.agr")).unwrap();
    assert!(text.contains("[Black \"eager 1\"]") && text.contains("[White \"random 1\"]"), "{text}");
}

#[test]
fn games_become_one_tree_where_a_file_holds_no_more() {
    let desk = Desk::new();
    desk.put("openings.txt", "h8i9\nh8i9h9\nh8g9");
    // Equal engines play the two games of an opening alike.
    let options = ["--games", "6", "--openings", "openings.txt", "--draw-after", "6", "-o"];
    for second in ["", "--moves 0,0"] {
        let file = if second.is_empty() { "alike.lib" } else { "unlike.lib" };
        assert_eq!(play(&desk, "", second, &[&options[..], &[file]].concat()).code, 0);
        assert_eq!(desk.kifu(&["convert", file, "-o", &format!("{file}.agr")]).code, 0);
    }
    let alike = String::from_utf8(desk.read("alike.lib.agr")).unwrap();
    assert!(alike.contains("game 1: random 1 (1) - random 1 (2) 1/2-1/2\n"), "{alike}");
    let number = |file: &str, field: &str| desk.kifu(&["info", "--json", file]).json()[0][field].clone();
    assert!(number("alike.lib", "leaves").as_u64() <= Some(3));
    // A stone at a15 comes at ply 3 or 4 of each game, so that no two are alike.
    assert_eq!((number("unlike.lib", "leaves"), number("unlike.lib", "comments")), (json!(6), json!(6)));
    assert_eq!(number("unlike.lib", "occupied"), 0);
}

#[test]
fn a_game_lost_without_being_beaten_says_why_in_its_record() {
    let desk = Desk::new();
    desk.put("openings.txt", TWO_THREES);
    let options = ["--rule", "renju", "--games", "2", "--openings", "openings.txt", "-o", "games.agr"];
    let said = play(&desk, "--moves 7,7", "--crash 2", &options);
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    let text = String::from_utf8(desk.read("games.agr")).unwrap();
    assert!(text.contains("Black has lost: h8 is forbidden to Black (double-three)"), "{text}");
    assert!(text.contains("Black has lost: it ended "), "{text}");
    assert_eq!(desk.kifu(&["check", "games.agr"]).code, 0);
}

#[test]
fn what_cannot_be_played_is_said_at_once() {
    let desk = Desk::new();
    desk.put("off.txt", "0,0\n0,0, 9,9\n");
    desk.put("twice.txt", "h8i9h8");
    desk.put("over.txt", "h8a1i8a2j8a3k8a4l8");
    desk.put("two.txt", "h8i9");
    desk.put("none.txt", "# nothing\n");
    let random = engine("");
    for (engines, options, message) in [
        (["./nothere", &random], &[][..], "./nothere: it cannot be started: there is no program ./nothere"),
        ([&random, "'x"], &[], "the quote ' of `'x` has no end"),
        ([&random, &random], &["--games", "3"], "--games: each opening is played twice"),
        (
            [&random, &random],
            &["--turn", "99999999999999"],
            "--turn: `99999999999999` milliseconds are more than a year",
        ),
        ([&random, &random], &["--turn", "soon"], "--turn: `soon` is no time"),
        ([&random, &random], &["-j", "0"], "--threads: at least one game"),
        ([&random, &random], &["--nodes", "0"], "--nodes: 0 is not in 1.."),
        ([&random, &random], &["--nodes2", "0"], "--nodes2: 0 is not in 1.."),
        ([&random, &random], &["--sprt", "5", "5"], "--sprt: the second number has to be above the first"),
        ([&random, &random], &["--openings", "off.txt"], "off.txt: line 2: 9,9 from the centre is off the 15x15 board"),
        ([&random, &random], &["--openings", "twice.txt"], "twice.txt: line 1: this opening cannot be played: a stone"),
        (
            [&random, &random],
            &["--openings", "over.txt"],
            "over.txt: line 1: this opening cannot be played: the game is",
        ),
        ([&random, &random], &["--openings", "none.txt"], "none.txt: there is no opening"),
        (
            [&random, &random],
            &["--draw-after", "2", "--openings", "two.txt"],
            "--draw-after: the opening of line 1 has 2",
        ),
        ([&random, &random], &["--openings", "nothere.txt"], "nothere.txt: there is no such file"),
        ([&random, &random], &["--info", "x"], "--info: `x` is not KEY=VALUE"),
        ([&random, &random], &["-o", "x.foo"], "x.foo: its extension tells no format: name one with -t"),
        ([&random, &random], &["-o", "-", "-t", "sgf"], "-o: what is told goes to stdout"),
        ([&random, &random], &["-o", "x.agb"], "this is a book"),
    ] {
        let begun = Instant::now();
        let said = desk.kifu(&[&["match", "--rule", "freestyle", engines[0], engines[1]], options].concat());
        assert!(said.err.contains(message), "{message}: {}", said.err);
        assert_eq!((said.out.as_str(), said.code), ("", 2), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    let refused = play(&desk, "", "--refuse", &[]);
    assert!(refused.err.ends_with("it refused to start a game: ERROR no such board\n"), "{}", refused.err);
}

#[test]
fn openings_are_taken_in_turn_each_twice() {
    let desk = Desk::new();
    desk.put("openings.txt", "h8\r\n0,0, 1,1, 2,-2\r\n");
    let options = ["--games", "6", "--openings", "openings.txt", "--draw-after", "4", "-o", "games.agr"];
    let (_, games) = json_of(&desk, "", "--seed 2", &options);
    let numbers: Vec<usize> = games.iter().map(|game| game["moves"].as_array().unwrap().len()).collect();
    assert_eq!(numbers, [3, 3, 1, 1, 3, 3]);
    assert_eq!((&games[1]["opening"], &games[2]["opening"]), (&json!(["h8"]), &json!(["h8", "i7", "j10"])));
    let text = String::from_utf8(desk.read("games.agr")).unwrap();
    assert_eq!(text.matches("1. 78 89 3. 5A").count(), 2, "{text}");
}

/// Windows has no signals to send.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_match_and_keeps_what_was_played() {
    let desk = Desk::new();
    let words =
        ["match", "--rule", "freestyle", &engine("--late 20"), &engine(""), "-o", "games.sgf", "--draw-after", "9"];
    let child = desk.command(&[&words[..], &["-j", "2", "-v"]].concat()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let begun = Instant::now();
    let said = Said::of(child.wait_with_output().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!(said.code, 130);
    let games = said.err.lines().count();
    assert!(games >= 2 && games.is_multiple_of(2), "{games} games: {}", said.err);
    assert!(said.out.starts_with(&format!("random 1 (1) against random 1 (2): {games} games, ")), "{}", said.out);
    assert_eq!(desk.kifu(&["info", "--json", "games.sgf"]).json()[0]["records"], games);
}
