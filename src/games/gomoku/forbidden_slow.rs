//! The points that are forbidden to Black in renju: the slow form, close to the words of the rules.
//!
//! It shares nothing with [`forbidden`](super::forbidden) but the board, and exists to check it.

use super::{Board, Direction, Kind, Kinds, Three};
use crate::{Point, Side};
use std::collections::BTreeSet;

/// As [`forbidden::kinds`](super::forbidden::kinds).
pub fn kinds(board: &Board, point: Point, three: Three) -> Kinds {
    if !board.is_empty(point) {
        return Kinds::NONE;
    }
    let mut board = *board;
    board.play_unchecked(point, Side::First);
    if is_five(&board, point) {
        return Kinds::NONE;
    }
    let overline = Direction::ALL.into_iter().any(|direction| row(&board, point, direction) > 5);
    let double_four = fours(&board, point) > 1;
    let double_three = threes(&board, point, three) > 1;
    let found = [(overline, Kind::Overline), (double_four, Kind::DoubleFour), (double_three, Kind::DoubleThree)];
    found.into_iter().filter(|(found, _)| *found).map(|(_, kind)| kind).collect()
}

/// As [`forbidden::all`](super::forbidden::all).
pub fn all(board: &Board, three: Three) -> impl Iterator<Item = (Point, Kinds)> {
    board.empty_points().map(move |point| (point, kinds(board, point, three))).filter(|(_, kinds)| !kinds.is_empty())
}

/// How many black stones stand in an unbroken row through the point, which has one.
fn row(board: &Board, point: Point, direction: Direction) -> usize {
    let along = |sign: i8| {
        let black =
            |steps: &i8| direction.step(point, sign * steps).is_some_and(|cell| board.stone(cell) == Some(Side::First));
        (1..).take_while(black).count()
    };
    along(-1) + 1 + along(1)
}

/// Five: a row of exactly five, in any direction.
fn is_five(board: &Board, point: Point) -> bool {
    Direction::ALL.into_iter().any(|direction| row(board, point, direction) == 5)
}

/// So many cells of a line, one of them `point`: all ways that lie on the board.
fn stretches<const CELLS: usize>(
    board: &Board,
    point: Point,
    direction: Direction,
) -> impl Iterator<Item = [Point; CELLS]> {
    let firsts = (1 - CELLS as i8..=0).filter_map(move |steps| direction.step(point, steps));
    firsts.filter_map(move |first| {
        let last = direction.step(first, CELLS as i8 - 1)?;
        let cell = |number| direction.step(first, number as i8).expect("it lies between two points of the board");
        (board.size().contains(first) && board.size().contains(last)).then(|| std::array::from_fn(cell))
    })
}

/// The empty cell of a stretch if all others have black stones, and these stones.
fn missing_one(board: &Board, stretch: &[Point]) -> Option<(Point, Vec<Point>)> {
    let is_black = |cell: &&Point| board.stone(**cell) == Some(Side::First);
    if stretch.iter().filter(is_black).count() + 1 != stretch.len() {
        return None;
    }
    let (stones, rest): (Vec<Point>, Vec<Point>) = stretch.iter().partition(is_black);
    board.is_empty(rest[0]).then(|| (rest[0], stones))
}

fn with(board: &Board, point: Point) -> Board {
    let mut board = *board;
    board.play_unchecked(point, Side::First);
    board
}

/// Four: four stones in a line to which one can be added to make a five.
///
/// The four stones of a straight four are one four, whichever end is filled.
fn fours(board: &Board, point: Point) -> usize {
    let mut fours = BTreeSet::new();
    for direction in Direction::ALL {
        for stretch in stretches::<5>(board, point, direction) {
            if let Some((cell, four)) = missing_one(board, &stretch)
                && row(&with(board, cell), cell, direction) == 5
            {
                fours.insert(four);
            }
        }
    }
    fours.len()
}

/// Straight four: an unbroken row of four to which one stone can be added at two ends to make a five.
fn is_straight_four(board: &Board, stretch: [Point; 4], direction: Direction) -> bool {
    let ends = [direction.step(stretch[0], -1), direction.step(stretch[3], 1)];
    row(board, stretch[0], direction) == 4
        && ends
            .into_iter()
            .all(|end| end.is_some_and(|end| board.is_empty(end) && row(&with(board, end), end, direction) == 5))
}

/// Three: three stones in a line to which one can be added to make a straight four, without making a five at the
/// same time, and without being forbidden itself.
fn threes(board: &Board, point: Point, reading: Three) -> usize {
    let mut threes = BTreeSet::new();
    for direction in Direction::ALL {
        for stretch in stretches::<4>(board, point, direction) {
            if let Some((cell, three)) = missing_one(board, &stretch) {
                let grown = with(board, cell);
                if is_straight_four(&grown, stretch, direction)
                    && (reading == Three::Strict || !is_five(&grown, cell))
                    && kinds(board, cell, reading).is_empty()
                {
                    threes.insert(three);
                }
            }
        }
    }
    threes.len()
}
