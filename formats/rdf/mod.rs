//! RDF, a game in a web address; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::played::{Bad, Played, shown};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use games::{Game, Move, Point, Rule};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "rdf",
    title: "RDF, a game in a web address",
    extensions: &["rdf"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

const MAGIC: &[u8] = b":RDFA";

/// Where the groups begin.
fn start(bytes: &[u8]) -> Option<usize> {
    let magic = bytes.windows(MAGIC.len()).position(|window| window == MAGIC)? + MAGIC.len();
    Some(magic + bytes[magic..].iter().position(|byte| *byte == b':')? + 1)
}

fn likeness(head: &[u8]) -> Likeness {
    let first = start(head).and_then(|start| head.get(start..start + 4));
    if first.is_some_and(|group| group.starts_with(b"01")) { Likeness::Magic } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let Some(start) = start(bytes) else {
        return Err(reading.error(Place::byte(0), "there is no `:RDFA` and no colon behind it"));
    };
    let mut played = Played::default();
    let mut bad = None;
    let (mut fifth, mut other) = (None, None);
    let mut group = Vec::new();
    let mut ended = false;
    for (at, byte) in (start..).zip(&bytes[start..]) {
        if *byte == b'!' && group.is_empty() {
            ended = true;
            break;
        }
        if byte.is_ascii_whitespace() {
            continue;
        }
        group.push(*byte);
        if group.len() < 4 {
            continue;
        }
        let wrong = || Some(Bad::byte(at - 3, format!("`{}` is no turn", shown(&String::from_utf8_lossy(&group)))));
        let turn = std::str::from_utf8(&group[..2]).ok().and_then(|number| number.parse::<usize>().ok());
        if group.starts_with(b"A5")
            && let Some(point) = point(&group[2..], b'a')
        {
            other = Some(point);
        } else if let (Some(turn), Some(point)) = (turn, point(&group[2..], b'A'))
            && played.plies() + 1 == turn
        {
            played.play(Move::Place(point))?;
            fifth = if played.plies() == 5 { Some(point) } else { fifth };
        } else {
            bad = wrong();
            break;
        }
        group.clear();
    }
    if !group.is_empty() && bad.is_none() {
        bad = Some(Bad::byte(bytes.len(), "the file ends inside a turn"));
    }
    if other.is_some() {
        played.head.opening.offered = fifth.into_iter().chain(other).collect();
    }
    if played.plies() == 0 && bad.is_none() {
        bad = Some(Bad::byte(start, "there is no move"));
    }
    if !ended && bad.is_none() {
        let message = || (Place::byte(bytes.len()), "no `!` ends the game: it may be cut".into());
        reading.fault("no-end", Severity::Damage, message)?;
    }
    played.hand_out(bad, None, reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}

/// The point of two letters, of which this is the first one of the alphabet.
fn point(letters: &[u8], first: u8) -> Option<Point> {
    let at = |index: usize| letters.get(index)?.checked_sub(first).filter(|number| *number < 15);
    Point::new(at(0)?, at(1)?)
}
