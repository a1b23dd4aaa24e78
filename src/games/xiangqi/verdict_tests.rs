//! What ends games, against histories that others have judged.

use super::*;
use crate::Side;
use crate::gomoku::samples::shared;
use serde_json::Value;

fn history(fen: &str, moves: &[&str]) -> History {
    let line = format!("position fen {fen} moves {}", moves.join(" "));
    History::read(&line, FenOptions::default(), Some(notation::Style::Iccs)).unwrap().0
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "none",
        Verdict::Loss(Side::First, _) => "black",
        Verdict::Loss(Side::Second, _) => "red",
        Verdict::Draw(_) => "draw",
        Verdict::ChaseNotJudged => "chase-not-judged",
    }
}

#[test]
fn published_histories_are_judged_as_published() {
    let Some(text) = shared("data/xiangqi/rules/rules.json") else { return };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let (mut plain, mut chases, mut right, mut open) = (0, 0, 0, 0);
    for case in cases.as_array().unwrap() {
        let texts = |key: &str| -> Option<Vec<&str>> {
            Some(case.get(key)?.as_array()?.iter().map(|text| text.as_str().unwrap()).collect())
        };
        let moves = texts("moves_3fold").or_else(|| texts("moves")).unwrap();
        let judgement = history(case["fen"].as_str().unwrap(), &moves).judge(&Judging::default());
        let (id, wanted) = (case["id"].as_str().unwrap(), case["expected_winner"].as_str().unwrap());
        let verdict = word(judgement.verdict);
        if case.get("suspect").is_some() || wanted == "unspecified" {
            continue;
        }
        if case["needs_chase_rules"] == true {
            chases += 1;
            right += usize::from(verdict == wanted);
            open += usize::from(judgement.verdict == Verdict::ChaseNotJudged);
            let is_other = verdict != wanted && judgement.verdict != Verdict::ChaseNotJudged;
            // The Chinese rules forbid what the Asian rules allow.
            assert_eq!(is_other, id == "ucci-ban-1999-fig3", "{id}: {verdict}, not {wanted}");
        } else {
            plain += 1;
            assert_eq!(verdict, wanted, "{id}");
        }
    }
    println!("{plain} without chases, all right; of {chases} with chases {right} right, {open} not judged");
    assert_eq!((plain, chases, right, open), (98, 126, 120, 5));
}

/// The example that the project was founded on.
#[test]
fn a_rook_that_checks_for_ever_loses() {
    let moves = ["i0i1", "e1e0", "i1i0", "e0e1", "i0i1", "e1e0", "i1i0", "e0e1", "i0i1", "e1e0"];
    let fen = "9/9/3k5/9/9/9/4R4/3A5/4K4/8r b - - 0 1";
    let judge = |plies: usize| history(fen, &moves[..plies]).judge(&Judging::default());
    let lost = Verdict::Loss(Side::Second, Loss::PerpetualCheck);
    let losing = |plies| judge(plies).loses_now.into_iter().map(step).collect::<Vec<_>>();
    for plies in 0..8 {
        assert_eq!((judge(plies).verdict, judge(plies).met), (Verdict::None, vec![]), "{plies}");
    }
    assert_eq!(judge(10).met, [(8, lost), (9, lost), (10, lost)]);
    assert_eq!(judge(8).occurrences, 3);
    assert_eq!(losing(10), ["i1i0"]);
    // White has one reply, which completes the cycle.
    assert_eq!(losing(6), ["i1i0"]);
    assert_eq!(losing(4), <[&str; 0]>::default());
    // The same board by another way: the check is legal and loses nothing.
    let free = history("9/9/3k5/9/9/9/4R4/3A5/8r/4K4 b - - 0 1", &[]).judge(&Judging::default());
    assert_eq!((free.verdict, free.loses_now, free.occurrences), (Verdict::None, vec![], 1));
    let later = Judging { counts_start: false, ..Judging::default() };
    assert_eq!(history(fen, &moves[..8]).judge(&later).verdict, Verdict::None);
    assert_eq!(history(fen, &moves).judge(&later).met, [(9, lost), (10, lost)]);
    let fourth = Judging { fold: 4, ..Judging::default() };
    assert_eq!(history(fen, &moves).judge(&fourth).verdict, Verdict::None);
}

fn step(step: crate::Step) -> String {
    notation::write(&Board::empty(), step, notation::Style::Iccs)
}

#[test]
fn the_natural_limit_counts_checks_as_it_is_told() {
    let fen = "3k5/9/9/9/9/9/9/9/1R7/R3K4 w - - 119 100";
    let judge = |moves: &[&str], judging: &Judging| history(fen, moves).judge(judging).verdict;
    let none = Judging { checks: Checks::None, ..Judging::default() };
    let limit = Verdict::Draw(Draw::Limit);
    assert_eq!(judge(&["b1b9"], &Judging::default()), limit);
    assert_eq!(judge(&["b1b9"], &none), Verdict::None);
    assert_eq!(judge(&["b1b9", "d9d8"], &none), Verdict::None);
    assert_eq!(judge(&["b1b9", "d9d8", "b9b7"], &none), limit);
    assert_eq!(judge(&["b1b9", "d9d8", "b9b7"], &Judging { limit: None, ..none }), Verdict::None);
    let start = history("3k5/1R7/9/9/9/9/9/9/9/R3K4 w - - 0 1", &[]);
    let mut long = start.clone();
    // Two rows of checks, twelve by Red; ten of them count, and the answers to these.
    for text in ["b8b9", "d9d8", "b9b8", "d8d9"].iter().cycle().take(24) {
        long.push(notation::read(&long.end().board, text, None).unwrap()).unwrap();
    }
    let ten = |limit| long.judge(&Judging { fold: 99, limit: Some(limit), checks: Checks::Ten, ..Judging::default() });
    assert_eq!(ten(20).met.first(), Some(&(20, limit)));
    assert_eq!(ten(21).met, []);
}

#[test]
fn no_move_is_a_loss() {
    let end = |fen: &str| history(fen, &[]).judge(&Judging::default()).verdict;
    assert_eq!(end("3k5/9/9/9/9/9/9/9/3p1p3/4K4 w - - 0 1"), Verdict::Loss(Side::First, Loss::Stalemate));
    assert_eq!(end("R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1"), Verdict::Loss(Side::Second, Loss::Mate));
}

#[test]
fn keys_follow_moves_and_differ_by_every_piece() {
    let mut keys = std::collections::HashSet::new();
    for (square, side) in (0..90).flat_map(|square| [(square, Side::First), (square, Side::Second)]) {
        for kind in Kind::ALL {
            let mut board = Board::empty();
            board.put(square::point(square), Some(Piece { side, kind }));
            keys.insert(board.key());
            board.set_to_move(Side::Second);
            keys.insert(board.key());
        }
    }
    assert_eq!(keys.len(), 90 * 2 * 7 * 2);
    let mut board = Board::start();
    for text in ["h2e2", "h9g7", "e2e6", "g7e6"] {
        let step = notation::read(&board, text, None).unwrap();
        let [from, to] = [step.from, step.to].map(|point| square::square(point).unwrap());
        let key = board.key_after(board.key(), from, to);
        board.play(step).unwrap();
        assert_eq!(board.key(), key);
    }
}

/// Histories whose verdict is told for the side to move once the cycle has come to its third occurrence.
#[test]
fn cycles_are_judged_as_two_other_programs_do() {
    let Some(text) = shared("cases/XQ-REP/repetition_verdicts.tsv") else { return };
    let mut rows = 0;
    for row in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let row: Vec<&str> = row.split('\t').collect();
        let (Ok(cycle), "yes") = (row[5].parse::<usize>(), row[7]) else { continue };
        let mut moves: Vec<&str> = row[3].split(' ').collect();
        let fen = row[2];
        let mut judgement = history(fen, &moves).judge(&Judging::default());
        while judgement.occurrences < 3 {
            let next = moves[moves.len() - cycle];
            moves.push(next);
            judgement = history(fen, &moves).judge(&Judging::default());
        }
        let side = history(fen, &moves).end().board.to_move();
        // The cycle may end with the other side on move.
        let first = history(fen, &row[3].split(' ').collect::<Vec<_>>()).end().board.to_move();
        let wanted = match (row[4], side == first) {
            ("Draw", _) => "draw",
            ("Win", true) | ("Loss", false) if side == Side::First => "red",
            ("Win", true) | ("Loss", false) => "black",
            _ if side == Side::First => "black",
            _ => "red",
        };
        rows += 1;
        assert_eq!(word(judgement.verdict), wanted, "{}", row[0]);
    }
    assert_eq!(rows, 169);
}
