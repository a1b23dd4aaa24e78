use crate::kind::{Meaning, Meanings, codes, meanings};
use crate::net::{COLUMNS, Net, Sum};
use crate::patterns::{AHEAD, BEHIND, Pairs, bare, pairs, reach};
use crate::{Kind, Line, Points};
use games::gomoku::{Direction, Made, Three, forbidden, made};
use games::{Point, Rule, Side, Size, gomoku};
use std::fmt;

/// A board that knows for every empty point what a stone of either side would make there.
///
/// Stones are put and taken in place, in any order; to take the one that was put last is cheapest.
#[derive(Clone)]
pub struct Board {
    rule: Rule,
    three: Three,
    pairs: &'static Pairs,
    meanings: [&'static Meanings; 2],
    nets: [&'static Net; 2],
    stones: gomoku::Board,
    /// By [`Point::code`].
    cells: Box<[Cell; CELLS]>,
    known: Known,
    /// The points with stones, and those without.
    occupied: Points,
    empty: Points,
    key: u64,
    journal: Journal,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Cell {
    /// The numbers of the four lines.
    numbers: [u32; 4],
    /// What these lines are for both sides; of stones, what they were when the point was empty.
    pairs: [u8; 4],
    /// The same for each side, four bits a line.
    lines: [u16; 2],
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
        board.journal.clear();
        Ok(board)
    }

    /// A board without stones, as [`Board::new`] makes it.
    pub(crate) fn without_stones(size: Size, rule: Rule, three: Three) -> Result<Board, Unfit> {
        if size.width() < 5 || size.height() < 5 || !Points::fit(size) {
            return Err(Unfit::Size(size));
        }
        let outside = Cell { numbers: [0; 4], pairs: [0; 4], lines: [0; 2], is_empty: false };
        let mut board = Board {
            rule,
            three,
            pairs: pairs(rule),
            meanings: [Side::First, Side::Second].map(|side| meanings(rule, side)),
            nets: [Side::First, Side::Second].map(|side| Net::of(rule, side)),
            stones: gomoku::Board::new(size),
            cells: Box::new([outside; CELLS]),
            known: Known::default(),
            occupied: Points::EMPTY,
            empty: Points::EMPTY,
            key: 0,
            journal: Journal::default(),
        };
        for point in size.points() {
            board.empty.toggle(point);
            let room = board.room(point);
            let cell = &mut board.cells[usize::from(point.code())];
            cell.numbers = room.map(|(behind, ahead)| bare(behind, ahead));
            cell.look_up(board.pairs);
            board.fill_in(point);
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
        let cell = &self.cells[usize::from(point.code())];
        if cell.is_empty {
            self.meanings[side as usize][usize::from(cell.lines[side as usize])].kind
        } else {
            Kind::NONE
        }
    }

    /// How likely the side is to play an empty point, as a logarithm in 1/16, by what either side would make there.
    pub fn rank(&self, point: Point, side: Side) -> i32 {
        let cell = &self.cells[usize::from(point.code())];
        let of = |side: Side| &self.meanings[side as usize][usize::from(cell.lines[side as usize])];
        // What the other side would make is weighed by the table of the side that would make it.
        i32::from(of(side).attack) + i32::from(of(side.other()).defence)
    }

    /// What the position is worth to the side that is to move, in points, if it has no five and no fork at once.
    ///
    /// It is computed from what it was before the last stones, if it has been asked for then.
    pub fn value(&mut self, to_move: Side) -> i32 {
        let threats = self.threats(to_move);
        let net = self.nets[to_move as usize];
        let sums = self.sums();
        net.value(&sums[to_move as usize], &sums[to_move.other() as usize], threats)
    }

    /// The sums of both sides over all empty points.
    pub(crate) fn sums(&mut self) -> &[Sum; 2] {
        let stones = self.journal.marks.len();
        let at = self.journal.sums.last().map(|(at, _)| *at);
        if at != Some(stones) {
            let from = at.unwrap_or_else(|| {
                // What the first is comes from what the last would be, as every change in between is known.
                let mut sums = self.sums_afresh();
                (0..stones).rev().for_each(|at| self.step::<false>(at, &mut sums));
                self.journal.sums.push((0, sums));
                0
            });
            let mut sums = self.journal.sums.last().expect("there is one").1;
            for at in from..stones {
                self.step::<true>(at, &mut sums);
                self.journal.sums.push((at + 1, sums));
            }
        }
        &self.journal.sums.last().expect("there is one").1
    }

    /// The sums of both sides, from nothing.
    pub(crate) fn sums_afresh(&self) -> [Sum; 2] {
        let mut sums = [[0; COLUMNS]; 2];
        for point in self.empty.iter() {
            let lines = self.cells[usize::from(point.code())].lines;
            for (of, sum) in sums.iter_mut().enumerate() {
                self.nets[of].add(sum, self.meanings[of], lines[of]);
            }
        }
        sums
    }

    /// Adds what the stone of a mark changed to the sums, or takes it from them.
    fn step<const COMES: bool>(&self, at: usize, sums: &mut [Sum; 2]) {
        let Journal { marks, changes, .. } = &self.journal;
        let end = marks.get(at + 1).map_or(changes.len(), |mark| mark.changes);
        let stone = self.cells[usize::from(marks[at].point.code())].lines;
        for (of, sum) in sums.iter_mut().enumerate() {
            let (net, meanings) = (self.nets[of], self.meanings[of]);
            if COMES {
                net.subtract(sum, meanings, stone[of]);
            } else {
                net.add(sum, meanings, stone[of]);
            }
            for change in &changes[marks[at].changes..end] {
                let (before, after) = (change.before[of], change.after(of));
                if before != after {
                    let [goes, comes] = if COMES { [before, after] } else { [after, before] };
                    net.subtract(sum, meanings, goes);
                    net.add(sum, meanings, comes);
                }
            }
        }
    }

    /// The threats of both sides as one number: whether the side to move has a point that would be a three, two, a
    /// four, a four and a three; the same for the other side; and on how many points, 7 at most, that makes a fork.
    pub fn threats(&self, to_move: Side) -> usize {
        let counts = &self.known.counts;
        let bits = |of: usize| (1..5).fold(0, |bits, grade| bits | usize::from(counts[of][grade] > 0) << (grade - 1));
        let (own, other) = (to_move as usize, to_move.other() as usize);
        bits(own) | bits(other) << 4 | usize::from(counts[other][5].min(7)) << 8
    }

    /// For each empty point what a stone of the side would make there, as the place of the weights.
    pub fn codes(&self, side: Side) -> impl Iterator<Item = usize> + '_ {
        self.stones.empty_points().map(move |point| self.code(point, side))
    }

    /// The place of the weights for an empty point.
    pub fn code(&self, point: Point, side: Side) -> usize {
        let lines = self.cells[usize::from(point.code())].lines[side as usize];
        codes()[usize::from(lines)].expect("the lines of a cell are lines").into()
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

    /// In caro, the points that may stop a five of the side: where it would be made, and the ends of its row.
    pub(crate) fn five_stops(&self, side: Side) -> Vec<Point> {
        let mut stops = Vec::new();
        for five in self.fives(side).iter() {
            stops.push(five);
            for direction in Direction::ALL {
                if self.line(five, direction, side) == Line::Five {
                    let ends = [-1, 1].map(|sign| {
                        let mut along = (1..=5).map_while(|steps| direction.step(five, sign * steps));
                        along.find(|point| self.stones.stone(*point) != Some(side))
                    });
                    stops.extend(ends.into_iter().flatten().filter(|end| self.stones.is_empty(*end)));
                }
            }
        }
        stops.sort_unstable();
        stops.dedup();
        stops
    }

    /// The empty points.
    pub const fn empty(&self) -> &Points {
        &self.empty
    }

    /// The empty points at most three columns and rows away from a stone.
    pub fn near(&self) -> Points {
        self.occupied.around(3).and(&self.empty)
    }

    /// What a stone of `side` would make on an empty point if the other side had a stone on `with`, which is empty.
    pub fn kind_after(&self, point: Point, side: Side, with: Point) -> Kind {
        if point == with {
            return Kind::NONE;
        }
        let across = i32::from(with.x()) - i32::from(point.x());
        let down = i32::from(with.y()) - i32::from(point.y());
        let distance = across.abs().max(down.abs()) as usize;
        let (direction, ahead) = match (across, down) {
            (_, 0) => (0, across > 0),
            (0, _) => (1, down > 0),
            _ if across == down => (2, across > 0),
            _ if across == -down => (3, across > 0),
            _ => return self.kind(point, side),
        };
        if distance > reach(self.rule) {
            return self.kind(point, side);
        }
        let cell = &self.cells[usize::from(point.code())];
        let weight = if ahead { AHEAD[distance] } else { BEHIND[distance] };
        let times = 1 + side.other() as u32;
        let pair = self.pairs[(cell.numbers[direction] + times * weight) as usize];
        let line = u16::from(pair >> (4 * side as u32) & 15);
        let shift = 4 * direction as u32;
        let lines = cell.lines[side as usize] & !(15 << shift) | line << shift;
        self.meanings[side as usize][usize::from(lines)].kind
    }

    /// Whether the side has a point that makes a fork; in renju it may be forbidden.
    pub const fn has_forks(&self, side: Side) -> bool {
        self.known.counts[side as usize][5] > 0
    }

    /// The empty points on the lines through a point that are felt there.
    pub fn reached(&self, point: Point) -> impl Iterator<Item = Point> + '_ {
        let reach = reach(self.rule) as i8;
        let steps = Direction::ALL
            .into_iter()
            .flat_map(move |direction| (-reach..=reach).filter_map(move |steps| direction.step(point, steps)));
        steps.filter(move |near| self.empty.contains(*near) && *near != point)
    }

    /// Whether the rules forbid the point, which is empty, to the side.
    pub fn is_forbidden(&self, point: Point, side: Side) -> bool {
        let kind = self.kind(point, side);
        kind.has(Kind::FOUL) || kind.has(Kind::PERHAPS) && forbidden::is_forbidden(&self.stones, point, self.three)
    }

    /// Puts a stone on an empty point.
    pub fn put(&mut self, point: Point, side: Side) {
        self.stones.play_unchecked(point, side);
        self.occupied.toggle(point);
        self.empty.toggle(point);
        self.key ^= number(point, side);
        self.journal.begin(point, &self.known);
        let at = usize::from(point.code());
        let cell = &mut self.cells[at];
        cell.is_empty = false;
        for (of, meanings) in self.meanings.iter().enumerate() {
            self.known.change(at, of, &meanings[usize::from(cell.lines[of])], &Meaning::default());
        }
        self.feel(point, side, 1, Feel::Change);
    }

    /// Takes a stone of the side that stands there.
    pub fn take(&mut self, point: Point, side: Side) {
        self.stones.undo_unchecked(point, side);
        self.occupied.toggle(point);
        self.empty.toggle(point);
        self.key ^= number(point, side);
        if let Some(Mark { known, changes, .. }) = self.journal.marks.pop_if(|mark| mark.point == point) {
            self.known = known;
            self.feel(point, side, -1, Feel::Count);
            for change in self.journal.changes.drain(changes..).rev() {
                self.cells[usize::from(change.at) % CELLS].set_back(&change);
            }
            self.journal.sums.pop_if(|(stones, _)| *stones > self.journal.marks.len());
            self.cells[usize::from(point.code())].is_empty = true;
        } else {
            self.journal.clear();
            self.feel(point, side, -1, Feel::Change);
            self.journal.clear();
            self.cells[usize::from(point.code())].look_up(self.pairs);
            self.fill_in(point);
        }
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
    fn feel(&mut self, point: Point, side: Side, sign: i32, how: Feel) {
        let [row, column, falling, rising] = self.room(point);
        let times = if side == Side::First { sign } else { 2 * sign } as u32;
        match how {
            Feel::Change => {
                self.change_along::<0>(point, times, row);
                self.change_along::<1>(point, times, column);
                self.change_along::<2>(point, times, falling);
                self.change_along::<3>(point, times, rising);
            }
            Feel::Count => {
                self.count_along::<0>(point, times, row);
                self.count_along::<1>(point, times, column);
                self.count_along::<2>(point, times, falling);
                self.count_along::<3>(point, times, rising);
            }
        }
    }

    /// The direction is known when this is compiled: its shifts and steps cost nothing then.
    #[inline(always)]
    fn change_along<const DIRECTION: usize>(&mut self, point: Point, times: u32, (behind, ahead): (usize, usize)) {
        let Board { cells, known, pairs, meanings, journal, .. } = self;
        let step = STEPS[DIRECTION];
        let mut near = usize::from(point.code());
        for weight in &BEHIND[1..=ahead] {
            near = near.wrapping_add(step);
            let cell = &mut cells[near % CELLS];
            if cell.count(DIRECTION, times, *weight) {
                look::<DIRECTION>(cell, near, known, pairs, meanings, &mut journal.changes);
            }
        }
        let mut near = usize::from(point.code());
        for weight in &AHEAD[1..=behind] {
            near = near.wrapping_sub(step);
            let cell = &mut cells[near % CELLS];
            if cell.count(DIRECTION, times, *weight) {
                look::<DIRECTION>(cell, near, known, pairs, meanings, &mut journal.changes);
            }
        }
    }

    #[inline(always)]
    fn count_along<const DIRECTION: usize>(&mut self, point: Point, times: u32, (behind, ahead): (usize, usize)) {
        let step = STEPS[DIRECTION];
        let mut near = usize::from(point.code());
        for weight in &BEHIND[1..=ahead] {
            near = near.wrapping_add(step);
            self.cells[near % CELLS].count(DIRECTION, times, *weight);
        }
        let mut near = usize::from(point.code());
        for weight in &AHEAD[1..=behind] {
            near = near.wrapping_sub(step);
            self.cells[near % CELLS].count(DIRECTION, times, *weight);
        }
    }

    /// Counts a point that becomes empty, and whose lines are looked up.
    fn fill_in(&mut self, point: Point) {
        let at = usize::from(point.code());
        let cell = &mut self.cells[at];
        cell.is_empty = true;
        for (of, meanings) in self.meanings.iter().enumerate() {
            self.known.change(at, of, &Meaning::default(), &meanings[usize::from(cell.lines[of])]);
        }
    }
}

/// Whether what lines mean is looked up, or known from before.
#[derive(Copy, Clone)]
enum Feel {
    Change,
    Count,
}

/// What was before the last stones were put, so that it need not be found out when they are taken.
#[derive(Clone, Default)]
struct Journal {
    marks: Vec<Mark>,
    changes: Vec<Change>,
    /// The sums that have been asked for, and after how many of the marks.
    sums: Vec<(usize, [Sum; 2])>,
}

#[derive(Clone)]
struct Mark {
    point: Point,
    known: Known,
    /// The changes of this stone begin here.
    changes: usize,
}

/// A line of an empty point, and what the lines of both sides were.
#[derive(Copy, Clone)]
struct Change {
    at: u16,
    direction: u8,
    /// What the line became.
    pair: u8,
    before: [u16; 2],
}

impl Change {
    /// The lines of a side after the change.
    fn after(&self, of: usize) -> u16 {
        let shift = 4 * u32::from(self.direction);
        self.before[of] & !(15 << shift) | u16::from(self.pair >> (4 * of) & 15) << shift
    }
}

impl Journal {
    fn begin(&mut self, point: Point, known: &Known) {
        self.marks.push(Mark { point, known: *known, changes: self.changes.len() });
    }

    fn clear(&mut self) {
        self.marks.clear();
        self.changes.clear();
        self.sums.clear();
    }
}

impl Cell {
    /// Counts a stone on a line in the number of the line; whether the cell is empty.
    #[inline(always)]
    fn count(&mut self, direction: usize, times: u32, weight: u32) -> bool {
        let number = &mut self.numbers[direction];
        *number = number.wrapping_add(weight.wrapping_mul(times));
        self.is_empty
    }

    /// Makes the lines what they were.
    #[inline]
    fn set_back(&mut self, change: &Change) {
        let direction = usize::from(change.direction) % 4;
        let [first, second] = change.before.map(|lines| (lines >> (4 * direction) & 15) as u8);
        self.pairs[direction] = first | second << 4;
        self.lines = change.before;
    }

    /// Looks up all lines.
    fn look_up(&mut self, pairs: &Pairs) {
        self.pairs = self.numbers.map(|number| pairs[number as usize]);
        let lines =
            |shift: u8| self.pairs.iter().rev().fold(0, |lines, pair| lines << 4 | u16::from(pair >> shift & 15));
        self.lines = [lines(0), lines(4)];
    }
}

/// Looks up a line of an empty point.
#[inline(always)]
fn look<const DIRECTION: usize>(
    cell: &mut Cell,
    at: usize,
    known: &mut Known,
    pairs: &Pairs,
    meanings: &[&'static Meanings; 2],
    changes: &mut Vec<Change>,
) {
    let pair = pairs[cell.numbers[DIRECTION] as usize];
    let old = cell.pairs[DIRECTION];
    if pair == old {
        return;
    }
    changes.push(Change { at: at as u16, direction: DIRECTION as u8, pair, before: cell.lines });
    cell.pairs[DIRECTION] = pair;
    let shift = 4 * DIRECTION as u32;
    for (of, meanings) in meanings.iter().enumerate() {
        let line = pair >> (4 * of) & 15;
        if line != old >> (4 * of) & 15 {
            let before = cell.lines[of];
            let lines = before & !(15 << shift) | u16::from(line) << shift;
            cell.lines[of] = lines;
            known.change(at, of, &meanings[usize::from(before)], &meanings[usize::from(lines)]);
        }
    }
}

/// What the empty points come to.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Known {
    fives: [Points; 2],
    fours: [Points; 2],
    /// How many points there are of each grade.
    counts: [[u8; 8]; 2],
}

impl Default for Known {
    fn default() -> Known {
        let none = [Points::EMPTY; 2];
        Known { fives: none, fours: none, counts: [[0; 8]; 2] }
    }
}

impl Known {
    #[inline]
    fn change(&mut self, at: usize, of: usize, before: &Meaning, now: &Meaning) {
        let changed = before.kind.changed(now.kind);
        if changed.has(Kind::FIVE) {
            self.fives[of].toggle(Point::from_code(at as u16));
        }
        if changed.has(Kind::FOUR) {
            self.fours[of].toggle(Point::from_code(at as u16));
        }
        let counts = &mut self.counts[of];
        let grade = |meaning: &Meaning| usize::from(meaning.grade) % 8;
        counts[grade(before)] = counts[grade(before)].wrapping_sub(1);
        counts[grade(now)] = counts[grade(now)].wrapping_add(1);
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
        let know = |cell: &Cell| (cell.numbers, cell.is_empty.then_some(cell.lines));
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
