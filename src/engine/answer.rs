use crate::Proof;

/// What a solver has to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A win, with what to play against every reply. Not to be believed before it is [verified](crate::verify()).
    Proven(Proof),
    /// There is no win of the kind that was looked for.
    Disproven(Scope),
    /// The search ended before there was an answer.
    Aborted(Budget),
}

/// What was looked at in full.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All sequences of fours, however long; not quiet moves, nor threes.
    Fours,
    /// All sequences of fours and of moves that threaten a [victory by so many fours](crate::VctOptions::level).
    Threats {
        /// How many fours at most.
        level: u32,
    },
}

/// What ran out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Budget {
    /// So many nodes were searched.
    Nodes(u64),
    /// Somebody asked the search to stop.
    Stopped,
}
