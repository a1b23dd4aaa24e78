//! Whoever can say what a position is worth: an engine of ours, an engine of the user's, another book.

use crate::{Key, StoneKey};
use games::{Move, Point, Step};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Who evaluates positions, one at a time; for several at a time there is one of these for each.
pub trait Evaluate {
    /// Who says what it finds, as it is stored beside values.
    fn source(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// Evaluates a position; soon after `stop` is set it fails with [`Failure::Stopped`].
    ///
    /// With a limit of nodes or depth and no time, an evaluator of ours finds the same whatever it was asked before.
    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure>;
}

impl<E: Evaluate + ?Sized> Evaluate for Box<E> {
    fn source(&self) -> &str {
        (**self).source()
    }

    fn abilities(&self) -> Abilities {
        (**self).abilities()
    }

    fn evaluate(&mut self, question: &Question, stop: &AtomicBool) -> Result<Finding, Failure> {
        (**self).evaluate(question, stop)
    }
}

/// What an evaluator can do; all can name a move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Abilities {
    /// Its moves have values.
    pub values: bool,
    /// It tells several moves; else one, however many are asked for.
    pub lines: bool,
    /// It leaves out the moves that it is told to.
    pub except: bool,
}

impl Abilities {
    /// All of them.
    pub const ALL: Abilities = Abilities { values: true, lines: true, except: true };
}

/// What is asked of an evaluator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The position; nobody has won in it.
    pub position: Key,
    /// The moves of xiangqi that led to it since a piece was taken, where they are known: who repeats may lose.
    pub history: Vec<Step>,
    /// Moves that are not to be considered, in ascending order.
    pub except: Vec<Move>,
    /// How many moves are wanted with their lines, at least 1.
    pub lines: usize,
    /// When to end.
    pub effort: Effort,
}

impl Question {
    /// Which is the best of all moves.
    pub fn of(position: Key, effort: Effort) -> Question {
        Question { position, history: Vec::new(), except: Vec::new(), lines: 1, effort }
    }

    /// The position, for one that evaluates gomoku alone.
    ///
    /// # Errors
    /// It is of another game: [`Failure::Unfit`].
    pub fn stones(&self) -> Result<&StoneKey, Failure> {
        let other = || Failure::Unfit(format!("it plays gomoku, and this is {}", self.position.rules()));
        self.position.stones().ok_or_else(other)
    }

    /// The points that are not to be considered, in ascending order.
    pub fn points_left_out(&self) -> Vec<Point> {
        self.except.iter().filter_map(|play| play.point()).collect()
    }
}

/// When an evaluation ends: at whichever of these comes first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Effort {
    /// After so many nodes.
    pub nodes: Option<u64>,
    /// After this depth, in plies.
    pub depth: Option<u32>,
    /// After so much time.
    pub time: Option<Duration>,
}

/// What an evaluation found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Finding {
    /// The best moves, the best first; none only if there is no move to consider.
    pub lines: Vec<Line>,
    /// The depth that was finished, in plies; 0 where it is not known.
    pub depth: i16,
    /// The nodes it took, where they are known.
    pub nodes: Option<u64>,
    /// K in win rate = 1 / (1 + exp(-value / K)).
    pub scale: u16,
    /// What went wrong before there was an answer: a crash, a move that is none. A sentence each.
    pub remarks: Vec<String>,
}

/// A move and what is expected after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves, at least one.
    pub moves: Vec<Move>,
    /// For the side that plays the first of them, a win in n plies is 30000 - n; `None` from an evaluator without
    /// values.
    pub value: Option<i32>,
    /// By what the win or the loss that the value says is proven; `None` where it is not, or where it says neither.
    pub grounds: Option<Grounds>,
}

impl Line {
    /// A line of stones.
    pub fn of_points(points: impl IntoIterator<Item = Point>, value: Option<i32>, grounds: Option<Grounds>) -> Line {
        Line { moves: points.into_iter().map(Move::Place).collect(), value, grounds }
    }

    /// The points of its stones.
    pub fn points(&self) -> Vec<Point> {
        self.moves.iter().filter_map(|play| play.point()).collect()
    }
}

/// What a proof of a win or a loss consists of, each of which the rules alone have confirmed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grounds {
    /// A five, or fours against every reply.
    Fours,
    /// Somewhere threats.
    Threats,
}

impl Grounds {
    /// The name, as in files and sentences.
    pub const fn name(self) -> &'static str {
        match self {
            Grounds::Fours => "fours",
            Grounds::Threats => "threats",
        }
    }
}

/// Why there is no finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Somebody asked to stop.
    Stopped,
    /// The position is none that it can evaluate; a sentence.
    Unfit(String),
    /// It knows nothing of the position; a sentence.
    Unknown(String),
    /// It did not answer, or not sensibly, however often it was asked; a sentence.
    Broken(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped => f.write_str("it was stopped"),
            Failure::Unfit(why) | Failure::Unknown(why) | Failure::Broken(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}
