use crate::Point;

/// A piece that goes from one point to another (xiangqi).
///
/// Points are columns from the left and rows from the top with Red below: ICCS `h2e2` is `(7, 7)` to `(4, 7)`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Where the piece stands.
    pub from: Point,
    /// Where it goes.
    pub to: Point,
}
