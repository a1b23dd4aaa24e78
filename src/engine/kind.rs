//! What a stone makes on its point: the four lines taken together.

use crate::Line;
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
}

/// A kind for all lines of a point: four bits each, in the order of [`games::gomoku::Direction::ALL`].
pub(crate) type Kinds = [Kind; 1 << 16];

/// The kinds of a side under a rule.
pub(crate) fn kinds(rule: Rule, side: Side) -> &'static Kinds {
    static FREE: LazyLock<Box<Kinds>> = LazyLock::new(|| build(false));
    static WITH_FOULS: LazyLock<Box<Kinds>> = LazyLock::new(|| build(true));
    if rule == Rule::Renju && side == Side::First { &WITH_FOULS } else { &FREE }
}

fn build(fouls: bool) -> Box<Kinds> {
    let kinds = (0..1_u32 << 16).map(|lines| {
        let numbers = [0, 4, 8, 12].map(|shift| (lines >> shift & 15) as usize);
        if numbers.iter().any(|number| *number >= Line::ALL.len()) {
            return Kind::NONE;
        }
        of(numbers.map(|number| Line::ALL[number]), fouls)
    });
    kinds.collect::<Box<[Kind]>>().try_into().expect("there are 65,536 of them")
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
        .with(Kind::PERHAPS, fouls && threes > 1)
}
