//! Games of Basecity; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::lines::text;
use crate::played::{Bad, Played};
use crate::{Error, Format, Guess, Likeness, Place, Reading, Severity, Sure, guess};
use games::{Game, Move, Point, Rule};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "wzq",
    title: "game of Basecity",
    extensions: &["wzq"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

/// What stands before the texts.
const START: usize = 10;

/// The byte of the centre.
const CENTRE: u8 = 0x70;

/// Nothing, two texts, and moves that are points.
fn likeness(head: &[u8]) -> Likeness {
    let Some(start) = head.get(..START) else { return Likeness::No };
    let (texts, moves) = parts(head);
    let moves = &head[moves..];
    let named = !texts.is_empty() && texts.len() <= 4;
    let fits = moves.len() > 1 && moves.iter().all(|byte| *byte < 225);
    if start.iter().all(|byte| *byte == 0) && named && fits { Likeness::Shape } else { Likeness::No }
}

/// Where the texts stand, and where the moves begin.
fn parts(bytes: &[u8]) -> (Vec<std::ops::Range<usize>>, usize) {
    let mut texts = Vec::new();
    let mut at = START;
    while let Some(&length) = bytes.get(at).filter(|byte| **byte != CENTRE) {
        at += 1;
        let end = at + usize::from(length);
        if length > 0 && end <= bytes.len() {
            texts.push(at..end);
        }
        at = end;
    }
    (texts, at.min(bytes.len()))
}

/// The point of a byte.
fn point(byte: u8) -> Option<Point> {
    if byte < 225 { Point::new(byte / 15, byte % 15) } else { None }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let (texts, start) = parts(bytes);
    reading.encoding = Some(match reading.options.encoding {
        Some(encoding) => Guess { encoding, sure: Sure::Given },
        None => guess(texts.iter().map(|range| &bytes[range.clone()])),
    });
    let mut played = Played::default();
    for (at, range) in texts.into_iter().enumerate() {
        let value = text(&bytes[range.clone()], Place::byte(range.start), reading)?;
        let name = ["Black", "White"].get(at).map_or_else(|| format!("Text{}", at + 1), |name| (*name).into());
        played.tag(&name, &value);
    }
    let mut moves: Vec<(usize, u8)> =
        (start..).zip(bytes[start..].iter().copied()).filter(|(_, byte)| *byte != 0).collect();
    if let [_, _, _, _, (_, one), (_, other), (at, rejected), ..] = moves[..] {
        let played_fifth = if rejected == one { other } else { one };
        match (point(one), point(other)) {
            (Some(first), Some(second)) if [one, other].contains(&rejected) => {
                played.head.opening.offered = vec![first, second];
                moves[4].1 = played_fifth;
                moves.drain(5..7);
            }
            _ => reading.fault("fifth-unclear", Severity::Quirk, || {
                (Place::byte(at), "the fifth move that was rejected was not offered: read as moves".into())
            })?,
        }
    }
    let mut bad = moves.is_empty().then(|| Bad::byte(start, "there is no first move in the centre"));
    for (at, byte) in moves {
        let Some(point) = point(byte) else {
            bad = Some(Bad::byte(at, format!("{byte} is not a point of a 15x15 board: they are below 225")));
            break;
        };
        played.play(Move::Place(point))?;
    }
    played.hand_out(bad, None, reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}
