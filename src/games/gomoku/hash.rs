use super::{Board, symmetries};
use crate::{Point, Rule, Side, Size, Symmetry};

/// The Zobrist keys of a position and of its images under all symmetries, kept up to date stone by stone.
///
/// A key is the exclusive or of numbers: one for the size of the board, one for each stone, one for the rule if it
/// was named, and [`turn_number`] where the caller adds it. The numbers are fixed for good, as files hold keys:
/// number `n` is made of the outputs `2n` (high half) and `2n + 1` of SplitMix64 from the seed 0, counted from 0.
/// The stone of side `s` (0 or 1) on a point of code `c` has number `1024 s + c`, the size `width x height` has
/// `2048 + 32 height + width`, the rule at index `r` of [`Rule::ALL`] has `4096 + r`, and the second player's turn
/// has 8192.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Keys {
    size: Size,
    images: [u128; 8],
}

impl Keys {
    /// The keys of a board without stones.
    pub const fn new(size: Size) -> Keys {
        let number = number(2048 + 32 * size.height() as u64 + size.width() as u64);
        Keys { size, images: [number; 8] }
    }

    /// The keys of the stones on a board.
    pub fn of(board: &Board) -> Keys {
        let mut keys = Keys::new(board.size());
        for (point, side) in board.stones() {
            keys.toggle(point, side);
        }
        keys
    }

    /// The same under a rule, so that positions under different rules differ.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Keys {
        let number = number(4096 + rule as u64);
        self.images.iter_mut().for_each(|key| *key ^= number);
        self
    }

    /// Adds a stone on a point of the board, or takes it away.
    pub fn toggle(&mut self, point: Point, side: Side) {
        let (x, y) = (usize::from(point.x()), usize::from(point.y()));
        // Off the longer side of a rectangle the quarter turns run over the edge; their keys are not asked for.
        let right = usize::from(self.size.width()).wrapping_sub(x + 1) & 31;
        let bottom = usize::from(self.size.height()).wrapping_sub(y + 1) & 31;
        let row = |y: usize| &STONES[side as usize][y & 31];
        // In the order of `Symmetry::ALL`.
        let numbers = [
            row(y)[x],
            row(x)[bottom],
            row(bottom)[right],
            row(right)[y],
            row(y)[right],
            row(bottom)[x],
            row(x)[y],
            row(right)[bottom],
        ];
        for (key, number) in self.images.iter_mut().zip(numbers) {
            *key ^= number;
        }
    }

    /// The key of the image under a symmetry of the board's size.
    pub const fn image(&self, symmetry: Symmetry) -> u128 {
        self.images[symmetry as usize]
    }

    /// The smallest key among the images: the same for all positions that are equal up to symmetry.
    pub fn canonical(&self) -> u128 {
        let keys = symmetries(self.size).iter().map(|symmetry| self.image(*symmetry));
        keys.min().expect("the identity is a symmetry of every board")
    }
}

/// What a key is combined with by exclusive or when it matters who moves next.
pub const fn turn_number(to_move: Side) -> u128 {
    match to_move {
        Side::First => 0,
        Side::Second => number(8192),
    }
}

/// What a key changes by, by exclusive or, when a stone is put on a point or taken away: the key of the position as it
/// stands, [`Symmetry::Identity`]'s.
pub fn stone_number(point: Point, side: Side) -> u128 {
    STONES[side as usize][usize::from(point.y())][usize::from(point.x())]
}

static STONES: [[[u128; 32]; 32]; 2] = {
    let mut table = [[[0; 32]; 32]; 2];
    let mut stone = 0;
    while stone < 2048 {
        table[stone >> 10][stone >> 5 & 31][stone & 31] = number(stone as u64);
        stone += 1;
    }
    table
};

pub const fn number(index: u64) -> u128 {
    (split_mix(2 * index) as u128) << 64 | split_mix(2 * index + 1) as u128
}

/// Output `index` of the generator SplitMix64 (Steele, Lea, Flood 2014) from the seed 0.
const fn split_mix(index: u64) -> u64 {
    let mut bits = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::samples::Random;
    use std::collections::HashSet;

    #[test]
    fn no_two_single_stones_share_a_key() {
        let mut keys = HashSet::new();
        let mut count = 0;
        for size in (5..=22).filter_map(Size::square) {
            let rules = Rule::ALL.map(|rule| Keys::new(size).with_rule(rule));
            for bare in [Keys::new(size)].into_iter().chain(rules) {
                for to_move in [Side::First, Side::Second] {
                    keys.insert(bare.image(Symmetry::Identity) ^ turn_number(to_move));
                    count += 1;
                    for (point, side) in size.points().flat_map(|p| [(p, Side::First), (p, Side::Second)]) {
                        let mut one = bare;
                        one.toggle(point, side);
                        keys.insert(one.image(Symmetry::Identity) ^ turn_number(to_move));
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(keys.len(), count);
        // Half a key is enough for that.
        assert_eq!(keys.iter().map(|key| *key as u64).collect::<HashSet<_>>().len(), count);
    }

    #[test]
    fn keys_grow_with_the_game_as_those_from_scratch() {
        let mut random = Random(7);
        for _ in 0..300 {
            let board = random.board(26);
            let mut keys = Keys::new(board.size()).with_rule(Rule::Renju);
            let mut played = Board::new(board.size());
            for (point, side) in board.stones() {
                let before = keys.image(Symmetry::Identity);
                keys.toggle(point, side);
                assert_eq!(before ^ stone_number(point, side), keys.image(Symmetry::Identity));
                played.play_unchecked(point, side);
            }
            assert_eq!(keys, Keys::of(&board).with_rule(Rule::Renju));
            for &symmetry in symmetries(board.size()) {
                let image = Keys::of(&board.turned(symmetry));
                assert_eq!(Keys::of(&board).image(symmetry), image.image(Symmetry::Identity), "{symmetry:?}\n{board}");
                assert_eq!(Keys::of(&board).canonical(), image.canonical());
            }
            for (point, side) in board.stones() {
                keys.toggle(point, side);
            }
            assert_eq!(keys, Keys::new(board.size()).with_rule(Rule::Renju));
        }
    }

    /// Files hold keys: these numbers may never change.
    #[test]
    fn the_numbers_are_fixed() {
        assert_eq!(split_mix(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(split_mix(1), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(Keys::new(Size::default()).canonical(), number(2048 + 32 * 15 + 15));
        let mut keys = Keys::new(Size::default());
        keys.toggle(Point::new(7, 7).unwrap(), Side::Second);
        assert_eq!(keys.canonical(), number(2048 + 32 * 15 + 15) ^ number(1024 + 7 * 32 + 7));
    }
}
