use crate::kind::{Kinds, kinds};
use crate::patterns::{AHEAD, BEHIND, Pairs, bare, pairs, reach};
use crate::{Kind, Line, Points};
use games::gomoku::{Direction, Made, Three, forbidden, made};
use games::{Point, Rule, Side, Size, gomoku};
use std::fmt;

/// A board that knows for every empty point what a stone of either side would make there.
///
/// Stones are put and taken in place, in any order; neither takes memory.
#[derive(Clone)]
pub struct Board {
    rule: Rule,
    three: Three,
    pairs: &'static Pairs,
    kinds: [&'static Kinds; 2],
    stones: gomoku::Board,
    /// By [`Point::code`].
    cells: Box<[Cell; CELLS]>,
    known: Known,
    key: u64,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Cell {
    /// The numbers of the four lines.
    numbers: [u32; 4],
    /// What these lines are for both sides; of stones, what they were when the point was empty.
    pairs: [u8; 4],
    /// The same for each side, four bits a line.
    lines: [u16; 2],
    /// Of an occupied point, none.
    kinds: [Kind; 2],
    is_empty: bool,
}

/// A position that no [`Board`] can hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// The board is too large or too small.
    Size(Size),
    /// Somebody has won, with a row through this stone.
    Over(Point, Size),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Size(size) => write!(f, "the engine plays on boards from 5x5 to 22x22, not on {size}"),
            Unfit::Over(point, size) => {
                write!(f, "the game is over: {} stands in a row that wins", games::Coords::A1.text(*point, *size))
            }
        }
    }
}

impl std::error::Error for Unfit {}

/// The codes of points.
const CELLS: usize = 1024;

/// Steps between the codes of neighbours, in the order of [`Direction::ALL`].
const STEPS: [usize; 4] = [1, 32, 33, 1_usize.wrapping_sub(32)];

impl Board {
    /// A board with these stones, between 5x5 and 22x22, on which nobody has won.
    ///
    /// In renju `three` says how threes are read.
    pub fn new(stones: &gomoku::Board, rule: Rule, three: Three) -> Result<Board, Unfit> {
        let size = stones.size();
        if let Some((point, _)) = stones.stones().find(|&(point, side)| made(stones, point, side, rule) == Made::Five) {
            return Err(Unfit::Over(point, size));
        }
        let mut board = Board::without_stones(size, rule, three)?;
        for (point, side) in stones.stones() {
            board.put(point, side);
        }
        Ok(board)
    }

    /// A board without stones, as [`Board::new`] makes it.
    pub(crate) fn without_stones(size: Size, rule: Rule, three: Three) -> Result<Board, Unfit> {
        if size.width() < 5 || size.height() < 5 || !Points::fit(size) {
            return Err(Unfit::Size(size));
        }
        let outside = Cell { numbers: [0; 4], pairs: [0; 4], lines: [0; 2], kinds: [Kind::NONE; 2], is_empty: false };
        let mut board = Board {
            rule,
            three,
            pairs: pairs(rule),
            kinds: [Side::First, Side::Second].map(|side| kinds(rule, side)),
            stones: gomoku::Board::new(size),
            cells: Box::new([outside; CELLS]),
            known: Known { fives: [Points::EMPTY; 2], fours: [Points::EMPTY; 2] },
            key: 0,
        };
        for point in size.points() {
            let room = board.room(point);
            let cell = &mut board.cells[usize::from(point.code())];
            cell.is_empty = true;
            cell.numbers = room.map(|(behind, ahead)| bare(behind, ahead));
            board.look_around(point);
        }
        Ok(board)
    }

    /// The stones.
    pub const fn stones(&self) -> &gomoku::Board {
        &self.stones
    }

    /// The rule.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// How threes are read.
    pub const fn three(&self) -> Three {
        self.three
    }

    /// A number for the stones; of two positions of a game it is the same by a chance of 1 in 2^64.
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The [`Board::key`] with more stones.
    pub fn key_after<const STONES: usize>(&self, stones: [(Point, Side); STONES]) -> u64 {
        stones.into_iter().fold(self.key, |key, (point, side)| key ^ number(point, side))
    }

    /// What a stone would make on an empty point; none on any other.
    pub fn kind(&self, point: Point, side: Side) -> Kind {
        self.cells[usize::from(point.code())].kinds[side as usize]
    }

    /// What a stone would make on a line through an empty point of the board.
    pub fn line(&self, point: Point, direction: Direction, side: Side) -> Line {
        let lines = self.cells[usize::from(point.code())].lines[side as usize];
        Line::ALL[usize::from(lines >> (4 * direction as u32) & 15)]
    }

    /// Where the four that a stone makes would become a five; none if it makes several, or one that has two answers.
    pub fn aim(&self, point: Point, side: Side) -> Option<Point> {
        if self.kind(point, side).has(Kind::FORK) {
            return None;
        }
        let direction =
            Direction::ALL.into_iter().find(|direction| self.line(point, *direction, side) == Line::Four)?;
        let number = self.cells[usize::from(point.code())].numbers[direction as usize];
        let (behind, ahead) = self.room(point)[direction as usize];
        let shift = 4 * side as u32;
        let times = 1 + side as u32;
        let is_five = |near: &Point, weight: u32| {
            let at = &self.cells[usize::from(near.code())];
            at.is_empty && self.pairs[(number + times * weight) as usize] >> shift & 15 == Line::Five as u8
        };
        let step = |steps: usize, sign: i8| direction.step(point, sign * steps as i8);
        let before = (1..=behind).find_map(|steps| step(steps, -1).filter(|near| is_five(near, BEHIND[steps])));
        before.or_else(|| (1..=ahead).find_map(|steps| step(steps, 1).filter(|near| is_five(near, AHEAD[steps]))))
    }

    /// The points that win for the side.
    pub const fn fives(&self, side: Side) -> &Points {
        &self.known.fives[side as usize]
    }

    /// The points where the side makes a four and no five; in renju some may be forbidden.
    pub const fn fours(&self, side: Side) -> &Points {
        &self.known.fours[side as usize]
    }

    /// Whether the rules forbid the point, which is empty, to the side.
    pub fn is_forbidden(&self, point: Point, side: Side) -> bool {
        let kind = self.kind(point, side);
        kind.has(Kind::FOUL) || kind.has(Kind::PERHAPS) && forbidden::is_forbidden(&self.stones, point, self.three)
    }

    /// Puts a stone on an empty point.
    pub fn put(&mut self, point: Point, side: Side) {
        self.stones.play_unchecked(point, side);
        self.key ^= number(point, side);
        let at = usize::from(point.code());
        let cell = &mut self.cells[at];
        cell.is_empty = false;
        for of in 0..2 {
            self.known.set_kind(cell, at, of, Kind::NONE);
        }
        self.feel(point, side, 1);
    }

    /// Takes a stone of the side that stands there.
    pub fn take(&mut self, point: Point, side: Side) {
        self.stones.undo_unchecked(point, side);
        self.key ^= number(point, side);
        self.feel(point, side, -1);
        self.cells[usize::from(point.code())].is_empty = true;
        self.look_around(point);
    }

    /// The cells of the board behind the point and ahead of it, in each direction, as far as a stone is felt.
    fn room(&self, point: Point) -> [(usize, usize); 4] {
        let (size, reach) = (self.stones.size(), reach(self.rule));
        let (left, up) = (usize::from(point.x()), usize::from(point.y()));
        let (right, down) = (usize::from(size.width()) - 1 - left, usize::from(size.height()) - 1 - up);
        [(left, right), (up, down), (left.min(up), right.min(down)), (left.min(down), right.min(up))]
            .map(|(behind, ahead)| (behind.min(reach), ahead.min(reach)))
    }

    /// Tells the lines through a point of a stone that comes (`sign` 1) or goes (-1).
    fn feel(&mut self, point: Point, side: Side, sign: i32) {
        let [row, column, falling, rising] = self.room(point);
        self.feel_along::<0>(point, side, sign, row);
        self.feel_along::<1>(point, side, sign, column);
        self.feel_along::<2>(point, side, sign, falling);
        self.feel_along::<3>(point, side, sign, rising);
    }

    /// The direction is known when this is compiled: its shifts and steps cost nothing then.
    #[inline(always)]
    fn feel_along<const DIRECTION: usize>(
        &mut self,
        point: Point,
        side: Side,
        sign: i32,
        (behind, ahead): (usize, usize),
    ) {
        let Board { cells, known, pairs, kinds, .. } = self;
        let times = if side == Side::First { sign } else { 2 * sign } as u32;
        let step = STEPS[DIRECTION];
        let mut tell = |near: usize, weight: u32| {
            let cell = &mut cells[near % CELLS];
            let number = &mut cell.numbers[DIRECTION];
            *number = number.wrapping_add(weight.wrapping_mul(times));
            if cell.is_empty {
                look::<DIRECTION>(cell, near, known, pairs, kinds);
            }
        };
        let mut near = usize::from(point.code());
        for weight in &BEHIND[1..=ahead] {
            near = near.wrapping_add(step);
            tell(near, *weight);
        }
        let mut near = usize::from(point.code());
        for weight in &AHEAD[1..=behind] {
            near = near.wrapping_sub(step);
            tell(near, *weight);
        }
    }

    /// Looks up all lines of a point that is empty.
    fn look_around(&mut self, point: Point) {
        let Board { cells, known, pairs, kinds, .. } = self;
        let at = usize::from(point.code());
        let cell = &mut cells[at];
        look::<0>(cell, at, known, pairs, kinds);
        look::<1>(cell, at, known, pairs, kinds);
        look::<2>(cell, at, known, pairs, kinds);
        look::<3>(cell, at, known, pairs, kinds);
        // Lines that are what they were before a stone stood there are no change.
        for of in 0..2 {
            known.set_kind(cell, at, of, kinds[of][usize::from(cell.lines[of])]);
        }
    }
}

/// Looks up a line of an empty point.
#[inline(always)]
fn look<const DIRECTION: usize>(
    cell: &mut Cell,
    at: usize,
    known: &mut Known,
    pairs: &Pairs,
    kinds: &[&'static Kinds; 2],
) {
    let pair = pairs[cell.numbers[DIRECTION] as usize];
    if pair != cell.pairs[DIRECTION] {
        cell.pairs[DIRECTION] = pair;
        let shift = 4 * DIRECTION as u32;
        for (of, line) in [pair & 15, pair >> 4].into_iter().enumerate() {
            let lines = cell.lines[of] & !(15 << shift) | u16::from(line) << shift;
            cell.lines[of] = lines;
            known.set_kind(cell, at, of, kinds[of][usize::from(lines)]);
        }
    }
}

/// The points of each side that matter most.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Known {
    fives: [Points; 2],
    fours: [Points; 2],
}

impl Known {
    #[inline]
    fn set_kind(&mut self, cell: &mut Cell, at: usize, of: usize, kind: Kind) {
        let changed = std::mem::replace(&mut cell.kinds[of], kind).changed(kind);
        if changed.has(Kind::FIVE) {
            self.fives[of].toggle(Point::from_code(at as u16));
        }
        if changed.has(Kind::FOUR) {
            self.fours[of].toggle(Point::from_code(at as u16));
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.rule, self.stones)
    }
}

/// Boards are equal if all that they know is.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        let know = |cell: &Cell| (cell.numbers, cell.is_empty.then_some(cell.lines), cell.kinds);
        (self.rule, self.three, self.stones, self.key) == (other.rule, other.three, other.stones, other.key)
            && self.known == other.known
            && self.cells.iter().map(know).eq(other.cells.iter().map(know))
    }
}

static NUMBERS: [[u64; 1024]; 2] = {
    let mut numbers = [[0; 1024]; 2];
    let mut at = 0;
    while at < 2048 {
        // SplitMix64, as in the keys of the games.
        let mut bits = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        numbers[at >> 10][at & 1023] = bits ^ bits >> 31;
        at += 1;
    }
    numbers
};

fn number(point: Point, side: Side) -> u64 {
    NUMBERS[side as usize][usize::from(point.code())]
}
