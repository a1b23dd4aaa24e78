//! The numbers before a game and those of a move.

use crate::bin::RULES;
use crate::bin::read::point;
use crate::bin::sample::outcome;
use games::{Move, Rule, Side, Size};
use record::{Outcome, Score, Value};

/// Bytes of an entry.
pub(super) const ENTRY: usize = 4;

/// The eight bytes before a game.
pub(super) struct Header {
    pub size: u8,
    pub rule: u8,
    pub result: u8,
    /// Moves in all.
    pub total: usize,
    /// Moves of the opening.
    pub opening: usize,
    pub tag: u16,
    /// Entries behind the opening.
    pub count: usize,
}

/// What the numbers before a game mean.
pub(super) struct Meaning {
    pub size: Size,
    pub rule: Rule,
    pub result: Outcome,
}

impl Header {
    pub fn parse(bytes: &[u8; 8]) -> Header {
        let [a, b, c, d, e, f, g, h] = *bytes;
        let (low, high) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        Header {
            size: (low & 31) as u8,
            rule: (low >> 5 & 7) as u8,
            result: (low >> 8 & 15) as u8,
            total: (low >> 12 & 1023) as usize,
            opening: (low >> 22) as usize,
            tag: (high & 0x3FFF) as u16,
            count: (high >> 14) as usize,
        }
    }

    pub fn push(&self, out: &mut Vec<u8>) {
        let low = u32::from(self.size)
            | u32::from(self.rule) << 5
            | u32::from(self.result) << 8
            | (self.total as u32) << 12
            | (self.opening as u32) << 22;
        out.extend(low.to_le_bytes());
        out.extend((u32::from(self.tag) | (self.count as u32) << 14).to_le_bytes());
    }

    pub fn game(&self) -> Result<Meaning, String> {
        let size = Size::square(self.size)
            .ok_or_else(|| format!("{} is not a board size from 1 to {}", self.size, Size::LARGEST))?;
        let rule = RULES.iter().find(|(number, _)| *number == self.rule);
        let rule = rule.ok_or_else(|| format!("{} is not a rule: they are 0, 1 and 4", self.rule))?.1;
        let result = outcome(self.result, Side::of_ply(self.opening + 1))
            .ok_or_else(|| format!("{} is not a result: they are 0, 1 and 2", self.result))?;
        Ok(Meaning { size, rule, result })
    }
}

/// A move that a search found, and what it thought of it.
pub(super) struct Entry {
    /// It is the first of its position: the one that was played.
    pub first: bool,
    /// It is the last of its position.
    pub last: bool,
    pub no_value: bool,
    pub pass: bool,
    /// A reserved bit is set.
    pub reserved: bool,
    pub code: u16,
    pub value: i16,
}

impl Entry {
    pub fn parse(bytes: &[u8; ENTRY]) -> Entry {
        let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
        let has = |bit: u16| bits & bit != 0;
        Entry {
            first: has(1),
            last: has(2),
            no_value: has(4),
            pass: has(8),
            reserved: has(0x30),
            code: bits >> 6,
            value: i16::from_le_bytes([bytes[2], bytes[3]]),
        }
    }

    pub fn push(&self, out: &mut Vec<u8>) {
        let flags = [self.first, self.last, self.no_value, self.pass].into_iter().enumerate();
        let bits = flags.fold(self.code << 6, |bits, (at, set)| bits | u16::from(set) << at);
        out.extend(bits.to_le_bytes());
        out.extend(self.value.to_le_bytes());
    }

    /// The move.
    pub fn play(&self, size: Size) -> Result<Move, String> {
        if self.pass { Ok(Move::Pass) } else { point(self.code, size).map(Move::Place) }
    }

    /// Whether something is set that says nothing.
    pub fn has_unused_bits(&self) -> bool {
        self.reserved || (self.pass && self.code != 0) || (self.no_value && self.value != 0)
    }

    /// The value of the position behind the move, which this side makes.
    pub fn value(&self, side: Side) -> Option<Value> {
        (!self.no_value).then(|| Value { score: score(self.value, side), depth: None })
    }
}

/// A value for the side that moves, as one for the first player behind the move.
fn score(value: i16, side: Side) -> Score {
    let value = i32::from(value);
    // The move itself is one of the plies to the win.
    let plies = u16::try_from(29_999 - value.abs()).ok().filter(|plies| *plies < 500);
    match (plies, side, value > 0) {
        (Some(plies), Side::First, true) | (Some(plies), Side::Second, false) => Score::FirstWins(plies),
        (Some(plies), ..) => Score::SecondWins(plies),
        (None, Side::First, _) => Score::Points(value),
        (None, Side::Second, _) => Score::Points(-value),
    }
}

/// The value for the side that moves whose [`score`] this is, or the nearest thing to it and what is lost.
pub(super) fn of_score(score: Score, side: Side) -> Result<i16, (Option<i16>, &'static str)> {
    let (value, is_win) = match score {
        Score::Points(points) => (i64::from(points), false),
        Score::FirstWins(plies) => (29_999 - i64::from(plies), true),
        Score::SecondWins(plies) => (i64::from(plies) - 29_999, true),
    };
    let value = if side == Side::First { value } else { -value };
    let of_wins = (29_500..30_000).contains(&value.abs());
    match i16::try_from(value) {
        Ok(value) if is_win == of_wins => Ok(value),
        Ok(value) if !is_win => Err((Some(value), "values that read as forced wins (written all the same)")),
        _ if is_win => Err((None, "forced wins in more than 499 plies (left out)")),
        _ => Err((None, "values beyond 16 bits (left out)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_returns_from_either_side() {
        for value in i16::MIN..=i16::MAX {
            for side in [Side::First, Side::Second] {
                assert_eq!(of_score(score(value, side), side), Ok(value));
            }
        }
        assert_eq!(score(29_999, Side::Second), Score::SecondWins(0));
        assert_eq!(score(-29_988, Side::Second), Score::FirstWins(11));
        assert_eq!(score(-93, Side::Second), Score::Points(93));
        assert_eq!(of_score(Score::Points(29_700), Side::First).unwrap_err().0, Some(29_700));
        assert_eq!(of_score(Score::FirstWins(500), Side::First).unwrap_err().0, None);
        assert_eq!(of_score(Score::Points(40_000), Side::First).unwrap_err().0, None);
    }
}
