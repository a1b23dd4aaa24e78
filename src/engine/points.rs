use games::{Point, Size};

/// A set of points of a board up to 22x22.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Points {
    rows: [u32; Points::SIDE],
    /// The rows that are not empty.
    used: u32,
}

impl Points {
    /// The largest width and height.
    pub const SIDE: usize = 22;

    /// The set without points.
    pub const EMPTY: Points = Points { rows: [0; Points::SIDE], used: 0 };

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether the point is one of them.
    pub fn contains(&self, point: Point) -> bool {
        self.rows.get(usize::from(point.y())).is_some_and(|row| row >> point.x() & 1 == 1)
    }

    /// Adds a point that is not there, or takes one away that is.
    pub(crate) fn toggle(&mut self, point: Point) {
        let y = usize::from(point.y());
        self.rows[y] ^= 1 << point.x();
        let bit = 1 << y;
        self.used = if self.rows[y] == 0 { self.used & !bit } else { self.used | bit };
    }

    /// Adds a point that may be there already.
    pub(crate) fn insert(&mut self, point: Point) {
        if !self.contains(point) {
            self.toggle(point);
        }
    }

    /// The first point, row by row from the top left.
    pub fn first(&self) -> Option<Point> {
        self.iter().next()
    }

    /// The only point of the set, if it has no other.
    pub fn only(&self) -> Option<Point> {
        let mut points = self.iter();
        points.next().filter(|_| points.next().is_none())
    }

    /// Row by row from the top left.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        let mut used = self.used;
        let mut row = 0;
        let mut y = 0;
        std::iter::from_fn(move || {
            if row == 0 {
                if used == 0 {
                    return None;
                }
                y = used.trailing_zeros() as u8;
                used &= used - 1;
                row = self.rows[usize::from(y)];
            }
            let x = row.trailing_zeros() as u8;
            row &= row - 1;
            Point::new(x, y)
        })
    }

    /// The points at most `distance` columns and rows away from any of these, these among them.
    ///
    /// Beyond the edges of a board there may be some, too.
    pub(crate) fn around(&self, distance: usize) -> Points {
        let mut wide = [0; Points::SIDE];
        let mut used = self.used;
        while used != 0 {
            let y = used.trailing_zeros() as usize;
            used &= used - 1;
            let row = self.rows[y];
            let row = (1..=distance).fold(row, |wide, step| wide | row << step | row >> step);
            for near in &mut wide[y.saturating_sub(distance)..(y + distance + 1).min(Points::SIDE)] {
                *near |= row;
            }
        }
        Points::from_rows(wide)
    }

    /// Those of these that are in `others`.
    pub(crate) fn and(&self, others: &Points) -> Points {
        Points::from_rows(std::array::from_fn(|y| self.rows[y] & others.rows[y]))
    }

    fn from_rows(rows: [u32; Points::SIDE]) -> Points {
        let used = rows.iter().enumerate().fold(0, |used, (y, row)| used | u32::from(*row != 0) << y);
        Points { rows, used }
    }

    /// Whether boards of this size fit.
    pub const fn fit(size: Size) -> bool {
        size.width() as usize <= Points::SIDE && size.height() as usize <= Points::SIDE
    }
}
