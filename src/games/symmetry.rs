use crate::{Move, Point, Size, Step};
use std::str::FromStr;

/// One of the eight ways a board maps to itself: turns are clockwise as the board is seen.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symmetry {
    /// Every point stays.
    Identity,
    /// A quarter turn clockwise.
    R90,
    /// A half turn.
    R180,
    /// A quarter turn counter-clockwise.
    R270,
    /// Left and right change places.
    Mirror,
    /// Top and bottom change places.
    Flip,
    /// Reflection in the line from the top left to the bottom right.
    Diagonal,
    /// Reflection in the line from the top right to the bottom left.
    Antidiagonal,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::R90,
        Symmetry::R180,
        Symmetry::R270,
        Symmetry::Mirror,
        Symmetry::Flip,
        Symmetry::Diagonal,
        Symmetry::Antidiagonal,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Symmetry::Identity => "identity",
            Symmetry::R90 => "r90",
            Symmetry::R180 => "r180",
            Symmetry::R270 => "r270",
            Symmetry::Mirror => "mirror",
            Symmetry::Flip => "flip",
            Symmetry::Diagonal => "diagonal",
            Symmetry::Antidiagonal => "antidiagonal",
        }
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        match self {
            Symmetry::R90 => Symmetry::R270,
            Symmetry::R270 => Symmetry::R90,
            other => other,
        }
    }

    /// The one symmetry that does what this one and then `next` do.
    pub fn then(self, next: Symmetry) -> Symmetry {
        let size = Size::default();
        // A point on no axis is moved elsewhere by each of the eight.
        let point = Point::new(1, 0).expect("a point of every board of two columns");
        let image = next.apply(self.apply(point, size), size);
        let both = Symmetry::ALL.into_iter().find(|symmetry| symmetry.apply(point, size) == image);
        both.expect("the symmetries of a square are a group")
    }

    /// The size of the board after the symmetry: quarter turns and diagonals exchange width and height.
    pub fn turn_size(self, size: Size) -> Size {
        match self {
            Symmetry::R90 | Symmetry::R270 | Symmetry::Diagonal | Symmetry::Antidiagonal => {
                Size::new(size.height(), size.width()).expect("both sides of a size are in range")
            }
            _ => size,
        }
    }

    /// Where a point of a board of this size goes; a point off the board stays where it is.
    pub fn apply(self, point: Point, size: Size) -> Point {
        if !size.contains(point) {
            return point;
        }
        let (x, y) = (point.x(), point.y());
        let (right, bottom) = (size.width() - 1 - x, size.height() - 1 - y);
        let (x, y) = match self {
            Symmetry::Identity => (x, y),
            Symmetry::R90 => (bottom, x),
            Symmetry::R180 => (right, bottom),
            Symmetry::R270 => (y, right),
            Symmetry::Mirror => (right, y),
            Symmetry::Flip => (x, bottom),
            Symmetry::Diagonal => (y, x),
            Symmetry::Antidiagonal => (bottom, right),
        };
        Point::new(x, y).expect("a symmetry keeps a point on the board")
    }

    /// Where a move on a board of this size goes.
    pub fn apply_to_move(self, play: Move, size: Size) -> Move {
        match play {
            Move::Pass => Move::Pass,
            Move::Place(point) => Move::Place(self.apply(point, size)),
            Move::Step(step) => Move::Step(Step { from: self.apply(step.from, size), to: self.apply(step.to, size) }),
        }
    }
}

impl FromStr for Symmetry {
    type Err = String;

    fn from_str(text: &str) -> Result<Symmetry, String> {
        Symmetry::ALL.into_iter().find(|symmetry| symmetry.name() == text).ok_or_else(|| {
            format!("`{text}` is not a symmetry: write r90, r180, r270, mirror, flip, diagonal or antidiagonal")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coords;

    #[test]
    fn turns_are_clockwise_as_the_board_is_seen() {
        let size = Size::default();
        let turn = |symmetry: Symmetry, point: &str| {
            let point = Coords::A1.parse(point, size).unwrap();
            Coords::A1.text(symmetry.apply(point, size), size)
        };
        assert_eq!(turn(Symmetry::R90, "a15"), "o15");
        assert_eq!(turn(Symmetry::R90, "c14"), "n13");
        assert_eq!(turn(Symmetry::R180, "a15"), "o1");
        assert_eq!(turn(Symmetry::R270, "a15"), "a1");
        assert_eq!(turn(Symmetry::Mirror, "c14"), "m14");
        assert_eq!(turn(Symmetry::Flip, "c14"), "c2");
        assert_eq!(turn(Symmetry::Diagonal, "c14"), "b13");
        assert_eq!(turn(Symmetry::Antidiagonal, "c14"), "n3");
    }

    #[test]
    fn two_symmetries_are_one() {
        let size = Size::square(7).unwrap();
        for first in Symmetry::ALL {
            assert_eq!(first.then(first.inverse()), Symmetry::Identity);
            for second in Symmetry::ALL {
                for point in size.points() {
                    let both = second.apply(first.apply(point, size), size);
                    assert_eq!(first.then(second).apply(point, size), both);
                }
            }
        }
    }

    #[test]
    fn each_symmetry_is_undone_by_its_inverse_on_any_board() {
        for size in [Size::new(7, 4).unwrap(), Size::square(6).unwrap(), Size::default()] {
            for symmetry in Symmetry::ALL {
                let turned = symmetry.turn_size(size);
                for point in size.points() {
                    let there = symmetry.apply(point, size);
                    assert!(turned.contains(there));
                    assert_eq!(symmetry.inverse().apply(there, turned), point);
                }
            }
        }
    }
}
