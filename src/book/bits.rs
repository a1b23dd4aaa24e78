/// A set of numbers from 0 on, a bit each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether a number is in the set.
    pub fn has(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub(crate) fn set(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// Adds the numbers of another set.
    pub(crate) fn add(&mut self, other: &Bits) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let (mut bits, mut more) = (Bits::default(), Bits::default());
        [0, 63, 64, 1000].into_iter().for_each(|number| bits.set(number));
        more.set(5000);
        more.add(&bits);
        let has: Vec<u64> = (0..6000).filter(|number| more.has(*number)).collect();
        assert_eq!(has, [0, 63, 64, 1000, 5000]);
        assert_eq!((bits.count(), more.count()), (4, 5));
        assert!(!bits.has(u64::MAX));
    }
}
