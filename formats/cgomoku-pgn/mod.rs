//! Results of c-gomoku-cli; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page};
use crate::pgn::{self, Game, Word};
use crate::played::{Played, shown, turned};
use crate::{Error, Format, Likeness, Place, Reading, Severity};
use record::Outcome;

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "cgomoku-pgn",
    title: "results of c-gomoku-cli (PGN without moves)",
    extensions: &["pgn"],
    many: true,
    games: &[games::Game::Gomoku],
    rule: None,
    likeness,
    read,
    writer: None,
};

/// No other PGN of gomoku has both tags.
fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let Some(game) = pgn::games(&text).next() else { return Likeness::No };
    let colours = winner(&game).is_some() || game.tag("Termination").is_some_and(|text| text.starts_with("Draw"));
    if colours && game.tag("PlyCount").is_some() { Likeness::Magic } else { Likeness::No }
}

/// Who won, by the words of the program.
fn winner(game: &Game<'_>) -> Option<Outcome> {
    let words = game.tag("Termination")?;
    if words.starts_with("Black win") {
        return Some(Outcome::First);
    }
    words.starts_with("White win").then_some(Outcome::Second)
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut number = 0;
    for game in pgn::games(&text) {
        number += 1;
        let place = |line| Place { record: Some(number), ..Place::line(line) };
        game.faults(number, reading)?;
        let mut played = Played::default();
        let mut end = None;
        for (line, word) in &game.words {
            match word {
                Word::Comment(text) => played.comment(text.trim())?,
                Word::Plain(word) => match Outcome::from_text(word) {
                    Some(outcome) => end = Some(outcome),
                    None => reading.fault("dummy-moves", Severity::Quirk, || {
                        (place(*line), format!("`{}` stands where there are no moves: not kept", shown(word)))
                    })?,
                },
            }
        }
        let stated = game.tag("Result").and_then(Outcome::from_text);
        // White's points stand first.
        let mut result = stated.or(end).map(turned);
        if let (Some(winner), Some(other)) = (winner(&game), result)
            && winner != other
        {
            reading.fault("result-view", Severity::Damage, || {
                let words = shown(game.tag("Termination").unwrap_or_default());
                (place(game.line), format!("the result is not what `{words}` says: that is taken"))
            })?;
            result = Some(winner);
        }
        played.head.result = result;
        for (name, value) in &game.tags {
            if *name == "Result" {
                if stated.is_some() {
                    continue;
                }
                let message = || (place(game.line), format!("`{}` is no result: kept as a tag", shown(value)));
                reading.fault("bad-result", Severity::Quirk, message)?;
            }
            played.tag(name, value);
        }
        played.hand_out(None, Some(number), reading)?;
        reading.progress(0)?;
    }
    reading.end()?;
    reading.progress(bytes.len())
}
