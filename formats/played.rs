//! A game on its way into a record, move by move, in formats that hold no more than games.

use crate::{Error, Place, Reading, Severity};
use games::{Coords, Move, Side, Size};
use record::{Full, Head, Note, Outcome, Play, Record, TreeBuilder, plain};

/// The game as far as it is read.
#[derive(Default)]
pub(crate) struct Played {
    pub head: Head,
    builder: TreeBuilder,
    plies: usize,
}

/// Why a game does not read on: a line, and what is found there.
pub(crate) struct Bad {
    pub place: Place,
    pub message: String,
}

impl Bad {
    pub fn line(line: usize, message: impl Into<String>) -> Bad {
        Bad { place: Place::line(line), message: message.into() }
    }

    pub fn byte(byte: usize, message: impl Into<String>) -> Bad {
        Bad { place: Place::byte(byte), message: message.into() }
    }
}

impl Played {
    /// How many moves there are.
    pub fn plies(&self) -> usize {
        self.plies
    }

    /// The next move; sides alternate, the first player begins.
    pub fn play(&mut self, play: Move) -> Result<(), Full> {
        self.plies += 1;
        self.builder.append(self.plies, Side::of_ply(self.plies), Play::Move(play)).map(|_| ())
    }

    /// Something written at the last move.
    pub fn note(&mut self, note: Note<'_>) -> Result<(), Full> {
        self.builder.note(note)
    }

    /// A comment on the last move: of one line, or of many.
    pub fn comment(&mut self, text: &str) -> Result<(), Full> {
        if text.is_empty() {
            return Ok(());
        }
        let text = plain(text);
        self.note(if text.contains('\n') { Note::Body(&text) } else { Note::Line(&text) })
    }

    /// Adds a tag unless there is nothing to say.
    pub fn tag(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if !value.is_empty() {
            self.head.tags.push((tag_name(name), plain(value).into_owned()));
        }
    }

    /// Hands out the game that ended well, or for some reason before its end.
    pub fn hand_out(self, bad: Option<Bad>, record: Option<u64>, reading: &mut Reading<'_>) -> Result<(), Error> {
        let Played { head, builder, plies } = self;
        if let Some(Bad { place, message }) = bad {
            let place = Place { record, ..place }.after(builder.tree(), builder.last(), head.size);
            if !reading.lenient() || plies == 0 {
                let error = reading.error(place, message);
                return reading.leave_out("bad-game", error);
            }
            let kept = || (place, format!("{message}; the game is kept up to there"));
            reading.fault("cut-game", Severity::Damage, kept)?;
        }
        reading.emit(Record { head, tree: builder.build() })
    }
}

/// Names that our text formats use for other fields of the head.
const TAKEN: [&str; 10] =
    ["Game", "Size", "Rule", "Result", "Coords", "Encoding", "Newline", "Offered", "Declared", "Swaps"];

/// The name as that of a tag.
fn tag_name(name: &str) -> String {
    if TAKEN.contains(&name) { format!("Pgn{name}") } else { name.to_owned() }
}

/// A point of the board in this notation, or what is wrong with it.
pub(crate) fn point(word: &str, coords: Coords, size: Size) -> Result<games::Point, String> {
    coords.parse(word, size).ok_or_else(|| format!("`{}` is not a point of a {size} board", shown(word)))
}

/// A move in this notation: a point, or `--` for a pass.
pub(crate) fn a_move(word: &str, coords: Coords, size: Size) -> Result<Move, String> {
    if word == "--" { Ok(Move::Pass) } else { point(word, coords, size).map(Move::Place) }
}

/// The start of a word, short enough for a message.
pub(crate) fn shown(word: &str) -> String {
    let long = word.chars().count() > 16;
    plain(word).chars().take(16).chain(long.then_some('…')).collect()
}

/// The result for the player of the other colour.
pub(crate) fn turned(result: Outcome) -> Outcome {
    match result {
        Outcome::First => Outcome::Second,
        Outcome::Second => Outcome::First,
        other => other,
    }
}

/// Two names of a line, between which two blanks or more stand if there are any in them.
pub(crate) fn two_names(row: &str) -> (&str, &str) {
    let row = row.trim();
    let wide = row.find("  ").or_else(|| row.find('\t'));
    let (first, second) = wide.or_else(|| row.find(' ')).map_or((row, ""), |at| row.split_at(at));
    (first.trim(), second.trim())
}
