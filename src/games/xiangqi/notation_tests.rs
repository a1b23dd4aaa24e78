//! Moves as others write them.

use super::notation::{NotationError, Sight, Style, read, write};
use super::tests::board;
use super::*;
use crate::Step;
use crate::gomoku::samples::shared;

const STYLES: [Style; 5] = [Style::Iccs, Style::Uci10, Style::Wxf, Style::Chinese, Style::ChineseTraditional];

fn iccs(board: &Board, text: &str) -> Step {
    read(board, text, Some(Style::Iccs)).unwrap()
}

/// The columns of a table without its comments and its first line.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split('\t').collect())
}

#[test]
fn published_games_are_read_and_written_in_three_notations() {
    let Some(text) = shared("data/xiangqi/notation/iccs_chinese_wxf.tsv") else { return };
    let mut plies = 0;
    for row in rows(&text) {
        let [game, ply, fen, points, chinese, wxf] = row[..] else { panic!("{row:?}") };
        let board = board(fen);
        let step = iccs(&board, points);
        for (text, style) in [(points, Style::Iccs), (wxf, Style::Wxf), (chinese, Style::Chinese)] {
            if (game, ply, style) == ("1", "70", Style::Chinese) {
                // The published text names the rear pawn, the points the front one.
                assert_eq!((chinese, points), ("后兵进一", "e5e6"));
                assert_eq!(read(&board, chinese, None), Ok(iccs(&board, "e3e4")));
                assert_eq!(write(&board, step, style), "前兵进一");
                continue;
            }
            assert_eq!(read(&board, text, Some(style)), Ok(step), "{text} in {fen}");
            assert_eq!(read(&board, text, None), Ok(step), "{text} by sight in {fen}");
            assert_eq!(write(&board, step, style), text, "in {fen}");
        }
        plies += 1;
    }
    assert_eq!(plies, 1378);
}

#[test]
fn wxf_of_doubled_pieces() {
    if let Some(text) = shared("cases/XQ-NOT/wxf_facts.tsv") {
        let mut count = 0;
        for row in rows(&text) {
            let board = board(row[0]);
            let step = iccs(&board, row[1]);
            assert_eq!(write(&board, step, Style::Wxf), row[2], "{row:?}");
            assert_eq!(read(&board, row[2], None), Ok(step), "{row:?}");
            count += 1;
        }
        assert_eq!(count, 66);
    }
    let Some(text) = shared("data/xiangqi/notation/wxf_special.json") else { return };
    let cases: serde_json::Value = serde_json::from_str(&text).unwrap();
    for case in cases.as_array().unwrap() {
        let text = |key: &str| case[key].as_str().unwrap();
        let board = board(text("fen"));
        let step = iccs(&board, text("iccs"));
        let spellings: Vec<&str> = text("wxf").split(['(', ')', ' ']).filter(|word| !word.is_empty()).collect();
        for spelling in &spellings {
            assert_eq!(read(&board, spelling, None), Ok(step), "{case}");
        }
        assert_eq!(write(&board, step, Style::Wxf), *spellings.last().unwrap());
    }
}

/// Every legal move of positions with pieces on one file, in every notation there and back.
#[test]
fn every_move_is_read_as_it_is_written() {
    for fen in [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        "4k4/9/2P1P4/2P1P4/9/9/9/9/9/3K5 w - - 0 1",
        "4k4/9/4P4/4P4/4P4/9/9/9/9/3K5 w - - 0 1",
        "4k4/4P4/4P4/4P4/4P4/9/4P4/9/9/3K5 w - - 0 1",
        "4k4/9/4P4/4P4/4P4/2P6/2P6/9/9/3K5 w - - 0 1",
        "3k5/9/9/9/9/2p1p4/2p1p4/2p6/9/5K3 b - - 0 1",
        "3k1a3/9/3a1c3/2b2c3/9/2b2n3/5n3/9/9/4K4 b - - 0 1",
        "3k5/4R4/9/4C4/9/2B1C4/9/3A5/4R4/2BA1K3 w - - 0 1",
    ] {
        let board = board(fen);
        for step in board.moves() {
            for style in STYLES {
                let text = write(&board, step, style);
                assert_eq!(read(&board, &text, Some(style)), Ok(step), "{text} in {fen}");
            }
        }
    }
}

#[test]
fn all_spellings_of_a_move_are_one() {
    let two = board("3k5/9/9/4C4/9/4C4/9/9/9/5K3 w - - 0 1");
    for text in [
        "C+-1",
        "+C-1",
        "fC-1",
        "c+-1",
        "前炮退一",
        "前砲退1",
        "前炮五退一",
        "前包退１",
        "6+-1",
        "Ｃ＋－１",
        " 前 炮退一!?",
    ] {
        assert_eq!(read(&two, text, None), Ok(iccs(&two, "e6e5")), "{text}");
    }
    let start = Board::start();
    for text in [
        "C2=5",
        "c2.5",
        "C2:5",
        "Ｃ２＝５",
        "62=5",
        "炮二平五",
        "炮2平5",
        "炮８平五",
        "h2e2",
        "H2-E2",
        "h2-e2",
        "H2—E2",
    ] {
        let wanted = if text == "炮８平五" { "b2e2" } else { "h2e2" };
        assert_eq!(read(&start, text, None), Ok(iccs(&start, wanted)), "{text}");
    }
    assert_eq!(read(&start, "h3e3", Some(Style::Uci10)), Ok(iccs(&start, "h2e2")));
    let pawns = board("4k4/9/2P1P4/2P1P4/9/9/9/9/9/3K5 w - - 0 1");
    for text in ["三兵平六", "前七平六", "前兵七平六", "17=6", "Pc=6", "pc.6"] {
        assert_eq!(read(&pawns, text, None), Ok(iccs(&pawns, "c7d7")), "{text}");
    }
    let three = board("4k4/9/4P4/4P4/4P4/9/9/9/9/3K5 w - - 0 1");
    for text in ["中兵平六", "二兵平六", "25=6", "P.=6", "P==6", "中兵五平六", "Pb=6"] {
        assert_eq!(read(&three, text, None), Ok(iccs(&three, "e6d6")), "{text}");
    }
}

/// As playOK writes: Black in lower case, dots for sideways.
#[test]
fn a_game_of_playok_is_read() {
    let mut board = Board::start();
    let moves = [("C2.5", "h2e2"), ("h8+7", "h9g7"), ("H2+3", "h0g2"), ("r9.8", "i9h9"), ("R1.2", "i0h0")];
    for (text, points) in moves {
        let step = read(&board, text, None).unwrap();
        assert_eq!(step, iccs(&board, points), "{text}");
        board.play_unchecked(step);
    }
}

#[test]
fn a_text_that_fits_two_moves_names_both() {
    let pawns = board("4k4/9/2P1P4/2P1P4/9/9/9/9/9/3K5 w - - 0 1");
    let error = read(&pawns, "前兵进一", None).unwrap_err();
    assert_eq!(error.to_string(), "`前兵进一` may be c7c8 or e7e8");
    let start = Board::start();
    for (text, message) in [
        ("兵三进二", "`兵三进二` (g3g5) cannot be played: the red pawn does not go there"),
        ("a0a0", "`a0a0` (a0a0) cannot be played: the red rook does not go there"),
        ("h9g7", "`h9g7` (h9g7) cannot be played: the black horse is not on move"),
        ("e5e6", "`e5e6` (e5e6) cannot be played: nothing stands there"),
        ("前炮平五", "`前炮平五` cannot be played: no piece does that"),
        ("x\u{1b}[2J", "`x\\u{1b}[2J` is no move"),
        ("马走日", "`马走日` is no move"),
        ("", "`` is no move"),
    ] {
        assert_eq!(read(&start, text, None).unwrap_err().to_string(), message);
    }
    let pinned = board("4k4/4r4/9/9/9/9/9/4N4/9/4K4 w - - 0 1");
    let error = read(&pinned, "马五进四", None).unwrap_err();
    assert!(matches!(error, NotationError::Illegal { why: Some((_, PlayError::KingLeft(_))), .. }), "{error}");
}

#[test]
fn the_ranks_of_a_whole_text_tell_where_they_begin() {
    let sight = |texts: &[&str]| {
        let mut sight = Sight::default();
        texts.iter().for_each(|text| sight.see(text));
        sight
    };
    assert_eq!(sight(&[]).style(), Ok(None));
    assert_eq!(sight(&["h2e2", "h9g7", "h0g2"]).style(), Ok(Some(Style::Iccs)));
    assert_eq!(sight(&["h3e3", "h10g8", "h1g3"]).style(), Ok(Some(Style::Uci10)));
    assert!(!sight(&["h3e3", "h8e8"]).is_sure());
    assert_eq!(sight(&["1-0", "1/2-1/2", "e4", "*", "", "de4"]).style(), Ok(None));
    assert_eq!(sight(&["Che2", "e4", "A9e8"]).style(), Ok(Some(Style::San)));
    // Points in capitals and not, as long as nothing else is there.
    assert_eq!(sight(&["A9e8", "A0-E1"]).style(), Ok(Some(Style::Iccs)));
    assert_eq!(sight(&["A9e8", "H3e3", "B10c8"]).style(), Ok(Some(Style::Uci10)));
    assert!(sight(&["Che2", "h9g7"]).style().is_err() && sight(&["Che2", "C2=5"]).style().is_err());
    assert!(sight(&["h2e2", "h9g7", "h0g2", "b10c8"]).style().unwrap_err().to_string().contains("two notations"));
    assert_eq!(sight(&["炮二平五", "马8进7"]).style(), Ok(Some(Style::Chinese)));
    assert_eq!(sight(&["炮二平五", "馬8進7"]).style(), Ok(Some(Style::ChineseTraditional)));
    assert_eq!(sight(&["C2=5", "h8+7"]).style(), Ok(Some(Style::Wxf)));
    assert!(sight(&["C2=5", "h9g7"]).style().is_err());
}

/// All texts that can stand for a move: the letter and any part of the point it comes from that leaves no other.
#[test]
fn san_is_what_names_one_legal_move() {
    for fen in [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1",
        "3k5/4a4/3a5/1N3N3/1PP1P4/1N3N3/4P4/R8/3C1C3/R4K3 w - - 0 1",
        "4k4/4r4/2n6/4n4/4p1p2/4P4/9/4B4/9/2B1K4 b - - 0 1",
    ] {
        let board = board(fen);
        let moves: Vec<Step> = board.moves().collect();
        for step in &moves {
            let kind = board.piece(step.from).unwrap().kind;
            let [from_file, from_rank, to_file, to_rank] = {
                let text: Vec<char> = step.to_string().chars().collect();
                [text[0], text[1], text[2], text[3]]
            };
            for (file, rank) in [(false, false), (true, false), (false, true), (true, true)] {
                let fits = |other: &&Step| {
                    board.piece(other.from).unwrap().kind == kind
                        && other.to == step.to
                        && (!file || other.from.x() == step.from.x())
                        && (!rank || other.from.y() == step.from.y())
                };
                let all: Vec<Step> = moves.iter().filter(fits).copied().collect();
                let from = format!(
                    "{}{}",
                    if file { from_file.to_string() } else { String::new() },
                    if rank { from_rank.to_string() } else { String::new() }
                );
                let letter = kind.letter();
                let mut texts: Vec<String> =
                    ["", "x", "-"].iter().map(|sign| format!("{letter}{from}{sign}{to_file}{to_rank}+")).collect();
                if kind == Kind::Pawn {
                    texts.push(format!("{from}{to_file}{to_rank}!"));
                }
                for text in texts {
                    let found = read(&board, &text, Some(Style::San));
                    match &all[..] {
                        [only] => assert_eq!(found, Ok(*only), "{text} in {fen}"),
                        [one, other, ..] => {
                            assert_eq!(found, Err(NotationError::Ambiguous { text, steps: [*one, *other] }), "{fen}");
                        }
                        [] => unreachable!("the move itself fits"),
                    }
                }
            }
        }
    }
    let start = Board::start();
    for (text, message) in [
        ("Hg7", "`Hg7` cannot be played: no piece does that"),
        ("Kd1", "`Kd1` (e0d1) cannot be played: the red king does not go there"),
        ("Qe2", "`Qe2` is no move"),
        ("Che", "`Che` is no move"),
        ("Ch22e2", "`Ch22e2` is no move"),
        ("CHE2", "`CHE2` is no move"),
        ("Hd3", "`Hd3` cannot be played: no piece does that"),
    ] {
        assert_eq!(read(&start, text, Some(Style::San)).unwrap_err().to_string(), message);
    }
    let error = read(&board("4k4/9/9/9/1N3N3/9/9/9/9/3K5 w"), "Hd6", None).unwrap_err();
    assert_eq!(error.to_string(), "`Hd6` may be b5d6 or f5d6");
    assert_eq!(read(&start, "Che2", None).map(|step| step.to_string()), Ok("h2e2".into()));
}

/// Texts of all signs that moves are made of must never panic.
#[test]
fn nonsense_is_refused_politely() {
    let mut random = crate::gomoku::samples::Random(11);
    let signs: Vec<char> =
        "abcdefghipkrnmsCHE0123456789+-=.前中后一二三九兵卒炮车马平进退１９\u{7}🀄 ".chars().collect();
    let boards = [Board::start(), Board::empty(), board("3k5/9/9/9/9/2p1p4/2p1p4/2p6/9/5K3 b - - 0 1")];
    let mut read_well = 0;
    for _ in 0..50_000 {
        let text: String = (0..random.below(7)).map(|_| signs[random.below(signs.len() as u64) as usize]).collect();
        for board in &boards {
            for style in STYLES.map(Some).into_iter().chain([None]) {
                match read(board, &text, style) {
                    Ok(step) => {
                        assert!(board.is_legal(step));
                        read_well += 1;
                    }
                    Err(error) => assert!(!error.to_string().contains('\u{7}')),
                }
            }
        }
    }
    assert!(read_well > 0);
}
