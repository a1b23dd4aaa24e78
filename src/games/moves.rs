use crate::Point;

/// What a side does on its turn.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// The side gives up its turn.
    Pass,
    /// A stone on a point.
    Place(Point),
}

impl Move {
    /// The point of a stone; `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Pass => None,
            Move::Place(point) => Some(point),
        }
    }
}
