//! The rules against boards that others have judged, and against the slow form.

use super::samples::{Random, drawing, shared};
use super::*;
use crate::{Coords, Move, Point, Rule, Side, Size, parse_moves};
use serde_json::Value;

/// The forbidden points as `h8:double-three`, sorted; the kinds of one point are joined by `+`.
fn judged(forbidden: impl Iterator<Item = (Point, Kinds)>, size: Size) -> Vec<String> {
    let word = |(point, kinds): (Point, Kinds)| {
        let kinds: Vec<&str> = kinds.iter().map(Kind::name).collect();
        format!("{}:{}", Coords::A1.text(point, size), kinds.join("+"))
    };
    let mut words: Vec<String> = forbidden.map(word).collect();
    words.sort();
    words
}

/// Both forms, which must agree.
fn all(board: &Board, three: Three) -> Vec<String> {
    let fast = judged(forbidden::all(board, three), board.size());
    assert_eq!(fast, judged(forbidden_slow::all(board, three), board.size()), "{three}\n{board}");
    for point in board.size().points() {
        let kinds = forbidden::kinds(board, point, three);
        assert_eq!(forbidden::is_forbidden(board, point, three), !kinds.is_empty(), "{point:?}\n{board}");
    }
    fast
}

/// The drawing shows every forbidden point: `6` an overline, `4` a double-four, `3` a double-three.
/// A `5` is an exact five.
#[track_caller]
fn shows(text: &str, three: Three) {
    let (board, marks) = drawing(text);
    let mut forbidden = Vec::new();
    for (point, sign) in marks {
        let kind = match sign {
            '6' => Kind::Overline,
            '4' => Kind::DoubleFour,
            '3' => Kind::DoubleThree,
            _ => {
                assert_eq!((sign, made(&board, point, Side::First, Rule::Renju)), ('5', Made::Five));
                continue;
            }
        };
        forbidden.push((point, Kinds::NONE.with(kind)));
    }
    assert_eq!(all(&board, three), judged(forbidden.into_iter(), board.size()), "{text}");
}

#[test]
fn two_open_threes_cross() {
    shows(
        "
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x 3 . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .",
        Three::Rif,
    );
}

#[test]
fn a_three_stopped_at_one_end_is_no_three() {
    shows(
        "
        . . . . . . . . .
        . . . . o . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .",
        Three::Rif,
    );
}

#[test]
fn two_fours_stand_in_one_line() {
    for line in ["x . x 4 x . x", "x x x . 4 . x x x", "x x . 4 x . x x"] {
        shows(&format!("{}\n{line}", line.replace(['x', '4'], ".")), Three::Rif);
    }
    // A straight four has two ends and is one four.
    shows(". . . x x x . . .\n. . . . . . . . .", Three::Rif);
}

#[test]
fn a_four_that_can_only_become_six_is_no_four() {
    shows(
        "
        . . . . . . . . . .
        o . . . . . . . . .
        x . . . . . . . . .
        x . . . . . . . . .
        x . . . . . . . . .
        . x x . x x . . . .
        . . . . . . . . . .",
        Three::Rif,
    );
}

#[test]
fn five_comes_before_all_else() {
    shows(
        "
        . . . . x . . . .
        . . o . x . . . .
        . . . . x . . . .
        . . . . x . . . .
        x x x x 5 x x . .
        . . . . . . . . .
        . . . . . . . . .",
        Three::Rif,
    );
    shows(
        "
        o . . . . x . . .
        . . . . . x . . .
        . . . . . x . . .
        x x x o . 6 x . .
        . . . . . x . . .
        . . . . . x . . .
        . . . . . o . . .",
        Three::Rif,
    );
}

/// The middle point of the first board, and not of the second: there its only other three would grow into a
/// double-three.
#[test]
fn a_three_whose_growing_points_are_forbidden_is_no_three() {
    shows(
        "
        . . . . . . . . . . .
        . . . . x . . . . . .
        . . . . x 3 . . . . .
        . . . . 3 3 x x . o .
        . . . . . x . . . . .
        . . . . . x . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .",
        Three::Rif,
    );
    shows(
        "
        . . . . . . . . . . .
        . . x . x . . . . . .
        . . . x x 3 . . . . .
        . . . . 3 . x x . o .
        . . . . . x . . . . .
        . . . . . x . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .",
        Three::Rif,
    );
}

/// The row can grow only where a falling five is made at the same time.
#[test]
fn a_growing_point_that_makes_five_counts_in_the_strict_reading_only() {
    let strict = "
        . . . . . . . . .
        . . . . . . . . .
        . x . . . x . . .
        . . 3 x . x . . .
        . . . x . . . . .
        . . x . . . . . .
        . x . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";
    shows(strict, Three::Strict);
    shows(&strict.replace('3', "."), Three::Rif);
}

fn of_code(mask: u8) -> Kinds {
    Kind::ALL.into_iter().filter(|kind| mask >> *kind as u8 & 1 == 1).collect()
}

/// A column `h8:4 i9:3` of the samples.
fn read_points(column: &str, size: Size) -> Vec<(Point, Kinds)> {
    let read = |word: &str| {
        let (point, mask) = word.split_once(':').unwrap();
        (Coords::A1.parse(point, size).unwrap(), of_code(mask.parse().unwrap()))
    };
    column.split_whitespace().filter(|word| *word != "-").map(read).collect()
}

/// A board of 225 signs, from the top left.
fn read_board(text: &str) -> Board {
    let rows: Vec<&str> = (0..15).map(|y| &text[15 * y..15 * (y + 1)]).collect();
    rows.join("\n").parse().unwrap()
}

/// The columns of a table after its comments.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[test]
fn consensus_of_three_programs() {
    let Some(text) = shared("data/forbidden/consensus.tsv") else { return };
    let mut boards = 0;
    for row in rows(&text) {
        let board = read_board(row[0]);
        let expected = read_points(row[1], board.size());
        assert_eq!(all(&board, Three::Rif), judged(expected.into_iter(), board.size()), "{board}");
        boards += 1;
    }
    assert_eq!(boards, 6440);
}

#[test]
fn boards_where_the_reading_of_the_three_decides() {
    let Some(text) = shared("data/forbidden/edge_five_at_extension.tsv") else { return };
    let points_of = |words: &[String]| -> Vec<String> {
        words.iter().map(|word| word.split(':').next().unwrap().to_owned()).collect()
    };
    const ODD: [(usize, &str); 3] = [(9, "b6:4"), (93, "l9:4"), (103, "d9:4")];
    let mut boards = 0;
    for row in rows(&text) {
        let board = read_board(row[0]);
        let [right, more, missed] = [1, 2, 3].map(|column| read_points(row[column], board.size()));
        assert_eq!(all(&board, Three::Rif), judged(right.iter().copied(), board.size()), "{board}");
        // The program that reads threes strictly takes a five for forbidden where it makes two fours as well, and so
        // misses these points. They are double-threes in its own reading.
        let odd = ODD.iter().find(|(number, _)| *number == boards).map(|(_, point)| read_points(point, board.size()));
        let strict =
            right.into_iter().filter(|point| !missed.contains(point)).chain(more).chain(odd.unwrap_or_default());
        assert_eq!(points_of(&all(&board, Three::Strict)), points_of(&judged(strict, board.size())), "{board}");
        boards += 1;
    }
    assert_eq!(boards, 127);
}

fn read_lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn rows_of(case: &Value) -> Board {
    let rows: Vec<&str> = case["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    rows.join("\n").parse().unwrap()
}

#[test]
fn boards_of_the_tests_of_other_projects() {
    let Some(text) = shared("data/forbidden/upstream_tests.jsonl") else { return };
    let mut boards = 0;
    for case in read_lines(&text) {
        let board = rows_of(&case);
        let found = all(&board, Three::Rif);
        let expected = case["forbidden"].as_object().unwrap();
        for (point, kind) in expected {
            let word = found.iter().find(|word| word.starts_with(&format!("{point}:")));
            assert!(word.is_some_and(|word| kind.as_str().is_none_or(|kind| word.contains(kind))), "{case}: {found:?}");
        }
        for point in case["allowed"].as_array().into_iter().flatten() {
            let point = format!("{}:", point.as_str().unwrap());
            assert!(!found.iter().any(|word| word.starts_with(&point)), "{case}: {found:?}");
        }
        if case["complete"] == true {
            assert_eq!(found.len(), expected.len(), "{case}: {found:?}");
        }
        boards += 1;
    }
    assert_eq!(boards, 57);
}

#[test]
fn caro_wins_of_the_tests_of_another_project() {
    let Some(text) = shared("data/forbidden/caro_win_tests.jsonl") else { return };
    let mut checks = 0;
    for case in read_lines(&text) {
        let board = rows_of(&case);
        for check in case["checks"].as_array().unwrap() {
            let point = Coords::A1.parse(check["move"].as_str().unwrap(), board.size()).unwrap();
            let wins = match check["rule"].as_str().unwrap() {
                "CARO5" => Wins::from(Rule::Caro),
                "CARO6" => Wins::CARO_LONGER,
                other => panic!("{other}"),
            };
            assert_eq!(check["stone"], "X");
            let won = made(&board, point, Side::First, wins) == Made::Five;
            assert_eq!(check["win"], won, "{case} {check}");
            checks += 1;
        }
    }
    assert_eq!(checks, 37);
}

/// The word a case uses for what Black makes on a point.
fn verdict(board: &Board, point: Point) -> &'static str {
    match made(board, point, Side::First, Rule::Renju) {
        Made::Five => "five",
        _ => forbidden::kinds(board, point, Three::Rif).iter().next().map_or("legal", Kind::name),
    }
}

fn case(black: &str, white: &str, point: &str) -> (Board, Point) {
    let size = Size::default();
    let stones = |text: &str, side| {
        let moves = parse_moves(text, Coords::A1, size).unwrap();
        moves.into_iter().filter_map(Move::point).map(move |point| (point, side))
    };
    let stones = stones(black, Side::First).chain(stones(white, Side::Second));
    (Board::with_stones(size, stones).unwrap(), Coords::A1.parse(point, size).unwrap())
}

#[test]
fn verdicts_of_the_cases() {
    for (file, first, count) in [
        ("cases/RJ-FACTS/headline.tsv", 2, 18),
        ("cases/RJ-FACTS/forbidden_facts.tsv", 0, 22),
        ("cases/RJ-DISC/renju_discriminators.tsv", 1, 100),
    ] {
        let Some(text) = shared(file) else { return };
        let rows: Vec<Vec<&str>> = rows(&text).filter(|row| !row.contains(&"point")).collect();
        for row in &rows {
            let (board, point) = case(row[first], row[first + 1], row[first + 2]);
            assert_eq!(verdict(&board, point), row[first + 3], "{row:?}\n{board}");
            all(&board, Three::Rif);
        }
        assert_eq!(rows.len(), count, "{file}");
    }
}

/// A four of White whose only stop is forbidden.
#[test]
fn the_only_block_may_be_forbidden() {
    let (board, point) = case("h8 f6 f7 h7 g2 a1", "g6 g5 g4 g3", "g7");
    assert_eq!(all(&board, Three::Rif), ["g7:double-three"]);
    assert_eq!(made(&board, point, Side::Second, Rule::Renju), Made::Five);
}

fn compare_forms(boards: u64, seed: u64) {
    let mut random = Random(seed);
    let mut found = [0; 3];
    for number in 0..boards {
        // Small boards for edges, large ones for threes within threes.
        let board = random.board(if number % 4 == 0 { 22 } else { 12 });
        let three = Three::ALL[number as usize % 5 / 4];
        let fast: Vec<_> = forbidden::all(&board, three).collect();
        let slow: Vec<_> = forbidden_slow::all(&board, three).collect();
        assert_eq!(fast, slow, "{three}\n{board}");
        for (_, kinds) in fast {
            kinds.iter().for_each(|kind| found[kind as usize] += 1);
        }
    }
    assert!(found.iter().all(|found| *found > boards / 10), "the boards are too plain: {found:?}");
}

#[test]
fn both_forms_agree() {
    compare_forms(20_000, 0x2545_F491_4F6C_DD1D);
}

#[test]
#[ignore = "long run: just long"]
fn both_forms_agree_on_a_million_boards() {
    compare_forms(1_000_000, 0x9E37_79B9_7F4A_7C15);
}

/// Each stone here makes threes whose growing points make threes, in every direction.
#[test]
fn boards_full_of_threes_take_no_time() {
    let size = Size::square(26).unwrap();
    let stones = size.points().filter(|point| (point.x() + 6 * 26 - point.y() + 2) % 6 < 2);
    let mut board = Board::new(size);
    stones.for_each(|point| board.play_unchecked(point, Side::First));
    let start = std::time::Instant::now();
    for three in Three::ALL {
        assert!(forbidden::all(&board, three).count() > 0);
    }
    // About 50 ms; all orders of play tried out take 20 s.
    assert!(start.elapsed().as_secs() < 5);
}
