use std::fmt;
use std::ops::Neg;

/// What a position is worth to the side that moves next.
///
/// Between [`Value::MOST`] and its negative the win rate is `1 / (1 + exp(-v / 200))`; a win in n plies is 30,000 - n,
/// a loss in n plies n - 30,000.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub(crate) i32);

impl Value {
    /// Neither side stands better.
    pub const DRAW: Value = Value(0);
    /// The largest value that is no win.
    pub const MOST: Value = Value(20_000);
    const WON: i32 = 30_000;
    /// No board has so many points.
    const LONGEST: i32 = 500;

    /// A value that is no win, in points; what is larger is [`Value::MOST`].
    pub fn points(points: i32) -> Value {
        Value(points.clamp(-Value::MOST.0, Value::MOST.0))
    }

    /// The side to move wins with the `plies`th ply, 1 is its next move.
    pub const fn win_in(plies: u32) -> Value {
        Value(Value::WON - plies as i32)
    }

    /// The side to move loses with the `plies`th ply; 0 if it has lost.
    pub const fn loss_in(plies: u32) -> Value {
        Value(plies as i32 - Value::WON)
    }

    /// The number: points, or the distance from 30,000.
    pub const fn get(self) -> i32 {
        self.0
    }

    /// In how many plies the side to move wins.
    pub fn wins_in(self) -> Option<u32> {
        (self.0 > Value::WON - Value::LONGEST).then_some((Value::WON - self.0).max(0) as u32)
    }

    /// In how many plies the side to move loses.
    pub fn loses_in(self) -> Option<u32> {
        (-self).wins_in()
    }

    /// Whether it is a win or a loss.
    pub fn is_decided(self) -> bool {
        self.0.abs() > Value::WON - Value::LONGEST
    }

    /// The chance to win, between 0 and 1.
    pub fn win_rate(self) -> f64 {
        record::win_rate(self.0, record::Judgement::SCALE)
    }
}

impl Neg for Value {
    type Output = Value;

    fn neg(self) -> Value {
        Value(-self.0)
    }
}

/// `-120`, `+M5` for a win in five plies, `-M4` for a loss in four.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.wins_in(), self.loses_in()) {
            (Some(plies), _) => write!(f, "+M{plies}"),
            (_, Some(plies)) => write!(f, "-M{plies}"),
            _ => write!(f, "{}", self.0),
        }
    }
}
