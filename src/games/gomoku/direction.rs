use crate::Point;

/// One of the four directions in which stones stand in a row.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// From left to right.
    Row,
    /// From top to bottom.
    Column,
    /// From the top left to the bottom right.
    Falling,
    /// From the bottom left to the top right.
    Rising,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] = [Direction::Row, Direction::Column, Direction::Falling, Direction::Rising];

    /// The point so many steps along from `point`, back if negative; `None` off every board.
    pub fn step(self, point: Point, steps: i8) -> Option<Point> {
        let (right, down) = match self {
            Direction::Row => (steps, 0),
            Direction::Column => (0, steps),
            Direction::Falling => (steps, steps),
            Direction::Rising => (steps, steps.checked_neg()?),
        };
        Point::new(point.x().checked_add_signed(right)?, point.y().checked_add_signed(down)?)
    }
}
