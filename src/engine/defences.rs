use crate::{Answer, Board, Proof};
use games::{Point, Side};

/// What becomes of a threat when the side that it is made against plays a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defence {
    /// The point.
    pub point: Point,
    /// What becomes of the threat.
    pub stand: Stand,
}

/// Whether a move stops a victory of the kind that is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stand {
    /// It wins at once.
    Wins,
    /// No victory of that kind is left.
    Holds,
    /// There is one still, by this proof, which is not verified.
    Loses(Proof),
    /// The search ended before there was an answer.
    Unknown,
}

/// Every point that `side` may play, and whether it stops the other side's victory; and the nodes it took.
///
/// `solve` answers whether a side that is to move wins, and tells its nodes.
pub fn defences(
    board: &mut Board,
    side: Side,
    mut solve: impl FnMut(&mut Board, Side) -> (Answer, u64),
) -> (Vec<Defence>, u64) {
    let points: Vec<Point> = board.stones().empty_points().collect();
    let mut nodes = 0;
    let mut found = Vec::new();
    for point in points {
        let stand = if board.fives(side).contains(point) {
            Stand::Wins
        } else if board.is_forbidden(point, side) {
            continue;
        } else {
            board.put(point, side);
            let (answer, more) = solve(board, side.other());
            board.take(point, side);
            nodes += more;
            match answer {
                Answer::Disproven(_) => Stand::Holds,
                Answer::Aborted(_) => Stand::Unknown,
                Answer::Proven(proof) => Stand::Loses(proof),
            }
        };
        found.push(Defence { point, stand });
    }
    (found, nodes)
}
