//! A hash for each image of a position, kept up to date stone by stone, and the group of a board's symmetries.

use crate::Frame;
use crate::stones::Stone;
use games::{Side, Symmetry};
use std::hash::{BuildHasher, RandomState};

/// The hashes of the images of a position, in the order of the frame's symmetries; where those are fewer than eight,
/// they come again.
pub(crate) type Hashes = [u64; 8];

/// A symmetry by its place among those of the frame.
pub(crate) type Lane = u8;

/// The numbers that positions of a board are hashed with, drawn anew each time, so that no file can foresee them.
pub(crate) struct Lanes {
    pub symmetries: Vec<Symmetry>,
    /// The ranks of a point under the symmetries.
    images: Vec<[u16; 8]>,
    numbers: Vec<Hashes>,
    turn: u64,
    then: [[Lane; 8]; 8],
    inverse: [Lane; 8],
}

impl Lanes {
    pub fn new(frame: &Frame) -> Lanes {
        let (images, random) = (frame.turned_ranks(), RandomState::new());
        let stones = 2 * images.len() as Stone;
        let number = |stone: Stone| random.hash_one(stone);
        let of = |stone: Stone| images[usize::from(stone >> 1)].map(|rank| number(2 * rank + (stone & 1)));
        let symmetries = frame.symmetries.clone();
        let lane = |symmetry| symmetries.iter().position(|other| *other == symmetry).expect("symmetries are a group");
        let (mut then, mut inverse) = ([[0; 8]; 8], [0; 8]);
        for (at, symmetry) in symmetries.iter().enumerate() {
            inverse[at] = lane(symmetry.inverse()) as Lane;
            for (next, other) in symmetries.iter().enumerate() {
                then[at][next] = lane(symmetry.then(*other)) as Lane;
            }
        }
        Lanes { numbers: (0..stones).map(of).collect(), turn: number(stones), images, then, inverse, symmetries }
    }

    /// The hashes of the empty board with this side to move.
    pub fn empty(&self, to_move: Side) -> Hashes {
        [if to_move == Side::First { 0 } else { self.turn }; 8]
    }

    /// Puts a stone or takes it away.
    pub fn toggle(&self, hashes: &mut Hashes, stone: Stone) {
        for (hash, number) in hashes.iter_mut().zip(&self.numbers[usize::from(stone)]) {
            *hash ^= number;
        }
    }

    /// Gives the turn to the other side.
    pub fn pass(&self, hashes: &mut Hashes) {
        hashes.iter_mut().for_each(|hash| *hash ^= self.turn);
    }

    /// The rank that a point has after a symmetry.
    pub fn image(&self, rank: u16, lane: Lane) -> u16 {
        self.images[usize::from(rank)][usize::from(lane)]
    }

    /// The stone after a symmetry.
    pub fn image_of(&self, stone: Stone, lane: Lane) -> Stone {
        2 * self.image(stone >> 1, lane) + (stone & 1)
    }

    /// The symmetry that does what `first` and then `next` do.
    pub fn then(&self, first: Lane, next: Lane) -> Lane {
        self.then[usize::from(first)][usize::from(next)]
    }

    pub fn inverse(&self, lane: Lane) -> Lane {
        self.inverse[usize::from(lane)]
    }

    /// The place of a symmetry, if the board has it.
    pub fn lane(&self, symmetry: Symmetry) -> Option<Lane> {
        self.symmetries.iter().position(|other| *other == symmetry).map(|lane| lane as Lane)
    }

    /// All symmetries of the board.
    pub fn all(&self) -> std::ops::Range<Lane> {
        0..self.symmetries.len() as Lane
    }

    /// The least rank among the images of a point under some of the symmetries.
    pub fn least_image(&self, rank: u16, own: u8) -> u16 {
        lanes(own).map(|lane| self.image(rank, lane)).min().unwrap_or(rank)
    }
}

/// The least of the hashes and the first place of it.
pub(crate) fn least(hashes: &Hashes) -> (u64, Lane) {
    let least = hashes.iter().fold(u64::MAX, |least, hash| least.min(*hash));
    (least, hashes.iter().position(|hash| *hash == least).unwrap_or(0) as Lane)
}

/// The symmetries whose bits are set.
pub(crate) fn lanes(bits: u8) -> impl Iterator<Item = Lane> {
    (0..8).filter(move |lane| bits >> lane & 1 == 1)
}
