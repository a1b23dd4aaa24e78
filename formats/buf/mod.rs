//! Games of Datafree; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::played::{Bad, Played};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use games::{Game, Move, Point, Rule};
use record::{Full, Outcome};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "buf",
    title: "games of Datafree",
    extensions: &["buf"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

/// Bytes of a game.
const GAME: usize = 256;
/// Bytes of a name; Black's is the first.
const NAME: usize = 15;
/// Where the flags are in White's name.
const FLAGS: std::ops::Range<usize> = 24..30;
const FLAG: u8 = 100;
const CENTRE: u8 = 113;

/// The name of the player, without flags, and the flags.
fn names(game: &[u8]) -> Option<([String; 2], [bool; 6])> {
    let mut bytes = game.get(..2 * NAME)?.to_vec();
    let mut flags = [false; 6];
    for (flag, byte) in flags.iter_mut().zip(&mut bytes[FLAGS]) {
        *flag = *byte >= b' ' + FLAG;
        *byte -= if *flag { FLAG } else { 0 };
    }
    let is_name = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let name = |at: usize| bytes[at..at + NAME].iter().map(|byte| char::from(*byte)).collect();
    is_name.then(|| ([name(0), name(NAME)], flags))
}

/// Names in ASCII, moves on points of their own, and nothing behind them.
fn likeness(head: &[u8]) -> Likeness {
    let Some(game) = head.get(..GAME) else { return Likeness::No };
    let moves = &game[2 * NAME..];
    let Some(end) = moves.iter().position(|byte| *byte == 0) else { return Likeness::No };
    let is_move = |(at, byte): (usize, &u8)| *byte <= 225 && !moves[..at].contains(byte);
    let fits = end > 0 && moves[..end].iter().enumerate().all(is_move) && moves[end..].iter().all(|byte| *byte == 0);
    if fits && names(game).is_some() { Likeness::Shape } else { Likeness::No }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    for (at, game) in bytes.chunks(GAME).enumerate() {
        let (start, number) = (at * GAME, at as u64 + 1);
        let place = |byte: usize| Place { record: Some(number), ..Place::byte(start + byte) };
        let mut played = Played::default();
        let end = game.iter().skip(2 * NAME).position(|byte| *byte == 0).map_or(game.len(), |end| 2 * NAME + end);
        let bad = match names(game) {
            None => Some((0, "these are no names in ASCII".to_owned())),
            Some((names, flags)) => {
                for (name, text) in ["Black", "White"].iter().zip(&names) {
                    played.tag(name, text);
                }
                for (kind, message) in take_flags(flags, &mut played) {
                    reading.fault(kind, Severity::Quirk, || (place(FLAGS.start), message.into()))?;
                }
                moves(&game[2 * NAME..end], &mut played)?.err().map(|(at, message)| (2 * NAME + at, message))
            }
        };
        if let Some(more) = game.iter().skip(end).position(|byte| *byte != 0) {
            reading.fault("bytes-behind", Severity::Damage, || {
                (place(end + more), "bytes stand behind the end of the moves: not kept".into())
            })?;
        }
        let cut = (game.len() < GAME).then(|| (game.len(), "the file ends inside a game".to_owned()));
        let bad = bad.or(cut).map(|(at, message)| Bad::byte(start + at, message));
        played.hand_out(bad, Some(number), reading)?;
        if number % 4096 == 0 {
            reading.progress(start)?;
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// What the flags tell; answers what is odd about them.
fn take_flags(flags: [bool; 6], played: &mut Played) -> Vec<(&'static str, &'static str)> {
    let [time, draw, unknown, white, black, changed] = flags;
    let mut odd = Vec::new();
    if time {
        played.tag("Termination", "timeout");
    }
    if changed {
        played.head.opening.swaps = Some("R".into());
    }
    if unknown {
        odd.push(("unknown-flag", "the flag of byte 26 is set: not kept"));
    }
    played.head.result = match (draw, white, black) {
        (true, false, false) => Some(Outcome::Draw),
        (false, true, false) => Some(Outcome::Second),
        (false, false, true) => Some(Outcome::First),
        (false, false, false) => None,
        _ => {
            odd.push(("two-results", "more than one result is told: none is taken"));
            None
        }
    };
    odd
}

/// Plays the moves; an error has its place among them.
fn moves(bytes: &[u8], played: &mut Played) -> Result<Result<(), (usize, String)>, Full> {
    let point = |byte: u8| match byte {
        1..=225 => Point::new((byte - 1) % 15, (byte - 1) / 15),
        _ => None,
    };
    let mut other = None;
    for (at, byte) in bytes.iter().enumerate() {
        let Some(place) = point(*byte) else {
            return Ok(Err((at, format!("{byte} is not a point of a 15x15 board: they are 1 to 225"))));
        };
        if at == 0 && *byte != CENTRE {
            other = Some(place);
            played.play(Move::Place(point(CENTRE).expect("the centre is a point")))?;
            continue;
        }
        played.play(Move::Place(place))?;
        if let (5, Some(other)) = (played.plies(), other) {
            played.head.opening.offered = vec![place, other];
        }
    }
    if let (true, Some(other)) = (played.head.opening.offered.is_empty(), other) {
        played.head.opening.offered = vec![other];
    }
    Ok(Ok(()))
}
