//! Games by mail of Richard's server; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page, rows};
use crate::played::{Bad, Played, a_move, shown, two_names};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use games::{Coords, Game, Move, Point, Rule, Size};
use record::{Full, Outcome};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "pbem",
    title: "games by mail of Richard's server",
    extensions: &["pbem"],
    many: true,
    games: &[Game::Gomoku],
    rule: Some(Rule::Renju),
    likeness,
    read,
    writer: None,
};

/// The two players' signs stand near the start.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let mut first = rows(&text).map(|(_, row)| row).filter(|row| !row.trim().is_empty()).take(4);
    if first.any(is_header) { Likeness::Magic } else { Likeness::No }
}

fn is_header(row: &str) -> bool {
    let mut words = row.split_whitespace();
    words.next() == Some("Eks") && words.any(|word| word == "Ohs")
}

/// What a line begins with that tells the end of a game.
fn is_end(row: &str) -> bool {
    row.trim_start().starts_with("Game ")
}

/// A game while it is read.
#[derive(Default)]
struct Mail {
    played: Played,
    headed: bool,
    named: bool,
    turns: usize,
    is_new: bool,
    bad: Option<Bad>,
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut mail: Option<Mail> = None;
    let mut number = 1;
    for (line, row) in rows(&text).filter(|(_, row)| !row.trim().is_empty()) {
        if (is_end(row) || is_header(row))
            && mail.as_ref().is_none_or(|mail| mail.headed)
            && let Some(mail) = mail.replace(Mail::default())
        {
            mail.played.hand_out(mail.bad, Some(number), reading)?;
            number += 1;
            reading.progress(0)?;
        }
        let kept = match &mut mail {
            Some(mail) => mail.row(line, row)?,
            None => false,
        };
        if !kept {
            reading.fault("other-lines", Severity::Damage, || {
                (Place::line(line), format!("`{}` is no part of a game: not kept", shown(row.trim())))
            })?;
        }
    }
    match mail {
        Some(mail) => mail.played.hand_out(mail.bad, Some(number), reading)?,
        None if text.trim().is_empty() => {}
        None => return Err(reading.error(Place::line(1), "no line names Eks and Ohs")),
    }
    reading.end()?;
    reading.progress(bytes.len())
}

impl Mail {
    /// Reads a line; false if it is no part of a game.
    fn row(&mut self, line: usize, row: &str) -> Result<bool, Full> {
        if is_end(row) {
            self.end(row);
        } else if is_header(row) {
            self.headed = true;
        } else if self.headed && !self.named {
            self.named = true;
            let (black, white) = two_names(row);
            self.played.tag("Black", black);
            self.played.tag("White", white);
        } else if self.headed && row.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            let words: Vec<&str> = row.split_whitespace().collect();
            for turn in words.chunks(2) {
                if self.bad.is_none()
                    && let Err(message) = self.turn(turn)?
                {
                    self.bad = Some(Bad::line(line, message));
                }
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn end(&mut self, row: &str) {
        let (event, end) = row.split_once(':').unwrap_or((row, ""));
        let end = end.trim().to_ascii_lowercase();
        self.played.tag("Event", event);
        self.played.head.result = match end.as_str() {
            "x wins" => Some(Outcome::First),
            "o wins" => Some(Outcome::Second),
            draw if draw.starts_with("draw") => Some(Outcome::Draw),
            _ => None,
        };
        if self.played.head.result.is_none() {
            self.played.tag("Termination", &end);
        }
    }

    fn turn(&mut self, turn: &[&str]) -> Result<Result<(), String>, Full> {
        let &[number, stones] = turn else {
            return Ok(Err(format!("there is no turn behind `{}`", shown(turn[0]))));
        };
        self.turns += 1;
        if number.parse() != Ok(self.turns) {
            return Ok(Err(format!("`{}` stands where turn {} begins", shown(number), self.turns)));
        }
        let stones = stones.split(',').map(|word| a_move(word, Coords::NoI, Size::default()));
        let stones = match stones.collect::<Result<Vec<Move>, String>>() {
            Ok(stones) => stones,
            Err(message) => return Ok(Err(message)),
        };
        if self.turns == 1 && stones.len() == 2 {
            self.is_new = true;
            let centre = Point::new(7, 7).expect("the centre is a point");
            self.played.play(Move::Place(centre))?;
            return self.play(&stones);
        }
        let offer = if self.is_new { 3 } else { 5 };
        let opening = &mut self.played.head.opening;
        match stones[..] {
            [Move::Place(one), Move::Place(other)] if self.turns == offer => {
                opening.offered = vec![one, other];
                Ok(Ok(()))
            }
            [Move::Place(chosen), _] if self.turns == offer + 1 && opening.offered.contains(&chosen) => {
                self.play(&stones)
            }
            [Move::Place(chosen)] if self.turns == offer + 1 && opening.offered.contains(&chosen) => self.play(&stones),
            [_] if opening.offered.is_empty() || self.turns > offer + 1 => self.play(&stones),
            _ => Ok(Err(format!("`{}` is no turn {}", shown(turn[1]), self.turns))),
        }
    }

    fn play(&mut self, stones: &[Move]) -> Result<Result<(), String>, Full> {
        stones.iter().try_for_each(|stone| self.played.play(*stone)).map(Ok)
    }
}
