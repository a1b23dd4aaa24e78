//! Games of ShowRenju; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page, rows};
use crate::played::{Bad, Played, point, shown};
use crate::{Error, Format, Likeness, Reading};
use games::{Coords, Game, Move, Point, Rule, Size};
use record::{Full, Outcome};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "bdt",
    title: "games of ShowRenju",
    extensions: &["bdt"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

/// Seven fields in `=[…]`, the fourth of them of hexadecimal digits.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let Some((_, row)) = rows(&text).find(|(_, row)| !row.trim().is_empty()) else { return Likeness::No };
    let Some(game) = Line::parse(row) else { return Likeness::No };
    let hex = !game.moves.is_empty() && game.moves.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex { Likeness::Magic } else { Likeness::No }
}

/// The fields of a line.
struct Line<'a> {
    tournament: &'a str,
    black: &'a str,
    white: &'a str,
    result: &'a str,
    moves: &'a str,
    fifth: &'a str,
    reverse: &'a str,
    comment: &'a str,
}

impl Line<'_> {
    fn parse(row: &str) -> Option<Line<'_>> {
        let (tournament, fields) = row.trim().strip_suffix(']')?.split_once("=[")?;
        let mut fields = fields.splitn(7, ',').map(str::trim);
        let mut next = || fields.next();
        let (black, white, result) = (next()?, next()?, next()?);
        let (moves, fifth, reverse, comment) = (next()?, next()?, next()?, next()?);
        Some(Line { tournament, black, white, result, moves, fifth, reverse, comment })
    }
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let from_top = reading.options.coords == Coords::Rapfi;
    let text = page(bytes, reading)?;
    let mut number = 0;
    for (line, row) in rows(&text).filter(|(_, row)| !row.trim().is_empty()) {
        number += 1;
        let mut played = Played::default();
        let bad = match Line::parse(row) {
            Some(fields) => game(&fields, from_top, &mut played)?.map_err(|message| Bad::line(line, message)).err(),
            None => Some(Bad::line(line, format!("`{}` is no game: it has seven fields in `=[…]`", shown(row)))),
        };
        played.hand_out(bad, Some(number), reading)?;
        if number % 1024 == 0 {
            reading.progress(0)?;
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

fn game(fields: &Line<'_>, from_top: bool, played: &mut Played) -> Result<Result<(), String>, Full> {
    let tournament = fields.tournament.trim();
    played.tag("Event", if tournament == "," { "" } else { tournament });
    played.tag("Black", fields.black);
    played.tag("White", fields.white);
    let head = match head(fields) {
        Ok(head) => head,
        Err(message) => return Ok(Err(message)),
    };
    played.head.result = head.0;
    played.head.opening.swaps = head.1;
    let mut fifth = None;
    for pair in fields.moves.as_bytes().chunks(2) {
        let Some(point) = hex_point(pair, from_top) else {
            return Ok(Err(format!("`{}` is not a move", shown(&String::from_utf8_lossy(pair)))));
        };
        played.play(Move::Place(point))?;
        if played.plies() == 5 {
            fifth = Some(point);
        }
    }
    if !fields.fifth.is_empty() {
        let other = match point(fields.fifth, Coords::NoI, Size::default()) {
            Ok(point) => point,
            Err(message) => return Ok(Err(message)),
        };
        played.head.opening.offered = fifth.into_iter().chain([other]).collect();
    }
    played.comment(fields.comment)?;
    Ok(Ok(()))
}

fn head(fields: &Line<'_>) -> Result<(Option<Outcome>, Option<String>), String> {
    let result = match fields.result {
        "+" => Some(Outcome::First),
        "-" => Some(Outcome::Second),
        "=" => Some(Outcome::Draw),
        "" => None,
        other => return Err(format!("`{}` is not a result: it is +, - or =", shown(other))),
    };
    let swaps = match fields.reverse {
        swap @ ("R" | "-") => Some(swap.to_owned()),
        "?" | "" => None,
        other => return Err(format!("`{}` tells no change of colours: it is R, - or ?", shown(other))),
    };
    Ok((result, swaps))
}

fn hex_point(pair: &[u8], from_top: bool) -> Option<Point> {
    let digit = |byte: u8| (byte as char).to_digit(16).filter(|digit| *digit > 0).map(|digit| digit as u8);
    let &[column, row] = pair else { return None };
    let (column, row) = (digit(column)?, digit(row)?);
    Point::new(column - 1, if from_top { row - 1 } else { 15 - row })
}
