//! What a search has found out about positions, shared by its threads.

use games::Point;
use record::Bound;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A table of fixed size; what is worth least makes room.
///
/// Threads read and write it without locks. An entry is two words, of which the first is the key xor the second: one
/// that two threads wrote at once fits no key.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    generation: u64,
}

/// As large as a line of the processor's cache.
#[derive(Default)]
#[repr(align(64))]
struct Bucket {
    slots: [Slot; 4],
}

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// What is known of a position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// For the side to move; a win or loss counts from this position.
    pub value: i16,
    /// What the weights say.
    pub estimate: i16,
    /// The move that was best or too good.
    pub best: Option<Point>,
    pub bound: Bound,
    /// In eighths of a ply, up to 1023.
    pub depth: u16,
}

impl Known {
    fn pack(self, generation: u64) -> u64 {
        let best = self.best.map_or(1023, |point| u64::from(point.code()));
        let bound = match self.bound {
            Bound::None => 0,
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(self.value as u16)
            | u64::from(self.estimate as u16) << 16
            | best << 32
            | bound << 42
            | u64::from(self.depth.min(1023)) << 45
            | generation << 55
    }

    fn unpack(data: u64) -> Known {
        let best = (data >> 32 & 1023) as u16;
        Known {
            value: data as u16 as i16,
            estimate: (data >> 16) as u16 as i16,
            best: (best != 1023).then(|| Point::from_code(best)),
            bound: [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact][(data >> 42 & 3) as usize],
            depth: (data >> 45 & 1023) as u16,
        }
    }
}

const GENERATIONS: u64 = 1 << 9;

fn depth(data: u64) -> u64 {
    data >> 45 & 1023
}

impl Table {
    /// A table of at most so many bytes, and of one bucket at the least.
    pub fn new(bytes: usize) -> Table {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        // The largest power of two that is not larger.
        let buckets = 1_usize << buckets.ilog2();
        Table { buckets: (0..buckets).map(|_| Bucket::default()).collect(), generation: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.slots) {
            *slot = Slot::default();
        }
        self.generation = 1;
    }

    /// What comes now is worth more than what is there.
    pub fn begin(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[key as usize & (self.buckets.len() - 1)]
    }

    /// What is known of a position.
    pub fn get(&self, key: u64) -> Option<Known> {
        self.bucket(key).slots.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == key && data != 0).then(|| Known::unpack(data))
        })
    }

    /// Keeps what is known.
    pub fn put(&self, key: u64, known: Known) {
        let bucket = self.bucket(key);
        let mut least = (u64::MAX, &bucket.slots[0]);
        for slot in &bucket.slots {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key || data == 0 {
                least.1 = slot;
                break;
            }
            let age = (self.generation + GENERATIONS - (data >> 55)) % GENERATIONS;
            let worth = (depth(data) + 8 * GENERATIONS).saturating_sub(8 * age.min(GENERATIONS));
            if worth < least.0 {
                least = (worth, slot);
            }
        }
        let slot = least.1;
        let old = slot.data.load(Relaxed);
        let is_same = slot.check.load(Relaxed) ^ old == key && old != 0;
        let mut known = known;
        if is_same {
            if known.best.is_none() {
                known.best = Known::unpack(old).best;
            }
            // A much deeper search of this position is worth more, unless this one is exact.
            let is_current = old >> 55 == self.generation;
            if known.bound != Bound::Exact && is_current && u64::from(known.depth) + 32 < depth(old) {
                return;
            }
        }
        let data = known.pack(self.generation);
        slot.check.store(key ^ data, Relaxed);
        slot.data.store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: i16, depth: u16) -> Known {
        let best = Point::new(3, 14);
        Known { value, estimate: value.wrapping_neg(), best, bound: Bound::Lower, depth }
    }

    #[test]
    fn what_was_put_is_got() {
        let mut table = Table::new(1 << 12);
        for value in [0, 1, -1, 29_999, -30_000, i16::MAX, i16::MIN] {
            let what = Known { best: None, bound: Bound::Exact, ..known(value, 1023) };
            table.put(value as u64, what);
            assert_eq!(table.get(value as u64), Some(what));
        }
        table.clear();
        assert_eq!(table.get(1), None);
    }

    #[test]
    fn a_full_bucket_forgets_the_oldest_and_shallowest() {
        let mut table = Table::new(0);
        for key in 1..=4 {
            table.put(key, known(0, key as u16 * 8));
        }
        table.put(5, known(0, 4));
        assert_eq!([1, 2, 3, 4, 5].map(|key| table.get(key).is_some()), [false, true, true, true, true]);
        for _ in 0..200 {
            table.begin();
        }
        table.put(6, known(0, 0));
        assert_eq!(table.get(5), None);
        assert_eq!(table.get(4), Some(known(0, 32)));
    }

    #[test]
    fn a_move_outlives_a_bound_without_one() {
        let table = Table::new(0);
        table.put(9, known(5, 8));
        table.put(9, Known { best: None, ..known(-7, 9) });
        assert_eq!(table.get(9).unwrap().best, Point::new(3, 14));
    }
}
