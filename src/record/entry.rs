use games::{Move, Point, Side, Symmetry};
use std::borrow::Cow;

/// What a book knows of a position, whatever moves led to it.
///
/// Every point here is one of the board as the key beside the entry has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// How an engine judges it.
    pub judgement: Option<Judgement>,
    /// The best move that the book does not follow.
    pub rest: Option<Rest>,
    /// What the moves that the book follows and the rest come to; as of the last back-up.
    pub backed: Option<Backed>,
    /// What a person or a program says of the move that led to it.
    pub label: Label,
    /// The games that reached it, each counted once.
    pub tally: Tally,
    /// The strength of the players of those games, where it is known.
    pub ratings: Ratings,
    /// The year of the latest of those games.
    pub last_year: Option<u16>,
    /// The moves that were played from it.
    pub moves: Vec<Continuation>,
    /// Some of the games: numbers that their source gives meaning to.
    pub games: Vec<u64>,
    /// Comments; several where sources say different things.
    pub comments: Vec<Comment>,
    /// Texts on points of the board.
    pub texts: Vec<BoardText>,
}

/// A value as engines give it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Judgement {
    /// From the side to move; a win in n plies is 30000 - n, a loss n - 30000.
    pub value: i32,
    /// What the value says of the true one.
    pub bound: Bound,
    /// The depth of the search.
    pub depth: i16,
    /// The nodes of the search, where they are known.
    pub nodes: Option<u64>,
    /// K in win rate = 1 / (1 + exp(-value / K)); [`Judgement::SCALE`] where the source says nothing.
    pub scale: u16,
    /// Who says so; empty where it is not known.
    pub source: String,
}

impl Entry {
    /// The value to go by: what is backed up, else the best move that was found, else what others say. What is
    /// computed has the depth, the nodes and the source of the rest.
    pub fn value(&self) -> Option<Cow<'_, Judgement>> {
        let rest = self.rest.as_ref().and_then(|rest| rest.judgement.as_ref());
        let found = rest.or(self.judgement.as_ref());
        let Some(Backed { value, scale, .. }) = self.backed else { return found.map(Cow::Borrowed) };
        let of_search = found.cloned().unwrap_or(Judgement {
            value,
            bound: Bound::Exact,
            depth: 0,
            nodes: None,
            scale,
            source: String::new(),
        });
        Some(Cow::Owned(Judgement { value, scale, bound: Bound::Exact, ..of_search }))
    }
}

impl Judgement {
    /// The scale of Rapfi and Yixin.
    pub const SCALE: u16 = 200;

    /// How many plies away the win or the loss is that the value says; `None` for any other value.
    pub fn plies_to_end(&self) -> Option<u32> {
        let far = self.value.unsigned_abs();
        (far > 29_500).then(|| 30_000_u32.saturating_sub(far))
    }
}

/// The best of the moves that lead to no position of the book that has a value.
///
/// It holds for as long as [`Rest::play`] leads to no such position: whatever else the book learns, this move is still
/// the best of the others. In xiangqi, where values are not backed up, it is the best of all moves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rest {
    /// The move; `None` if there is no other, because the board is full, or all others are forbidden or known.
    pub play: Option<Move>,
    /// What a search of these moves found, from the side to move; `None` where the engine tells no values and the
    /// move is only suggested.
    pub judgement: Option<Judgement>,
    /// Whether the win or the loss that the value says is proven, by fours or threats that the rules alone confirm.
    pub proven: bool,
}

/// A value that is computed from those of other positions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Backed {
    /// As [`Judgement::value`].
    pub value: i32,
    /// As [`Judgement::scale`].
    pub scale: u16,
    /// Whether it is a win or a loss, and all that it rests on is proven.
    pub proven: bool,
}

/// How a value stands to the true one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Bound {
    /// Nothing is said.
    #[default]
    None,
    /// The true value is at most this.
    Upper,
    /// The true value is at least this.
    Lower,
    /// It is the true value of that search.
    Exact,
}

impl Bound {
    /// All of them, in the order of the numbers that `.db` files give them.
    pub const ALL: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Bound::None => "none",
            Bound::Upper => "upper",
            Bound::Lower => "lower",
            Bound::Exact => "exact",
        }
    }
}

/// A verdict on the move that led to the position, for the side that made it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Label {
    /// Nothing is said.
    #[default]
    None,
    /// The byte 0 of a `.db` file, which some programs tell from [`Label::None`].
    Null,
    /// It wins.
    Win,
    /// It loses.
    Loss,
    /// It draws.
    Draw,
    /// It is the only good one, to be played at once.
    Forced,
    /// It is not to be played.
    Blocked,
    /// A sign of the user's own.
    User(u8),
}

impl Label {
    /// The name in JSON; a user's byte as its character, or as `0x` and two digits.
    pub fn name(self) -> Option<String> {
        Some(match self {
            Label::None => return None,
            Label::Null => "null".into(),
            Label::Win => "win".into(),
            Label::Loss => "loss".into(),
            Label::Draw => "draw".into(),
            Label::Forced => "forced".into(),
            Label::Blocked => "blocked".into(),
            Label::User(byte) if byte.is_ascii_graphic() => char::from(byte).into(),
            Label::User(byte) => format!("0x{byte:02x}"),
        })
    }
}

/// Counted games.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tally {
    /// All, those without a result among them.
    pub games: u64,
    /// Those that the first player won.
    pub first: u64,
    /// Those that nobody won.
    pub draws: u64,
    /// Those that the second player won.
    pub second: u64,
}

impl Tally {
    /// Adds the games of another tally.
    pub fn add(&mut self, other: Tally) {
        self.games = self.games.saturating_add(other.games);
        self.first = self.first.saturating_add(other.first);
        self.draws = self.draws.saturating_add(other.draws);
        self.second = self.second.saturating_add(other.second);
    }

    /// The share of points that a side scored in the games with a result; `None` if there is none.
    pub fn score(self, side: Side) -> Option<f64> {
        let wins = if side == Side::First { self.first } else { self.second };
        let ended = self.first as f64 + self.draws as f64 + self.second as f64;
        (ended > 0.0).then(|| (wins as f64 + self.draws as f64 / 2.0) / ended)
    }
}

/// Ratings of players, to take their mean.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ratings {
    /// The sum of the ratings.
    pub sum: u64,
    /// How many there are.
    pub count: u64,
}

/// A move from a position and the games in which it was played there.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Continuation {
    /// The move.
    pub play: Move,
    /// The games; none where the move stands in a tree without results.
    pub tally: Tally,
}

/// A comment.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Comment {
    /// The text; its lines end with `\n`.
    pub text: String,
    /// What stands for it in a `.db` file that declares UTF-8, where that is not the text itself; else empty.
    pub bytes: Vec<u8>,
    /// The symmetry that turns the key's board into the one that the comment was written at.
    pub written: Symmetry,
}

/// A text on a point.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BoardText {
    /// The point, on the key's board.
    pub point: Point,
    /// The text.
    pub text: String,
    /// As [`Comment::bytes`].
    pub bytes: Vec<u8>,
    /// The symmetry that turns the key's board into the one that the text was written at.
    pub written: Symmetry,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_counts_draws_half_and_games_without_a_result_not_at_all() {
        let tally = Tally { games: 6, first: 3, draws: 1, second: 1 };
        assert_eq!(tally.score(Side::First), Some(0.7));
        assert_eq!(tally.score(Side::Second), Some(0.3));
        assert_eq!(Tally { games: 2, ..Tally::default() }.score(Side::First), None);
    }
}
