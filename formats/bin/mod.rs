//! Training samples of c-gomoku-cli and Rapfi; the format is written down in `SPEC.md`.

pub(crate) mod read;
pub(crate) mod sample;
#[cfg(test)]
mod tests;
pub(crate) mod write;

use crate::{Format, HEAD, Likeness, frame};
use games::Game;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "bin",
    title: "training samples of c-gomoku-cli and Rapfi",
    extensions: &["bin"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read: read::read,
    writer: Some(write::writer),
};

const NAME: &str = FORMAT.name;

/// The numbers of the rules, here and in `binpack`.
pub(crate) const RULES: [(u8, games::Rule); 3] =
    [(0, games::Rule::Freestyle), (1, games::Rule::Standard), (4, games::Rule::Renju)];

/// So many moves in a row that are points of their board are no accident.
pub(crate) const ENOUGH: usize = 8;

fn likeness(head: &[u8]) -> Likeness {
    if head.starts_with(&frame::MAGIC) {
        return raw_likeness(&frame::start(head, HEAD));
    }
    raw_likeness(head)
}

/// The head may end inside a sample; one that cannot be is what tells a stranger.
fn raw_likeness(mut head: &[u8]) -> Likeness {
    let mut moves = 0;
    while let Some((fields, rest)) = head.split_first_chunk::<4>() {
        let fields = read::Fields::parse(fields);
        let whole = 2 * fields.ply <= rest.len();
        let (position, rest) = rest.split_at(rest.len().min(2 * fields.ply));
        let Ok(sample) = fields.sample(&position[..position.len() & !1]) else { return Likeness::No };
        if sample.size.width() < 5 || !sample.is_distinct() {
            return Likeness::No;
        }
        moves += sample.line.len();
        head = if whole { rest } else { &[] };
    }
    match moves {
        0 => Likeness::No,
        ENOUGH.. => Likeness::Magic,
        _ => Likeness::Shape,
    }
}
