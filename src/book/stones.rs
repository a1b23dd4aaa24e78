//! Sets of stones as bits: bit `2 * rank + side` of words of 64.

use std::cmp::Ordering;

/// A stone as `2 * rank + side`.
pub(crate) type Stone = u16;

/// Adds a stone to a set, or takes it away.
pub(crate) fn toggle(set: &mut [u64], stone: Stone) {
    set[usize::from(stone >> 6)] ^= 1 << (stone & 63);
}

/// The set of these stones.
pub(crate) fn set_of(stones: &[Stone], words: usize) -> Vec<u64> {
    let mut set = vec![0; words];
    stones.iter().for_each(|stone| toggle(&mut set, *stone));
    set
}

/// How the ascending stones of a set compare to those of another set of as many.
pub(crate) fn compare(one: &[u64], other: &[u64]) -> Ordering {
    let Some((a, b)) = one.iter().zip(other).find(|(a, b)| a != b) else { return Ordering::Equal };
    // The lowest stone that only one of them has is where the lists part, and the other has a higher one there.
    let lowest = (a ^ b).trailing_zeros();
    if a >> lowest & 1 == 1 { Ordering::Less } else { Ordering::Greater }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_are_in_the_order_of_their_lists(pairs in prop::collection::vec((0u16..200, 0u16..200), 1..30)) {
            let (mut one, mut other): (Vec<Stone>, Vec<Stone>) = pairs.into_iter().unzip();
            for list in [&mut one, &mut other] {
                list.sort_unstable();
                list.dedup();
            }
            let length = one.len().min(other.len());
            one.truncate(length);
            other.truncate(length);
            let (a, b) = (set_of(&one, 4), set_of(&other, 4));
            prop_assert_eq!(compare(&a, &b), one.cmp(&other));
        }
    }
}
