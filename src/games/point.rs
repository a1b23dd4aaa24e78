/// A point of the board: column `x` from the left, row `y` from the top, both zero-based.
///
/// The orientation is that of Piskvork, SGF, RenLib and AGI.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    y: u8,
    x: u8,
}

impl Point {
    /// One more than the largest coordinate a point can have.
    pub const LIMIT: u8 = 32;

    /// The point at column `x`, row `y`; `None` from [`Point::LIMIT`] on.
    pub const fn new(x: u8, y: u8) -> Option<Point> {
        if x < Self::LIMIT && y < Self::LIMIT { Some(Point { y, x }) } else { None }
    }

    /// Column from the left, zero-based.
    pub const fn x(self) -> u8 {
        self.x
    }

    /// Row from the top, zero-based.
    pub const fn y(self) -> u8 {
        self.y
    }

    /// `32 * y + x`, below 1024: an index into tables.
    pub const fn code(self) -> u16 {
        (self.y as u16) << 5 | self.x as u16
    }

    /// The point whose [`Point::code`] is the low ten bits of `code`.
    pub const fn from_code(code: u16) -> Point {
        Point { y: (code >> 5) as u8 & 31, x: code as u8 & 31 }
    }

    /// The byte of RenLib and AGI, `16 * y + x + 1`; `None` off the 15x15 board.
    pub const fn agi(self) -> Option<u8> {
        if self.x < 15 && self.y < 15 { Some(self.y << 4 | (self.x + 1)) } else { None }
    }

    /// The point of a RenLib or AGI byte; `None` for `00` (a pass) and bytes off the board.
    pub const fn from_agi(byte: u8) -> Option<Point> {
        let (x, y) = (byte & 15, byte >> 4);
        if x == 0 || y == 15 { None } else { Some(Point { y, x: x - 1 }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agi_bytes_name_the_points_of_the_published_text() {
        let centre = Point::new(7, 7).unwrap();
        assert_eq!(centre.agi(), Some(0x78));
        assert_eq!(Point::new(0, 0).unwrap().agi(), Some(0x01));
        assert_eq!(Point::new(14, 14).unwrap().agi(), Some(0xEF));
        assert_eq!(Point::from_agi(0x00), None);
        assert_eq!(Point::from_agi(0xF1), None);
        assert_eq!((0..=255).filter_map(Point::from_agi).count(), 225);
        assert!((0..=255).filter_map(Point::from_agi).all(|p| Point::from_agi(p.agi().unwrap()) == Some(p)));
    }

    #[test]
    fn codes_are_dense_and_invert() {
        for code in 0..1024 {
            assert_eq!(Point::from_code(code).code(), code);
        }
        assert_eq!(Point::new(32, 0), None);
    }
}
