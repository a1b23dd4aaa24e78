use super::Variant;
use super::database::{Database, Memos, Row, State, failed};
use super::key::{Keys, mirrored};
use super::play::Order;
use super::walk::{Reached, lookups, order, walk};
use crate::yixin_db::text::decode;
use crate::{EntryReading, Error, Guess, Place, Severity, Sure, guess};
use encoding_rs::{Encoding, UTF_8};
use games::{Move, Side, Symmetry};
use record::{Bound, Comment, Continuation, Entry, Judgement, Label, Tally};

/// How many positions are handed out between two looks at the progress.
const STRIDE: usize = 1 << 12;
/// Enough text to tell its encoding.
const ENOUGH: usize = 1 << 20;

pub(super) fn read(bytes: &[u8], wanted: Variant, reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let database = Database::open(bytes, wanted, reading)?;
    let mut rows = database.rows(reading)?;
    let order = order(&rows, Order::of(database.variant), reading)?;
    let walk = walk(&mut rows, order, reading)?;
    reading.progress(bytes.len() / 2)?;
    // A book without any score is one that has none, not one in which all is level.
    let has_values = walk.reached.iter().any(|reached| reached.value().is_some_and(|value| value != 0));
    let mut texts =
        Texts { memos: database.memos().map_err(|error| failed(&error, reading))?, of: walk.memos, found: None };
    texts.of.sort_unstable();
    let notes = database.notes(reading)?;
    if walk.reached.is_empty() && !notes.is_empty() {
        reading.fault("notes-alone", Severity::Damage, || {
            (Place::default(), "a book without moves has notes: passed over".into())
        })?;
    }
    let mut memos = 0;
    for (at, reached) in walk.reached.iter().enumerate() {
        let board = reached.position.board();
        let mut entry = Entry { moves: moves(&rows, order, &board), ..said(reached, has_values, database.variant) };
        if at == 0 {
            for note in &notes {
                entry.comments.push(texts.comment(note, reading)?);
            }
        }
        while let Some((_, row)) = texts.of.get(memos).copied().filter(|(place, _)| *place as usize == at) {
            let memo = texts.memos.of(row).map_err(|error| failed(&error, reading))?;
            let comment = texts.comment(&memo, reading)?;
            if !entry.comments.contains(&comment) {
                entry.comments.push(comment);
            }
            memos += 1;
        }
        reading.emit((board.into(), entry))?;
        if at % STRIDE == 0 {
            let done = bytes.len() as u128 / 2 * at as u128 / walk.reached.len() as u128;
            reading.progress(bytes.len() / 2 + done as usize)?;
        }
    }
    let none = Guess { encoding: UTF_8, sure: Sure::Certain };
    reading.encoding = Some(texts.found.unwrap_or(none));
    reading.progress(bytes.len())
}

/// What the rows that lead to a position say of it.
fn said(reached: &Reached, has_values: bool, variant: Variant) -> Entry {
    let value = reached.value().filter(|_| has_values);
    let judgement = value.map(|value| Judgement {
        value,
        bound: Bound::None,
        depth: 0,
        nodes: None,
        scale: Judgement::SCALE,
        source: variant.name().into(),
    });
    let label = if reached.is_blocked { Label::Blocked } else { Label::None };
    Entry { judgement, label, ..Entry::default() }
}

/// The moves of a position in the order of their rows.
fn moves(rows: &[Row], order: Order, board: &games::xiangqi::Board) -> Vec<Continuation> {
    let mut moves = Vec::new();
    for (key, is_mirrored) in lookups(Keys::of(board)) {
        for row in &rows[Row::range(rows, key)] {
            let Some(step) = row.step(order).filter(|_| row.state == State::Good) else { continue };
            let play = Move::Step(if is_mirrored { mirrored(step) } else { step });
            let (wins, draws, losses) = (row.wins.into(), row.draws.into(), row.losses.into());
            let (first, second) = if board.to_move() == Side::First { (wins, losses) } else { (losses, wins) };
            let tally = Tally { games: first + draws + second, first, draws, second };
            moves.push(Continuation { play, tally });
        }
    }
    moves
}

/// The texts of a book.
struct Texts<'d> {
    memos: Memos<'d>,
    /// A position and the number of a row with a memo on it.
    of: Vec<(u32, i64)>,
    /// The encoding of those that are not UTF-8.
    found: Option<Guess>,
}

impl Texts<'_> {
    fn comment(&mut self, bytes: &[u8], reading: &mut EntryReading<'_>) -> Result<Comment, Error> {
        let encoding = if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { self.encoding(bytes, reading) };
        let decoded = decode(bytes, encoding, UTF_8);
        if encoding != UTF_8 || decoded.malformed {
            reading.fault("not-utf-8", Severity::Quirk, || {
                let message = format!("a text is not in UTF-8: read as {}, its bytes kept", encoding.name());
                (Place::default(), message)
            })?;
        }
        Ok(Comment { text: decoded.text, bytes: decoded.bytes, written: Symmetry::Identity })
    }

    #[cold]
    fn encoding(&mut self, first: &[u8], reading: &EntryReading<'_>) -> &'static Encoding {
        if let Some(encoding) = reading.options.encoding {
            self.found = Some(Guess { encoding, sure: Sure::Given });
        }
        if let Some(found) = self.found {
            return found.encoding;
        }
        let mut seen = vec![first.to_vec()];
        let mut size = 0;
        for (_, row) in &self.of {
            let Ok(memo) = self.memos.of(*row) else { break };
            if std::str::from_utf8(&memo).is_err() {
                size += memo.len();
                seen.push(memo);
            }
            if size > ENOUGH {
                break;
            }
        }
        let found = guess(seen.iter().map(Vec::as_slice));
        self.found = Some(found);
        found.encoding
    }
}
