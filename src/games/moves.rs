use crate::{Point, Step};

/// What a side does on its turn.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// The side gives up its turn.
    Pass,
    /// A stone on a point.
    Place(Point),
    /// A piece from a point to another (xiangqi).
    Step(Step),
}

impl Move {
    /// The point of a stone; `None` for a pass and for a step.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Place(point) => Some(point),
            Move::Pass | Move::Step(_) => None,
        }
    }
}
