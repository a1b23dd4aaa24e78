//! Positions of books as people write them.

use super::super::input::name;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use games::gomoku::Board;
use games::{Coords, Move, Position, Rule, Side, Size};
use record::Key;
use std::path::Path;

/// What the text of a position leaves open.
#[derive(Args)]
pub struct Which {
    /// Rule, where the book has several
    #[arg(long)]
    pub rule: Option<Rule>,
    /// Board, where the book has several
    #[arg(long)]
    pub size: Option<Size>,
    /// Notation of the points in positions
    #[arg(long, default_value = "a1")]
    pub coords: Coords,
}

/// A position of a book that somebody named.
pub struct Place {
    pub key: Key,
    /// The position before the last move, and that move, if moves were given.
    pub before: Option<(Key, Move)>,
}

impl Which {
    /// The position of a text, under the rule and on the board that the book has where nothing else says.
    pub fn key(&self, path: &Path, boards: &[(Rule, Size)], text: &str) -> Result<Key> {
        let (position, rule) = self.position(path, boards, text)?;
        let (board, to_move) = Board::after(&position).with_context(|| text.to_string())?;
        Ok(Key::new(&board, to_move, rule))
    }

    /// As [`Which::key`], with the position before the last move.
    pub fn place(&self, path: &Path, boards: &[(Rule, Size)], text: &str) -> Result<Place> {
        let (mut position, rule) = self.position(path, boards, text)?;
        let key = |position: &Position| -> Result<Key> {
            let (board, to_move) = Board::after(position).with_context(|| text.to_string())?;
            Ok(Key::new(&board, to_move, rule))
        };
        let after = key(&position)?;
        let before = position.moves.pop().map(|last| Ok::<_, anyhow::Error>((key(&position)?, last)));
        Ok(Place { key: after, before: before.transpose()? })
    }

    fn position(&self, path: &Path, boards: &[(Rule, Size)], text: &str) -> Result<(Position, Rule)> {
        let fits = |(rule, size): &&(Rule, Size)| {
            self.rule.is_none_or(|named| named == *rule) && self.size.is_none_or(|named| named == *size)
        };
        let mut fitting = boards.iter().filter(fits);
        let known = match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(*only),
            _ => None,
        };
        let size = self.size.or(known.map(|(_, size)| size)).unwrap_or_default();
        let position = Position::parse(text, self.coords, size).map_err(|error| anyhow!("{text}: {error}"))?;
        let Some(rule) = self.rule.or(known.map(|(rule, _)| rule)) else {
            if boards.is_empty() {
                bail!("{}: this book is empty", name(path));
            }
            let boards: Vec<String> = boards.iter().map(|(rule, size)| format!("{rule} {size}")).collect();
            bail!("{} has several rules or boards: name one with --rule and --size: {}", name(path), boards.join(", "));
        };
        Ok((position, rule))
    }
}

/// A position as [`Which::place`] reads it in the notation `h8`: its stones in turn, from the centre outwards, where
/// they can be moves, else a drawn board.
pub fn spelled(key: &Key) -> String {
    let size = key.size;
    let firsts = key.stones.iter().filter(|(_, side)| *side == Side::First).count();
    if key.stones.is_empty() && key.to_move == Side::First && size == Size::default() {
        return "agi:STATU".into();
    }
    if matches!((2 * firsts).checked_sub(key.stones.len()), Some(0 | 1)) && !key.stones.is_empty() {
        let mut stones = key.stones.clone();
        let away = |at: u8, length: u8| (2 * i32::from(at) - i32::from(length) + 1).pow(2);
        stones.sort_by_key(|(at, side)| (*side as u8, away(at.x(), size.width()) + away(at.y(), size.height())));
        let (firsts, seconds) = stones.split_at(firsts);
        let mut text = Vec::with_capacity(4 * stones.len());
        for (turn, (point, _)) in firsts.iter().enumerate() {
            for (point, _) in [Some((*point, Side::First)), seconds.get(turn).copied()].into_iter().flatten() {
                if !text.is_empty() {
                    text.push(b' ');
                }
                Coords::A1.push(point, size, &mut text);
            }
        }
        if Side::of_ply(key.stones.len() + 1) != key.to_move {
            text.extend(b" --");
        }
        return String::from_utf8(text).expect("points are spelled in ASCII");
    }
    let row = |y: u8| -> String {
        let cell = |x| {
            let stone = key.stones.iter().find(|(point, _)| (point.x(), point.y()) == (x, y));
            stone.map_or('.', |(_, side)| if *side == Side::First { 'X' } else { 'O' })
        };
        (0..size.width()).map(cell).collect()
    };
    let rows: Vec<String> = (0..size.height()).map(row).collect();
    format!("board:{} turn:{}", rows.join("/"), if key.to_move == Side::First { 'X' } else { 'O' })
}

/// A move as people write it, `--` for a pass.
pub fn move_name(play: Move, size: Size) -> String {
    play.point().map_or("--".into(), |point| Coords::A1.text(point, size).to_string())
}

/// The name of a side of gomoku.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelled_position_is_read_as_the_same() {
        for text in [
            "h8",
            "h8 h9 j8 a15 o1",
            "h8 h9 --",
            "h8 --",
            "agi:STATU",
            "board:.../.X./... turn:X",
            "board:.../.O./... turn:O",
            "board:...../...../..... turn:O",
            "board:X.X/.../..O",
        ] {
            let size = if let Some(rows) = text.strip_prefix("board:") {
                let rows: Vec<&str> = rows.split(' ').next().unwrap().split('/').collect();
                Size::new(rows[0].len() as u8, rows.len() as u8).unwrap()
            } else {
                Size::default()
            };
            let which = Which { rule: None, size: None, coords: Coords::A1 };
            let boards = [(Rule::Renju, size)];
            let place = |text: &str| which.place(Path::new("x.agb"), &boards, text).unwrap().key;
            let key = place(text);
            assert_eq!(place(&spelled(&key)), key, "{text}: {}", spelled(&key));
        }
    }
}
