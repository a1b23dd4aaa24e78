//! `kifu position`: conversion, checks, turns, verdicts and counts.

mod support;

use support::{Desk, shared};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// The rook has checked from both sides twice.
const CHECKS: &str = "position fen 9/9/3k5/9/9/9/4R4/3A5/4K4/8r b - - 0 1 moves \
                      i0i1 e1e0 i1i0 e0e1 i0i1 e1e0 i1i0 e0e1 i0i1 e1e0";

/// What is printed of one position, where nothing is said beside.
#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let said = Desk::new().kifu(arguments);
    assert_eq!((said.err.as_str(), said.code), ("", 0), "{arguments:?}");
    said.out.trim_end().to_owned()
}

#[test]
fn positions_are_written_as_fen_ucci_and_uci() {
    let line = "position startpos moves h2e2 h9g7";
    let fen = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    assert_eq!(printed(&["position", line]), fen);
    assert_eq!(printed(&["position", "--to", "uci", line]), "position startpos moves h3e3 h10g8");
    assert_eq!(printed(&["position", "--to", "ucci", "position startpos moves h3e3 h10g8"]), line);
    assert_eq!(printed(&["position", "--to", "ucci", fen]), format!("position fen {fen}"));
    assert_eq!(printed(&["position", "--to", "ucci", START]), "position startpos");
    assert_eq!(printed(&["position", &START.replace('n', "h").replace(" w - - 0 1", " r")]), START);
    // Not quoted.
    assert_eq!(printed(&["position", "position", "startpos", "moves", "h2e2", "h9g7"]), fen);
    let words: Vec<&str> = ["position"].into_iter().chain(START.split(' ')).collect();
    assert_eq!(printed(&words), START);
    assert_eq!(printed(&["position", "--to", "ucci", "--banmoves", CHECKS]), CHECKS.to_owned() + "\nbanmoves i1i0");
}

#[test]
fn what_is_no_position_is_refused_with_its_place() {
    let desk = Desk::new();
    for (text, message) in [
        ("9/9/9 w", "3 ranks, ten are wanted at column 6"),
        ("startpos moves h2e2", "write `position` before `fen` or `startpos`"),
        (
            "position startpos moves h2e2 e2e9",
            "move 2 at column 30: `e2e9` (e2e9) cannot be played: the red cannon is not on move",
        ),
        ("foobar", "this is no FEN and no position of gomoku: "),
        ("", "this is no FEN and no position of gomoku: "),
        ("3k5/9/9/9/9/9/9/9/9/RRR1K4 w", "3 red rooks, at most 2 at column 23 (--lenient takes it, --check tells all)"),
    ] {
        let said = desk.kifu(&["position", "--rule", "xiangqi", text]);
        let said = if message.contains("gomoku") { desk.kifu(&["position", text]) } else { said };
        if text.is_empty() {
            // No moves are a board without stones.
            assert_eq!(said.code, 0);
            continue;
        }
        assert_eq!((said.out.as_str(), said.code), ("", 2), "{text}");
        assert!(said.err.starts_with(&format!("kifu: {message}")), "{text}: {}", said.err);
    }
    let said = desk.kifu(&["position", "--rule", "xiangqi", ""]);
    assert_eq!(said.err, "kifu: there is no FEN at column 1\n");
    let strict = desk.kifu(&["position", "--strict", &START.replace(" w ", " x ")]);
    assert_eq!(strict.err, "kifu: `x` is no side: taken for red's turn at column 61\n");
    let said = desk.kifu(&["position", &START.replace(" w ", " x ")]);
    assert_eq!((said.out.trim_end(), said.code), (START, 0));
    assert!(said.err.contains("`x` is no side"), "{}", said.err);
    let wild = "\u{1b}[2J/\u{1b}[2J";
    assert!(!desk.kifu(&["position", wild]).err.contains('\u{1b}'));
    assert!(!desk.kifu(&["position", "--check", wild]).out.contains('\u{1b}'));
}

#[test]
fn a_check_names_level_and_column() {
    let desk = Desk::new();
    let check = |text: &str| {
        let said = desk.kifu(&["position", "--check", text]);
        assert_eq!(said.err, "");
        (said.out.trim_end().to_owned(), said.code)
    };
    assert_eq!(check(START), ("valid".into(), 0));
    assert_eq!(
        check("4k4/9/9/9/9/9/9/9/9/3K5"),
        ("note: nothing says whose turn it is: taken for red's at column 24\nvalid".into(), 0)
    );
    assert_eq!(check("4k4/9"), ("syntax: 2 ranks, ten are wanted at column 6".into(), 1));
    assert_eq!(
        check("position fen 4k4/9/9/9/9/9/9/PPPPPP3/9/A3K4 w - - 0 1").0,
        "counts: 6 red pawns, at most 5 at column 38\n".to_owned()
            + &(0..6).map(|file| {
                format!("placement: the red pawn on {}2 stands where no pawn gets before it crosses the river at column {}\n", char::from(b'a' + file), 33 + file)
            }).collect::<String>()
            + "placement: the red advisor on a0 stands outside the five points of advisors at column 42\n"
            + "kings: the kings face each other with nothing between at column 15"
    );
    assert_eq!(
        check("4k4/9/9/9/4R4/9/9/9/9/3K5 w - - 0 1"),
        ("kings: black is in check but red is to move at column 2".into(), 1)
    );
    assert_eq!(check("h8i9").1, 0);
    assert_eq!(check("h8i99").1, 1);
}

#[test]
fn boards_are_turned_in_three_ways() {
    let fen = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 3 9";
    assert_eq!(printed(&["position", "--mirror", fen]), "4k4/9/9/9/9/9/9/9/9/5K2R w - - 3 9");
    assert_eq!(
        printed(&["position", "--lenient", "--swap-colours", "4k4/9/9/9/9/9/9/9/9/3K5 w"]).split(' ').nth(1),
        Some("b")
    );
    let both = printed(&["position", "--rotate", "--swap-colours", fen]);
    assert_eq!(both, "5k2r/9/9/9/9/9/9/9/9/4K4 b - - 3 9");
    assert_eq!(printed(&["position", "--rotate", "--swap-colours", &both]), fen);
    // A board that stands on its head is put right.
    let turned = "RNBAKABNR/9/1C5C1/P1P1P1P1P/9/9/p1p1p1p1p/1c5c1/9/rnbakabnr w - - 0 1";
    assert_eq!(printed(&["position", "--rotate", turned]), START);
    let line = "position startpos moves h2e2 h9g7";
    assert_eq!(printed(&["position", "--mirror", "--to", "ucci", line]), "position startpos moves b2e2 b9c7");
    let other = printed(&["position", "--rotate", "--swap-colours", "--to", "ucci", line]);
    assert_eq!(other, format!("position fen {} moves b7e7 b0c2", START.replace(" w ", " b ")));
    assert_eq!(Desk::new().kifu(&["position", "--rotate", "--to", "ucci", line]).code, 2);
}

#[test]
fn histories_are_judged() {
    let answer = &Desk::new().kifu(&["position", "--json", CHECKS]).json()[0];
    assert_eq!(answer["input"], CHECKS);
    assert_eq!(answer["fen"], "9/9/3k5/9/9/9/4R4/3A5/8r/4K4 b - - 10 6");
    assert_eq!((&answer["side"], &answer["legal"], &answer["check"]), (&"black".into(), &true.into(), &false.into()));
    assert_eq!((&answer["ply"], &answer["occurrences"]), (&10.into(), &3.into()));
    assert_eq!((&answer["verdict"], &answer["winner"]), (&"black loses: perpetual check".into(), &"red".into()));
    assert_eq!(answer["loses_now"], serde_json::json!(["i1i0"]));
    let plies: Vec<i64> = answer["met"].as_array().unwrap().iter().map(|met| met["ply"].as_i64().unwrap()).collect();
    assert_eq!(plies, [8, 9, 10]);
    let free =
        &Desk::new().kifu(&["position", "--json", "position fen 9/9/3k5/9/9/9/4R4/3A5/8r/4K4 b - - 0 1"]).json()[0];
    assert_eq!((&free["verdict"], &free["occurrences"]), (&"none".into(), &1.into()));
    assert_eq!(free["loses_now"], serde_json::json!([]));
    assert_eq!(
        printed(&["position", "--judge", CHECKS]),
        "black loses: perpetual check; occurrence 3; before: black loses: perpetual check at ply 8, \
         black loses: perpetual check at ply 9; would lose: i1i0"
    );
    assert_eq!(printed(&["position", "--judge", "--fold", "4", CHECKS]), "the game goes on; occurrence 3");
    assert_eq!(
        printed(&["position", "--judge", "--count-root", "no", CHECKS]),
        "black loses: perpetual check; occurrence 3; before: black loses: perpetual check at ply 9; would lose: i1i0"
    );
    let limit = "4k4/9/9/9/4P4/9/9/9/9/R3K4 w - - 119 100";
    let after = format!("position fen {limit} moves a0a1");
    assert_eq!(printed(&["position", "--judge", limit]), "the game goes on");
    assert_eq!(printed(&["position", "--judge", &after]), "draw: natural limit");
    assert_eq!(printed(&["position", "--judge", "--limit", "off", &after]), "the game goes on");
    assert_eq!(printed(&["position", "--judge", "3k5/9/9/9/9/9/9/9/3p1p3/4K4 w"]), "red loses: stalemate");
    let illegal = Desk::new().kifu(&["position", "--json", "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1"]);
    assert_eq!((illegal.code, &illegal.json()[0]["legal"]), (1, &false.into()));
}

#[test]
fn sequences_of_moves_are_counted() {
    assert_eq!(printed(&["position", "--perft", "3", "position startpos"]), "79666");
    assert_eq!(printed(&["position", "--perft", "5", "4k4/9/9/9/9/9/9/4n4/3A5/3K5 w - - 0 1", "--lenient"]), "175");
    assert_eq!(Desk::new().kifu(&["position", "--perft", "2", "h8"]).code, 2);
}

#[test]
fn positions_on_stdin_are_answered_in_their_order() {
    let desk = Desk::new();
    let lines: Vec<String> =
        (0..500).map(|number| format!("{} w - - {number} 1", START.split(' ').next().unwrap())).collect();
    let said = desk.pipe(&["position", "-j", "4", "-"], lines.join("\r\n").as_bytes());
    assert_eq!((said.err.as_str(), said.code), ("", 0));
    assert!(said.out.lines().eq(lines.iter().map(String::as_str)));
    let said = desk.pipe(&["position", "-"], format!("9/9\n{START}\nh8\n").as_bytes());
    assert_eq!(said.code, 2);
    assert_eq!(said.out.lines().next(), Some(START));
    assert_eq!(said.err, "kifu: stdin: line 1: 2 ranks, ten are wanted at column 4\n");
    let said = desk.kifu(&["position", "9/9", START]);
    assert_eq!((said.out.trim_end(), said.code), (START, 2));
}

#[test]
fn positions_of_gomoku_are_described() {
    let desk = Desk::new();
    let answer = &desk.kifu(&["position", "--json", "--rule", "freestyle", "h8a1i8a2j8a3k8a4l8"]).json()[0];
    assert_eq!((&answer["side"], &answer["ply"], &answer["winner"]), (&"white".into(), &9.into(), &"black".into()));
    let canonical = |text: &str| desk.kifu(&["position", "--json", text]).json()[0]["canonical"].clone();
    assert_eq!(canonical("h8h9"), canonical("h8i8"));
    assert_ne!(canonical("h8h9"), canonical("h8i9"));
    assert_eq!(desk.kifu(&["position", "--json", "h8"]).json()[0]["winner"], serde_json::Value::Null);
    let board = printed(&["position", "h8h9"]);
    assert_eq!(printed(&["position", &board]), board);
    assert!(board.starts_with("board:") && board.ends_with(" turn:X"));
}

#[test]
fn every_row_of_the_acceptance_table_has_its_exit_code() {
    let Some(path) = shared("cases/XQ-FEN/fen_cases.tsv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let desk = Desk::new();
    for row in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let row: Vec<&str> = row.split('\t').collect();
        let said = desk.kifu(&["position", "--rule", "xiangqi", row[1]]);
        let wanted = if ["ok", "warn"].contains(&row[2]) { 0 } else { 2 };
        assert_eq!(said.code, wanted, "{}: {}", row[0], said.err);
        assert!(row[2] != "warn" || !said.err.is_empty(), "{}", row[0]);
    }
}
