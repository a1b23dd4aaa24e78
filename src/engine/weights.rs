//! What the engine has learned: how much what a stone would make is worth, and how often it is played.

use crate::Line;
use games::{Rule, Side};
use std::sync::OnceLock;

/// The ways in which four lines can be given to a point, whatever their order.
pub(crate) const CODES: usize = {
    let lines = Line::ALL.len();
    lines * (lines + 1) * (lines + 2) * (lines + 3) / 24
};

/// The number of different [`Board::threats`](crate::Board::threats).
pub const THREATS: usize = 1 << 11;

/// The numbers that are summed for each side over its codes and given to the net.
pub const FEATURES: usize = 14;

/// The hidden numbers of the net.
pub const HIDDEN: usize = 16;

/// The rows of [`SideWeights::grades`].
pub const GRADES: usize = 40;

/// The weights of a side under a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideWeights {
    /// By code: points for the side when it is to move, 32 of them to a point.
    pub own: Box<[i16]>,
    /// The same when the other side is to move.
    pub other: Box<[i16]>,
    /// By code: how likely the side is to play a point because of what it makes there, as a logarithm, in 1/16.
    pub attack: Box<[i8]>,
    /// The same because of what the other side would make there.
    pub defence: Box<[i8]>,
    /// By [`Board::threats`](crate::Board::threats): points for the side when it is to move.
    pub threats: Box<[i16]>,
    /// By code, [`FEATURES`] of each, in 1/64.
    pub features: Box<[i8]>,
    /// For each hidden number the weights of the features of the side, which is to move, then those of the other
    /// side's, in 1/128 where a sixteenth of the features is meant.
    pub hidden: Box<[i16]>,
    /// By [`grades`](crate::grades): what is added to the hidden numbers, in 1/128.
    pub grades: Box<[i16]>,
    /// Of each hidden number, if it is above 0: points for the side when it is to move, in 1/16.
    pub out: Box<[i16]>,
}

impl SideWeights {
    /// The bytes in a file.
    const BYTES: usize = CODES * (6 + FEATURES) + 2 * (THREATS + (2 * FEATURES + GRADES + 1) * HIDDEN);

    /// Weights that know nothing.
    pub fn zero() -> SideWeights {
        SideWeights {
            own: vec![0; CODES].into(),
            other: vec![0; CODES].into(),
            attack: vec![0; CODES].into(),
            defence: vec![0; CODES].into(),
            threats: vec![0; THREATS].into(),
            features: vec![0; CODES * FEATURES].into(),
            hidden: vec![0; HIDDEN * 2 * FEATURES].into(),
            grades: vec![0; GRADES * HIDDEN].into(),
            out: vec![0; HIDDEN].into(),
        }
    }

    fn read(bytes: &[u8]) -> SideWeights {
        let (own, rest) = bytes.split_at(CODES * 2);
        let (other, rest) = rest.split_at(CODES * 2);
        let (threats, rest) = rest.split_at(THREATS * 2);
        let (hidden, rest) = rest.split_at(HIDDEN * 4 * FEATURES);
        let (grades, rest) = rest.split_at(GRADES * HIDDEN * 2);
        let (out, rest) = rest.split_at(HIDDEN * 2);
        let (attack, rest) = rest.split_at(CODES);
        let (defence, features) = rest.split_at(CODES);
        let words = |bytes: &[u8]| bytes.chunks_exact(2).map(|word| i16::from_le_bytes([word[0], word[1]])).collect();
        let signed = |bytes: &[u8]| bytes.iter().map(|byte| *byte as i8).collect();
        SideWeights {
            own: words(own),
            other: words(other),
            threats: words(threats),
            hidden: words(hidden),
            grades: words(grades),
            out: words(out),
            attack: signed(attack),
            defence: signed(defence),
            features: signed(features),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        for words in [&self.own, &self.other, &self.threats, &self.hidden, &self.grades, &self.out] {
            out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        for signed in [&self.attack, &self.defence, &self.features] {
            out.extend(signed.iter().map(|byte| *byte as u8));
        }
    }
}

/// The weights of all rules.
///
/// In freestyle and standard both sides have the same; caro takes those of standard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// In this order: freestyle, standard, renju for Black, renju for White.
    pub sides: [SideWeights; 4],
}

static IN_USE: OnceLock<Weights> = OnceLock::new();

impl Weights {
    const MAGIC: &[u8; 8] = b"kifu-w2\n";

    /// Weights that know nothing.
    pub fn zero() -> Weights {
        Weights { sides: std::array::from_fn(|_| SideWeights::zero()) }
    }

    /// The place of a side in [`Weights::sides`].
    pub const fn place(rule: Rule, side: Side) -> usize {
        match (rule, side) {
            (Rule::Freestyle, _) => 0,
            (Rule::Standard | Rule::Caro, _) => 1,
            (Rule::Renju, Side::First) => 2,
            (Rule::Renju, Side::Second) => 3,
        }
    }

    /// Reads a file of weights; `None` if it is none.
    pub fn read(bytes: &[u8]) -> Option<Weights> {
        let bytes = bytes.strip_prefix(Weights::MAGIC)?;
        if bytes.len() != 4 * SideWeights::BYTES {
            return None;
        }
        let side = |at: usize| SideWeights::read(&bytes[at * SideWeights::BYTES..][..SideWeights::BYTES]);
        Some(Weights { sides: std::array::from_fn(side) })
    }

    /// The bytes of a file that [`Weights::read`] reads.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Weights::MAGIC.to_vec();
        self.sides.iter().for_each(|side| side.write(&mut out));
        out
    }

    /// Makes these the weights of all boards of this program; false if boards have been made with others.
    pub fn install(self) -> bool {
        IN_USE.set(self).is_ok()
    }

    /// The weights of all boards: those that were installed, or those of the engine's own training.
    pub(crate) fn in_use() -> &'static Weights {
        IN_USE.get_or_init(|| Weights::read(include_bytes!("weights.bin")).expect("the file is of this format"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_every_side_have_learned_something() {
        for side in &Weights::in_use().sides {
            for words in [&side.own, &side.other, &side.threats, &side.hidden, &side.grades, &side.out] {
                assert!(words.iter().any(|weight| *weight > 0) && words.iter().any(|weight| *weight < 0));
            }
            // A five is played wherever it can be, and stopped.
            assert!(side.attack.iter().any(|rank| *rank > 32) && side.defence.iter().any(|rank| *rank > 32));
        }
    }

    #[test]
    fn weights_are_read_as_they_were_written() {
        let mut weights = Weights::zero();
        for (at, side) in weights.sides.iter_mut().enumerate() {
            side.own[7] = 300 + at as i16;
            side.other[CODES - 1] = -4;
            side.attack[0] = -128;
            side.defence[1] = 127;
            side.threats[THREATS - 1] = i16::MIN;
            side.features[CODES * FEATURES - 1] = -127;
            side.hidden[5] = 511;
            side.grades[GRADES * HIDDEN - 1] = -512;
            side.out[HIDDEN - 1] = at as i16 - 9;
        }
        let bytes = weights.write();
        assert_eq!(Weights::read(&bytes), Some(weights));
        assert_eq!(Weights::read(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Weights::read(&bytes[1..]), None);
    }
}
