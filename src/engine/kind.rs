//! What a stone makes on its point: the four lines taken together.

use crate::Line;
use crate::weights::{CODES, Weights};
use games::{Rule, Side};
use std::sync::LazyLock;

/// What a stone of one side would make on a point, as a set of properties.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Kind(u8);

impl Kind {
    /// Nothing of the others.
    pub const NONE: Kind = Kind(0);
    /// It wins.
    pub const FIVE: Kind = Kind(1);
    /// It makes a four, and is not known to be forbidden.
    pub const FOUR: Kind = Kind(1 << 1);
    /// It makes a four that has more than one way to a five.
    pub const FORK: Kind = Kind(1 << 2);
    /// It makes a three that can become a straight four.
    pub const THREE: Kind = Kind(1 << 3);
    /// It is forbidden if two threes are real: the rules have to be asked.
    pub const PERHAPS: Kind = Kind(1 << 4);
    /// It is forbidden: an overline or two fours.
    pub const FOUL: Kind = Kind(1 << 5);
    /// It makes two threes or more that can become straight fours.
    pub const THREES: Kind = Kind(1 << 6);

    /// Whether it has any of the properties.
    pub const fn has(self, any: Kind) -> bool {
        self.0 & any.0 != 0
    }

    /// The properties of both.
    pub const fn or(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    /// The properties that one of both has and the other has not.
    pub const fn changed(self, other: Kind) -> Kind {
        Kind(self.0 ^ other.0)
    }

    const fn with(self, other: Kind, when: bool) -> Kind {
        if when { self.or(other) } else { self }
    }

    /// How much of a threat it is: 0 none, 1 a three, 2 two threes, 3 a four, 4 a four and a three, 5 a fork, 6 a five.
    const fn grade(self) -> u8 {
        if self.has(Kind::FIVE) {
            6
        } else if self.has(Kind::FORK) {
            5
        } else if self.has(Kind::FOUR) {
            3 + self.has(Kind::THREE) as u8
        } else if self.has(Kind::PERHAPS) {
            // Forbidden as a rule.
            0
        } else {
            self.has(Kind::THREE) as u8 + self.has(Kind::THREES) as u8
        }
    }
}

/// What four lines through a point mean to the side whose stone would stand there.
#[derive(Copy, Clone, Default)]
pub(crate) struct Meaning {
    pub kind: Kind,
    /// As [`Kind::grade`] tells it.
    pub grade: u8,
    /// As [`codes`] has it.
    pub code: u16,
    /// As in [`SideWeights`](crate::SideWeights).
    pub attack: i8,
    pub defence: i8,
}

/// A meaning for all lines of a point: four bits each, in the order of [`games::gomoku::Direction::ALL`].
pub(crate) type Meanings = [Meaning; 1 << 16];

/// The meanings for a side under a rule.
pub(crate) fn meanings(rule: Rule, side: Side) -> &'static Meanings {
    static MEANINGS: [LazyLock<Box<Meanings>>; 4] = [
        LazyLock::new(|| build(Rule::Freestyle, Side::First)),
        LazyLock::new(|| build(Rule::Standard, Side::First)),
        LazyLock::new(|| build(Rule::Renju, Side::First)),
        LazyLock::new(|| build(Rule::Renju, Side::Second)),
    ];
    &MEANINGS[Weights::place(rule, side)]
}

fn build(rule: Rule, side: Side) -> Box<Meanings> {
    let weights = &Weights::in_use().sides[Weights::place(rule, side)];
    let fouls = rule == Rule::Renju && side == Side::First;
    let meanings = codes().iter().enumerate().map(|(lines, code)| {
        let Some(code) = code.map(usize::from) else { return Meaning::default() };
        let kind = of(numbers(lines).map(|number| Line::ALL[number]), fouls);
        Meaning {
            kind,
            grade: kind.grade(),
            code: code as u16,
            attack: weights.attack[code],
            defence: weights.defence[code],
        }
    });
    meanings.collect::<Box<[Meaning]>>().try_into().ok().expect("there are 65,536 of them")
}

fn numbers(lines: usize) -> [usize; 4] {
    [0, 4, 8, 12].map(|shift| lines >> shift & 15)
}

/// For all lines of a point the number of the same lines in any order; none for numbers that are no lines.
pub(crate) fn codes() -> &'static [Option<u16>] {
    static CODES_OF: LazyLock<Box<[Option<u16>]>> = LazyLock::new(|| {
        let mut codes = vec![None; 1 << 16];
        let mut count = 0;
        for lines in 0..1_usize << 16 {
            let mut sorted = numbers(lines);
            if sorted.iter().any(|number| *number >= Line::ALL.len()) {
                continue;
            }
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let first = sorted.into_iter().rev().fold(0, |lines, number| lines << 4 | number);
            // Of the same lines those in falling order from the lowest come first.
            codes[lines] = if first == lines {
                count += 1;
                Some(count - 1)
            } else {
                codes[first]
            };
        }
        assert_eq!(usize::from(count), CODES);
        codes.into()
    });
    &CODES_OF
}

fn of(lines: [Line; 4], fouls: bool) -> Kind {
    let has = |line: Line| lines.contains(&line);
    if has(Line::Five) {
        return Kind::FIVE;
    }
    let fours: usize = lines.iter().map(|line| line.fours()).sum();
    let threes = lines.iter().filter(|line| line.is_open_three()).count();
    if fouls && (has(Line::Overline) || fours > 1) {
        return Kind::FOUL;
    }
    Kind::NONE
        .with(Kind::FOUR, fours > 0)
        .with(Kind::FORK, fours > 1 || has(Line::OpenFour))
        .with(Kind::THREE, threes > 0)
        .with(Kind::THREES, threes > 1)
        .with(Kind::PERHAPS, fouls && threes > 1)
}
