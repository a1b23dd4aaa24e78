//! The rules against positions that others have counted and judged.

use super::*;
use crate::Side;
use crate::gomoku::samples::shared;
use serde_json::Value;

/// Reads a FEN that is to the letter.
#[track_caller]
pub fn board(fen: &str) -> Board {
    let (fen, remarks) = Fen::read(fen, FenOptions::default()).unwrap();
    assert_eq!(remarks, []);
    fen.board
}

/// Plays every legal move of a board and compares with the rules told one by one.
fn perft_slow(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let points = || (0..90).map(square::point);
    let mut sum = 0;
    for from in points().filter(|from| board.piece(*from).is_some_and(|piece| piece.side == board.to_move())) {
        for to in points() {
            if goes(board, from, to) {
                let mut after = board.clone();
                after.play_unchecked(crate::Step { from, to });
                if !is_takeable(&after, board.to_move()) {
                    sum += perft_slow(&after, depth - 1);
                }
            }
        }
    }
    sum
}

/// Whether a piece goes there, but for its king's safety.
fn goes(board: &Board, from: crate::Point, to: crate::Point) -> bool {
    let Some(piece) = board.piece(from) else { return false };
    if board.piece(to).is_some_and(|other| other.side == piece.side) {
        return false;
    }
    let (dx, dy) = (i32::from(to.x()) - i32::from(from.x()), i32::from(to.y()) - i32::from(from.y()));
    let at = |dx: i32, dy: i32| {
        let point = crate::Point::new((i32::from(from.x()) + dx) as u8, (i32::from(from.y()) + dy) as u8).unwrap();
        board.piece(point).is_some()
    };
    let in_palace = |point: crate::Point| (3..=5).contains(&point.x()) && !(3..=6).contains(&point.y());
    let is_home = |point: crate::Point| (point.y() >= 5) == (piece.side == Side::First);
    let between = || {
        let steps = dx.abs().max(dy.abs());
        (1..steps).filter(|n| at(dx.signum() * n, dy.signum() * n)).count()
    };
    match piece.kind {
        Kind::King => dx.abs() + dy.abs() == 1 && in_palace(to),
        Kind::Advisor => dx.abs() == 1 && dy.abs() == 1 && in_palace(to),
        Kind::Elephant => dx.abs() == 2 && dy.abs() == 2 && is_home(to) && !at(dx / 2, dy / 2),
        Kind::Horse => dx.abs() * dy.abs() == 2 && !at(dx / 2, dy / 2),
        Kind::Rook => (dx == 0) != (dy == 0) && between() == 0,
        Kind::Cannon => (dx == 0) != (dy == 0) && between() == usize::from(board.piece(to).is_some()),
        Kind::Pawn => {
            let forward = if piece.side == Side::First { -1 } else { 1 };
            (dx, dy) == (0, forward) || (dx.abs(), dy) == (1, 0) && !is_home(from)
        }
    }
}

fn is_takeable(board: &Board, side: Side) -> bool {
    let Some(king) = board.king(side) else { return true };
    let faces = |(point, piece): (crate::Point, Piece)| {
        let same_file = point.x() == king.x();
        let (low, high) = (point.y().min(king.y()), point.y().max(king.y()));
        piece.kind == Kind::King
            && same_file
            && (low + 1..high).all(|y| board.piece(crate::Point::new(king.x(), y).unwrap()).is_none())
    };
    board.pieces().filter(|(_, piece)| piece.side != side).any(|man| faces(man) || goes(board, man.0, king))
}

struct Counted {
    id: String,
    board: Board,
    is_illegal: bool,
    nodes: Vec<(u32, u64)>,
}

fn counted() -> Option<Vec<Counted>> {
    let cases: Value = serde_json::from_str(&shared("data/xiangqi/perft/perft.json")?).unwrap();
    let case = |case: &Value| Counted {
        id: case["id"].as_str().unwrap().into(),
        board: board(case["fen"].as_str().unwrap()),
        is_illegal: case.get("illegal_position").is_some(),
        nodes: case["nodes"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(d, n)| (d.parse().unwrap(), n.as_u64().unwrap()))
            .collect(),
    };
    Some(cases.as_array().unwrap().iter().map(case).collect())
}

#[test]
fn perft_to_depth_5_is_what_other_programs_count() {
    let Some(cases) = counted() else { return };
    assert_eq!(cases.len(), 18);
    let mut counts = 0;
    for case in cases {
        if case.is_illegal {
            assert!(!case.board.faults().is_empty());
            continue;
        }
        // One of them has an advisor where none gets, which plays on.
        assert!(case.board.faults().iter().all(|fault| fault.level() == Level::Placement), "{}", case.id);
        for (depth, nodes) in case.nodes.into_iter().filter(|(depth, _)| *depth <= 5) {
            assert_eq!(case.board.perft(depth), nodes, "{} at depth {depth}", case.id);
            counts += 1;
        }
    }
    assert_eq!(counts, 82);
}

#[test]
fn perft_is_that_of_the_rules_told_one_by_one() {
    assert_eq!(perft_slow(&Board::start(), 2), 1920);
    assert_eq!(Board::start().perft(4), 3_290_240);
    for fen in [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        "r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1CN3NC1/9/R1BAKAB1R b - - 0 1",
        "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w - - 0 1",
        "9/9/3k5/9/9/9/4R4/3A5/8r/4K4 b - - 0 1",
        "3k5/4P4/4N4/4C4/9/4c4/9/4n4/4p4/4K4 w - - 0 1",
    ] {
        let board = board(fen);
        for depth in 0..=2 {
            assert_eq!(board.perft(depth), perft_slow(&board, depth), "{fen} at depth {depth}");
        }
    }
}

/// Random boards, many of them impossible.
#[test]
fn moves_of_wild_boards_are_those_of_the_rules() {
    let mut random = crate::gomoku::samples::Random(7);
    for _ in 0..3000 {
        let mut wild = Board::empty();
        for side in [Side::First, Side::Second] {
            let kings = if side == Side::First { 7 } else { 0 };
            let y = kings + random.below(3) as u8;
            wild.put(crate::Point::new(3 + random.below(3) as u8, y).unwrap(), Some(Piece { side, kind: Kind::King }));
        }
        for _ in 0..random.below(20) {
            let point = square::point(random.below(90) as u8);
            let side = if random.below(2) == 0 { Side::First } else { Side::Second };
            let kind = Kind::ALL[1 + random.below(6) as usize];
            let piece = Piece { side, kind };
            if wild.piece(point).is_none() && fault::stands_well(piece, point) {
                wild.put(point, Some(piece));
            }
        }
        if random.below(2) == 0 {
            wild.set_to_move(Side::Second);
        }
        assert_eq!(wild.perft(1), perft_slow(&wild, 1), "{wild:?}");
        assert_eq!(wild.is_check(), is_takeable(&wild, wild.to_move()), "{wild:?}");
        let mut played = wild.clone();
        for step in wild.moves() {
            assert!(goes(&wild, step.from, step.to));
            let undo = played.play_unchecked(step);
            played.undo(undo);
            assert!(played == wild && played.kinds == wild.kinds && played.sides == wild.sides);
            assert_eq!(played.files, wild.files);
        }
    }
}
