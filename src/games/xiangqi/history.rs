use super::notation::{Mixed, NotationError, Sight, Style, read, write};
use super::{Fen, FenOptions, Remark, What};
use crate::Step;
use std::fmt;

/// A position with what led to it: a FEN, and legal moves from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    /// The position before the first move.
    pub start: Fen,
    /// The moves, each of them legal.
    pub moves: Vec<Step>,
    end: Fen,
}

/// Why a line is no history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HistoryError {
    /// Neither a line `position …` nor a FEN.
    Fen(Remark),
    /// `fen …` or `startpos …` without `position` before it.
    Bare,
    /// After `position` comes neither `fen` nor `startpos`.
    Position {
        /// Where something else comes, counted from 1.
        column: usize,
    },
    /// Something else than `moves` after the position.
    Rest {
        /// Where it is, counted from 1.
        column: usize,
        /// What it is.
        text: String,
    },
    /// Some ranks begin with 0 and others with 1.
    Mixed {
        /// Where the moves begin, counted from 1.
        column: usize,
        /// The notations.
        mixed: Mixed,
    },
    /// A move cannot be played.
    Move {
        /// Where it is, counted from 1.
        column: usize,
        /// Its number among the moves, counted from 1.
        ply: usize,
        /// What is against it.
        error: NotationError,
    },
    /// The moves are legal with ranks from 0 and with ranks from 1.
    TwoWays {
        /// Where the moves begin, counted from 1.
        column: usize,
    },
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::Fen(remark) => remark.fmt(f),
            HistoryError::Bare => f.write_str("write `position` before `fen` or `startpos`"),
            HistoryError::Position { column } => {
                write!(f, "`position` is followed by `fen` or `startpos`, not by what is at column {column}")
            }
            HistoryError::Rest { column, text } => {
                write!(f, "`{}` at column {column} is not `moves`", text.escape_debug())
            }
            HistoryError::Mixed { column, mixed } => write!(f, "{mixed} after column {column}"),
            HistoryError::Move { column, ply, error } => write!(f, "move {ply} at column {column}: {error}"),
            HistoryError::TwoWays { column } => write!(
                f,
                "the moves after column {column} can be played with ranks from 0 and with ranks from 1: say which"
            ),
        }
    }
}

impl std::error::Error for HistoryError {}

impl From<Fen> for History {
    /// A position without moves.
    fn from(start: Fen) -> History {
        History { end: start.clone(), start, moves: Vec::new() }
    }
}

impl History {
    /// Reads a line `position [fen F|startpos] moves …` of UCCI or UCI, or a FEN, which moves may follow.
    ///
    /// Whether ranks begin with 0 or with 1 is what `style` says, else seen over all moves; where they do not show it,
    /// it is the one that makes them legal.
    ///
    /// # Errors
    /// The line is none, or a move is not legal: the first one is named, and nothing is read by halves.
    pub fn read(text: &str, options: FenOptions, style: Option<Style>) -> Result<(History, Vec<Remark>), HistoryError> {
        let words = words(text);
        let word = |index: usize| words.get(index).map(|(_, _, word)| *word);
        let end = text.chars().count() + 1;
        let column = |index: usize| words.get(index).map_or(end, |(column, ..)| *column);
        if matches!(word(0), Some("fen" | "startpos")) {
            return Err(HistoryError::Bare);
        }
        let is_line = word(0) == Some("position");
        let moves = words.iter().position(|(_, _, word)| word.eq_ignore_ascii_case("moves"));
        let (start, remarks) = if is_line && word(1) == Some("startpos") {
            if let Some(text) = word(2).filter(|_| moves != Some(2)) {
                return Err(HistoryError::Rest { column: column(2), text: text.into() });
            }
            (Fen::start(), Vec::new())
        } else {
            let first = match (is_line, word(1)) {
                (true, Some("fen")) => 2,
                (true, _) => return Err(HistoryError::Position { column: column(1) }),
                (false, _) => 0,
            };
            let from = words.get(first).map_or(text.len(), |(_, byte, _)| *byte);
            let to = moves.map_or(text.len(), |index| words[index].1).max(from);
            let before = column(first) - 1;
            let shift = |remark: Remark| Remark { column: remark.column + before, ..remark };
            let read = Fen::read(&text[from..to], options);
            let (fen, remarks) = read.map_err(|remark| HistoryError::Fen(shift(remark)))?;
            (fen, remarks.into_iter().map(shift).collect())
        };
        let moves = moves.map_or(&[][..], |index| &words[index + 1..]);
        let mut sight = Sight::default();
        moves.iter().for_each(|(_, _, word)| sight.see(word));
        let first = moves.first().map_or(end, |(column, ..)| *column);
        let seen = match (style, sight.style()) {
            (Some(style), _) => Some(style),
            (None, Err(mixed)) => return Err(HistoryError::Mixed { column: first, mixed }),
            (None, Ok(seen)) => seen.filter(|_| sight.is_sure()),
        };
        let play = |style| Self::play(&start, moves, style);
        let history = match seen {
            Some(style) => play(style),
            None if moves.is_empty() => Ok(start.clone().into()),
            None => match (play(Style::Iccs), play(Style::Uci10)) {
                (Ok(one), Ok(other)) if one != other => Err(HistoryError::TwoWays { column: first }),
                (Err(_), Ok(history)) => Ok(history),
                (history, _) => history,
            },
        };
        history.map(|history| (history, remarks))
    }

    fn play(start: &Fen, moves: &[(usize, usize, &str)], style: Style) -> Result<History, HistoryError> {
        let mut history = History::from(start.clone());
        history.moves.reserve(moves.len());
        for (ply, (column, _, word)) in (1..).zip(moves) {
            let step = read(&history.end.board, word, Some(style));
            history.add(step.map_err(|error| HistoryError::Move { column: *column, ply, error })?);
        }
        Ok(history)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// It is not legal.
    pub fn push(&mut self, step: Step) -> Result<(), super::PlayError> {
        self.end.board.judge(step)?;
        self.add(step);
        Ok(())
    }

    fn add(&mut self, step: Step) {
        self.end.play_unchecked(step);
        self.moves.push(step);
    }

    /// The position after all moves.
    pub const fn end(&self) -> &Fen {
        &self.end
    }

    /// What of the history still matters: the position after the last capture, and the moves since.
    #[must_use]
    pub fn cut(&self) -> History {
        let mut fen = self.start.clone();
        let mut cut = (fen.clone(), 0);
        for (ply, step) in (1..).zip(&self.moves) {
            let is_capture = fen.board.piece(step.to).is_some();
            fen.play_unchecked(*step);
            if is_capture {
                cut = (fen.clone(), ply);
            }
        }
        History { start: cut.0, moves: self.moves[cut.1..].to_vec(), end: self.end.clone() }
    }

    /// The line `position …` of what still matters, with moves in a style of points.
    pub fn line(&self, style: Style) -> String {
        let cut = self.cut();
        let mut line = String::from("position ");
        if cut.start == Fen::start() {
            line += "startpos";
        } else {
            line += &format!("fen {}", cut.start);
        }
        if !cut.moves.is_empty() {
            line += " moves";
        }
        let mut board = cut.start.board;
        for step in cut.moves {
            line.push(' ');
            line += &write(&board, step, style);
            board.play_unchecked(step);
        }
        line
    }
}

impl HistoryError {
    /// The column it is about, counted from 1.
    pub const fn column(&self) -> usize {
        match self {
            HistoryError::Fen(remark) => remark.column,
            HistoryError::Bare => 1,
            HistoryError::Position { column }
            | HistoryError::Rest { column, .. }
            | HistoryError::Mixed { column, .. }
            | HistoryError::Move { column, .. }
            | HistoryError::TwoWays { column } => *column,
        }
    }

    /// Whether a text without any position is what is wrong.
    pub const fn is_empty(&self) -> bool {
        matches!(self, HistoryError::Fen(Remark { what: What::Empty, .. }))
    }
}

/// The words of a text with the column and the byte where each begins.
fn words(text: &str) -> Vec<(usize, usize, &str)> {
    let mut words = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    for (column, (byte, sign)) in (1..).zip(text.char_indices()) {
        if sign.is_whitespace() {
            words.extend(start.take().map(|(column, from)| (column, from, &text[from..byte])));
        } else if start.is_none() {
            start = Some((column, byte));
        }
    }
    words.extend(start.map(|(column, from)| (column, from, &text[from..])));
    words
}
