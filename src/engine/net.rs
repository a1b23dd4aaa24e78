//! The value of a position: a linear sum and a small net over what stones would make on all empty points.
//!
//! All is computed in whole numbers, so that it is the same on every machine.

use crate::kind::Meanings;
use crate::weights::{CODES, FEATURES, GRADES, HIDDEN, SideWeights, Weights};
use games::{Rule, Side};
use std::sync::LazyLock;

/// The numbers of a code: what it is worth if its side is to move, and if not, in 1/32 of a point; then its features.
pub(crate) type Row = [i16; COLUMNS];

/// The rows of all empty points, summed.
pub(crate) type Sum = [i32; COLUMNS];

pub(crate) const COLUMNS: usize = FEATURES + 2;

/// The weights of a side, laid out for use.
pub(crate) struct Net {
    /// By code.
    rows: Box<[Row; CODES]>,
    threats: Box<[i16]>,
    /// For each hidden number the weights of the columns of both sides.
    hidden: [[i16; 2 * COLUMNS]; HIDDEN],
    /// By the three parts of [`Board::threats`](crate::Board::threats): what is added to the hidden numbers.
    grades: [[i32; HIDDEN]; GRADES],
    out: [i16; HIDDEN],
}

impl Net {
    /// That of a side under a rule.
    pub fn of(rule: Rule, side: Side) -> &'static Net {
        static NETS: [LazyLock<Net>; 4] = [
            LazyLock::new(|| Net::new(&Weights::in_use().sides[0])),
            LazyLock::new(|| Net::new(&Weights::in_use().sides[1])),
            LazyLock::new(|| Net::new(&Weights::in_use().sides[2])),
            LazyLock::new(|| Net::new(&Weights::in_use().sides[3])),
        ];
        &NETS[Weights::place(rule, side)]
    }

    fn new(weights: &SideWeights) -> Net {
        let row = |code: usize| {
            std::array::from_fn(|column| match column {
                0 => weights.own[code],
                1 => weights.other[code],
                _ => weights.features[code * FEATURES + column - 2].into(),
            })
        };
        let rows: Box<[Row]> = (0..CODES).map(row).collect();
        let hidden = |at: usize, column: usize| match column % COLUMNS {
            0 | 1 => 0,
            feature => weights.hidden[(at * 2 + column / COLUMNS) * FEATURES + feature - 2],
        };
        Net {
            rows: rows.try_into().expect("there is a row for each code"),
            threats: weights.threats.clone(),
            hidden: std::array::from_fn(|at| std::array::from_fn(|column| hidden(at, column))),
            grades: std::array::from_fn(|grade| {
                // The features are counted in 1/512, the weights of both in 1/128.
                std::array::from_fn(|at| i32::from(weights.grades[grade * HIDDEN + at]) << 9)
            }),
            out: std::array::from_fn(|at| weights.out[at]),
        }
    }

    /// Adds the row of lines to a sum.
    #[inline]
    pub fn add(&self, sum: &mut Sum, meanings: &Meanings, lines: u16) {
        let row = &self.rows[usize::from(meanings[usize::from(lines)].code) % CODES];
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += i32::from(*number));
    }

    /// Takes the row of lines from a sum.
    #[inline]
    pub fn subtract(&self, sum: &mut Sum, meanings: &Meanings, lines: u16) {
        let row = &self.rows[usize::from(meanings[usize::from(lines)].code) % CODES];
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum -= i32::from(*number));
    }

    /// What a position is worth, in points, to the side of the net, which is to move: by its sum, that of the other
    /// side, and the threats.
    pub fn value(&self, own: &Sum, other: &Sum, threats: usize) -> i32 {
        // On 22x22 a sum of features is below 2^16, so that a half of it fits.
        let half = |sum: i32| (sum >> 1) as i16;
        let mut columns = [0; 2 * COLUMNS];
        for at in 0..COLUMNS {
            columns[at] = half(own[at]);
            columns[COLUMNS + at] = half(other[at]);
        }
        let [mine, theirs, forks] = grades(threats);
        let mut out = 0;
        for (at, (weights, weight)) in self.hidden.iter().zip(self.out).enumerate() {
            let products = columns.iter().zip(weights).map(|(column, weight)| i32::from(*column) * i32::from(*weight));
            let bias = self.grades[mine][at] + self.grades[theirs][at] + self.grades[forks][at];
            let hidden = products.fold(bias, i32::wrapping_add).max(0) >> 6;
            out += i64::from(hidden) * i64::from(weight);
        }
        (own[0] + other[1]) / 32 + i32::from(self.threats[threats]) + (out >> 14) as i32
    }
}

/// The rows of [`SideWeights::grades`] for [`Board::threats`](crate::Board::threats): of the threats of the side to
/// move, those of the other, and its forks.
pub fn grades(threats: usize) -> [usize; 3] {
    [threats & 15, 16 + (threats >> 4 & 15), 32 + (threats >> 8 & 7)]
}
