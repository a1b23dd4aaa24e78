use crate::{Answer, Board, Proof, Vcf, VcfOptions};
use games::{Point, Side};

/// What becomes of a threat when the side that it is made against plays a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defence {
    /// The point.
    pub point: Point,
    /// What becomes of the threat.
    pub stand: Stand,
}

/// Whether a move stops a victory by fours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stand {
    /// It wins at once.
    Wins,
    /// No victory by fours is left.
    Holds,
    /// There is one still, by this proof, which is not verified.
    Loses(Proof),
    /// The search ended before there was an answer.
    Unknown,
}

/// Every point that `side` may play, and whether it stops the other side's victory by fours; and the nodes it took.
///
/// The nodes of `options` are those of each point.
pub fn defences(board: &mut Board, side: Side, solver: &mut Vcf, options: &VcfOptions) -> (Vec<Defence>, u64) {
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
            let answer = solver.solve(board, side.other(), options);
            board.take(point, side);
            nodes += solver.nodes();
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
