//! Games of Gomotur; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page, rows};
use crate::played::{Bad, Played, shown};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use games::{Game, Move, Point, Rule, Size};
use record::{Full, Note};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "rec",
    title: "game of Gomotur",
    extensions: &["rec"],
    many: false,
    games: &[Game::Gomoku],
    rule: Some(Rule::Freestyle),
    likeness,
    read,
    writer: None,
};

/// What the codes at the end mean.
const CODES: [(i64, &str); 3] = [(0, "normal"), (15, "timeout"), (-2, "AI error")];

/// Two names, then moves.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let mut lines = rows(&text).map(|(_, row)| row);
    let mut name = || lines.next().is_some_and(|row| !row.trim().is_empty() && numbers(row).is_none());
    let named = name() && name();
    let moves: Vec<_> = lines.take(3).map_while(numbers).collect();
    let on_board = moves.iter().all(|(x, y, _)| point(*x, *y).is_some());
    if named && moves.len() == 3 && on_board { Likeness::Shape } else { Likeness::No }
}

fn size() -> Size {
    Size::square(20).expect("20 is a size")
}

fn point(x: i64, y: i64) -> Option<Point> {
    let point = Point::new(u8::try_from(x).ok()?, u8::try_from(y).ok()?)?;
    size().contains(point).then_some(point)
}

/// The numbers of a move: column, row, milliseconds.
fn numbers(row: &str) -> Option<(i64, i64, Option<i64>)> {
    let mut parts = row.split(',').map(|part| part.trim().parse().ok());
    let (x, y) = (parts.next()??, parts.next()??);
    let time = match parts.next() {
        Some(time) => Some(time?),
        None => None,
    };
    parts.next().is_none().then_some((x, y, time))
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut played = Played::default();
    played.head.size = size();
    let mut lines = rows(&text).filter(|(_, row)| !row.trim().is_empty()).peekable();
    for name in ["Player1", "Player2"] {
        if let Some((_, row)) = lines.next_if(|(_, row)| numbers(row).is_none()) {
            played.tag(name, row);
        }
    }
    if played.head.tags.len() == 2 {
        let message = || (Place::line(1), "which of the two players began is not known".into());
        reading.fault("starter-unknown", Severity::Remark, message)?;
    }
    let mut bad = None;
    for (line, row) in lines.by_ref() {
        match numbers(row) {
            Some(numbers) => match a_move(&mut played, numbers)? {
                Ok(()) => {}
                Err(message) => {
                    bad = Some(Bad::line(line, message));
                    break;
                }
            },
            None => {
                bad = code(row, &mut played).map_err(|message| Bad::line(line, message)).err();
                break;
            }
        }
    }
    if let (Some((line, _)), None) = (lines.next(), &bad) {
        let message = || (Place::line(line), "lines stand behind the code of the end: not kept".into());
        reading.fault("trailing-lines", Severity::Damage, message)?;
    }
    played.hand_out(bad, None, reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}

fn a_move(played: &mut Played, (x, y, time): (i64, i64, Option<i64>)) -> Result<Result<(), String>, Full> {
    let Some(point) = point(x, y) else {
        return Ok(Err(format!("`{x},{y}` is not a point of a {} board, which counts from 0", size())));
    };
    let Ok(time) = time.map(u32::try_from).transpose() else {
        return Ok(Err("the milliseconds are no time of a move".to_owned()));
    };
    played.play(Move::Place(point))?;
    time.map_or(Ok(()), |time| played.note(Note::Time(time))).map(Ok)
}

fn code(row: &str, played: &mut Played) -> Result<(), String> {
    let code = row.trim().parse::<i64>();
    let code = code.map_err(|_| format!("`{}` is neither a move nor a code of the end", shown(row)))?;
    let known = CODES.iter().find(|(known, _)| *known == code);
    match known {
        Some((_, meaning)) => played.tag("Termination", meaning),
        None if code == -1 => {}
        None => played.tag("Termination", &format!("code {code}")),
    }
    Ok(())
}
