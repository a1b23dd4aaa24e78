use crate::Point;

/// Files of the board.
pub const WIDTH: u8 = 9;
/// Ranks of the board.
pub const HEIGHT: u8 = 10;
/// Points of the board. A square is a point as an index below this, `9 y + x`.
pub const SQUARES: usize = 90;

/// A set of squares: bit `n` is square `n`.
pub type Set = u128;

/// The square of a point; `None` off the board.
pub const fn square(point: Point) -> Option<u8> {
    if point.x() < WIDTH && point.y() < HEIGHT { Some(point.y() * WIDTH + point.x()) } else { None }
}

/// The point of a square.
pub const fn point(square: u8) -> Point {
    match Point::new(square % WIDTH, square / WIDTH) {
        Some(point) => point,
        None => panic!("a square is below 90"),
    }
}

/// The set of one square.
pub const fn bit(square: u8) -> Set {
    1 << square
}

/// The squares of a set, from the top left.
pub fn each(set: Set) -> Each {
    Each(set)
}

/// What [`each`] gives.
#[derive(Copy, Clone)]
pub struct Each(pub Set);

impl Iterator for Each {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let square = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(square)
    }
}
