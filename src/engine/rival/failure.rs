use games::gomoku::Kinds;
use games::{Coords, Point, Size};
use std::fmt;
use std::time::Duration;

/// What an engine did instead of an answer. Texts are the engine's own, cut, with U+FFFD for control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program cannot be started, and why.
    Unstarted(String),
    /// It answered `START`, or the first word of its protocol, with an error.
    Refused(String),
    /// It offers no option of this name.
    Unoffered(String),
    /// It did not answer in time and was ended.
    Silent {
        /// What was waited for.
        wanted: Wanted,
        /// How long.
        waited: Duration,
        /// The last it said, if anything.
        last: Option<String>,
    },
    /// It ended by itself, or closed its output.
    Gone {
        /// How it ended in the words of the system, if it did.
        status: Option<String>,
        /// The last it said, on its error output if there was anything.
        last: Option<String>,
    },
    /// It answered with a move that is none.
    Misplay(Misplay),
    /// The caller's flag was set.
    Stopped,
}

/// What an engine is asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// `OK` to `START` or `RESTART`.
    Ready,
    /// A move.
    Move,
    /// A word of the protocol.
    Word(&'static str),
}

/// A move that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misplay {
    /// Not a point of the board; the text of the answer.
    OffBoard(String),
    /// Digits that are no point; the text of the answer.
    Nonsense(String),
    /// A stone stands there.
    Occupied(Point, Size),
    /// Forbidden to Black in renju.
    Forbidden(Point, Size, Kinds),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = |f: &mut fmt::Formatter<'_>, last: &Option<String>| match last {
            Some(text) => write!(f, "; the last it said was `{text}`"),
            None => Ok(()),
        };
        match self {
            Failure::Unstarted(reason) => write!(f, "it cannot be started: {reason}"),
            Failure::Refused(text) => write!(f, "it refused to start a game: {text}"),
            Failure::Unoffered(name) => write!(f, "it offers no option {name}"),
            Failure::Silent { wanted, waited, last: said } => {
                let wanted = match wanted {
                    Wanted::Ready => "OK to START",
                    Wanted::Move => "move",
                    Wanted::Word(word) => word,
                };
                write!(f, "no {wanted} within {} ms", waited.as_millis())?;
                last(f, said)
            }
            Failure::Gone { status, last: said } => {
                match status {
                    Some(status) => write!(f, "it ended ({status})")?,
                    None => f.write_str("it closed its output")?,
                }
                last(f, said)
            }
            Failure::Misplay(misplay) => misplay.fmt(f),
            Failure::Stopped => f.write_str("stopped"),
        }
    }
}

impl fmt::Display for Misplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misplay::OffBoard(text) => write!(f, "the move `{text}` is off the board"),
            Misplay::Nonsense(text) => write!(f, "`{text}` is no move"),
            Misplay::Occupied(point, size) => {
                write!(f, "a stone stands on {} already", Coords::A1.text(*point, *size))
            }
            Misplay::Forbidden(point, size, kinds) => {
                write!(f, "{} is forbidden to Black", Coords::A1.text(*point, *size))?;
                let mut kinds = kinds.iter();
                if let Some(first) = kinds.next() {
                    write!(f, " ({first}")?;
                    kinds.try_for_each(|kind| write!(f, ", {kind}"))?;
                    f.write_str(")")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Failure {}

impl std::error::Error for Misplay {}
