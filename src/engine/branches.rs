use crate::proof_numbers::Numbers;
use games::Point;

/// A move that is to be tried, with the numbers it has before it is looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Branch {
    /// None stands for all moves of higher levels, which are looked for when it is their turn.
    pub point: Option<Point>,
    /// Whether it makes a four.
    pub is_four: bool,
    pub proof: u16,
    pub disproof: u16,
}

/// The code of no point.
const NOWHERE: u16 = u16::MAX;

impl Branch {
    pub fn numbers(self) -> Numbers {
        Numbers { proof: self.proof.into(), disproof: self.disproof.into() }
    }

    fn packed(self) -> u64 {
        let code = self.point.map_or(NOWHERE, Point::code);
        let numbers = u64::from(self.proof) << 16 | u64::from(self.disproof);
        u64::from(self.is_four) << 48 | u64::from(code) << 32 | numbers
    }

    fn unpacked(packed: u64) -> Branch {
        let code = (packed >> 32) as u16;
        Branch {
            point: (code != NOWHERE).then(|| Point::from_code(code)),
            is_four: packed >> 48 == 1,
            proof: (packed >> 16) as u16,
            disproof: packed as u16,
        }
    }
}

/// The moves of positions that were looked at lately, which are dear to find: a ring that overwrites the oldest.
pub(crate) struct Branches {
    /// For each position its key, how many branches it has, and those.
    ring: Box<[u64]>,
    next: usize,
    /// Where the position of a key began, by the lower bits of the key.
    places: Box<[u32]>,
    /// What has to be found before a position for it to be one of this question.
    question: u64,
}

impl Branches {
    /// Memory for at most so many bytes of them.
    pub fn new(bytes: usize) -> Branches {
        let places = 1_usize << (bytes / 64).clamp(1, 1 << 24).ilog2();
        let ring = (bytes.saturating_sub(4 * places) / 8).clamp(1, u32::MAX as usize);
        Branches {
            ring: vec![0; ring].into_boxed_slice(),
            next: 0,
            places: vec![0; places].into_boxed_slice(),
            question: 1,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.question += 1;
    }

    /// Appends the moves of a position; false if they are not known.
    pub fn get(&self, key: u64, branches: &mut Vec<Branch>) -> bool {
        let at = self.places[self.at(key)] as usize;
        // What overwrites a list begins with its head, and no branch is packed to what a head looks like.
        let Some(&[question, found, count]) = self.ring.get(at..).and_then(|ring| ring.first_chunk()) else {
            return false;
        };
        if question != self.question || found != key {
            return false;
        }
        let Some(packed) = self.ring.get(at + 3..at + 3 + count as usize) else { return false };
        branches.extend(packed.iter().map(|packed| Branch::unpacked(*packed)));
        true
    }

    /// Keeps the moves of a position.
    pub fn put(&mut self, key: u64, branches: &[Branch]) {
        let length = 3 + branches.len();
        if length > self.ring.len() {
            return;
        }
        if self.next + length > self.ring.len() {
            self.next = 0;
        }
        let start = self.next;
        let list = &mut self.ring[start..start + length];
        list[..3].copy_from_slice(&[self.question, key, branches.len() as u64]);
        for (packed, branch) in list[3..].iter_mut().zip(branches) {
            *packed = branch.packed();
        }
        self.next += length;
        let at = self.at(key);
        self.places[at] = start as u32;
    }

    fn at(&self, key: u64) -> usize {
        key as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Random;

    /// The moves of the key, which tell it.
    fn list(key: u64) -> Vec<Branch> {
        let branch = |at: u64| Branch {
            point: Point::new(at as u8, key as u8 % 22).filter(|_| at != 4),
            is_four: at % 2 == 1,
            proof: at as u16 + 1,
            disproof: u16::MAX - key as u16,
        };
        (0..key % 7).map(branch).collect()
    }

    #[test]
    fn moves_are_those_of_their_position_or_unknown() {
        let mut random = Random(3);
        for bytes in [0, 64, 1000, 5000] {
            let mut branches = Branches::new(bytes);
            let mut known = 0;
            for round in 0..3000 {
                let key = random.below(60);
                branches.put(key, &list(key));
                let asked = random.below(60);
                let mut found = Vec::new();
                if branches.get(asked, &mut found) {
                    assert_eq!(found, list(asked), "{bytes}");
                    known += 1;
                } else {
                    assert!(found.is_empty());
                }
                if round % 1000 == 999 {
                    branches.clear();
                    assert!((0..60).all(|key| !branches.get(key, &mut found)));
                }
            }
            assert!(known > 0 || bytes < 1000, "{bytes}");
        }
    }
}
