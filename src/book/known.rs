//! The positions of a board in memory, found again by their stones.

use crate::bytes::{Broken, Bytes, put, put_bytes};
use crate::lanes::{Hashes, Lane, Lanes, least};
use crate::row::{Row, glance, put_tally, tally};
use crate::stones::Stone;
use games::Side;
use record::Tally;

/// No position.
pub(crate) const NONE: u32 = u32::MAX;

/// So many positions share the start that their offsets are counted from; at most 42 MB of them.
const STRIDE: usize = 4096;

pub(crate) mod flag {
    /// The second player moves.
    pub const SECOND: u8 = 1;
    /// There are comments or texts on points.
    pub const TEXTS: u8 = 2;
    /// There are games.
    pub const GAMES: u8 = 4;
    /// The position before has a text on the point of the move that leads here.
    pub const NAMED: u8 = 8;
    /// A move of the book leads here, not one that was found by taking a stone away.
    pub const PLAYED: u8 = 16;
    /// There is something beside moves.
    pub const REST: u8 = 32;
}

/// What is said of a position in a few bytes, and which move leads to it.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Spot {
    /// The position before; [`NONE`] as long as there is none.
    pub parent: u32,
    /// The games of the move that leads here.
    pub games: u32,
    /// From the side to move; the greatest number where there is none.
    pub value: i32,
    /// The stone of that move as it lies here: rank + 1; 0 a pass.
    pub last: u16,
    /// The symmetry that turns the position before, after the move, into this one.
    pub turned: Lane,
    /// The symmetry with the least hash.
    least: Lane,
    /// The symmetries that leave the position as it is, as bits.
    pub own: u8,
    pub flags: u8,
}

impl Spot {
    pub fn to_move(self) -> Side {
        if self.flags & flag::SECOND == 0 { Side::First } else { Side::Second }
    }
}

/// A position as it was put in.
pub(crate) struct Kept<'a> {
    /// The stones as keys have them.
    pub stones: Stones<'a>,
    moves: usize,
    bytes: Bytes<'a>,
}

impl Kept<'_> {
    /// The moves, as [`crate::row::place`] numbers them, with their games.
    pub fn moves(mut self, mut each: impl FnMut(u64, u64)) {
        let mut number = || self.bytes.number().expect("it was written here");
        for _ in 0..self.moves {
            each(number(), number());
        }
    }

    /// Whether the book says a move from here.
    pub fn has_moves(&self) -> bool {
        self.moves > 0
    }
}

/// The stones of a key in ascending order.
#[derive(Clone)]
pub(crate) struct Stones<'a> {
    bytes: std::slice::Iter<'a, u8>,
    after: Stone,
}

impl Iterator for Stones<'_> {
    type Item = Stone;

    fn next(&mut self) -> Option<Stone> {
        let number = match *self.bytes.next()? {
            255 => u16::from_be_bytes([*self.bytes.next()?, *self.bytes.next()?]),
            byte => u16::from(byte) - 2,
        };
        let stone = self.after + number;
        self.after = (stone | 1) + 1;
        Some(stone)
    }
}

/// Positions of one board under one rule, numbered in the order in which they come.
pub(crate) struct Known {
    pub spots: Vec<Spot>,
    /// Some position has a move.
    pub has_moves: bool,
    /// Stones and moves of the positions, one behind the other.
    bytes: Vec<u8>,
    /// Where they begin: of each [`STRIDE`] the first, and of each one how far behind that.
    starts: Vec<u64>,
    offsets: Vec<u32>,
    /// What is known beside moves, of the positions that have such, and where it begins.
    rests: Vec<u8>,
    rest_of: Vec<u32>,
    rest_at: Vec<u64>,
    /// How many of these stand before each 64th position.
    rests_before: Vec<u32>,
    /// The low half of a hash, and the number of a position + 1; 0 where there is none.
    slots: Vec<u64>,
    /// Of positions that have no slot yet.
    hashes: Vec<u64>,
    /// Keep the games by result.
    tallies: bool,
}

impl Known {
    pub fn new(tallies: bool) -> Known {
        Known {
            spots: Vec::new(),
            has_moves: false,
            bytes: Vec::new(),
            starts: Vec::new(),
            offsets: Vec::new(),
            rests: Vec::new(),
            rest_of: Vec::new(),
            rest_at: Vec::new(),
            rests_before: Vec::new(),
            slots: Vec::new(),
            hashes: Vec::new(),
            tallies,
        }
    }

    pub fn len(&self) -> u32 {
        self.spots.len() as u32
    }

    /// Adds a position, which is found after [`Known::index`].
    pub fn add(&mut self, key: &[u8], row: &[u8], lanes: &Lanes) -> Result<u32, Broken> {
        let at = self.len();
        if self.spots.len().is_multiple_of(STRIDE) {
            self.starts.push(self.bytes.len() as u64);
        }
        if at.is_multiple_of(64) {
            self.rests_before.push(self.rest_of.len() as u32);
        }
        let start = *self.starts.last().expect("the first position has one");
        self.offsets.push(u32::try_from(self.bytes.len() as u64 - start).map_err(|_| Broken)?);
        let mut row = Row::read(row)?;
        let (turn, stones) = key.get(3..).and_then(<[u8]>::split_last).ok_or(Broken)?;
        let mut flags = if *turn == 0 { 0 } else { flag::SECOND };
        put_bytes(&mut self.bytes, stones);
        self.has_moves |= row.moves > 0;
        put(&mut self.bytes, row.moves as u64);
        while let Some((place, tally)) = row.next_move()? {
            put(&mut self.bytes, place);
            put(&mut self.bytes, tally.games);
        }
        let tally = row.tally;
        if tally != Tally::default() {
            flags |= flag::GAMES;
        }
        let rest = row.rest();
        let (has_texts, value) = glance(rest)?;
        if has_texts {
            flags |= flag::TEXTS;
        }
        let value = value.unwrap_or(i32::MAX);
        if !rest.is_empty() || (self.tallies && flags & flag::GAMES != 0) {
            flags |= flag::REST;
            self.rest_of.push(at);
            self.rest_at.push(self.rests.len() as u64);
            put_tally(&mut self.rests, tally);
            put_bytes(&mut self.rests, rest);
        }
        let mut spot = Spot { parent: NONE, games: 0, value, last: 0, turned: 0, least: 0, own: 1, flags };
        let hashes = hashes(Stones { bytes: stones.iter(), after: 0 }, spot.to_move(), lanes);
        let hash;
        (hash, spot.least) = least(&hashes);
        for lane in lanes.all().skip(1) {
            if hashes[usize::from(lane)] == hashes[0] && is_own(stones, lane, lanes) {
                spot.own |= 1 << lane;
            }
        }
        self.spots.push(spot);
        self.hashes.push(hash);
        Ok(at)
    }

    /// Makes all positions findable.
    pub fn index(&mut self, lanes: &Lanes) {
        let wanted = (self.spots.len() * 3 / 2).next_power_of_two().max(16);
        let hashes = std::mem::take(&mut self.hashes);
        if wanted <= self.slots.len() {
            let first = self.spots.len() - hashes.len();
            hashes.into_iter().enumerate().for_each(|(at, hash)| self.put(hash, (first + at) as u32));
            return;
        }
        // Room for as many again: positions that are added later come one at a time.
        self.slots = vec![0; if self.slots.is_empty() { wanted } else { 2 * wanted }];
        if hashes.len() == self.spots.len() {
            hashes.into_iter().enumerate().for_each(|(at, hash)| self.put(hash, at as u32));
            return;
        }
        for at in 0..self.len() {
            let (hash, _) = least(&self.hashes(at, lanes));
            self.put(hash, at);
        }
    }

    fn put(&mut self, hash: u64, at: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 32) as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = hash << 32 | u64::from(at + 1);
    }

    /// The position as it was put in; not after [`Known::forget`].
    pub fn kept(&self, at: u32) -> Kept<'_> {
        let start = self.starts[at as usize / STRIDE] + u64::from(self.offsets[at as usize]);
        let mut bytes = Bytes(&self.bytes[start as usize..]);
        let length = bytes.number().expect("it was written here");
        let stones = bytes.take(length as usize).expect("it was written here");
        let stones = Stones { bytes: stones.iter(), after: 0 };
        let moves = bytes.number().expect("it was written here") as usize;
        Kept { stones, moves, bytes }
    }

    /// The games of a position by result, and what is known beside its moves, as in its row.
    pub fn rest(&self, at: u32) -> (Tally, &[u8]) {
        let before = self.rests_before[at as usize / 64] as usize;
        let Some(index) = self.rest_of[before..].iter().take_while(|of| **of <= at).position(|of| *of == at) else {
            return (Tally::default(), &[]);
        };
        let index = before + index;
        let mut bytes = Bytes(&self.rests[self.rest_at[index] as usize..]);
        let tally = tally(&mut bytes).expect("it was written here");
        (tally, bytes.bytes().expect("it was written here"))
    }

    /// Frees what only [`Known::kept`] and [`Known::find`] need.
    pub fn forget(&mut self) {
        self.bytes = Vec::new();
        self.offsets = Vec::new();
        self.slots = Vec::new();
    }

    /// The hashes of a position.
    pub fn hashes(&self, at: u32, lanes: &Lanes) -> Hashes {
        hashes(self.kept(at).stones, self.spots[at as usize].to_move(), lanes)
    }

    /// Looks at what [`Known::find`] will look at for many hashes: far apart in memory, it comes in together.
    pub fn fetch(&self, hashes: &[u64], found: &mut Vec<u32>) {
        found.clear();
        let mask = self.slots.len() - 1;
        let held = hashes.iter().map(|hash| self.slots[(hash >> 32) as usize & mask] as u32);
        found.extend(held.filter_map(|number| number.checked_sub(1)));
        let mut seen = 0;
        for at in &*found {
            seen ^= self.spots[*at as usize].parent ^ self.offsets[*at as usize];
        }
        for at in &*found {
            let start = self.starts[*at as usize / STRIDE] as usize + self.offsets[*at as usize] as usize;
            // The stones of a position may lie in two lines of the cache.
            let end = (start + 40).min(self.bytes.len() - 1);
            seen ^= u32::from(self.bytes[start] ^ self.bytes[end]);
        }
        std::hint::black_box(seen);
    }

    /// The position of so many stones that are a set, in any orientation, and the symmetry that turns them into it.
    pub fn find(
        &self,
        hashes: &Hashes,
        set: &[u64],
        number: usize,
        to_move: Side,
        lanes: &Lanes,
    ) -> Option<(u32, Lane)> {
        let mask = self.slots.len() - 1;
        let (hash, lane) = least(hashes);
        let mut slot = (hash >> 32) as usize & mask;
        loop {
            let held = self.slots[slot];
            if held == 0 {
                return None;
            }
            if held >> 32 == hash & u64::from(u32::MAX) {
                let at = held as u32 - 1;
                let spot = &self.spots[at as usize];
                if spot.to_move() == to_move {
                    let stones = self.kept(at).stones;
                    let turned = lanes.then(lane, lanes.inverse(spot.least));
                    // Another symmetry is the right one only where two images of one position share a hash.
                    let mut all = std::iter::once(turned).chain(lanes.all());
                    if let Some(turned) = all.find(|turned| is_image(stones.clone(), *turned, set, number, lanes)) {
                        return Some((at, turned));
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }
}

fn hashes(stones: Stones<'_>, to_move: Side, lanes: &Lanes) -> Hashes {
    let mut hashes = lanes.empty(to_move);
    stones.for_each(|stone| lanes.toggle(&mut hashes, stone));
    hashes
}

/// Whether a symmetry turns a set of so many stones into these.
fn is_image(stones: Stones<'_>, turned: Lane, set: &[u64], mut number: usize, lanes: &Lanes) -> bool {
    let back = lanes.inverse(turned);
    for stone in stones {
        let stone = lanes.image_of(stone, back);
        if set[usize::from(stone >> 6)] >> (stone & 63) & 1 == 0 || number == 0 {
            return false;
        }
        number -= 1;
    }
    number == 0
}

/// Whether a symmetry leaves the stones of a key as they are.
#[cold]
fn is_own(key: &[u8], lane: Lane, lanes: &Lanes) -> bool {
    let stones = || Stones { bytes: key.iter(), after: 0 };
    let mut images: Vec<Stone> = stones().map(|stone| lanes.image_of(stone, lane)).collect();
    images.sort_unstable();
    images.into_iter().eq(stones())
}
