//! The points that are forbidden to Black in renju: the fast form.
//!
//! The rules are those of the Renju International Federation: a stone that makes exactly five wins, whatever else
//! it makes. Else a row of six or more is forbidden, and so are two fours at once and two threes at once, where a
//! three counts only if the stone that makes it a straight four is itself legal by the same rules.
//!
//! What a stone makes on one line is looked up in a table; only points with two possible threes are played out.
//! [`forbidden_slow`](super::forbidden_slow) says the same in the words of the rules.

use super::shape::{Shape, Shapes};
use super::{Board, Direction, Kind, Kinds, Three};
use crate::{Point, Side};

/// Why Black may not play on the point; none if he may, or if the point has a stone or lies off the board.
pub fn kinds(board: &Board, point: Point, three: Three) -> Kinds {
    if !board.is_empty(point) {
        return Kinds::NONE;
    }
    Judge { shapes: Shapes::table(), three }.kinds(board, point)
}

/// Whether [`kinds`] gives any, found sooner.
pub fn is_forbidden(board: &Board, point: Point, three: Three) -> bool {
    board.is_empty(point) && Judge { shapes: Shapes::table(), three }.is_forbidden(&mut board.clone(), point)
}

/// All forbidden points, row by row from the top left.
pub fn all(board: &Board, three: Three) -> impl Iterator<Item = (Point, Kinds)> {
    let judge = Judge { shapes: Shapes::table(), three };
    board.empty_points().map(move |point| (point, judge.kinds(board, point))).filter(|(_, kinds)| !kinds.is_empty())
}

#[derive(Copy, Clone)]
struct Judge {
    shapes: &'static Shapes,
    three: Three,
}

/// What a stone makes on its four lines.
struct Star([Shape; 4]);

impl Star {
    fn is_five(&self) -> bool {
        self.0.iter().any(|shape| shape.is_five())
    }

    fn is_overline(&self) -> bool {
        self.0.iter().any(|shape| shape.is_overline())
    }

    fn is_double_four(&self) -> bool {
        self.0.iter().map(|shape| shape.fours()).sum::<u32>() > 1
    }

    /// Whether it can be forbidden for any reason.
    fn is_suspect(&self) -> bool {
        self.is_overline() || self.is_double_four() || self.may_be_double_three()
    }

    /// Two lines or more where it makes a three if nothing else is in the way.
    fn may_be_double_three(&self) -> bool {
        self.0.iter().filter(|shape| shape.is_growing()).count() > 1
    }
}

impl Judge {
    fn star(self, board: &Board, point: Point) -> Star {
        Star(Direction::ALL.map(|direction| self.shapes.of(board.window(Side::First, direction, point))))
    }

    fn kinds(self, board: &Board, point: Point) -> Kinds {
        let star = self.star(board, point);
        if star.is_five() {
            return Kinds::NONE;
        }
        let mut kinds = Kinds::NONE;
        if star.is_overline() {
            kinds = kinds.with(Kind::Overline);
        }
        if star.is_double_four() {
            kinds = kinds.with(Kind::DoubleFour);
        }
        if star.may_be_double_three() && self.is_double_three(&mut board.clone(), point, &star) {
            kinds = kinds.with(Kind::DoubleThree);
        }
        kinds
    }

    fn is_forbidden(self, board: &mut Board, point: Point) -> bool {
        let star = self.star(board, point);
        !star.is_five() && self.is_foul(board, point, &star)
    }

    fn is_foul(self, board: &mut Board, point: Point, star: &Star) -> bool {
        star.is_overline()
            || star.is_double_four()
            || star.may_be_double_three() && self.is_double_three(board, point, star)
    }

    /// Plays the stone, looks at each three, and takes the stone back.
    fn is_double_three(self, board: &mut Board, point: Point, star: &Star) -> bool {
        board.play_unchecked(point, Side::First);
        let lines = || Direction::ALL.into_iter().zip(star.0).filter(|(_, shape)| shape.is_growing());
        let mut left = lines().count();
        let mut threes = 0;
        for (direction, shape) in lines() {
            threes += usize::from(self.is_three(board, point, direction, shape));
            left -= 1;
            // One line that is no three may settle it, and each question not asked saves all that it leads to.
            if threes > 1 || threes + left < 2 {
                break;
            }
        }
        board.undo_unchecked(point, Side::First);
        threes > 1
    }

    /// Whether one of the growing points is legal.
    ///
    /// This asks the whole question again with one more stone on the board, which bounds the depth.
    fn is_three(self, board: &mut Board, point: Point, direction: Direction, shape: Shape) -> bool {
        let growing = || {
            let at = |steps| direction.step(point, steps).expect("an empty cell of a window lies on the board");
            shape.growing().map(at)
        };
        // A point that is plainly legal is looked for first: it needs no stones played out.
        let is_plain = |star: Star| match star.is_five() {
            true => self.three == Three::Strict,
            false => !star.is_suspect(),
        };
        growing().any(|growing| is_plain(self.star(board, growing)))
            || growing().any(|growing| {
                let star = self.star(board, growing);
                !star.is_five() && !self.is_foul(board, growing, &star)
            })
    }
}
