//! From text to records.

use super::{TITLE, is_columns, is_start, numbered};
use crate::lines::{find_encoding, lines, pass_mark, text};
use crate::{Error, Place, Reading, Severity};
use games::{Coords, Move, Side, Size};
use record::{Head, Play, Record, TreeBuilder};

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let mark = pass_mark(bytes, reading)?;
    find_encoding(bytes, reading);
    // The program's option to leave out the letter i cannot be seen in a file.
    let coords = if reading.options.coords == Coords::NoI { Coords::NoI } else { Coords::A1 };
    let mut board: Option<Board> = None;
    for (number, start, line) in lines(&bytes[mark..]) {
        let place = Place { byte: Some((mark + start) as u64), ..Place::line(number) };
        if is_start(line) {
            if let Some(board) = board.take() {
                board.end(reading)?;
            }
            reading.progress(start)?;
            board = Some(Board::new(reading.records() + reading.left_out() + 1, coords));
            continue;
        }
        let Some(board) = &mut board else {
            reading.fault("stray-text", Severity::Quirk, || {
                (place, "this stands before the first board and is passed over".into())
            })?;
            continue;
        };
        let place = Place { record: Some(board.number), ..place };
        let line = text(line.trim_ascii_end(), place.clone(), reading)?;
        board.line(&line, place, reading)?;
    }
    match board {
        Some(board) => board.end(reading)?,
        None => return Err(reading.error(Place::line(1), "there is no line `----- Text Board -----`")),
    }
    reading.end()?;
    reading.progress(bytes.len())
}

/// A game that is being read.
struct Board {
    number: u64,
    coords: Coords,
    head: Head,
    builder: TreeBuilder,
    has_columns: bool,
    bad: Option<Error>,
}

impl Board {
    fn new(number: u64, coords: Coords) -> Board {
        let builder = TreeBuilder::new();
        Board { number, coords, head: Head::default(), builder, has_columns: false, bad: None }
    }

    fn line(&mut self, line: &str, place: Place, reading: &mut Reading<'_>) -> Result<(), Error> {
        if self.bad.is_some() {
            return Ok(());
        }
        if !self.has_columns {
            if is_columns(line) {
                self.has_columns = true;
                return Ok(());
            }
            if self.builder.depth() == 0 && self.head.tags.is_empty() && self.moves(line).is_none() {
                self.head.tags.push((TITLE.into(), line.trim().into()));
                return Ok(());
            }
        }
        match self.moves(line) {
            Some(moves) => self.play(line, &moves, place, reading),
            None => reading.fault("drawing", Severity::Remark, || {
                (place, "this is no line of moves, as a drawn board is none; it is passed over".into())
            }),
        }
    }

    /// The words of a line of moves with their numbers; `None` if it is none.
    fn moves<'l>(&self, line: &'l str) -> Option<Vec<(usize, &'l str)>> {
        let mut moves = Vec::new();
        let mut rest = line;
        while !rest.trim_start().is_empty() {
            let (number, behind) = numbered(rest)?;
            let length = behind.find([' ', '\t']).unwrap_or(behind.len());
            let word = &behind[..length];
            // A row of a drawn board begins with a number, too.
            let is_word = word == "--" || word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() > 1;
            if !is_word {
                return None;
            }
            moves.push((number, word));
            rest = &behind[length..];
        }
        (!moves.is_empty()).then_some(moves)
    }

    fn play(
        &mut self,
        line: &str,
        moves: &[(usize, &str)],
        place: Place,
        reading: &mut Reading<'_>,
    ) -> Result<(), Error> {
        let size = Size::default();
        for (number, word) in moves {
            let ply = self.builder.depth() + 1;
            let start = place.byte.unwrap_or_default();
            let at = start + (word.as_ptr() as usize - line.as_ptr() as usize) as u64;
            let here = |builder: &TreeBuilder| {
                Place { byte: Some(at), ..place.clone() }.after(builder.tree(), builder.last(), size)
            };
            let play = match self.coords.parse(word, size) {
                Some(point) => Move::Place(point),
                None if *word == "--" => Move::Pass,
                None => {
                    let hint = if word.starts_with(['P', 'p']) && self.coords == Coords::A1 {
                        ": where columns skip the letter i, say so with --coords no-i"
                    } else {
                        ""
                    };
                    let shown: String = word.chars().take(12).collect();
                    let message = format!("`{shown}` is not a point of a {size} board{hint}");
                    self.bad = Some(reading.error(here(&self.builder), message));
                    return Ok(());
                }
            };
            if *number != ply {
                reading.fault("move-number", Severity::Damage, || {
                    (here(&self.builder), format!("move {ply} is numbered {number}; moves are taken as they stand"))
                })?;
            }
            self.builder.append(ply, Side::of_ply(ply), Play::Move(play))?;
        }
        Ok(())
    }

    fn end(self, reading: &mut Reading<'_>) -> Result<(), Error> {
        let record = Record { head: self.head, tree: self.builder.build() };
        match self.bad {
            Some(error) if !reading.lenient() => reading.leave_out("bad-game", error),
            Some(error) => {
                reading.fault("cut-game", Severity::Damage, || {
                    (*error.place, format!("{}; the game is kept up to there", error.message))
                })?;
                reading.emit(record)
            }
            None => reading.emit(record),
        }
    }
}
