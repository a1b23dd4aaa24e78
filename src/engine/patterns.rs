//! What a stone makes on one line, for every way the ten cells around it can stand.
//!
//! Five cells on each side of a point decide it: a row of five that holds the point ends at most four cells away, and
//! what lies beyond its ends decides whether it is longer or enclosed. Each half is a number: for an edge `d` cells
//! away (1 to 5, or 6 if it is not seen) the cells before it are digits to the base 3 (empty, own, the other's), the
//! nearest one the lowest, after all numbers of nearer edges. A stone thus adds a number that depends on its distance
//! alone, wherever the edges are.

use games::{Rule, Side};
use std::sync::LazyLock;

/// What a stone makes on one of the four lines through its point.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Line {
    /// Nothing that could become a five.
    Nothing,
    /// With one more stone a [`Line::Two`].
    One,
    /// With one more stone an open two.
    OpenOne,
    /// With one more stone a [`Line::Three`].
    Two,
    /// With one more stone an open three, on one point or two.
    NarrowTwo,
    /// The same on three points.
    OpenTwo,
    /// The same on four or more.
    WideTwo,
    /// With one more stone a four that has one answer.
    Three,
    /// With one more stone a straight four, on one point; in renju that stone may be forbidden.
    NarrowThree,
    /// The same on two points or more.
    OpenThree,
    /// A four: one stone more makes a five, on one point.
    Four,
    /// A straight four: an unbroken row of four, a five at either end.
    OpenFour,
    /// Two fours on one line.
    DoubleFour,
    /// A row that wins.
    Five,
    /// A row of six or more where that does not win.
    Overline,
}

impl Line {
    /// All, by their numbers.
    pub const ALL: [Line; 15] = [
        Line::Nothing,
        Line::One,
        Line::OpenOne,
        Line::Two,
        Line::NarrowTwo,
        Line::OpenTwo,
        Line::WideTwo,
        Line::Three,
        Line::NarrowThree,
        Line::OpenThree,
        Line::Four,
        Line::OpenFour,
        Line::DoubleFour,
        Line::Five,
        Line::Overline,
    ];

    /// Whether it can become a straight four with one more stone.
    pub const fn is_open_three(self) -> bool {
        matches!(self, Line::NarrowThree | Line::OpenThree)
    }

    /// How many fours it is.
    pub const fn fours(self) -> usize {
        match self {
            Line::Four | Line::OpenFour => 1,
            Line::DoubleFour => 2,
            _ => 0,
        }
    }
}

/// How far a stone is felt along a line.
pub(crate) const REACH: usize = 5;
const POWERS: [u32; REACH + 1] = [1, 3, 9, 27, 81, 243];
/// The numbers of a half.
const HALF: u32 = (POWERS[REACH] * 3 - 1) / 2;

/// The numbers of a line.
pub(crate) const NUMBERS: usize = (HALF * HALF) as usize;

/// What a stone of the side asked about adds, by its distance ahead of the point; one of the other side adds twice
/// as much.
pub(crate) const AHEAD: [u32; REACH + 1] = [0, POWERS[0], POWERS[1], POWERS[2], POWERS[3], POWERS[4]];
/// The same behind the point.
pub(crate) const BEHIND: [u32; REACH + 1] = {
    let mut weights = AHEAD;
    let mut distance = 0;
    while distance <= REACH {
        weights[distance] *= HALF;
        distance += 1;
    }
    weights
};

/// The number of a line without stones, with so many cells of the board behind the point and ahead of it.
pub(crate) fn bare(behind: usize, ahead: usize) -> u32 {
    let half = |cells: usize| (POWERS[cells.min(REACH)] - 1) / 2;
    half(behind) * HALF + half(ahead)
}

/// Which rows win.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Rows {
    FiveOrMore,
    Five,
    /// Exactly five, and not with stones of the other side at both ends.
    OpenFive,
}

/// How far a stone is felt under a rule: where longer rows win and nothing is enclosed, not to the end.
pub(crate) const fn reach(rule: Rule) -> usize {
    if matches!(rule, Rule::Freestyle) { REACH - 1 } else { REACH }
}

/// What a stone makes for each number of a line in which the first player's stones are 1 and the second's 2: a
/// [`Line`] for the first player in the low four bits, and one for the second in the high ones.
pub(crate) type Pairs = [u8; NUMBERS];

/// The patterns of both sides under a rule.
pub(crate) fn pairs(rule: Rule) -> &'static Pairs {
    static PAIRS: [LazyLock<Box<Pairs>>; 4] = [
        LazyLock::new(|| pair(Rule::Freestyle)),
        LazyLock::new(|| pair(Rule::Standard)),
        LazyLock::new(|| pair(Rule::Renju)),
        LazyLock::new(|| pair(Rule::Caro)),
    ];
    &PAIRS[rule as usize]
}

fn pair(rule: Rule) -> Box<Pairs> {
    let (first, second) = (patterns(rule, Side::First), patterns(rule, Side::Second));
    let half = |number: u32| {
        let base = (POWERS[seen(number)] - 1) / 2;
        let digits = (0..seen(number)).map(|at| [0, 2, 1][((number - base) / POWERS[at] % 3) as usize] * POWERS[at]);
        base + digits.sum::<u32>()
    };
    let swapped: Vec<u32> = (0..HALF).map(half).collect();
    let pairs = (0..HALF * HALF).map(|number| {
        let other = swapped[(number / HALF) as usize] * HALF + swapped[(number % HALF) as usize];
        first[number as usize] as u8 | (second[other as usize] as u8) << 4
    });
    pairs.collect::<Box<[u8]>>().try_into().expect("there is one for each number")
}

/// How many cells of the board there are in a half of this number.
fn seen(half: u32) -> usize {
    (0..=REACH).rev().find(|seen| (POWERS[*seen] - 1) / 2 <= half).expect("the first begins at 0")
}

/// A [`Line`] for each number of a line.
type Patterns = [Line];

/// The patterns of a side under a rule.
fn patterns(rule: Rule, side: Side) -> &'static Patterns {
    static FIVE_OR_MORE: LazyLock<Box<Patterns>> = LazyLock::new(|| build(Rows::FiveOrMore));
    static FIVE: LazyLock<Box<Patterns>> = LazyLock::new(|| build(Rows::Five));
    static OPEN_FIVE: LazyLock<Box<Patterns>> = LazyLock::new(|| build(Rows::OpenFive));
    match (rule, side) {
        (Rule::Freestyle, _) | (Rule::Renju, Side::Second) => &FIVE_OR_MORE,
        (Rule::Standard, _) | (Rule::Renju, Side::First) => &FIVE,
        (Rule::Caro, _) => &OPEN_FIVE,
    }
}

const CELLS: usize = 2 * REACH + 1;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Cell {
    Empty,
    Own,
    Other,
    Edge,
}

/// The cells of each half, the nearest first.
fn halves() -> Vec<[Cell; REACH]> {
    let half = |number: u32| {
        let seen = seen(number);
        let mut rest = number - (POWERS[seen] - 1) / 2;
        let mut cells = [Cell::Edge; REACH];
        for cell in &mut cells[..seen] {
            *cell = [Cell::Empty, Cell::Own, Cell::Other][(rest % 3) as usize];
            rest /= 3;
        }
        cells
    };
    (0..HALF).map(half).collect()
}

/// The cells of a line, from the farthest behind to the farthest ahead, with a stone on the point.
fn cells(number: u32, halves: &[[Cell; REACH]]) -> [Cell; CELLS] {
    let mut cells = [Cell::Own; CELLS];
    cells[..REACH].copy_from_slice(&halves[(number / HALF) as usize]);
    cells[..REACH].reverse();
    cells[REACH + 1..].copy_from_slice(&halves[(number % HALF) as usize]);
    cells
}

/// One more own stone makes a number larger, so that from the largest down all that a line can become is known.
fn build(rows: Rows) -> Box<Patterns> {
    let halves = halves();
    let mut patterns = vec![Line::Nothing; (HALF * HALF) as usize].into_boxed_slice();
    for number in (0..HALF * HALF).rev() {
        patterns[number as usize] = judge(rows, number, &cells(number, &halves), &patterns);
    }
    patterns
}

fn judge(rows: Rows, number: u32, cells: &[Cell; CELLS], patterns: &Patterns) -> Line {
    let own = |cell: &&Cell| **cell == Cell::Own;
    let before = cells[..REACH].iter().rev().take_while(own).count();
    let after = cells[REACH + 1..].iter().take_while(own).count();
    let length = before + 1 + after;
    if length > 5 {
        return if rows == Rows::FiveOrMore { Line::Five } else { Line::Overline };
    }
    if length == 5 {
        let ends = [cells[REACH - before - 1], cells[REACH + after + 1]];
        let is_shut = rows == Rows::OpenFive && ends == [Cell::Other; 2];
        return if is_shut { Line::Nothing } else { Line::Five };
    }
    let mut counts = [0_u8; Line::ALL.len()];
    let mut fives = [CELLS; 2];
    for at in (0..CELLS).filter(|at| cells[*at] == Cell::Empty) {
        let weight = if at < REACH { BEHIND[REACH - at] } else { AHEAD[at - REACH] };
        let grown = patterns[(number + weight) as usize];
        if grown == Line::Five {
            fives = [fives[1], at];
        }
        counts[grown as usize] += 1;
    }
    let count = |lines: &[Line]| lines.iter().map(|line| counts[*line as usize]).sum::<u8>();
    let is_straight = || length == 4 && fives == [REACH - before - 1, REACH + after + 1];
    match (count(&[Line::Five]), count(&[Line::OpenFour])) {
        (0, 0) => {}
        (0, 1) => return Line::NarrowThree,
        (0, _) => return Line::OpenThree,
        (1, _) => return Line::Four,
        (2, _) if is_straight() => return Line::OpenFour,
        _ => return Line::DoubleFour,
    }
    if count(&[Line::Four, Line::DoubleFour]) > 0 {
        return Line::Three;
    }
    match count(&[Line::NarrowThree, Line::OpenThree]) {
        0 => {}
        1 | 2 => return Line::NarrowTwo,
        3 => return Line::OpenTwo,
        _ => return Line::WideTwo,
    }
    if count(&[Line::Three]) > 0 {
        Line::Two
    } else if count(&[Line::NarrowTwo, Line::OpenTwo, Line::WideTwo]) > 0 {
        Line::OpenOne
    } else if count(&[Line::Two]) > 0 {
        Line::One
    } else {
        Line::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `x` makes at `*`; the line ends at the edges of the board.
    fn ask(line: &str, rule: Rule) -> Line {
        let cells: Vec<char> = line.split_whitespace().flat_map(str::chars).collect();
        let point = cells.iter().position(|cell| *cell == '*').unwrap();
        let mut number = bare(point, cells.len() - point - 1);
        for (at, cell) in cells.iter().enumerate() {
            let times = match cell {
                'x' => 1,
                'o' => 2,
                _ => 0,
            };
            match at.abs_diff(point) {
                distance @ 1..=REACH if at < point => number += times * BEHIND[distance],
                distance @ 1..=REACH => number += times * AHEAD[distance],
                _ => {}
            }
        }
        patterns(rule, Side::First)[number as usize]
    }

    #[test]
    fn lines_are_known_by_what_the_stone_makes() {
        for (line, free, exact, open) in [
            ("xxxx*", Line::Five, Line::Five, Line::Five),
            (".xxx*xx.", Line::Five, Line::Overline, Line::Overline),
            (".oxxx*xo.", Line::Five, Line::Five, Line::Nothing),
            ("xxx*xo", Line::Five, Line::Five, Line::Five),
            ("..xx*x..", Line::OpenFour, Line::OpenFour, Line::OpenFour),
            (".oxx*x..", Line::Four, Line::Four, Line::Four),
            (".oxx*x.o", Line::Four, Line::Four, Line::Nothing),
            ("xx*x.", Line::Four, Line::Four, Line::Four),
            ("x.x*x.x", Line::DoubleFour, Line::DoubleFour, Line::DoubleFour),
            ("x.xx*x.", Line::OpenFour, Line::Four, Line::Four),
            ("..x*x...", Line::OpenThree, Line::OpenThree, Line::OpenThree),
            (".x.*x..", Line::NarrowThree, Line::NarrowThree, Line::NarrowThree),
            (".x*x..", Line::NarrowThree, Line::NarrowThree, Line::NarrowThree),
            ("o.x*x.o", Line::Three, Line::Three, Line::Nothing),
            (".x*x.", Line::Three, Line::Three, Line::Three),
            ("..x.x*.x", Line::NarrowThree, Line::Three, Line::Three),
            ("oxx*..", Line::Three, Line::Three, Line::Three),
            ("...*x...", Line::WideTwo, Line::WideTwo, Line::WideTwo),
            (".o.*x...o", Line::NarrowTwo, Line::NarrowTwo, Line::NarrowTwo),
            ("..x.*..o", Line::OpenTwo, Line::OpenTwo, Line::OpenTwo),
            ("ox*...", Line::Two, Line::Two, Line::Two),
            ("o.x*.o", Line::Nothing, Line::Nothing, Line::Nothing),
            ("....*....", Line::OpenOne, Line::OpenOne, Line::OpenOne),
            ("o*....", Line::One, Line::One, Line::One),
            ("x*xx", Line::Nothing, Line::Nothing, Line::Nothing),
        ] {
            assert_eq!(ask(line, Rule::Freestyle), free, "{line} freestyle");
            assert_eq!(ask(line, Rule::Standard), exact, "{line} standard");
            assert_eq!(ask(line, Rule::Renju), exact, "{line} renju");
            assert_eq!(ask(line, Rule::Caro), open, "{line} caro");
        }
    }
}
