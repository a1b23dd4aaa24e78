//! From text to records.

use super::{NAME, OPENING_PLIES, is_comment};
use crate::lines::{lines, pass_mark, without_bom};
use crate::{Blame, Error, Place, Reading, Severity};
use games::{Coords, NotationError, Position, Rule, Side, Size, parse_moves};
use record::{Full, Head, Note, Outcome, Play, Record, TreeBuilder};

/// Progress is told after so many bytes.
const STEP: usize = 1 << 16;

pub(super) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), Error> {
    let coords = reading.options.coords;
    let size = reading.options.size.unwrap_or_default();
    if !coords.fits(size) {
        let message = format!("the notation {} has no names for the points of a {size} board", coords.name());
        return Err(Error::new(Blame::Caller, NAME, message));
    }
    let text = without_bom(bytes);
    let skipped = pass_mark(bytes, reading)?;
    let mut games = 0;
    let mut told = 0;
    for (number, start, line) in lines(text) {
        let start = start + skipped;
        if start - told >= STEP {
            told = start;
            reading.progress(start)?;
        }
        let at = |byte: usize| Place { byte: Some((start + byte) as u64), ..Place::line(number) };
        if is_comment(line) {
            comment(line, reading, at)?;
            continue;
        }
        games += 1;
        let place = |byte: usize| Place { record: Some(games), ..at(byte) };
        match Line::parse(line, coords, size) {
            Ok(line) => reading.emit(line.record()?)?,
            Err(bad) if reading.strict() => return Err(reading.error(place(bad.at), bad.message)),
            Err(bad) => {
                if let Some(line) = bad.kept.filter(|_| reading.lenient()) {
                    reading.fault("cut-line", Severity::Damage, || {
                        (place(bad.at), format!("{}; the game was kept up to there", bad.message))
                    })?;
                    reading.emit(line.record()?)?;
                    continue;
                }
                let error = reading.error(place(bad.at), bad.message);
                reading.leave_out("bad-line", error)?;
            }
        }
    }
    reading.end()?;
    reading.progress(bytes.len())
}

fn comment(line: &[u8], reading: &mut Reading<'_>, at: impl Fn(usize) -> Place) -> Result<(), Error> {
    reading.fault("comment-line", Severity::Remark, || (at(0), "a comment line was not kept".into()))?;
    if let Err(error) = std::str::from_utf8(line) {
        reading.fault("comment-encoding", Severity::Quirk, || {
            (at(error.valid_up_to()), "the comment line is not UTF-8".into())
        })?;
    }
    Ok(())
}

/// What a line says.
pub(super) struct Line {
    position: Position,
    rule: Option<Rule>,
    result: Option<Outcome>,
    opening_plies: u16,
}

/// A line that does not read.
pub(super) struct Bad {
    /// Where in the line.
    pub at: usize,
    message: String,
    /// The line up to the fault, if there is a move before it.
    pub kept: Option<Box<Line>>,
}

impl Bad {
    fn new(at: usize, message: impl Into<String>) -> Bad {
        Bad { at, message: message.into(), kept: None }
    }
}

impl Line {
    /// Reads a line that is neither blank nor a comment.
    pub fn parse(bytes: &[u8], coords: Coords, size: Size) -> Result<Line, Bad> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Line::parse_text(text, coords, size),
            Err(error) => {
                let at = error.valid_up_to();
                let text = std::str::from_utf8(&bytes[..at]).expect("valid up to there");
                let message = format!("byte {:#04x} is not UTF-8: save the file as UTF-8", bytes[at]);
                let kept = Line::parse_text(text, coords, size).ok().filter(|line| !line.position.moves.is_empty());
                Err(Bad { at, message, kept: kept.map(Box::new) })
            }
        }
    }

    fn parse_text(text: &str, coords: Coords, size: Size) -> Result<Line, Bad> {
        let mut words = Words { text, at: 0 };
        let (at, first) = words.next();
        if let Ok(rule) = first.parse()
            && words.peek().starts_with(|c: char| c.is_ascii_digit())
        {
            return Line::parse_game(rule, words);
        }
        let drawn = ["agi:", "board:"]
            .iter()
            .any(|form| first.get(..form.len()).is_some_and(|start| start.eq_ignore_ascii_case(form)));
        let line = |position| Line { position, rule: None, result: None, opening_plies: 0 };
        if drawn {
            return Position::parse(text, coords, size).map(line).map_err(|message| Bad::new(at, message));
        }
        let line = take_moves(text, 0, coords, size, |moves| line(played(size, moves)))?;
        if line.position.moves.is_empty() {
            return Err(Bad::new(at, "the line holds no move"));
        }
        Ok(line)
    }

    fn parse_game(rule: Rule, mut words: Words<'_>) -> Result<Line, Bad> {
        let (at, word) = words.next();
        let size = word.parse().ok().and_then(Size::square).ok_or_else(|| {
            Bad::new(at, format!("`{}` is not a board size from 1 to {}", shown(word), Size::LARGEST))
        })?;
        let (at, word) = words.next();
        let result = Some(match word {
            "1" => Outcome::First,
            "0.5" => Outcome::Draw,
            "0" => Outcome::Second,
            _ => return Err(Bad::new(at, format!("`{}` is not a result: it is 1, 0.5 or 0", shown(word)))),
        });
        let (at, word) = words.next();
        let opening_plies = word.parse().map_err(|_| {
            Bad::new(at, format!("`{}` is not a number of opening plies from 0 to {}", shown(word), u16::MAX))
        })?;
        take_moves(words.text, words.at, Coords::A1, size, |moves| Line {
            position: played(size, moves),
            rule: Some(rule),
            result,
            opening_plies,
        })
    }

    /// The record of this line.
    pub fn record(self) -> Result<Record, Full> {
        let Position { size, setup, to_move, moves } = self.position;
        let mut builder = TreeBuilder::new();
        for (point, side) in &setup {
            builder.note(Note::Stone(*point, Some(*side)))?;
        }
        if to_move != parity(setup.iter().map(|(_, side)| *side)) {
            builder.note(Note::ToMove(to_move))?;
        }
        let mut side = to_move;
        for (ply, a_move) in moves.into_iter().enumerate() {
            builder.append(ply + 1, side, Play::Move(a_move))?;
            side = side.other();
        }
        let tags = match self.opening_plies {
            0 => Vec::new(),
            plies => vec![(OPENING_PLIES.to_owned(), plies.to_string())],
        };
        let head = Head { size, rule: self.rule, result: self.result, tags, ..Head::default() };
        Ok(Record { head, tree: builder.build() })
    }
}

/// The side to move when these stones stand and nothing says whose turn it is.
pub(super) fn parity(stones: impl Iterator<Item = Side>) -> Side {
    let ahead: isize = stones.map(|side| if side == Side::First { 1 } else { -1 }).sum();
    if ahead > 0 { Side::Second } else { Side::First }
}

fn played(size: Size, moves: Vec<games::Move>) -> Position {
    Position { size, setup: Vec::new(), to_move: Side::First, moves }
}

/// The moves from byte `start` of a line on.
fn take_moves(
    text: &str,
    start: usize,
    coords: Coords,
    size: Size,
    line: impl Fn(Vec<games::Move>) -> Line,
) -> Result<Line, Bad> {
    let text = &text[start..];
    let fault = match parse_moves(text, coords, size) {
        Ok(moves) => return Ok(line(moves)),
        Err(fault) => fault,
    };
    let NotationError { at, found, .. } = fault;
    let message = format!("`{found}` is not a point of a {size} board in the notation {}", coords.name());
    let kept = parse_moves(&text[..at], coords, size).ok().filter(|moves| !moves.is_empty());
    Err(Bad { at: start + at, message, kept: kept.map(|moves| Box::new(line(moves))) })
}

/// The words of a line between blanks, with their byte offsets; empty ones at its end.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> (usize, &'a str) {
        let word = self.peek();
        let start = self.text.len() - self.text[self.at..].trim_ascii_start().len();
        self.at = start + word.len();
        (start, word)
    }

    fn peek(&self) -> &'a str {
        let rest = self.text[self.at..].trim_ascii_start();
        rest.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default()
    }
}

/// The start of a word, short enough for a message.
fn shown(word: &str) -> String {
    word.chars().take(12).collect()
}
