use crate::kind::{Kinds, kinds};
use crate::patterns::{AHEAD, BEHIND, Patterns, REACH, bare, patterns};
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
    patterns: [&'static Patterns; 2],
    kinds: [&'static Kinds; 2],
    stones: gomoku::Board,
    /// By [`Point::code`].
    cells: Box<[Cell]>,
    fives: [Points; 2],
    fours: [Points; 2],
    key: u64,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Cell {
    /// The numbers of the four lines for each side.
    numbers: [[u32; 2]; 4],
    /// What these lines are, four bits each; of stones, what they were when the point was empty.
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
        let outside = Cell { numbers: [[0; 2]; 4], lines: [0; 2], kinds: [Kind::NONE; 2], is_empty: false };
        let mut board = Board {
            rule,
            three,
            patterns: [Side::First, Side::Second].map(|side| patterns(rule, side)),
            kinds: [Side::First, Side::Second].map(|side| kinds(rule, side)),
            stones: gomoku::Board::new(size),
            cells: vec![outside; usize::from(size.height()) * 32].into_boxed_slice(),
            fives: [Points::EMPTY; 2],
            fours: [Points::EMPTY; 2],
            key: 0,
        };
        for point in size.points() {
            let room = board.room(point);
            let cell = &mut board.cells[usize::from(point.code())];
            cell.is_empty = true;
            cell.numbers = room.map(|(behind, ahead)| [bare(behind, ahead); 2]);
            for direction in 0..4 {
                board.look(point, direction);
            }
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

    /// What a stone would make on an empty point; none on any other.
    pub fn kind(&self, point: Point, side: Side) -> Kind {
        self.cells.get(usize::from(point.code())).map_or(Kind::NONE, |cell| cell.kinds[side as usize])
    }

    /// What a stone would make on a line through an empty point of the board.
    pub fn line(&self, point: Point, direction: Direction, side: Side) -> Line {
        let lines = self.cells[usize::from(point.code())].lines[side as usize];
        Line::ALL[usize::from(lines >> (4 * direction as u32) & 15)]
    }

    /// The points that win for the side.
    pub const fn fives(&self, side: Side) -> &Points {
        &self.fives[side as usize]
    }

    /// The points where the side makes a four and no five; in renju some may be forbidden.
    pub const fn fours(&self, side: Side) -> &Points {
        &self.fours[side as usize]
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
        self.cells[at].is_empty = false;
        for of in 0..2 {
            self.set_kind(point, of, Kind::NONE);
        }
        self.feel(point, side, u32::wrapping_add);
    }

    /// Takes a stone of the side that stands there.
    pub fn take(&mut self, point: Point, side: Side) {
        self.stones.undo_unchecked(point, side);
        self.key ^= number(point, side);
        self.feel(point, side, u32::wrapping_sub);
        self.cells[usize::from(point.code())].is_empty = true;
        for direction in 0..4 {
            self.look(point, direction);
        }
        // A line that is what it was before the stone came is no change.
        for of in 0..2 {
            let lines = self.cells[usize::from(point.code())].lines[of];
            self.set_kind(point, of, self.kinds[of][usize::from(lines)]);
        }
    }

    /// The cells of the board behind the point and ahead of it, in each direction, as far as a stone is felt.
    fn room(&self, point: Point) -> [(usize, usize); 4] {
        let size = self.stones.size();
        let (left, up) = (usize::from(point.x()), usize::from(point.y()));
        let (right, down) = (usize::from(size.width()) - 1 - left, usize::from(size.height()) - 1 - up);
        [(left, right), (up, down), (left.min(up), right.min(down)), (left.min(down), right.min(up))]
            .map(|(behind, ahead)| (behind.min(REACH), ahead.min(REACH)))
    }

    /// Tells the lines through a point of a stone that comes or goes.
    fn feel(&mut self, point: Point, side: Side, change: fn(u32, u32) -> u32) {
        let at = usize::from(point.code());
        let (own, other) = (side as usize, side.other() as usize);
        for (direction, (behind, ahead)) in self.room(point).into_iter().enumerate() {
            let step = STEPS[direction];
            let mut tell = |near: usize, weight: u32| {
                let cell = &mut self.cells[near];
                let numbers = &mut cell.numbers[direction];
                numbers[own] = change(numbers[own], weight);
                numbers[other] = change(numbers[other], 2 * weight);
                if cell.is_empty {
                    self.look(Point::from_code(near as u16), direction);
                }
            };
            let mut near = at;
            for weight in &BEHIND[1..=ahead] {
                near = near.wrapping_add(step);
                tell(near, *weight);
            }
            let mut near = at;
            for weight in &AHEAD[1..=behind] {
                near = near.wrapping_sub(step);
                tell(near, *weight);
            }
        }
    }

    /// Looks up a line of an empty point.
    #[inline]
    fn look(&mut self, point: Point, direction: usize) {
        let shift = 4 * direction as u32;
        for of in 0..2 {
            let cell = &mut self.cells[usize::from(point.code())];
            let line = self.patterns[of][cell.numbers[direction][of] as usize] as u16;
            let lines = cell.lines[of] & !(15 << shift) | line << shift;
            if lines != cell.lines[of] {
                cell.lines[of] = lines;
                self.set_kind(point, of, self.kinds[of][usize::from(lines)]);
            }
        }
    }

    #[inline]
    fn set_kind(&mut self, point: Point, of: usize, kind: Kind) {
        let old = std::mem::replace(&mut self.cells[usize::from(point.code())].kinds[of], kind);
        let changed = old.changed(kind);
        if changed.has(Kind::FIVE) {
            self.fives[of].toggle(point);
        }
        if changed.has(Kind::FOUR) {
            self.fours[of].toggle(point);
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
            && (self.fives, self.fours) == (other.fives, other.fours)
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
