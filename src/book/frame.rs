use crate::bytes::Broken;
use crate::images::Images;
use crate::stones::Stone;
use games::gomoku::symmetries;
use games::{Point, Rule, Side, Size, Symmetry};
use record::Key;

/// The order of a board's points from the centre outwards, and keys made in it.
#[derive(Clone, Debug)]
pub struct Frame {
    size: Size,
    pub(crate) symmetries: Vec<Symmetry>,
    /// The rank of each point under each symmetry, by [`Point::code`].
    pub(crate) ranks: Vec<Vec<u16>>,
    points: Vec<Point>,
}

/// The key of a position and the symmetries that lead to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The bytes of the key.
    pub key: Vec<u8>,
    /// The symmetries that turn the position into the key's, in the order of [`Symmetry::ALL`]; never empty.
    pub symmetries: Vec<Symmetry>,
}

impl Canonical {
    /// To be filled by [`Images::least`].
    pub(crate) const EMPTY: Canonical = Canonical { key: Vec::new(), symmetries: Vec::new() };

    /// The symmetry that points written beside the position are turned by.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetries[0]
    }
}

impl Frame {
    /// The frame of a board; keys are turned into their least image if `symmetric`.
    pub fn new(size: Size, symmetric: bool) -> Frame {
        let mut points: Vec<Point> = size.points().collect();
        let from_centre = |point: &Point| {
            let away = |at: u8, length: u8| (2 * i32::from(at) - i32::from(length) + 1).pow(2);
            (away(point.x(), size.width()) + away(point.y(), size.height()), point.y(), point.x())
        };
        points.sort_by_key(from_centre);
        let mut ranks = vec![0; usize::from(Point::LIMIT) * usize::from(Point::LIMIT)];
        for (rank, point) in points.iter().enumerate() {
            ranks[usize::from(point.code())] = rank as u16;
        }
        let symmetries = if symmetric { symmetries(size).to_vec() } else { vec![Symmetry::Identity] };
        let turned = |symmetry: &Symmetry| {
            let rank = |code| ranks[usize::from(symmetry.apply(Point::from_code(code), size).code())];
            (0..ranks.len() as u16).map(rank).collect()
        };
        let ranks = symmetries.iter().map(turned).collect();
        Frame { size, symmetries, ranks, points }
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether the board is one, and the same, after the symmetry.
    pub fn allows(&self, symmetry: Symmetry) -> bool {
        symmetry.turn_size(self.size) == self.size
    }

    /// How many stones there are to tell apart: one of each side for each point.
    pub(crate) fn stones(&self) -> u64 {
        2 * self.points.len() as u64
    }

    /// How many words a set of stones takes.
    pub(crate) fn words(&self) -> usize {
        self.stones().div_ceil(64) as usize
    }

    /// The largest [`place`](crate::row::place) of a move.
    pub(crate) fn places(&self) -> u64 {
        self.points.len() as u64
    }

    /// The ranks that each point has under the symmetries, by its rank; where they are fewer than eight, they come again.
    pub(crate) fn turned_ranks(&self) -> Vec<[u16; 8]> {
        let of =
            |point: &Point| std::array::from_fn(|at| self.ranks[at % self.symmetries.len()][usize::from(point.code())]);
        self.points.iter().map(of).collect()
    }

    pub(crate) fn rank(&self, point: Point) -> u16 {
        self.ranks[0][usize::from(point.code())]
    }

    pub(crate) fn point(&self, rank: u64) -> Result<Point, Broken> {
        usize::try_from(rank).ok().and_then(|rank| self.points.get(rank)).copied().ok_or(Broken)
    }

    /// The key of a position on this board.
    pub fn canonical(&self, key: &Key) -> Canonical {
        self.least(&key.stones, key.to_move, key.rule)
    }

    pub(crate) fn least(&self, stones: &[(Point, Side)], to_move: Side, rule: Rule) -> Canonical {
        let mut images = Images::new(self);
        stones.iter().for_each(|(point, side)| images.toggle(*point, *side, self));
        let mut form = Canonical::EMPTY;
        images.least(to_move, rule, self, &mut form);
        form
    }

    /// Where a move from a position stands in its entry.
    pub fn place(&self, canonical: &Canonical, point: Point) -> Point {
        let images = canonical.symmetries.iter().map(|symmetry| symmetry.apply(point, self.size));
        images.min_by_key(|point| self.rank(*point)).expect("a canonical form has a symmetry")
    }

    /// The bytes of the key of a set of stones.
    pub(crate) fn pack(&self, set: &[u64], to_move: Side, rule: Rule) -> Vec<u8> {
        let mut key = Vec::new();
        self.pack_into(&mut key, set, to_move, rule);
        key
    }

    pub(crate) fn pack_into(&self, key: &mut Vec<u8>, set: &[u64], to_move: Side, rule: Rule) {
        key.clear();
        key.reserve(64);
        key.extend([rule as u8, self.size.width(), self.size.height()]);
        let mut after = 0;
        for (at, word) in set.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let stone = at as Stone * 64 + word.trailing_zeros() as Stone;
                word &= word - 1;
                let number = stone - after;
                if number <= 252 {
                    key.push(number as u8 + 2);
                } else {
                    key.push(255);
                    key.extend(number.to_be_bytes());
                }
                after = (stone | 1) + 1;
            }
        }
        key.push(to_move as u8);
    }

    /// The stones of a key and the side to move; the twin of [`Frame::pack`].
    pub(crate) fn unpack(&self, key: &[u8]) -> Result<(Vec<Stone>, Side), Broken> {
        let mut stones = Vec::with_capacity(key.len());
        let to_move = self.unpack_into(key, &mut stones)?;
        Ok((stones, to_move))
    }

    /// As [`Frame::unpack`], into a list that was there before.
    pub(crate) fn unpack_into(&self, key: &[u8], stones: &mut Vec<Stone>) -> Result<Side, Broken> {
        stones.clear();
        let (turn, key) = key.split_last().ok_or(Broken)?;
        let to_move = match turn {
            0 => Side::First,
            1 => Side::Second,
            _ => return Err(Broken),
        };
        let mut bytes = key.get(3..).ok_or(Broken)?.iter().copied();
        let limit = self.stones();
        let mut after = 0;
        while let Some(byte) = bytes.next() {
            let number = match byte {
                0 | 1 => return Err(Broken),
                255 => u16::from_be_bytes([bytes.next().ok_or(Broken)?, bytes.next().ok_or(Broken)?]),
                byte => u16::from(byte) - 2,
            };
            let stone: Stone = number.checked_add(after).ok_or(Broken)?;
            if u64::from(stone) >= limit {
                return Err(Broken);
            }
            stones.push(stone);
            after = (stone | 1) + 1;
        }
        Ok(to_move)
    }

    /// The position that a key of this board names.
    pub fn key(&self, bytes: &[u8]) -> Option<Key> {
        let (rule, size) = board(bytes)?;
        let (packed, to_move) = self.unpack(bytes).ok().filter(|_| size == self.size)?;
        let point = |stone: &Stone| Some((self.point(u64::from(stone >> 1)).ok()?, side(*stone)));
        let mut stones = packed.iter().map(point).collect::<Option<Vec<_>>>()?;
        stones.sort_unstable_by_key(|(point, _)| *point);
        Some(Key { rule, size, to_move, stones })
    }
}

pub(crate) const fn side(stone: Stone) -> Side {
    if stone & 1 == 0 { Side::First } else { Side::Second }
}

/// The rule and the board that a key or a block begins with.
pub fn board(bytes: &[u8]) -> Option<(Rule, Size)> {
    let [rule, width, height, ..] = *bytes else { return None };
    Rule::ALL.get(usize::from(rule)).copied().zip(Size::new(width, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;
    use games::gomoku::{Board, canonical, own_symmetries};

    #[test]
    fn keys_are_shared_by_the_images_of_a_position_and_by_no_others() {
        let mut random = Random(3);
        for _ in 0..300 {
            let board = random.board(26);
            let frame = Frame::new(board.size(), true);
            let key = Key::new(&board, Side::Second, Rule::Renju);
            let form = frame.canonical(&key);
            assert_eq!(form.symmetries.len(), own_symmetries(&board).count());
            let named = frame.key(&form.key).unwrap();
            assert_eq!(key.turned(form.symmetry()), named);
            for &symmetry in symmetries(board.size()) {
                assert_eq!(frame.canonical(&key.turned(symmetry)).key, form.key);
            }
            let shared = board.turned(canonical(&board));
            let again = Board::with_stones(named.size, named.stones.iter().copied()).unwrap();
            assert_eq!(again.turned(canonical(&again)), shared);
        }
    }

    #[test]
    fn rule_board_turn_and_each_stone_make_keys_differ() {
        let mut keys = std::collections::HashSet::new();
        let mut count = 0;
        for size in [15, 19, 20].map(|side| Size::square(side).unwrap()) {
            let frame = Frame::new(size, false);
            for rule in Rule::ALL {
                for to_move in [Side::First, Side::Second] {
                    let mut add = |stones| keys.insert(frame.canonical(&Key { rule, size, to_move, stones }).key);
                    add(Vec::new());
                    for point in size.points() {
                        add(vec![(point, Side::First)]);
                        add(vec![(point, Side::Second)]);
                    }
                    count += 1 + 2 * usize::from(size.width()) * usize::from(size.height());
                }
            }
        }
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn a_self_symmetric_position_has_one_place_for_equal_moves() {
        let size = Size::default();
        let frame = Frame::new(size, true);
        let centre = Point::new(7, 7).unwrap();
        let form = frame.canonical(&Key {
            rule: Rule::Renju,
            size,
            to_move: Side::Second,
            stones: vec![(centre, Side::First)],
        });
        let place = |x, y| frame.place(&form, Point::new(x, y).unwrap());
        assert_eq!(form.symmetries.len(), 8);
        assert_eq!(place(7, 6), place(8, 7));
        assert_ne!(place(7, 6), place(8, 8));
    }

    #[test]
    fn bytes_that_are_no_key_name_no_position() {
        let frame = Frame::new(Size::default(), true);
        for bytes in
            [&[][..], &[2, 15, 15], &[2, 15, 15, 1, 0], &[2, 15, 15, 2, 2], &[2, 15, 15, 255, 9, 9, 0], &[9, 15, 15, 0]]
        {
            assert_eq!(frame.key(bytes), None, "{bytes:?}");
        }
        assert!(frame.key(&[2, 15, 15, 2, 1]).is_some());
    }

    #[test]
    fn openings_up_to_symmetry_are_as_many_as_by_burnside() {
        for (side, second_black, count) in [(5, true, 904), (15, false, 6_405)] {
            let size = Size::square(side).unwrap();
            let frame = Frame::new(size, true);
            let mut keys = std::collections::HashSet::new();
            let points: Vec<Point> = size.points().collect();
            for black in &points {
                for white in points.iter().filter(|point| *point != black) {
                    let mut stones = vec![(*black, Side::First), (*white, Side::Second)];
                    if !second_black {
                        keys.insert(frame.least(&stones, Side::First, Rule::Renju).key);
                        continue;
                    }
                    for second in points.iter().filter(|point| *point != black && *point != white) {
                        stones.push((*second, Side::First));
                        keys.insert(frame.least(&stones, Side::Second, Rule::Renju).key);
                        stones.pop();
                    }
                }
            }
            assert_eq!(keys.len(), count);
        }
    }
}
