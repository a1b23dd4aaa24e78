//! Games of Blip; the format is written down in `SPEC.md`.

#[cfg(test)]
mod tests;

use crate::page::{head_text, page, rows};
use crate::played::{Bad, Played, point, shown};
use crate::{Error, Format, Likeness, Reading};
use games::{Coords, Game, Move, Point, Size};

/// The row of the registry.
pub const FORMAT: Format = Format {
    name: "blip",
    title: "game of Blip",
    extensions: &["blip"],
    many: false,
    games: &[Game::Gomoku],
    rule: None,
    likeness,
    read,
    writer: None,
};

const COLOURS: [&str; 2] = ["Vit", "Svart"];

fn likeness(head: &[u8]) -> Likeness {
    let text = head_text(head);
    let first = rows(&text).map(|(_, row)| row.trim()).find(|row| !row.is_empty());
    if first.is_some_and(|row| turn(row).is_ok_and(|turn| turn.0 == 1)) { Likeness::Magic } else { Likeness::No }
}

/// A colour and where it plays.
type Stone<'a> = (&'a str, Point);

/// The number of a line and its stones.
fn turn(row: &str) -> Result<(usize, Vec<Stone<'_>>), String> {
    let turn = row.split_once('.').and_then(|(number, stones)| Some((number.trim().parse().ok()?, stones)));
    let (number, stones) = turn.ok_or_else(|| format!("`{}` does not begin with a number", shown(row)))?;
    let stone = |stone: &'_ str| -> Result<(usize, Point), String> {
        let words: Vec<&str> = stone.split_whitespace().collect();
        let [colour, place] = words[..] else {
            return Err(format!("`{}` is no colour and point", shown(stone.trim())));
        };
        let colour = COLOURS.iter().position(|known| *known == colour);
        let colour = colour.ok_or_else(|| format!("`{}` is no colour and point", shown(stone.trim())))?;
        Ok((colour, point(place, Coords::A1, Size::default())?))
    };
    let stones = stones.split(',').map(|part| stone(part).map(|(colour, point)| (COLOURS[colour], point)));
    Ok((number, stones.collect::<Result<_, _>>()?))
}

fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let text = page(bytes, reading)?;
    let mut played = Played::default();
    let mut order: Vec<&str> = Vec::new();
    let mut bad = None;
    let lines = rows(&text).map(|(line, row)| (line, row.trim())).filter(|(_, row)| !row.is_empty());
    for (at, (line, row)) in lines.enumerate() {
        let turn = turn(row).and_then(|(number, stones)| {
            let expected = (at + 1, stones.len() <= 2 && played.plies() == 2 * at);
            let wrong = || format!("`{}` stands where turn {} begins", shown(row), at + 1);
            if (number, true) == expected { Ok(stones) } else { Err(wrong()) }
        });
        let stones = match turn {
            Ok(stones) => stones,
            Err(message) => {
                bad = Some(Bad::line(line, message));
                break;
            }
        };
        for (colour, point) in stones {
            if order.len() < 2 && !order.contains(&colour) {
                order.push(colour);
            }
            if order[played.plies() % 2 % order.len()] != colour || (played.plies() == 1 && order.len() == 1) {
                bad = Some(Bad::line(line, format!("`{colour}` moves out of turn")));
                break;
            }
            played.play(Move::Place(point))?;
        }
        if bad.is_some() {
            break;
        }
    }
    if let Some(first) = order.first() {
        played.tag("Begins", first);
    }
    if played.plies() == 0 && bad.is_none() {
        bad = Some(Bad::line(1, "there is no move"));
    }
    played.hand_out(bad, None, reading)?;
    reading.end()?;
    reading.progress(bytes.len())
}
