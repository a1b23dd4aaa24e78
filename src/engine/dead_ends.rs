/// Positions from which a search is known to lead nowhere, in a table of fixed size.
///
/// A new entry replaces the older one in its slot. What is forgotten is searched again, so that the size changes how
/// long an answer takes and never what it is.
pub(crate) struct DeadEnds {
    slots: Box<[Slot]>,
    /// Entries of earlier questions are void.
    question: u32,
}

#[derive(Copy, Clone, Default)]
struct Slot {
    key: u64,
    question: u32,
    fours: u32,
}

impl DeadEnds {
    /// A table of at most so many bytes, and of one entry at the least.
    pub fn new(bytes: usize) -> DeadEnds {
        let slots = (bytes / size_of::<Slot>()).max(1);
        // The largest power of two that is not larger.
        let slots = 1 << slots.ilog2();
        DeadEnds { slots: vec![Slot::default(); slots].into_boxed_slice(), question: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.question = self.question.wrapping_add(1);
        if self.question == 0 {
            self.slots.fill(Slot::default());
            self.question = 1;
        }
    }

    /// How many fours are known not to suffice.
    pub fn get(&self, key: u64) -> Option<u32> {
        let slot = &self.slots[self.at(key)];
        (slot.key == key && slot.question == self.question).then_some(slot.fours)
    }

    /// Keeps that so many fours do not suffice.
    pub fn put(&mut self, key: u64, fours: u32) {
        let at = self.at(key);
        self.slots[at] = Slot { key, question: self.question, fours };
    }

    fn at(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }
}
