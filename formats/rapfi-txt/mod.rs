//! Rapfi's positions with their best moves, a line each; see `SPEC.md`.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::lines::{lines, without_bom};
use crate::{Format, Likeness};
use games::{Game, Rule, Side};
use record::{Score, Value};

const NAME: &str = "rapfi-txt";

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: NAME,
    title: "Rapfi positions with best moves, one a line",
    extensions: &["txt"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

/// The rules by Rapfi's names.
const RULES: [(&str, Rule); 3] = [("Freestyle", Rule::Freestyle), ("Standard", Rule::Standard), ("Renju", Rule::Renju)];

/// A win in no plies; a win in n plies is so much less.
const WIN: i32 = 30_000;

/// Values this near to [`WIN`] are wins and losses in so many plies.
const LONGEST: i32 = 500;

/// Whether the first line begins with a size and one of Rapfi's rules.
fn likeness(head: &[u8]) -> Likeness {
    let Some((.., line)) = lines(without_bom(head)).next() else { return Likeness::No };
    let mut fields = line.split(|byte| *byte == b',');
    let (size, rule) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let is_size = matches!(size.len(), 1 | 2) && size.iter().all(u8::is_ascii_digit);
    if is_size && RULES.iter().any(|(name, _)| name.as_bytes() == rule) { Likeness::Magic } else { Likeness::No }
}

/// The value of the position after a move, of which `eval` says what it is worth to the side that makes it.
fn value_of(eval: i32, mover: Side) -> Value {
    let plies = WIN - eval.saturating_abs();
    // The move itself is the first of the plies.
    let score = match u16::try_from(plies - 1) {
        Ok(plies) if i32::from(plies) < LONGEST => {
            if (eval > 0) == (mover == Side::First) {
                Score::FirstWins(plies)
            } else {
                Score::SecondWins(plies)
            }
        }
        _ => Score::Points(if mover == Side::First { eval } else { eval.saturating_neg() }),
    };
    Value { score, depth: None }
}

/// What [`value_of`] made the value of, if it is one of those.
fn eval_of(value: Value, mover: Side) -> Option<i32> {
    let sign = if mover == Side::First { 1 } else { -1 };
    let eval = match value.score {
        Score::Points(points) => points.checked_mul(sign)?,
        Score::FirstWins(plies) => sign * (WIN - 1 - i32::from(plies)),
        Score::SecondWins(plies) => -sign * (WIN - 1 - i32::from(plies)),
    };
    (value_of(eval, mover).score == value.score).then_some(eval)
}
