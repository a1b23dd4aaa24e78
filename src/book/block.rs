//! The content of a block: columns of positions, each told by its difference to one before it.

use crate::Frame;
use crate::bytes::{Broken, Bytes, put, put_bytes, put_signed};
use crate::frame::board;
use crate::layout::{Holds, POSITIONS};
use crate::row::{self, Row};
use crate::rows::Rows;
use crate::stones::{set_of, toggle};
use games::{Rules, Side, Size};
use record::{Continuation, Entry, Tally};
use std::cmp::Ordering;

const COLUMNS: usize = 15;
/// Positions that are looked at for a reference: four times as many make a book a fortieth smaller, and cost a fifth
/// of the time to write it.
const NEAR: usize = 32;
const FIRST: u8 = 1;
const LAST: u8 = 2;

/// Where a block stands among the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place<K> {
    /// It is the first of the book.
    pub first: bool,
    /// The first key of the block after it; `None` in the last.
    pub next: Option<K>,
}

/// The side that moves after so many stones if nobody passes.
const fn parity(stones: usize) -> Side {
    if stones.is_multiple_of(2) { Side::First } else { Side::Second }
}

/// Writes the content of a block of sorted positions of one board, at least one, and says what it holds.
pub(crate) fn put_block(rows: &Rows, place: &Place<impl AsRef<[u8]>>, frame: &Frame) -> (Vec<u8>, Holds) {
    let mut columns: [Vec<u8>; COLUMNS] = Default::default();
    let words = frame.words();
    let mut sets = Vec::with_capacity(rows.len() * words);
    let mut tallies: Vec<Tally> = Vec::with_capacity(rows.len());
    let mut stones = Vec::with_capacity(64);
    let mut folds = Vec::with_capacity(rows.len());
    let mut holds = Holds::default();
    for (at, (key, row)) in rows.iter().enumerate() {
        let to_move = frame.unpack_into(key, &mut stones).expect("a writer is given keys of its own");
        let before = sets.len();
        sets.resize(before + words, 0);
        let (known, set) = sets.split_at_mut(before);
        stones.iter().for_each(|stone| toggle(set, *stone));
        let reference = nearest(set, stones.len(), known, &folds);
        folds.push(folded(set));
        put_stones(&mut columns, at, reference, set, known);
        columns[3].push((to_move != parity(stones.len())).into());
        let mut row = Row::read(row).expect("a writer is given rows of its own");
        put_counts(&mut columns[4..8], reference.map_or(Tally::default(), |at| tallies[at]), row.tally);
        tallies.push(row.tally);
        put_moves(&mut columns, &mut row);
        let rest = row.rest();
        holds.judged |= row::is_judged(rest);
        put_bytes(&mut columns[14], rest);
    }
    let next = place.next.as_ref().map(AsRef::as_ref);
    let mut out = Vec::with_capacity(64 + columns.iter().map(|column| column.len() + 5).sum::<usize>());
    out.push(if place.first { FIRST } else { 0 } | if next.is_none() { LAST } else { 0 });
    put_bytes(&mut out, next.unwrap_or_default());
    out.extend(rows.get(0).map_or(&[][..], |(key, _)| &key[..3]));
    put(&mut out, rows.len() as u64);
    columns.iter().for_each(|column| put_bytes(&mut out, column));
    (out, holds)
}

/// Of the last sets the last one that differs least, if it differs less than the empty one does; good enough is one stone.
///
/// `folds` are the words of each set, laid over one another: sets differ at least as much as those do.
fn nearest(set: &[u64], stones: usize, sets: &[u64], folds: &[u64]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("popcnt") {
        #[target_feature(enable = "popcnt")]
        fn counted(set: &[u64], stones: usize, sets: &[u64], folds: &[u64]) -> Option<usize> {
            nearest_of(set, stones, sets, folds)
        }
        // SAFETY: the processor has the instruction. Measured: without it the counting of bits is a tenth of the time
        // to build a book.
        #[allow(unsafe_code)]
        return unsafe { counted(set, stones, sets, folds) };
    }
    nearest_of(set, stones, sets, folds)
}

#[inline(always)]
fn nearest_of(set: &[u64], stones: usize, sets: &[u64], folds: &[u64]) -> Option<usize> {
    let fold = folded(set);
    let (mut least, mut found) = (stones, None);
    for (at, other) in folds.iter().enumerate().rev().take(NEAR) {
        if (fold ^ other).count_ones() as usize >= least {
            continue;
        }
        let other = &sets[at * set.len()..(at + 1) * set.len()];
        let mut differing = 0;
        for (a, b) in set.iter().zip(other) {
            if a != b {
                differing += (a ^ b).count_ones() as usize;
                if differing >= least {
                    break;
                }
            }
        }
        if differing < least {
            (least, found) = (differing, Some(at));
            if least <= 1 {
                break;
            }
        }
    }
    found
}

fn folded(set: &[u64]) -> u64 {
    set.iter().fold(0, |fold, word| fold ^ word)
}

fn put_stones(columns: &mut [Vec<u8>], at: usize, reference: Option<usize>, set: &[u64], sets: &[u64]) {
    columns[0].push(reference.map_or(0, |reference| (at - reference) as u8));
    let other = reference.map(|at| &sets[at * set.len()..]);
    let (mut changed, mut least) = (0, 0);
    let before = columns[2].len();
    for (at, word) in set.iter().enumerate() {
        let mut word = word ^ other.map_or(0, |other| other[at]);
        while word != 0 {
            let stone = at as u64 * 64 + u64::from(word.trailing_zeros());
            put(&mut columns[2], stone - least);
            least = stone + 1;
            changed += 1;
            word &= word - 1;
        }
    }
    debug_assert!(columns[2].len() >= before + changed);
    put(&mut columns[1], changed as u64);
}

fn put_moves(columns: &mut [Vec<u8>], row: &mut Row<'_>) {
    put(&mut columns[8], row.moves as u64);
    let mut before = 0;
    let mut left = row.tally;
    while let Some((place, tally)) = row.next_move().expect("a writer is given rows of its own") {
        put(&mut columns[9], place - before);
        before = place;
        put_counts(&mut columns[10..14], left, tally);
        left = less(left, tally);
    }
}

/// What is left of the games of a position when those of a move are taken away.
fn less(tally: Tally, other: Tally) -> Tally {
    Tally {
        games: tally.games.wrapping_sub(other.games),
        first: tally.first.wrapping_sub(other.first),
        draws: tally.draws.wrapping_sub(other.draws),
        second: tally.second.wrapping_sub(other.second),
    }
}

fn put_counts(columns: &mut [Vec<u8>], expected: Tally, tally: Tally) {
    let pairs = [
        (tally.games, expected.games),
        (tally.first, expected.first),
        (tally.draws, expected.draws),
        (tally.second, expected.second),
    ];
    for (column, (count, expected)) in columns.iter_mut().zip(pairs) {
        put_signed(column, count.wrapping_sub(expected) as i64);
    }
}

fn counts(columns: &mut [Bytes<'_>], expected: Tally) -> Result<Tally, Broken> {
    let mut next = |column: usize, expected: u64| -> Result<u64, Broken> {
        Ok(columns[column].signed()?.wrapping_add(expected as i64) as u64)
    };
    Ok(Tally {
        games: next(0, expected.games)?,
        first: next(1, expected.first)?,
        draws: next(2, expected.draws)?,
        second: next(3, expected.second)?,
    })
}

/// A block as it is read; the twin of [`put_block`].
pub(crate) struct Block<'a> {
    pub place: Place<&'a [u8]>,
    /// How many positions there are.
    pub count: usize,
    head: [u8; 3],
    columns: [Bytes<'a>; COLUMNS],
    words: usize,
    /// The sets of stones read so far, one behind the other.
    sets: Vec<u64>,
    tallies: Vec<Tally>,
}

/// Where a position is in a block.
pub(crate) enum Found {
    /// It is there.
    Here(Box<Entry>),
    /// It is not.
    Nowhere,
    /// All positions of the block come after it.
    Before,
}

impl<'a> Block<'a> {
    /// Reads what stands before the columns and cuts them.
    pub fn read(content: &'a [u8]) -> Result<Block<'a>, Broken> {
        let mut bytes = Bytes(content);
        let place = bytes.byte()?;
        let next = bytes.bytes()?;
        let last = place & LAST != 0;
        if place & !(FIRST | LAST) != 0 || last != next.is_empty() {
            return Err(Broken);
        }
        let head = bytes.take(3)?.try_into().map_err(|_| Broken)?;
        let count = bytes.count()?;
        if count > POSITIONS {
            return Err(Broken);
        }
        let mut columns = [Bytes(&[]); COLUMNS];
        for column in &mut columns {
            *column = Bytes(bytes.bytes()?);
        }
        bytes.end()?;
        let place = Place { first: place & FIRST != 0, next: (!last).then_some(next) };
        let (sets, tallies) = (Vec::new(), Vec::with_capacity(count));
        Ok(Block { place, count, head, columns, words: 0, sets, tallies })
    }

    /// The rule and the board of the positions.
    pub fn board(&self) -> Option<(Rules, Size)> {
        board(&self.head)
    }

    /// How what the keys here begin with compares to what that key begins with.
    pub fn compare_board(&self, key: &[u8]) -> Ordering {
        self.head[..].cmp(&key[..key.len().min(3)])
    }

    /// Reads the next position and adds it to others.
    pub fn next(&mut self, frame: &Frame, rows: &mut Rows, row: &mut Vec<u8>) -> Result<(), Broken> {
        let (reference, is_turned) = self.next_stones(frame)?;
        let tally = self.next_tally(reference)?;
        let key = self.key(is_turned, frame)?;
        row.clear();
        row::put_tally(row, tally);
        let moves = self.columns[8].number()?;
        put(row, moves);
        let (mut place, mut left) = (0u64, tally);
        for number in 0..moves {
            let further = self.columns[9].number()?;
            place = place.checked_add(further).ok_or(Broken)?;
            let twice = number > 0 && further == 0;
            if twice || place > frame.places() {
                return Err(Broken);
            }
            let tally = counts(&mut self.columns[10..14], left)?;
            put(row, place);
            row::put_tally(row, tally);
            left = less(left, tally);
        }
        let rest = self.columns[14].bytes()?;
        if !rest.is_empty() {
            row::rest(Bytes(rest), &mut Entry::default(), frame)?;
            row.extend(rest);
        }
        rows.push(&key, row);
        Ok(())
    }

    /// Looks a position up; nothing but its own entry is made.
    pub fn find(mut self, key: &[u8], frame: &Frame) -> Result<Found, Broken> {
        // A key that names no position is in no book.
        let Ok((stones, to_move)) = frame.unpack(key) else { return Ok(Found::Nowhere) };
        let wanted = set_of(&stones, frame.words());
        let wants_turned = to_move != parity(stones.len());
        let mut references = Vec::with_capacity(self.count);
        loop {
            if references.len() == self.count {
                return Ok(Found::Nowhere);
            }
            let (reference, is_turned) = self.next_stones(frame)?;
            references.push(reference);
            if is_turned == wants_turned && self.sets.ends_with(&wanted) {
                break;
            }
            if references.len() == 1 && *self.key(is_turned, frame)? > *key {
                return Ok(Found::Before);
            }
        }
        let tally = self.tally_of(&references)?;
        let mut moves = 0;
        for _ in 1..references.len() {
            moves = self.columns[8].number()?.checked_add(moves).ok_or(Broken)?;
            self.columns[14].bytes()?;
        }
        self.columns[9..14].iter_mut().try_for_each(|column| column.skip_numbers(moves))?;
        Ok(Found::Here(Box::new(self.next_entry(tally, frame)?)))
    }

    /// The games of the last of some positions: only those that it refers to are read, and those that they refer to.
    fn tally_of(&mut self, references: &[Option<usize>]) -> Result<Tally, Broken> {
        let mut chain: Vec<usize> = Vec::with_capacity(references.len());
        let mut next = references.len().checked_sub(1);
        while let Some(at) = next {
            chain.push(at);
            next = references[at];
        }
        let mut tally = Tally::default();
        let mut read = 0;
        for at in chain.into_iter().rev() {
            let passed = (at - read) as u64;
            self.columns[4..8].iter_mut().try_for_each(|column| column.skip_numbers(passed))?;
            tally = counts(&mut self.columns[4..8], tally)?;
            read = at + 1;
        }
        Ok(tally)
    }

    /// Reads the next set of stones: which one it refers to, and whether the side to move is not the parity's.
    fn next_stones(&mut self, frame: &Frame) -> Result<(Option<usize>, bool), Broken> {
        if self.words == 0 {
            self.words = frame.words();
            self.sets.reserve(self.count * self.words);
        }
        let start = self.sets.len();
        let reference = match usize::from(self.columns[0].byte()?) {
            0 => None,
            back => Some((start / self.words).checked_sub(back).ok_or(Broken)?),
        };
        match reference {
            None => self.sets.resize(start + self.words, 0),
            Some(at) => self.sets.extend_from_within(at * self.words..(at + 1) * self.words),
        }
        let mut least = 0u64;
        for _ in 0..self.columns[1].number()? {
            let stone = self.columns[2].number()?.checked_add(least).ok_or(Broken)?;
            if stone >= frame.stones() {
                return Err(Broken);
            }
            self.sets[start + (stone >> 6) as usize] ^= 1 << (stone & 63);
            least = stone + 1;
        }
        match self.columns[3].byte()? {
            0 => Ok((reference, false)),
            1 => Ok((reference, true)),
            _ => Err(Broken),
        }
    }

    fn next_tally(&mut self, reference: Option<usize>) -> Result<Tally, Broken> {
        let expected = match reference {
            None => Tally::default(),
            Some(at) => *self.tallies.get(at).ok_or(Broken)?,
        };
        let tally = counts(&mut self.columns[4..8], expected)?;
        self.tallies.push(tally);
        Ok(tally)
    }

    /// The key of the stones read last.
    fn key(&self, is_turned: bool, frame: &Frame) -> Result<Vec<u8>, Broken> {
        let (rules, _) = self.board().ok_or(Broken)?;
        let set = &self.sets[self.sets.len() - self.words..];
        if !frame.is_sound(set) {
            return Err(Broken);
        }
        let side = parity(set.iter().map(|word| word.count_ones() as usize).sum());
        Ok(frame.pack(set, if is_turned { side.other() } else { side }, rules))
    }

    fn next_entry(&mut self, tally: Tally, frame: &Frame) -> Result<Entry, Broken> {
        let mut entry = Entry { tally, ..Entry::default() };
        let mut before = 0u64;
        let mut left = tally;
        for at in 0..self.columns[8].number()? {
            let step = self.columns[9].number()?;
            // Moves ascend, so that there are no more of them than points.
            before = before.checked_add(step).filter(|_| step > 0 || at == 0).ok_or(Broken)?;
            let tally = counts(&mut self.columns[10..14], left)?;
            entry.moves.push(Continuation { play: frame.play(before)?, tally });
            left = less(left, tally);
        }
        let rest = self.columns[14].bytes()?;
        row::rest(Bytes(rest), &mut entry, frame)?;
        Ok(entry)
    }

    /// Whether all columns are read to their ends.
    pub fn end(self) -> Result<(), Broken> {
        self.columns.into_iter().try_for_each(Bytes::end)
    }
}
