//! From the start position along the moves of a book to the positions that its keys stand for.

use super::database::{Row, State};
use super::key::{Keys, Packed, Places, mirrored};
use super::play::Order;
use crate::loss::position_text;
use crate::{EntryReading, Error, Place, Severity};
use games::Step;
use games::xiangqi::Board;

/// How many positions are looked at between two looks at the progress.
const STRIDE: usize = 1 << 12;

/// A position that was reached.
#[derive(Copy, Clone, Debug)]
pub(super) struct Reached {
    pub position: Packed,
    pub is_blocked: bool,
    /// Whether a row leads to it.
    has_row: bool,
    ply: u16,
    value: i32,
}

/// The positions of a book, and which rows have memos on them.
pub(super) struct Walk {
    pub reached: Vec<Reached>,
    /// A position and the number of a row that leads to it.
    pub memos: Vec<(u32, i64)>,
}

/// What is looked for among the rows.
struct Book<'r> {
    rows: &'r mut [Row],
    /// A bit for each key, so that most that are not there need no search.
    sieve: Vec<u64>,
    order: Order,
}

impl Book<'_> {
    fn bit(&self, key: u64) -> (usize, u64) {
        let bits = self.sieve.len() as u64 * 64;
        let at = ((u128::from(key) * u128::from(bits)) >> 64) as u64;
        ((at / 64) as usize, 1 << (at % 64))
    }

    fn has(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        self.sieve[word] & bit != 0 && self.rows.binary_search_by_key(&key, |row| row.key).is_ok()
    }
}

/// Which byte of the moves is the high one, by what can be played at the start; an error if nothing can be.
pub(super) fn order(rows: &[Row], usual: Order, reading: &mut EntryReading<'_>) -> Result<Order, Error> {
    let start = Board::start();
    let first = &rows[Row::range(rows, Keys::of(&start).own)];
    let legal =
        |order: Order| first.iter().filter(|row| row.step(order).is_some_and(|step| start.is_legal(step))).count();
    let best = Order::BOTH.into_iter().max_by_key(|order| (legal(*order), *order == usual)).expect("there are two");
    if first.is_empty() && !rows.is_empty() {
        let message = format!(
            "none of the {} rows is of the start position, from which positions are found: such books are not read",
            rows.len()
        );
        return Err(reading.error(Place::default(), message));
    }
    // Of scrambled moves a few may be moves by chance.
    if legal(best) * 2 < first.len() {
        let message = "most moves of the start position cannot be played there: the book is encrypted, and such books are \
                       not read";
        return Err(reading.error(Place::default(), message));
    }
    if best != usual {
        reading.fault("other-order", Severity::Quirk, || {
            let message = "the two squares of the moves are the other way round than in such books: read so";
            (Place::default(), message.into())
        })?;
    }
    Ok(best)
}

/// Reaches all that can be reached.
pub(super) fn walk(rows: &mut [Row], order: Order, reading: &mut EntryReading<'_>) -> Result<Walk, Error> {
    let mut book = Book { sieve: vec![0; rows.len() / 4 + 1], rows, order };
    for at in 0..book.rows.len() {
        let (word, bit) = book.bit(book.rows[at].key);
        book.sieve[word] |= bit;
    }
    let mut found = Found::default();
    if !book.rows.is_empty() {
        found.add(&Board::start(), Keys::of(&Board::start()), 0);
    }
    let mut at = 0;
    while at < found.reached.len() {
        step(at, &mut book, &mut found, reading)?;
        at += 1;
        if at % STRIDE == 0 {
            reading.progress(0)?;
        }
    }
    let unseen = book.rows.iter().filter(|row| row.state == State::Unseen).count();
    if unseen > 0 {
        reading.fault("not-reached", Severity::Damage, || {
            let message =
                "the moves of the book do not lead there from the start position, and a key does not say what it is of";
            (Place::default(), format!("{unseen} of {} rows are passed over: {message}", book.rows.len()))
        })?;
    }
    Ok(Walk { reached: found.reached, memos: found.memos })
}

/// Positions while they are found.
#[derive(Default)]
struct Found {
    reached: Vec<Reached>,
    /// By the smaller key of the position and its mirror image.
    places: Places,
    memos: Vec<(u32, i64)>,
}

impl Found {
    /// The place of a position, which is new if it was not reached before; `None` if another has its key.
    fn add(&mut self, board: &Board, keys: Keys, ply: u16) -> Option<usize> {
        let next = self.reached.len();
        let place = *self.places.entry(keys.least()).or_insert(next as u32) as usize;
        let position = Packed::of(board);
        if place == next {
            self.reached.push(Reached { position, is_blocked: false, has_row: false, ply, value: 0 });
            return Some(place);
        }
        let held = &self.reached[place].position;
        (*held == position || *held == Packed::of(&board.mirror())).then_some(place)
    }
}

/// Follows the moves of a position.
fn step(at: usize, book: &mut Book<'_>, found: &mut Found, reading: &mut EntryReading<'_>) -> Result<(), Error> {
    let mut board = found.reached[at].position.board();
    let ply = found.reached[at].ply.saturating_add(1);
    let keys = Keys::of(&board);
    let legal: Vec<Step> = board.moves().collect();
    let mut taken: Vec<Step> = Vec::new();
    for (key, is_mirrored) in lookups(keys) {
        for row in Row::range(book.rows, key) {
            let step = book.rows[row].step(book.order).map(|step| if is_mirrored { mirrored(step) } else { step });
            let row = &mut book.rows[row];
            row.state = State::Bad;
            let Some(step) = step.filter(|step| legal.contains(step)) else {
                reading.fault("bad-move", Severity::Damage, || {
                    let what = step.map_or_else(|| format!("{:#06x}", row.play), |step| step.to_string());
                    let message = format!("the move {what} of row {} cannot be played at {}", row.id, text(&board));
                    (Place::default(), message + ": passed over")
                })?;
                continue;
            };
            if taken.contains(&step) {
                reading.fault("second-row", Severity::Damage, || {
                    let message = format!("row {} says the move {step} at {} again", row.id, text(&board));
                    (Place::default(), message + ": passed over")
                })?;
                continue;
            }
            taken.push(step);
            row.state = State::Good;
            if row.index != 0 && (row.index < ply || (row.index - ply) % 2 == 1) {
                reading.fault("odd-index", Severity::Remark, || {
                    let message =
                        format!("row {} has the vindex {}, and its move is that of ply {ply}", row.id, row.index);
                    (Place::default(), message + ": it is not kept")
                })?;
            }
            let row = *row;
            let after = keys.after(&board, step);
            let undo = board.play_unchecked(step);
            if let Some(child) = found.add(&board, after, ply) {
                found.reached[child].learn(&row, &board, reading)?;
                if row.has_memo {
                    found.memos.push((child as u32, row.id));
                }
            } else {
                reading.fault("same-key", Severity::Damage, || {
                    (Place::default(), format!("{} has the key of another position: passed over", text(&board)))
                })?;
            }
            board.undo(undo);
        }
    }
    // A move that was cut out of the book may be the only way to what follows it.
    for step in legal.into_iter().filter(|step| !taken.contains(step)) {
        let after = keys.after(&board, step);
        if !found.places.contains_key(&after.least()) && (book.has(after.own) || book.has(after.mirror)) {
            let undo = board.play_unchecked(step);
            found.add(&board, after, ply);
            board.undo(undo);
        }
    }
    Ok(())
}

impl Reached {
    /// What the rows that lead to it say it is worth to the side to move.
    pub fn value(&self) -> Option<i32> {
        self.has_row.then_some(self.value)
    }

    /// Takes in what a row that leads here says; of several values the best for who chooses stays.
    fn learn(&mut self, row: &Row, board: &Board, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if !self.has_row {
            (self.value, self.is_blocked, self.has_row) = (row.value, row.is_blocked, true);
            return Ok(());
        }
        let value = self.value;
        if value != row.value {
            reading.fault("two-scores", Severity::Remark, || {
                let message = format!(
                    "moves with the scores {} and {} lead to {}",
                    -i64::from(value),
                    -i64::from(row.value),
                    text(board)
                );
                (Place::default(), message + ": the higher one is kept")
            })?;
            self.value = value.min(row.value);
        }
        if self.is_blocked != row.is_blocked {
            reading.fault("two-valid", Severity::Remark, || {
                let message = format!("moves with vvalid 0 and 1 lead to {}", text(board));
                (Place::default(), message + ": taken as 1")
            })?;
            self.is_blocked = false;
        }
        Ok(())
    }
}

/// Where the rows of a position stand; true for those of its mirror image.
pub(super) fn lookups(keys: Keys) -> impl Iterator<Item = (u64, bool)> {
    let mirror = (keys.mirror != keys.own).then_some((keys.mirror, true));
    std::iter::once((keys.own, false)).chain(mirror)
}

fn text(board: &Board) -> String {
    position_text(&board.clone().into())
}
