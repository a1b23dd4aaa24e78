use crate::Value;
use games::Point;
use std::time::Duration;

/// What is asked of an [`Engine`](crate::Engine).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// When to end; without any limit only when all is decided or the search is stopped.
    pub limits: Limits,
    /// How many moves are to be told with their lines, the best first; at least 1.
    pub lines: usize,
    /// The moves to choose from.
    pub moves: Moves,
    /// What to look for.
    pub goal: Goal,
    /// Of moves that are equal up to a symmetry of the position search one only.
    pub distinct: bool,
}

impl Default for Request {
    fn default() -> Request {
        Request { limits: Limits::default(), lines: 1, moves: Moves::All, goal: Goal::Best, distinct: false }
    }
}

/// When a search ends.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// After so many nodes, which are stones put on the board, of all threads together.
    pub nodes: Option<u64>,
    /// After this depth, in plies.
    pub depth: Option<u32>,
    /// After so much time since the call.
    pub time: Option<Time>,
}

/// The time of a search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Time {
    /// When there is nothing to be gained by more: the search ends about here, earlier where the move is clear,
    /// later where it is not.
    pub optimum: Duration,
    /// What is never exceeded.
    pub maximum: Duration,
}

impl Time {
    /// All of it is to be used.
    pub const fn whole(time: Duration) -> Time {
        Time { optimum: time, maximum: time }
    }
}

/// The moves at the root of a search.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Moves {
    /// All that are worth a search.
    #[default]
    All,
    /// These; what is occupied, forbidden or off the board is passed over.
    Only(Vec<Point>),
    /// All but these.
    Except(Vec<Point>),
}

/// What a search looks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The best moves.
    Best,
    /// The moves after which the value, for the side that plays them, is nearest to this.
    Balance(Value),
    /// The pairs of moves, of both sides, after which the value for the side to move is nearest to this.
    BalanceTwo(Value),
}
