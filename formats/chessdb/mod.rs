//! chessdb (`.cdb`): what chessdb.cn answers of positions, as text; `SPEC.md` beside this file is the format.

mod answer;
mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{EntryFormat, Likeness};
use games::Game;
use games::xiangqi::{Fen, FenOptions};

/// The row of the registry.
pub const FORMAT: EntryFormat = EntryFormat {
    name: "chessdb",
    title: "answers of chessdb.cn",
    extensions: &["cdb"],
    games: &[Game::Xiangqi],
    likeness,
    read: read::read,
    writer: write::writer,
};

const NAME: &str = FORMAT.name;
/// K in the win rates of the answers.
const SCALE: u16 = 330;
/// A win at once.
const WIN: i32 = 30_000;
/// Values beyond this, of either side, count plies to the end.
const COUNTS: i32 = 29_500;
const LOST_COUNTS: i32 = -COUNTS;

/// The value for the side that chooses a move, out of the one for the other side once it is made: a ply further from the
/// end. `None` for the one value that no score comes to.
const fn before(value: i32) -> Option<i32> {
    match -value {
        COUNTS | LOST_COUNTS => None,
        won if won > COUNTS => Some(won - 1),
        lost if lost < LOST_COUNTS => Some(lost + 1),
        even => Some(even),
    }
}

/// The value for the other side once a move is made, out of the one for the side that chooses it.
const fn after(score: i32) -> i32 {
    match -score {
        won if won >= COUNTS => won + 1,
        lost if lost <= LOST_COUNTS => lost - 1,
        even => even,
    }
}

/// The win rate in percent that goes with a value.
fn win_rate(value: i32) -> f64 {
    100.0 / (1.0 + (-f64::from(value) / f64::from(SCALE)).exp())
}

/// A line with a position, and an answer behind it or on the next.
fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut lines = head.split(|byte| matches!(byte, b'\n' | b'\r')).map(|line| line.trim_ascii());
    let mut line = || lines.find(|line| !line.is_empty()).and_then(|line| std::str::from_utf8(line).ok());
    let Some((position, behind)) = line().map(|line| line.split_once('\t').unwrap_or((line, ""))) else {
        return Likeness::No;
    };
    let is_position = Fen::read(position, FenOptions::default()).is_ok();
    let told = if behind.trim().is_empty() { line().unwrap_or_default() } else { behind };
    match is_position && answer::is_answer(told) {
        true => Likeness::Magic,
        false => Likeness::No,
    }
}
