use crate::Value;
use games::Point;
use record::Bound;
use std::time::Duration;

/// What a search has found so far, or at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The depth that is finished, in plies; 0 if none is.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// The best lines, the best first; at most as many as were asked for, and fewer only if there are fewer moves.
    pub lines: Vec<Variation>,
    /// The moves of the root that are found to win; claims of the search, which no verifier has seen. Row by row,
    /// as those below.
    pub wins: Vec<Point>,
    /// The moves of the root that are found to lose.
    pub losses: Vec<Point>,
    /// Stones put on the board, by all threads.
    pub nodes: u64,
    /// Since the call.
    pub time: Duration,
}

impl Report {
    /// Nodes in a second; `None` where no time can be told.
    pub fn speed(&self) -> Option<u64> {
        let seconds = self.time.as_secs_f64();
        (seconds > 0.0).then(|| (self.nodes as f64 / seconds) as u64)
    }
}

/// A move with what is expected after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The moves; at least one, two where pairs were asked for.
    pub moves: Vec<Point>,
    /// For the side that plays the first move.
    pub value: Value,
    /// Whether the value is exact; a line of an iteration that was cut short may have a bound.
    pub bound: Bound,
    /// The depth of the search that found it, in plies.
    pub depth: u32,
}
