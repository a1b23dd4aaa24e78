use crate::bytes::Broken;
use crate::images::Images;
use crate::stones::Stone;
use games::gomoku::symmetries;
use games::xiangqi::{Board, Kind, Piece};
use games::{Game, Move, Point, Rules, Side, Size, Step, Symmetry};
use record::{Key, StoneKey};

/// The order of a board's points from the centre outwards, and keys made in it.
#[derive(Clone, Debug)]
pub struct Frame {
    game: Game,
    size: Size,
    /// A stone of kind `k` on the point of rank `r` is the number `r << shift | k`.
    shift: u32,
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
    /// The frame of a board of a game; keys are turned into their least image if `symmetric`.
    pub fn new(game: Game, size: Size, symmetric: bool) -> Frame {
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
        let symmetries = match (symmetric, game) {
            (false, _) => &[Symmetry::Identity],
            (true, Game::Gomoku) => symmetries(size),
            // Pieces have their sides of the board.
            (true, Game::Xiangqi) => &[Symmetry::Identity, Symmetry::Mirror][..],
        };
        let turned = |symmetry: &Symmetry| {
            let rank = |code| ranks[usize::from(symmetry.apply(Point::from_code(code), size).code())];
            (0..ranks.len() as u16).map(rank).collect()
        };
        let ranks = symmetries.iter().map(turned).collect();
        let shift = if game == Game::Gomoku { 1 } else { 4 };
        Frame { game, size, shift, symmetries: symmetries.to_vec(), ranks, points }
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// The board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Whether the board is one, and the same, after the symmetry.
    pub fn allows(&self, symmetry: Symmetry) -> bool {
        match self.game {
            Game::Gomoku => symmetry.turn_size(self.size) == self.size,
            Game::Xiangqi => matches!(symmetry, Symmetry::Identity | Symmetry::Mirror),
        }
    }

    /// How many numbers there are for stones: those of a point for each point.
    pub(crate) fn stones(&self) -> u64 {
        (self.points.len() as u64) << self.shift
    }

    /// How many words a set of stones takes.
    pub(crate) fn words(&self) -> usize {
        self.stones().div_ceil(64) as usize
    }

    /// The largest [`place`](Frame::place) of a move.
    pub(crate) fn places(&self) -> u64 {
        let points = self.points.len() as u64;
        if self.game == Game::Gomoku { points } else { points * points }
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

    /// The number of a move: 0 a pass; else 1 and the rank of its point, or, of a step, the rank of the point that it
    /// leaves, times the number of points, and that of the point that it goes to. A move of the other game is a pass.
    pub(crate) fn place(&self, play: Move) -> u64 {
        let rank = |point| u64::from(self.rank(point));
        match (self.game, play) {
            (Game::Gomoku, Move::Place(point)) => rank(point) + 1,
            (Game::Xiangqi, Move::Step(step)) => rank(step.from) * self.points.len() as u64 + rank(step.to) + 1,
            _ => 0,
        }
    }

    /// The move of this [`place`](Frame::place).
    pub(crate) fn play(&self, place: u64) -> Result<Move, Broken> {
        let Some(number) = place.checked_sub(1) else { return Ok(Move::Pass) };
        let points = self.points.len() as u64;
        match self.game {
            Game::Gomoku => self.point(number).map(Move::Place),
            Game::Xiangqi => {
                let (from, to) = (self.point(number / points)?, self.point(number % points)?);
                Ok(Move::Step(Step { from, to }))
            }
        }
    }

    /// The key of a position on this board.
    pub fn canonical(&self, key: &Key) -> Canonical {
        let mut form = Canonical::EMPTY;
        self.images(key).least(key.to_move(), key.rules(), self, &mut form);
        form
    }

    /// The key of a position of gomoku on this board.
    pub fn canonical_stones(&self, key: &StoneKey) -> Canonical {
        let mut form = Canonical::EMPTY;
        self.images_of_stones(key).least(key.to_move, key.rule.into(), self, &mut form);
        form
    }

    /// A position under each symmetry of its board.
    pub(crate) fn images(&self, key: &Key) -> Images {
        match key {
            Key::Gomoku(stones) => self.images_of_stones(stones),
            Key::Xiangqi(board) => {
                let mut images = Images::new(self);
                board.pieces().for_each(|(point, piece)| images.toggle(point, number_of(piece), self));
                images
            }
        }
    }

    fn images_of_stones(&self, key: &StoneKey) -> Images {
        let mut images = Images::new(self);
        key.stones.iter().for_each(|(point, side)| images.toggle(*point, *side as u16, self));
        images
    }

    /// Where a move from a position stands in its entry.
    pub fn stored(&self, canonical: &Canonical, play: Move) -> Move {
        let images = canonical.symmetries.iter().map(|symmetry| symmetry.apply_to_move(play, self.size));
        images.min_by_key(|play| self.place(*play)).expect("a canonical form has a symmetry")
    }

    /// Where a stone on a position of gomoku stands in its entry.
    pub fn stored_point(&self, canonical: &Canonical, point: Point) -> Point {
        let images = canonical.symmetries.iter().map(|symmetry| symmetry.apply(point, self.size));
        images.min_by_key(|point| self.rank(*point)).expect("a canonical form has a symmetry")
    }

    /// Whether each point has one stone at most, and of a kind that there is.
    pub(crate) fn is_sound(&self, set: &[u64]) -> bool {
        match self.game {
            Game::Gomoku => set.iter().all(|word| word & word >> 1 & 0x5555_5555_5555_5555 == 0),
            Game::Xiangqi => set.iter().flat_map(|word| word.to_le_bytes().as_chunks().0.to_vec()).all(|point| {
                let point = u16::from_le_bytes(point);
                point & point.wrapping_sub(1) == 0 && point < 1 << KINDS
            }),
        }
    }

    /// The bytes of the key of a set of stones.
    pub(crate) fn pack(&self, set: &[u64], to_move: Side, rules: Rules) -> Vec<u8> {
        let mut key = Vec::new();
        self.pack_into(&mut key, set, to_move, rules);
        key
    }

    pub(crate) fn pack_into(&self, key: &mut Vec<u8>, set: &[u64], to_move: Side, rules: Rules) {
        key.clear();
        key.reserve(64);
        key.extend([byte_of(rules), self.size.width(), self.size.height()]);
        let last = self.last_kind();
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
                after = (stone | last) + 1;
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
        let (limit, last) = (self.stones(), self.last_kind());
        let mut after = 0;
        while let Some(byte) = bytes.next() {
            let number = match byte {
                0 | 1 => return Err(Broken),
                255 => u16::from_be_bytes([bytes.next().ok_or(Broken)?, bytes.next().ok_or(Broken)?]),
                byte => u16::from(byte) - 2,
            };
            let stone: Stone = number.checked_add(after).ok_or(Broken)?;
            if u64::from(stone) >= limit || self.game == Game::Xiangqi && stone & last >= KINDS {
                return Err(Broken);
            }
            stones.push(stone);
            after = (stone | last) + 1;
        }
        Ok(to_move)
    }

    /// The greatest number of a kind, as a mask of the bits of kinds.
    fn last_kind(&self) -> Stone {
        (1 << self.shift) - 1
    }

    /// The point and the kind of a stone of this board.
    pub(crate) fn point_and_kind(&self, stone: Stone) -> (Point, u16) {
        let point = self.point(u64::from(stone >> self.shift)).expect("a key that is read has points of its board");
        (point, stone & self.last_kind())
    }

    /// The stone of a kind on a point, as the key's board has it.
    pub(crate) fn stone(&self, rank: u16, kind: u16) -> Stone {
        rank << self.shift | kind
    }

    /// The position that a key of this board names.
    pub fn key(&self, bytes: &[u8]) -> Option<Key> {
        let (rules, size) = board(bytes)?;
        if rules.game() != self.game || size != self.size {
            return None;
        }
        let (packed, to_move) = self.unpack(bytes).ok()?;
        let stones = packed.iter().map(|stone| self.point_and_kind(*stone));
        Some(match rules {
            Rules::Gomoku(rule) => {
                let mut stones: Vec<_> = stones.map(|(point, kind)| (point, side(kind))).collect();
                stones.sort_unstable_by_key(|(point, _)| *point);
                StoneKey { rule, size, to_move, stones }.into()
            }
            Rules::Xiangqi => {
                let mut board = Board::empty();
                board.set_to_move(to_move);
                for (point, kind) in stones {
                    board.put(point, Some(piece_of(kind)));
                }
                board.into()
            }
        })
    }

    /// The position of gomoku that a key of this board names.
    pub fn stone_key(&self, bytes: &[u8]) -> Option<StoneKey> {
        match self.key(bytes)? {
            Key::Gomoku(stones) => Some(stones),
            Key::Xiangqi(_) => None,
        }
    }
}

pub(crate) const fn side(stone: Stone) -> Side {
    if stone & 1 == 0 { Side::First } else { Side::Second }
}

/// Kinds of pieces, those of both sides.
const KINDS: u16 = 14;

/// The number of a piece in keys: 0 to 6 Red's king, advisor, elephant, horse, rook, cannon and pawn, 7 to 13 Black's.
pub(crate) fn number_of(piece: Piece) -> u16 {
    piece.kind as u16 + 7 * piece.side as u16
}

fn piece_of(number: u16) -> Piece {
    let side = if number < 7 { Side::First } else { Side::Second };
    Piece { side, kind: Kind::ALL[usize::from(number % 7)] }
}

/// The byte that stands for rules in keys.
pub(crate) fn byte_of(rules: Rules) -> u8 {
    match rules {
        Rules::Gomoku(rule) => rule as u8,
        Rules::Xiangqi => 4,
    }
}

/// The rules and the board that a key or a block begins with.
pub fn board(bytes: &[u8]) -> Option<(Rules, Size)> {
    let [rules, width, height, ..] = *bytes else { return None };
    let (rules, size) = Rules::ALL.get(usize::from(rules)).copied().zip(Size::new(width, height))?;
    (rules != Rules::Xiangqi || size == Size::XIANGQI).then_some((rules, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;
    use games::Rule;
    use games::gomoku::{Board, canonical, own_symmetries};

    #[test]
    fn keys_are_shared_by_the_images_of_a_position_and_by_no_others() {
        let mut random = Random(3);
        for _ in 0..300 {
            let board = random.board(26);
            let frame = Frame::new(Game::Gomoku, board.size(), true);
            let key = StoneKey::new(&board, Side::Second, Rule::Renju);
            let form = frame.canonical_stones(&key);
            assert_eq!(form.symmetries.len(), own_symmetries(&board).count());
            let named = frame.stone_key(&form.key).unwrap();
            assert_eq!(key.turned(form.symmetry()), named);
            for &symmetry in symmetries(board.size()) {
                assert_eq!(frame.canonical_stones(&key.turned(symmetry)).key, form.key);
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
            let frame = Frame::new(Game::Gomoku, size, false);
            for rule in Rule::ALL {
                for to_move in [Side::First, Side::Second] {
                    let mut add =
                        |stones| keys.insert(frame.canonical_stones(&StoneKey { rule, size, to_move, stones }).key);
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
        let frame = Frame::new(Game::Gomoku, size, true);
        let centre = Point::new(7, 7).unwrap();
        let form = frame.canonical_stones(&StoneKey {
            rule: Rule::Renju,
            size,
            to_move: Side::Second,
            stones: vec![(centre, Side::First)],
        });
        let place = |x, y| frame.stored_point(&form, Point::new(x, y).unwrap());
        assert_eq!(form.symmetries.len(), 8);
        assert_eq!(place(7, 6), place(8, 7));
        assert_ne!(place(7, 6), place(8, 8));
    }

    #[test]
    fn bytes_that_are_no_key_name_no_position() {
        let frame = Frame::new(Game::Gomoku, Size::default(), true);
        for bytes in
            [&[][..], &[2, 15, 15], &[2, 15, 15, 1, 0], &[2, 15, 15, 2, 2], &[2, 15, 15, 255, 9, 9, 0], &[9, 15, 15, 0]]
        {
            assert_eq!(frame.stone_key(bytes), None, "{bytes:?}");
        }
        assert!(frame.stone_key(&[2, 15, 15, 2, 1]).is_some());
    }

    #[test]
    fn openings_up_to_symmetry_are_as_many_as_by_burnside() {
        for (side, second_black, count) in [(5, true, 904), (15, false, 6_405)] {
            let size = Size::square(side).unwrap();
            let frame = Frame::new(Game::Gomoku, size, true);
            let mut keys = std::collections::HashSet::new();
            let points: Vec<Point> = size.points().collect();
            let key = |stones: &[(Point, Side)], to_move| {
                let mut stones = stones.to_vec();
                stones.sort_unstable_by_key(|(point, _)| *point);
                frame.canonical_stones(&StoneKey { rule: Rule::Renju, size, to_move, stones }).key
            };
            for black in &points {
                for white in points.iter().filter(|point| *point != black) {
                    let mut stones = vec![(*black, Side::First), (*white, Side::Second)];
                    if !second_black {
                        keys.insert(key(&stones, Side::First));
                        continue;
                    }
                    for second in points.iter().filter(|point| *point != black && *point != white) {
                        stones.push((*second, Side::First));
                        keys.insert(key(&stones, Side::Second));
                        stones.pop();
                    }
                }
            }
            assert_eq!(keys.len(), count);
        }
    }
}
