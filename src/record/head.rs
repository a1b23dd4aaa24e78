use crate::Tree;
use games::{Game, Point, Rule, Side, Size};

/// A game or a library: a head and a tree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Record {
    /// What holds for the whole record.
    pub head: Head,
    /// The moves; the set-up stones and the side to move are notes of its root.
    pub tree: Tree,
}

/// What a file says of a record as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// The game.
    pub game: Game,
    /// The board.
    pub size: Size,
    /// The rule, where the file says it.
    pub rule: Option<Rule>,
    /// Names and values in the order of the file; names as in PGN (`Event`, `Date`, `Black`, …).
    pub tags: Vec<(String, String)>,
    /// Who won, where the file says it.
    pub result: Option<Outcome>,
    /// How the opening was agreed.
    pub opening: Opening,
    /// The WHATWG label of the encoding the texts were in, where the format does not fix one.
    /// The bytes of a [`crate::Part`] are in it; UTF-8 where it is `None`.
    pub encoding: Option<&'static str>,
    /// The line ends of the texts in the file; `None` where no text has one or the format fixes them.
    /// Texts in the tree always end lines with `\n`; one that departs from the file's style keeps its bytes.
    pub newline: Option<Newline>,
}

impl Head {
    /// The value of the first tag of this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The player of a side, where the file says who it was: the tags are `Black` and `White`, in xiangqi `Red` and `Black`.
    pub fn player(&self, side: Side) -> Option<&str> {
        self.tag(match (self.game, side) {
            (Game::Gomoku, Side::First) | (Game::Xiangqi, Side::Second) => "Black",
            (Game::Gomoku, Side::Second) => "White",
            (Game::Xiangqi, Side::First) => "Red",
        })
    }

    /// The position that a xiangqi game begins with, as a FEN; `None` for the start of the game, and in gomoku.
    pub fn fen(&self) -> Option<&str> {
        if self.game == Game::Xiangqi { self.tag(FEN) } else { None }
    }

    /// The side that makes the move of a ply, which counts from 1, where sides alternate: in xiangqi the position
    /// that the game begins with says who is first.
    pub fn side_of_ply(&self, ply: usize) -> Side {
        let side =
            self.fen().and_then(|fen| fen.split([' ', '_']).find(|word| !word.is_empty() && !word.contains('/')));
        let black_begins = side.is_some_and(|side| side.eq_ignore_ascii_case("b"));
        Side::of_ply(ply + usize::from(black_begins))
    }
}

/// The tag that holds the position a xiangqi game begins with, as in PGN.
pub const FEN: &str = "FEN";

/// The end of a game.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The first player won.
    First,
    /// The second player won.
    Second,
    /// Nobody won.
    Draw,
    /// The game does not count.
    Void,
    /// The file says that the result is not known.
    Unknown,
}

impl Outcome {
    /// `1-0` (the first player won), `0-1`, `1/2-1/2`, `void` or `*`.
    pub const fn text(self) -> &'static str {
        match self {
            Outcome::First => "1-0",
            Outcome::Second => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Void => "void",
            Outcome::Unknown => "*",
        }
    }

    /// The outcome whose [`Outcome::text`] this is.
    pub fn from_text(text: &str) -> Option<Outcome> {
        use Outcome::*;
        [First, Second, Draw, Void, Unknown].into_iter().find(|outcome| outcome.text() == text)
    }
}

/// What a file says of the opening procedure; nothing here is judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// The fifth moves that were offered.
    pub offered: Vec<Point>,
    /// The declared number of fifth moves.
    pub declared: Option<u8>,
    /// The swap decisions in order, one character each: `R` swapped, `-` not (RenjuNet's letters).
    pub swaps: Option<String>,
}

/// How lines end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Newline {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl Newline {
    /// The name in files of ours.
    pub const fn name(self) -> &'static str {
        match self {
            Newline::Lf => "lf",
            Newline::CrLf => "crlf",
        }
    }

    /// The style of this [`Newline::name`].
    pub fn from_name(name: &str) -> Option<Newline> {
        [Newline::Lf, Newline::CrLf].into_iter().find(|newline| newline.name() == name)
    }
}
