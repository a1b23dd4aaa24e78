use crate::Error;
use crate::rows::KeyAndRow;
use std::cmp::Ordering;

/// Positions in the order of their keys, one after the other.
pub(crate) trait Source {
    /// The key and the row of the position at hand; `None` at the end.
    fn head(&self) -> Option<KeyAndRow<'_>>;

    /// Goes on to the next position.
    fn advance(&mut self) -> Result<(), Error>;
}

/// The first bytes of a key as a number: in the order of the keys, and enough to tell most of them apart.
pub(crate) fn prefix(key: &[u8]) -> u128 {
    let mut first = [0; size_of::<u128>()];
    let length = key.len().min(first.len());
    first[..length].copy_from_slice(&key[..length]);
    u128::from_be_bytes(first)
}

/// Sorted sources as one; of equal keys those of the first source come first.
pub(crate) struct Merged<S> {
    sources: Vec<S>,
    /// Numbers of the sources that have something left, and the first bytes of what they have: a heap, the least on top.
    heap: Vec<(u128, usize)>,
}

impl<S: Source> Merged<S> {
    pub fn new(sources: Vec<S>) -> Merged<S> {
        let mut merged = Merged { heap: Vec::with_capacity(sources.len()), sources };
        for (at, source) in merged.sources.iter().enumerate() {
            merged.heap.extend(source.head().map(|(key, _)| (prefix(key), at)));
        }
        for at in (0..merged.heap.len() / 2).rev() {
            merged.sink(at);
        }
        merged
    }

    /// The number of the source that the position at hand is from.
    pub fn top(&self) -> Option<usize> {
        self.heap.first().map(|(_, source)| *source)
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let left = 2 * at + 1;
            let Some(mut least) = (left < self.heap.len()).then_some(left) else { return };
            if left + 1 < self.heap.len() && self.compare(left + 1, left).is_lt() {
                least = left + 1;
            }
            if self.compare(least, at).is_ge() {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        let key = |source: usize| self.sources[source].head().map(|(key, _)| key);
        let ((a, one), (b, other)) = (self.heap[one], self.heap[other]);
        a.cmp(&b).then_with(|| key(one).cmp(&key(other))).then(one.cmp(&other))
    }
}

impl<S: Source> Source for Merged<S> {
    fn head(&self) -> Option<KeyAndRow<'_>> {
        self.sources[self.top()?].head()
    }

    fn advance(&mut self) -> Result<(), Error> {
        let Some(source) = self.top() else { return Ok(()) };
        self.sources[source].advance()?;
        match self.sources[source].head() {
            Some((key, _)) => self.heap[0].0 = prefix(key),
            None => {
                self.heap.swap_remove(0);
            }
        }
        self.sink(0);
        Ok(())
    }
}
