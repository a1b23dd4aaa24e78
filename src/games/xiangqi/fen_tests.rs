//! Positions as others write them.

use super::notation::Style;
use super::*;
use crate::gomoku::samples::shared;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

fn read(text: &str) -> Result<(History, Vec<Remark>), HistoryError> {
    History::read(text, FenOptions::default(), None)
}

/// What a text is taken for, or why it is refused: a fault of the board counts as a refusal.
fn judged(text: &str) -> Result<(String, Vec<String>), String> {
    let (history, remarks) = read(text).map_err(|error| error.to_string())?;
    if let Some(fault) = history.start.board.faults().first() {
        let column = fault.point().and_then(|point| Fen::column(text, point));
        return Err(column.map_or(fault.to_string(), |column| format!("{fault} at column {column}")));
    }
    Ok((history.end().to_string(), remarks.iter().map(Remark::to_string).collect()))
}

#[test]
fn the_acceptance_table_is_met() {
    let Some(text) = shared("cases/XQ-FEN/fen_cases.tsv") else { return };
    // Why each refused text is refused, and what is remarked on others.
    let told = [
        ("board only", "nothing says whose turn it is: taken for red's at column 60"),
        ("side x", "`x` is no side: taken for red's turn at column 61"),
        ("M and X (other spellings)", "`m` is no piece: write K A B N R C P at column 2"),
        ("trailing space", "no number of the move: taken for 1 at column 68"),
        ("nine rows", "9 ranks, ten are wanted at column 58"),
        ("row too wide", "rank 4 from the top has 10 files, nine are wanted at column 29"),
        ("row too short", "rank 2 from the top has 8 files, nine are wanted at column 12"),
        ("digit zero", "`0` empty points at column 11"),
        ("no red king", "the red king is missing"),
        ("two red kings", "2 red kings, at most 1 at column 24"),
        ("kings face, red to move", "the kings face each other with nothing between at column 2"),
        ("king outside palace", "the red king on a0 stands outside its palace at column 21"),
        ("advisor outside", "the red advisor on a2 stands outside the five points of advisors at column 17"),
        (
            "advisor on bad palace point",
            "the red advisor on d1 stands outside the five points of advisors at column 20",
        ),
        ("elephant over river", "the red elephant on c6 stands over the river at column 10"),
        ("elephant on bad point", "the red elephant on a1 stands outside the seven points of elephants at column 19"),
        (
            "pawn behind its start",
            "the red pawn on a0 stands where no pawn gets before it crosses the river at column 21",
        ),
        (
            "pawn on wrong file before river",
            "the red pawn on b3 stands where no pawn gets before it crosses the river at column 16",
        ),
        ("six pawns", "6 red pawns, at most 5 at column 14"),
        ("three rooks", "3 red rooks, at most 2 at column 23"),
        ("opponent in check", "black is in check but red is to move at column 2"),
        (
            "flipped board (red on top)",
            "the kings stand in each other's palaces: the board looks turned round (see rotate)",
        ),
        ("not a FEN", "this is no FEN: ten ranks are divided by `/` at column 1"),
        ("empty", "there is no FEN at column 1"),
    ];
    let mut rows = 0;
    for row in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let row: Vec<&str> = row.split('\t').collect();
        let (name, fen, want) = (row[0], row[1], row[2]);
        let told = told.iter().find(|(of, _)| *of == name).map(|(_, told)| *told);
        match judged(fen) {
            Ok((_, remarks)) => {
                assert!(want == "ok" || want == "warn", "{name}");
                assert!(want != "warn" || !remarks.is_empty(), "{name}");
                assert_eq!(remarks.first().map(String::as_str), told, "{name}");
            }
            Err(why) => {
                assert!(want == "error" || want == "decide", "{name}: {why}");
                assert_eq!(Some(why.as_str()), told, "{name}");
            }
        }
        rows += 1;
    }
    assert_eq!(rows, 34);
    assert_eq!(judged(&format!("{START} moves h2e2 h9g7")).unwrap().0.split(' ').nth(1), Some("w"));
}

#[test]
fn every_spelling_of_the_start_is_the_start() {
    let board = START.split(' ').next().unwrap();
    let spelled = [
        (format!("{board} r - - 0 1"), None),
        (format!("{board} R - - 0 1"), None),
        (format!("{board} W - - 0 1"), None),
        (board.to_owned(), Some("nothing says whose turn it is: taken for red's at column 60")),
        (format!("{board} w"), None),
        (format!("{board} w - -"), None),
        (format!("{board} w - - 0"), Some("no number of the move: taken for 1 at column 68")),
        (START.replace('n', "h").replace('b', "e").replace('N', "H").replace('B', "E"), None),
        (
            START.replacen("/9/", "/45/", 1),
            Some("two numbers of empty points side by side: they are added at column 12"),
        ),
        (
            START.replacen("/9/", "/18/", 1),
            Some("two numbers of empty points side by side: they are added at column 12"),
        ),
        (START.replace(' ', "_"), None),
        (START.replace(' ', "%20"), None),
        (format!("{board} w KQkq e3 0 1"), Some("`KQkq` means nothing in xiangqi, where `-` stands at column 63")),
        (format!("{board} w - - 0 0"), Some("the first move has number 1, not 0 at column 69")),
        (format!("{board} w - - x 1"), Some("`x` is no number: taken for none at column 67")),
        (format!("{board} w - - 0 1 more"), Some("`more` after the sixth field at column 71")),
        (format!("\u{3000} {board}   w\t- - 0 1\r\n"), None),
    ];
    for (text, told) in spelled {
        let (fen, remarks) = judged(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
        let wanted = if text.ends_with(" 0 0") { START.replace(" 0 1", " 0 0") } else { START.into() };
        assert_eq!(fen, wanted, "{text}");
        assert_eq!(remarks.first().map(String::as_str), told, "{text}");
    }
    assert_eq!(judged(&format!("{board} B")).unwrap().0, START.replace(" w ", " b "));
    assert_eq!(judged(&format!("{board} w - - 120 61")).unwrap().0, format!("{board} w - - 120 61"));
}

#[test]
fn a_strict_reader_forgives_only_what_is_missing() {
    let strict = FenOptions { strict: true, ..FenOptions::default() };
    let board = START.split(' ').next().unwrap();
    for good in [START, board, &format!("{board} r"), &format!("{board} B"), &format!("{board} w - - 0")] {
        assert!(Fen::read(good, strict).is_ok(), "{good}");
    }
    for bad in ["x", "g - - 0 1", "w - - - 1", "w KQ - 0 1", "w - - 0 0", "w - - 0 1 z"] {
        assert!(Fen::read(&format!("{board} {bad}"), strict).is_err(), "{bad}");
        assert!(!Fen::read(&format!("{board} {bad}"), FenOptions::default()).unwrap().1.is_empty(), "{bad}");
    }
    assert!(Fen::read(&START.replacen("/9/", "/45/", 1), strict).is_err());
}

#[test]
fn letters_of_other_programs_are_taken_on_request() {
    let text = "rnmgkgmnr/9/1c5c1/s1s1s1s1s/9/9/S1S1S1S1S/1C5C1/9/RNMGKGMNR w - - 0 1";
    assert!(matches!(Fen::read(text, FenOptions::default()), Err(Remark { column: 3, what: What::Letter('m') })));
    let (fen, remarks) = Fen::read(text, FenOptions { other_letters: true, ..FenOptions::default() }).unwrap();
    assert_eq!((fen.to_string().as_str(), remarks.len()), (START, 18));
    let hidden = Fen::read("xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w", FenOptions::default());
    assert!(matches!(hidden, Err(Remark { column: 1, what: What::Hidden })));
}

#[test]
fn every_prefix_of_a_line_is_read_or_refused() {
    let line = "position fen 9/9/3k5/9/9/9/4R4/3A5/8r/4K4 b - - 0 1 moves i1i0 e0e1 i0i1 e1e0";
    for end in 0..line.len() {
        for text in [line[..end].to_owned(), line[..end].replace('/', "马"), line[end..].to_owned()] {
            if let Err(error) = read(&text) {
                assert!(error.column() <= text.chars().count() + 1, "{error} in {text}");
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn three_operations_are_each_their_own_inverse() {
    let fen = |board: &Board| Fen::from(board.clone()).to_string();
    let board = read("4k4/9/9/9/9/9/9/9/9/R3K4 w").unwrap().0.start.board;
    assert_eq!(fen(&board.mirror()), "4k4/9/9/9/9/9/9/9/9/4K3R w - - 0 1");
    assert_eq!(fen(&board.rotate()), "4K3R/9/9/9/9/9/9/9/9/4k4 w - - 0 1");
    assert_eq!(fen(&board.swap_colours()), "4K4/9/9/9/9/9/9/9/9/r3k4 b - - 0 1");
    for operation in [Board::mirror, Board::rotate, Board::swap_colours] {
        assert_eq!(operation(&operation(&board)), board);
        assert_ne!(operation(&board), board);
    }
    // Turned and with the other colours it is the same game for the other side.
    let start = Board::start();
    let turned = start.rotate().swap_colours();
    assert_eq!(turned.perft(3), start.perft(3));
    assert_eq!(start.mirror(), start);
}

#[test]
fn lines_of_ucci_and_uci_are_read_and_written() {
    let line = "position startpos moves h2e2 h9g7";
    let (history, _) = read(line).unwrap();
    assert_eq!(history.line(Style::Iccs), line);
    assert_eq!(history.line(Style::Uci10), "position startpos moves h3e3 h10g8");
    let (same, _) = read(&history.line(Style::Uci10)).unwrap();
    assert_eq!(same, history);
    assert_eq!(history.end().to_string(), "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2");
    // Where no rank is 0 or 10, legality tells.
    assert_eq!(
        read("position startpos moves h3e3 h8e8").unwrap().0.moves,
        read("position startpos moves h2e2 h7e7").unwrap().0.moves
    );
    let both = "position fen 3k5/9/9/9/9/9/9/3p5/R8/R3K4 w - - 0 1 moves a1b1";
    assert!(matches!(read(both), Err(HistoryError::TwoWays { .. })));
    assert!(History::read(both, FenOptions::default(), Some(Style::Uci10)).is_ok());
    assert_eq!(read("position startpos").unwrap().0, Fen::start().into());
    assert_eq!(read(&format!("position fen {START}")).unwrap().0, Fen::start().into());
}

#[test]
fn the_writer_begins_after_the_last_capture() {
    let (history, _) = read("position startpos moves h2e2 h9g7 e2e6 a9a8 h0g2 i9h9").unwrap();
    assert_eq!(
        history.line(Style::Iccs),
        "position fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2 moves a9a8 h0g2 i9h9"
    );
    let (cut, _) = read(&history.line(Style::Iccs)).unwrap();
    assert_eq!(cut.end(), history.end());
}

#[test]
fn what_is_wrong_with_a_line_is_named_with_its_place() {
    for (line, message) in [
        (
            "position startpos moves h2e2 e2e9",
            "move 2 at column 30: `e2e9` (e2e9) cannot be played: the red cannon is not on move",
        ),
        ("startpos moves h2e2", "write `position` before `fen` or `startpos`"),
        ("fen 4k4/9/9/9/9/9/9/9/9/R3K4 w", "write `position` before `fen` or `startpos`"),
        ("position", "`position` is followed by `fen` or `startpos`, not by what is at column 9"),
        (
            "position 4k4/9/9/9/9/9/9/9/9/R3K4 w",
            "`position` is followed by `fen` or `startpos`, not by what is at column 10",
        ),
        ("position startpos h2e2", "`h2e2` at column 19 is not `moves`"),
        ("position fen 4k4/9/9/9/9/9/9/9/R3K4 w", "9 ranks, ten are wanted at column 36"),
        ("position fen", "there is no FEN at column 13"),
        (
            "position startpos moves h2e2 h10g8",
            "move 1 at column 25: `h2e2` (h1e1) cannot be played: nothing stands there",
        ),
        (
            "position startpos moves h2e2 h0g2 h10g8",
            "moves in two notations, ICCS (ranks from 0) and UCI (ranks to 10) after column 25",
        ),
    ] {
        assert_eq!(read(line).unwrap_err().to_string(), message, "{line}");
    }
    // The position after the moves, and the same moves again.
    let line = format!("position fen {} moves h2e2 h9g7", read("position startpos moves h2e2 h9g7").unwrap().0.end());
    assert!(read(&line).unwrap_err().to_string().starts_with("move 1 at column"));
}
