//! From PGN to records.

use crate::page::page;
use crate::pgn::{self, Game, Word};
use crate::played::{Bad, Played, point, shown, turned};
use crate::{Error, Place, Reading, Severity};
use games::{Coords, Move, Rule, Size};
use record::{Full, Outcome};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut number = 0;
    for game in pgn::games(&text) {
        number += 1;
        let place = |line| Place { record: Some(number), ..Place::line(line) };
        game.faults(number, reading)?;
        let mut seats = Seats::new(&game);
        let bad = seats.words(&game)?;
        for (kind, line, message) in std::mem::take(&mut seats.quirks) {
            reading.fault(kind, Severity::Quirk, || (place(line), message))?;
        }
        seats.played.hand_out(bad, Some(number), reading)?;
        reading.progress(0)?;
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// A game in which the seats may change colours.
struct Seats {
    played: Played,
    is_renju: bool,
    /// How many slots were not empty.
    slots: usize,
    /// There is no choice of colours, and no offer of fifth stones then.
    no_choice: bool,
    quirks: Vec<(&'static str, usize, String)>,
}

impl Seats {
    fn new(game: &Game<'_>) -> Seats {
        let mut slots = game.words.iter().filter(|(_, word)| matches!(word, Word::Plain(word) if is_slot(word)));
        let is_renju = matches!(slots.nth(1), Some((_, Word::Plain("--"))));
        let mut played = Played::default();
        played.head.rule = is_renju.then_some(Rule::Renju);
        Seats { played, is_renju, slots: 0, no_choice: false, quirks: Vec::new() }
    }

    fn words(&mut self, game: &Game<'_>) -> Result<Option<Bad>, Full> {
        let mut end = None;
        let mut bad = None;
        for (line, word) in &game.words {
            match word {
                Word::Comment(text) => self.played.comment(text.trim())?,
                Word::Plain(word) if !is_slot(word) => end = Outcome::from_text(word).or(end),
                Word::Plain("--") => {}
                Word::Plain(word) => match self.slot(*line, word.trim_start_matches(is_number))? {
                    Ok(()) => {}
                    Err(message) => {
                        bad = Some(Bad::line(*line, message));
                        break;
                    }
                },
            }
        }
        self.head(game, end);
        Ok(bad)
    }

    /// A slot that is not empty.
    fn slot(&mut self, line: usize, word: &str) -> Result<Result<(), String>, Full> {
        self.slots += 1;
        if self.slots == 4 {
            let swaps = match word.to_ascii_lowercase().as_str() {
                "white" => Some("-"),
                "black" => Some("R"),
                _ => None,
            };
            if let Some(swaps) = swaps {
                self.played.head.opening.swaps = Some(swaps.into());
                return Ok(Ok(()));
            }
            self.no_choice = true;
            let message = format!("`{}` stands where a colour is chosen: read without a choice", shown(word));
            self.quirks.push(("no-choice", line, message));
        }
        let point = match point(word, Coords::A1, Size::default()) {
            Ok(point) => point,
            Err(message) => return Ok(Err(message)),
        };
        let offered = &mut self.played.head.opening.offered;
        if self.is_renju && !self.no_choice {
            match self.slots {
                6 | 7 => {
                    offered.push(point);
                    return Ok(Ok(()));
                }
                8 if !offered.contains(&point) => {
                    return Ok(Err(format!("`{}` was not offered as a fifth stone", shown(word))));
                }
                _ => {}
            }
        }
        self.played.play(Move::Place(point)).map(Ok)
    }

    fn head(&mut self, game: &Game<'_>, end: Option<Outcome>) {
        let changed = self.played.head.opening.swaps.as_deref() == Some("R");
        let stated = game.tag("Result").and_then(Outcome::from_text);
        if let (Some(stated), Some(end)) = (stated, end)
            && stated != end
        {
            let message =
                format!("the tag says `{}` and the game ends with `{}`: the tag is taken", stated.text(), end.text());
            self.quirks.push(("two-results", game.line, message));
        }
        self.played.head.result = stated.or(end).map(|result| if changed { turned(result) } else { result });
        for (name, value) in &game.tags {
            if *name == "Result" {
                if stated.is_some() {
                    continue;
                }
                let message = format!("`{}` is no result: kept as a tag", shown(value));
                self.quirks.push(("bad-result", game.line, message));
            }
            let other = changed.then(|| other_seat(name)).flatten();
            self.played.tag(other.as_deref().unwrap_or(name), value);
        }
    }
}

/// The tag of the other seat, of one that belongs to a seat.
fn other_seat(name: &str) -> Option<String> {
    let black = name.strip_prefix("Black").map(|rest| format!("White{rest}"));
    black.or_else(|| name.strip_prefix("White").map(|rest| format!("Black{rest}")))
}

fn is_number(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

/// Whether a word is neither a number nor a result.
fn is_slot(word: &str) -> bool {
    Outcome::from_text(word).is_none() && !word.chars().all(is_number)
}
