//! The content of a block: columns of positions, each told by its difference to one before it.

use crate::Frame;
use crate::bytes::{Broken, Bytes, put, put_bytes, put_signed};
use crate::frame::board;
use crate::layout::POSITIONS;
use crate::row;
use crate::stones::{set_of, stones_of};
use games::{Rule, Side, Size};
use record::{Continuation, Entry, Tally};
use std::cmp::Ordering;

const COLUMNS: usize = 15;
const FIRST: u8 = 1;
const LAST: u8 = 2;

/// Where a block stands among the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place<'a> {
    /// It is the first of the book.
    pub first: bool,
    /// The first key of the block after it; `None` in the last.
    pub next: Option<&'a [u8]>,
}

/// The side that moves after so many stones if nobody passes.
const fn parity(stones: usize) -> Side {
    if stones.is_multiple_of(2) { Side::First } else { Side::Second }
}

/// Writes the content of a block of sorted positions of one board; at least one.
pub(crate) fn put_block(positions: &[(Vec<u8>, Entry)], place: &Place<'_>, frame: &Frame) -> Vec<u8> {
    let mut columns: [Vec<u8>; COLUMNS] = Default::default();
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(positions.len());
    for (at, (key, entry)) in positions.iter().enumerate() {
        let (stones, to_move) = frame.unpack(key).expect("a writer is given keys of its own");
        let set = set_of(&stones, frame.words());
        let reference = nearest(&set, stones.len() as u32, &sets);
        put_stones(&mut columns, at, reference, &set, &sets);
        columns[3].push((to_move != parity(stones.len())).into());
        put_counts(&mut columns[4..8], reference.map_or(Tally::default(), |at| positions[at].1.tally), entry.tally);
        put_moves(&mut columns, entry, frame);
        let mut rest = Vec::new();
        row::put_rest(&mut rest, entry, frame);
        put_bytes(&mut columns[14], &rest);
        sets.push(set);
    }
    let mut out = vec![if place.first { FIRST } else { 0 } | if place.next.is_none() { LAST } else { 0 }];
    put_bytes(&mut out, place.next.unwrap_or_default());
    out.extend(&positions[0].0[..3]);
    put(&mut out, positions.len() as u64);
    columns.iter().for_each(|column| put_bytes(&mut out, column));
    out
}

/// The last of the sets that differ least, if it differs less than the empty one does; good enough is one stone.
fn nearest(set: &[u64], stones: u32, sets: &[Vec<u64>]) -> Option<usize> {
    let (mut least, mut found) = (stones, None);
    for (at, other) in sets.iter().enumerate().rev() {
        let mut differing = 0;
        for (a, b) in set.iter().zip(other) {
            differing += (a ^ b).count_ones();
            if differing >= least {
                break;
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

fn put_stones(columns: &mut [Vec<u8>], at: usize, reference: Option<usize>, set: &[u64], sets: &[Vec<u64>]) {
    columns[0].push(reference.map_or(0, |reference| (at - reference) as u8));
    let changed = match reference {
        Some(reference) => stones_of(&set.iter().zip(&sets[reference]).map(|(a, b)| a ^ b).collect::<Vec<_>>()),
        None => stones_of(set),
    };
    put(&mut columns[1], changed.len() as u64);
    let mut least = 0;
    for stone in changed {
        put(&mut columns[2], u64::from(stone - least));
        least = stone + 1;
    }
}

fn put_moves(columns: &mut [Vec<u8>], entry: &Entry, frame: &Frame) {
    put(&mut columns[8], entry.moves.len() as u64);
    let mut before = 0;
    let mut left = entry.tally;
    for each in &entry.moves {
        let place = row::place(each.play, frame);
        put(&mut columns[9], place - before);
        before = place;
        put_counts(&mut columns[10..14], left, each.tally);
        left = less(left, each.tally);
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
    pub place: Place<'a>,
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
    pub fn board(&self) -> Option<(Rule, Size)> {
        board(&self.head)
    }

    /// How what the keys here begin with compares to what that key begins with.
    pub fn compare_board(&self, key: &[u8]) -> Ordering {
        self.head[..].cmp(&key[..key.len().min(3)])
    }

    /// The next position.
    pub fn next(&mut self, frame: &Frame) -> Result<(Vec<u8>, Entry), Broken> {
        let (reference, is_turned) = self.next_stones(frame)?;
        let tally = self.next_tally(reference)?;
        let key = self.key(is_turned, frame)?;
        Ok((key, self.next_entry(tally, frame)?))
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
        let mut tally = Tally::default();
        for reference in &references {
            tally = self.next_tally(*reference)?;
        }
        let mut moves = 0;
        for _ in 1..references.len() {
            moves += self.columns[8].number()?;
            self.columns[14].bytes()?;
        }
        self.columns[9..14].iter_mut().try_for_each(|column| column.skip_numbers(moves))?;
        Ok(Found::Here(Box::new(self.next_entry(tally, frame)?)))
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
        let (rule, _) = self.board().ok_or(Broken)?;
        let stones = stones_of(&self.sets[self.sets.len() - self.words..]);
        if stones.windows(2).any(|pair| pair[0] >> 1 == pair[1] >> 1) {
            return Err(Broken);
        }
        let side = parity(stones.len());
        Ok(frame.pack(&stones, if is_turned { side.other() } else { side }, rule))
    }

    fn next_entry(&mut self, tally: Tally, frame: &Frame) -> Result<Entry, Broken> {
        let mut entry = Entry { tally, ..Entry::default() };
        let mut before = 0u64;
        let mut left = tally;
        for _ in 0..self.columns[8].number()? {
            before = before.checked_add(self.columns[9].number()?).ok_or(Broken)?;
            let tally = counts(&mut self.columns[10..14], left)?;
            entry.moves.push(Continuation { play: row::play(before, frame)?, tally });
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
