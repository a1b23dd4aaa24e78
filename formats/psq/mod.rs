//! Piskvork games (`.psq`), as Gomocup plays them; the format is written down in `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::{Format, Likeness};
use games::{Game, Rule};

const NAME: &str = "psq";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "Piskvork game",
    extensions: &["psq"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Freestyle),
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The word that a file begins with.
const START: &str = "Piskvorky ";

/// The time levels of a game between programs under a tournament's clock.
const LEVELS: &str = "11:11";

/// The code of a game that was saved by hand, or of which nothing is known.
const NO_CODE: &str = "-1";

/// The tag of the levels, Black's first.
const LEVELS_TAG: &str = "Levels";

/// What the codes at the end mean, as the tag `Termination` has it.
const CODES: [(&str, &str); 3] = [("0", "normal"), ("15", "timeout"), ("-2", "AI error")];

/// What `Termination` says of other codes, before the number.
const OTHER_CODE: &str = "code ";

fn likeness(head: &[u8]) -> Likeness {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    if head.starts_with(START.as_bytes()) { Likeness::Magic } else { Likeness::No }
}

/// The numbers of a line that reads as a move: column, row, milliseconds.
///
/// Piskvork takes numbers with blanks around them and stops at the first line that is none.
fn numbers(line: &str) -> Option<(i64, i64, Option<i64>)> {
    let mut parts = line.split(',').map(|part| part.trim().parse::<i64>());
    let (x, y) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let time = parts.next().map(|part| part.ok());
    match (time, parts.next()) {
        (None, _) => Some((x, y, None)),
        (Some(Some(time)), None) => Some((x, y, Some(time))),
        _ => None,
    }
}

/// Whether a line reads as the code at the end.
fn is_code(line: &str) -> bool {
    line.trim().parse::<i32>().is_ok()
}

/// The result and the tournament of a line of Gomocup's server.
fn verdict(line: &str) -> Option<(record::Outcome, &str)> {
    let (result, tournament) = line.split_once(',')?;
    let outcome = match result {
        "0" => record::Outcome::Draw,
        "1" => record::Outcome::First,
        "2" => record::Outcome::Second,
        _ => return None,
    };
    // A line of numbers is a move.
    numbers(line).is_none().then_some((outcome, tournament))
}
