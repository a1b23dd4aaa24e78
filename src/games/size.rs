use crate::Point;
use std::fmt;

/// The size of a board in points.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// The largest width and height: columns are the letters a to z.
    pub const LARGEST: u8 = 26;

    /// The board of xiangqi: nine files, ten ranks.
    pub const XIANGQI: Size = Size { width: 9, height: 10 };

    /// A board of `width` columns and `height` rows; `None` if either is 0 or above [`Size::LARGEST`].
    pub const fn new(width: u8, height: u8) -> Option<Size> {
        if width == 0 || height == 0 || width > Self::LARGEST || height > Self::LARGEST {
            return None;
        }
        Some(Size { width, height })
    }

    /// A square board, under the limits of [`Size::new`].
    pub const fn square(side: u8) -> Option<Size> {
        Self::new(side, side)
    }

    /// Columns.
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Rows.
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Whether the point lies on this board.
    pub const fn contains(self, point: Point) -> bool {
        point.x() < self.width && point.y() < self.height
    }

    /// All points, row by row from the top left.
    pub fn points(self) -> impl Iterator<Item = Point> {
        (0..self.height).flat_map(move |y| {
            (0..self.width).map(move |x| Point::new(x, y).expect("a board of at most 26x26 fits the limit of points"))
        })
    }
}

impl Default for Size {
    /// The renju board, 15x15.
    fn default() -> Size {
        Size { width: 15, height: 15 }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    /// `15` or `15x12` (columns, then rows).
    fn from_str(text: &str) -> Result<Size, String> {
        let (width, height) = text.split_once(['x', 'X', ':']).unwrap_or((text, text));
        width
            .trim()
            .parse()
            .ok()
            .zip(height.trim().parse().ok())
            .and_then(|(width, height)| Size::new(width, height))
            .ok_or_else(|| format!("`{text}` is not a board size: write 15 or 15x12, at most {}", Size::LARGEST))
    }
}
