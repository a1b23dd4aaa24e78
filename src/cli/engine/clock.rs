use engine::Time;
use std::time::Duration;

/// What there is to think with, in milliseconds, as an interface tells it.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    /// For each move: `None` without a limit, 0 or less for as soon as possible.
    pub turn: Option<i64>,
    /// For this move and all later ones, in the same way.
    pub left: Option<i64>,
}

/// The answer is under way so much before the time is up: the other side may be slow to hear of it.
const MARGIN: u64 = 50;
/// What a move gets that is wanted as soon as possible.
const AT_ONCE: Time = Time { optimum: Duration::from_millis(40), maximum: Duration::from_millis(80) };
/// What it gets where no time is left at all.
const LAST: Time = Time::whole(Duration::from_millis(5));
/// How many moves of ours a game has, and how many are left at the least however long it is.
const MOVES: u64 = 35;
const LAST_MOVES: u64 = 8;
/// A hard move may take so many times its share, and so much of what is left.
const SHARES: u64 = 4;
const PART: u64 = 4;

impl Clock {
    /// The time of the next move of a side that has `played` stones on the board; `None` without a limit.
    pub fn time(self, played: usize) -> Option<Time> {
        let left = match self.left.map(spare) {
            Some(None) => return Some(LAST),
            left => left.flatten(),
        };
        let turn = match self.turn.map(spare) {
            Some(None) => return Some(AT_ONCE),
            turn => turn.flatten(),
        };
        let Some(left) = left else { return turn.map(|turn| Time::whole(Duration::from_millis(turn))) };
        let moves = MOVES.saturating_sub(played as u64).max(LAST_MOVES);
        let share = left / moves;
        let most = turn.unwrap_or(u64::MAX);
        let maximum = (share * SHARES).min(left / PART).min(most);
        let optimum = share.min(most);
        Some(Time { optimum: Duration::from_millis(optimum), maximum: Duration::from_millis(maximum.max(optimum)) })
    }
}

/// What is left of a limit after the margin; `None` if it is not worth to be counted.
fn spare(limit: i64) -> Option<u64> {
    let limit = u64::try_from(limit).ok()?;
    let spare = limit - MARGIN.min(limit / 3);
    (Duration::from_millis(spare) > Duration::from_millis(10)).then_some(spare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(turn: impl Into<Option<i64>>, left: impl Into<Option<i64>>, played: usize) -> Option<(u64, u64)> {
        let time = Clock { turn: turn.into(), left: left.into() }.time(played)?;
        Some((time.optimum.as_millis() as u64, time.maximum.as_millis() as u64))
    }

    #[test]
    fn the_time_of_a_turn_is_used_but_for_a_margin() {
        assert_eq!(time(5000, None, 0), Some((4950, 4950)));
        assert_eq!(time(100, None, 70), Some((67, 67)));
        assert_eq!(time(None, None, 0), None);
    }

    #[test]
    fn no_time_is_as_soon_as_possible_and_not_without_end() {
        for (turn, left) in [(Some(0), None), (None, Some(0)), (Some(-1), Some(5000)), (Some(5000), Some(-300))] {
            let (_, maximum) = time(turn, left, 3).unwrap();
            assert!(maximum <= 100, "{turn:?} {left:?}");
        }
    }

    /// A game of 225 moves in which each move takes all that it may.
    #[test]
    fn a_match_never_runs_out_of_time() {
        for whole in [200, 1000, 60_000, 180_000, 3_600_000, i64::from(i32::MAX) - 1] {
            for turn in [None, Some(500), Some(30_000)] {
                let mut left = whole;
                for played in 0..200 {
                    let (optimum, maximum) = time(turn, left, played).unwrap();
                    assert!(optimum <= maximum);
                    assert!(maximum as i64 <= left, "{whole} {turn:?} {played}: {maximum} of {left}");
                    assert!(turn.is_none_or(|turn| maximum as i64 <= turn - 50));
                    left -= maximum as i64;
                    if left < 10 {
                        break;
                    }
                    assert!(played > 5 || left > whole / 8, "too much at the beginning");
                }
            }
        }
    }

    #[test]
    fn the_beginning_of_a_game_gets_its_share() {
        let (optimum, maximum) = time(30_000, 180_000, 0).unwrap();
        assert!((4000..6000).contains(&optimum), "{optimum}");
        assert!((15_000..=30_000).contains(&maximum), "{maximum}");
    }
}
