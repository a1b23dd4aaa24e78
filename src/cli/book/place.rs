//! Positions of books as people write them.

use super::super::input::name;
use super::super::place::is_xiangqi;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use formats::position_text;
use games::gomoku::Board;
use games::xiangqi::{Fen, FenOptions, History, notation};
use games::{Coords, Move, Position, Rule, Rules, Side, Size};
use record::{Key, StoneKey};
use std::path::Path;

/// What the text of a position leaves open.
#[derive(Args)]
pub struct Which {
    /// Rule, where the book has several; xiangqi is one here
    #[arg(long)]
    pub rule: Option<Rules>,
    /// Board, where the book has several
    #[arg(long)]
    pub size: Option<Size>,
    /// Notation of the points in positions of gomoku
    #[arg(long, default_value = "a1")]
    pub coords: Coords,
}

/// A position of a book that somebody named.
pub struct Place {
    pub key: Key,
    /// The position before the last move, and that move, if moves were given.
    pub before: Option<(Key, Move)>,
}

/// What a text tells of a position.
enum Told {
    Gomoku(Position, Rule),
    Xiangqi(Place),
}

impl Which {
    /// The position of a text, under the rule and on the board that the book has where nothing else says.
    pub fn key(&self, path: &Path, boards: &[(Rules, Size)], text: &str) -> Result<Key> {
        match self.told(path, boards, text)? {
            Told::Gomoku(position, rule) => after(&position, rule, text),
            Told::Xiangqi(place) => Ok(place.key),
        }
    }

    /// As [`Which::key`], for what is done with gomoku alone.
    pub fn stones(&self, path: &Path, boards: &[(Rules, Size)], text: &str) -> Result<StoneKey> {
        gomoku(self.key(path, boards, text)?)
    }

    /// As [`Which::key`], with the position before the last move.
    pub fn place(&self, path: &Path, boards: &[(Rules, Size)], text: &str) -> Result<Place> {
        match self.told(path, boards, text)? {
            Told::Gomoku(mut position, rule) => {
                let key = after(&position, rule, text)?;
                let last = position.moves.pop();
                let before = last.map(|last| Ok::<_, anyhow::Error>((after(&position, rule, text)?, last)));
                Ok(Place { key, before: before.transpose()? })
            }
            Told::Xiangqi(place) => Ok(place),
        }
    }

    fn told(&self, path: &Path, boards: &[(Rules, Size)], text: &str) -> Result<Told> {
        let fits = |(rules, size): &&(Rules, Size)| {
            self.rule.is_none_or(|named| named == *rules) && self.size.is_none_or(|named| named == *size)
        };
        let mut fitting = boards.iter().filter(fits);
        let known = match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(*only),
            _ => None,
        };
        let rules = self.rule.or(known.map(|(rules, _)| rules));
        if is_xiangqi(text) || rules == Some(Rules::Xiangqi) {
            return xiangqi(text).map(Told::Xiangqi).with_context(|| text.to_string());
        }
        let size = self.size.or(known.map(|(_, size)| size)).unwrap_or_default();
        let position = Position::parse(text, self.coords, size).map_err(|error| anyhow!("{text}: {error}"))?;
        let Some(rule) = rules.and_then(Rules::gomoku) else {
            if boards.is_empty() {
                bail!("{}: this book is empty", name(path));
            }
            let boards: Vec<String> = boards.iter().map(|(rules, size)| format!("{rules} {size}")).collect();
            bail!("{} has several rules or boards: name one with --rule and --size: {}", name(path), boards.join(", "));
        };
        Ok(Told::Gomoku(position, rule))
    }
}

/// The stones after the moves of a position.
fn after(position: &Position, rule: Rule, text: &str) -> Result<Key> {
    let (board, to_move) = Board::after(position).with_context(|| text.to_string())?;
    Ok(StoneKey::new(&board, to_move, rule).into())
}

/// The stones of a position, for what is done with gomoku alone.
pub fn gomoku(key: Key) -> Result<StoneKey> {
    match key {
        Key::Gomoku(stones) => Ok(stones),
        Key::Xiangqi(_) => bail!("this is done with gomoku alone, and the position is one of xiangqi"),
    }
}

/// A FEN, a line `position …`, or moves from the start in any notation, divided by blanks or commas.
fn xiangqi(text: &str) -> Result<Place> {
    let text = text.trim();
    let history = if is_xiangqi(text) {
        let options = FenOptions { strict: false, other_letters: true };
        // The word is needed in a conversation with an engine alone.
        let is_bare = text.starts_with("startpos") || text.starts_with("fen ");
        let line = if is_bare { format!("position {text}") } else { text.into() };
        History::read(&line, options, None)?.0
    } else {
        let mut history = History::from(Fen::start());
        for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            let step = notation::read(&history.end().board, word, None)?;
            history.push(step)?;
        }
        history
    };
    let mut board = history.start.board;
    let mut before = None;
    for step in history.moves {
        let play = Move::Step(step);
        before = Some((board.clone().into(), play));
        board.play(step)?;
    }
    Ok(Place { key: board.into(), before })
}

/// A position as [`Which::place`] reads it in the notation `h8`: its stones in turn, from the centre outwards, where
/// they can be moves, else a drawn board; of xiangqi the FEN.
pub fn spelled(key: &Key) -> String {
    match key {
        Key::Gomoku(stones) => spelled_stones(stones),
        Key::Xiangqi(_) => position_text(key),
    }
}

/// As [`spelled`], of gomoku.
pub fn spelled_stones(key: &StoneKey) -> String {
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
            let boards = [(Rule::Renju.into(), size)];
            let place = |text: &str| which.place(Path::new("x.agb"), &boards, text).unwrap().key;
            let key = place(text);
            assert_eq!(place(&spelled(&key)), key, "{text}: {}", spelled(&key));
        }
    }
}
