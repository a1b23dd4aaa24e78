/// How many positions at least are still to be decided before a win is proven, and before it is disproven.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    /// What never can be done; sums end here.
    pub const NEVER: u32 = 1 << 30;
    pub const WON: Numbers = Numbers { proof: 0, disproof: Numbers::NEVER };
    pub const LOST: Numbers = Numbers { proof: Numbers::NEVER, disproof: 0 };
}

/// The numbers of positions, in a table of fixed size.
///
/// Each key has two places: one for the position that took most work, one for the latest. What is forgotten is
/// searched again, so that the size changes how long an answer takes and never what it is.
pub(crate) struct ProofNumbers {
    buckets: Box<[[Entry; 2]]>,
    /// Entries of earlier questions are void.
    question: u32,
}

#[derive(Copy, Clone, Default)]
struct Entry {
    key: u64,
    question: u32,
    proof: u32,
    disproof: u32,
    /// Nodes, as far as they can be counted.
    work: u32,
}

impl ProofNumbers {
    /// A table of at most so many bytes, and of one bucket at the least.
    pub fn new(bytes: usize) -> ProofNumbers {
        let buckets = (bytes / size_of::<[Entry; 2]>()).max(1);
        ProofNumbers { buckets: vec![[Entry::default(); 2]; 1 << buckets.ilog2()].into_boxed_slice(), question: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.question = self.question.wrapping_add(1);
        if self.question == 0 {
            self.buckets.fill([Entry::default(); 2]);
            self.question = 1;
        }
    }

    /// What is known of a position.
    pub fn get(&self, key: u64) -> Option<Numbers> {
        let entry = self.buckets[self.at(key)].iter().find(|entry| self.is_of(entry, key))?;
        Some(Numbers { proof: entry.proof, disproof: entry.disproof })
    }

    /// Keeps what so many more nodes told of a position.
    pub fn put(&mut self, key: u64, numbers: Numbers, nodes: u64) {
        let question = self.question;
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
        let [kept, latest] = self.buckets[self.at(key)];
        let (place, work) = if self.is_of(&kept, key) {
            (0, kept.work.saturating_add(nodes))
        } else {
            let before = if self.is_of(&latest, key) { latest.work } else { 0 };
            let work = before.saturating_add(nodes);
            (usize::from(kept.question == question && kept.work > work), work)
        };
        let at = self.at(key);
        let bucket = &mut self.buckets[at];
        if place == 0 && !(kept.question == question && kept.key == key) {
            bucket[1] = kept;
        }
        bucket[place] = Entry { key, question, proof: numbers.proof, disproof: numbers.disproof, work };
    }

    fn is_of(&self, entry: &Entry, key: u64) -> bool {
        entry.key == key && entry.question == self.question
    }

    fn at(&self, key: u64) -> usize {
        // The low bits choose a slot of the other tables.
        (key >> 20) as usize & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_took_most_work_stay_longest() {
        let mut table = ProofNumbers::new(0);
        let numbers = |proof| Numbers { proof, disproof: 7 };
        table.put(1, numbers(1), 10);
        table.put(2, numbers(2), 3);
        assert_eq!([1, 2].map(|key| table.get(key)), [Some(numbers(1)), Some(numbers(2))]);
        table.put(3, numbers(3), 3);
        assert_eq!([1, 2, 3].map(|key| table.get(key).is_some()), [true, false, true]);
        // Work adds up over visits.
        table.put(3, numbers(4), 9);
        assert_eq!([1, 3].map(|key| table.get(key)), [Some(numbers(1)), Some(numbers(4))]);
        table.put(4, numbers(5), 5);
        assert_eq!([1, 3, 4].map(|key| table.get(key).is_some()), [false, true, true]);
        table.put(3, Numbers::WON, 0);
        assert_eq!(table.get(3), Some(Numbers::WON));
        table.clear();
        assert_eq!([1, 2, 3, 4].map(|key| table.get(key)), [None; 4]);
    }
}
