//! Games of PlaySite; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page, rows};
use crate::played::{Bad, Played, point, shown, two_names};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use games::{Coords, Game, Move, Side, Size};
use record::{Full, Outcome};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "playsite",
    title: "games of PlaySite",
    extensions: &["playsite"],
    many: true,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read,
    writer: None,
};

const HEADER: &str = "-- HISTORY --";

fn likeness(head: &[u8]) -> Likeness {
    if head_text(head).trim_start().starts_with(HEADER) { Likeness::Magic } else { Likeness::No }
}

/// A game while it is read.
#[derive(Default)]
struct History<'a> {
    played: Played,
    names: Option<(&'a str, &'a str)>,
    rows: usize,
    bad: Option<Bad>,
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut history: Option<History<'_>> = None;
    let mut number = 1;
    for (line, row) in rows(&text).map(|(line, row)| (line, row.trim())).filter(|(_, row)| !row.is_empty()) {
        if row == HEADER {
            if let Some(game) = history.replace(History::default()) {
                game.played.hand_out(game.bad, Some(number), reading)?;
                number += 1;
                reading.progress(0)?;
            }
            continue;
        }
        let kept = match &mut history {
            Some(game) => game.row(line, row)?,
            None => false,
        };
        if !kept {
            reading.fault("other-lines", Severity::Damage, || {
                (Place::line(line), format!("`{}` is no part of a game: not kept", shown(row)))
            })?;
        }
    }
    match history {
        Some(game) => game.played.hand_out(game.bad, Some(number), reading)?,
        None if text.trim().is_empty() => {}
        None => return Err(reading.error(Place::line(1), format!("no line says `{HEADER}`"))),
    }
    reading.end()?;
    reading.progress(bytes.len())
}

impl<'a> History<'a> {
    /// Reads a line; false if it is no part of a game.
    fn row(&mut self, line: usize, row: &'a str) -> Result<bool, Full> {
        let Some((left, right)) = self.names else {
            let names = two_names(row);
            self.names = Some(names);
            self.played.tag("Black", names.0);
            self.played.tag("White", names.1);
            return Ok(true);
        };
        let winner = row.strip_suffix("wins.").or(row.strip_suffix("wins")).map(str::trim);
        if let Some((number, moves)) =
            row.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()))
        {
            self.rows += 1;
            let number = number.parse::<usize>();
            for word in moves.split_whitespace() {
                if self.bad.is_some() {
                    break;
                }
                let played = match number {
                    Ok(number) if number == self.rows => self.word(word)?,
                    _ => Err(format!("`{}` is not row {} of the moves", shown(row), self.rows)),
                };
                self.bad = played.map_err(|message| Bad::line(line, message)).err();
            }
        } else if let Some(winner) = winner.filter(|winner| *winner == left || *winner == right) {
            self.played.head.result = Some(if winner == left { Outcome::First } else { Outcome::Second });
        } else if row.to_ascii_lowercase().contains("draw") {
            self.played.head.result = Some(Outcome::Draw);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn word(&mut self, word: &str) -> Result<Result<(), String>, Full> {
        if self.played.head.tag("Termination").is_some() {
            return Ok(Err(format!("`{}` stands behind the end of the game", shown(word))));
        }
        if word == "resign" {
            let loser = Side::of_ply(self.played.plies() + 1);
            self.played.tag("Termination", word);
            self.played.head.result = Some(if loser == Side::First { Outcome::Second } else { Outcome::First });
            return Ok(Ok(()));
        }
        match point(word, Coords::A1, Size::default()) {
            Ok(point) => self.played.play(Move::Place(point)).map(Ok),
            Err(message) => Ok(Err(message)),
        }
    }
}
