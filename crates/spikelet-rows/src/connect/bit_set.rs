//! Sorting of distinct numbers in linear time.

/// A set of small numbers, as bits. It is emptied by reading it, in increasing order.
#[derive(Debug, Default)]
pub(super) struct BitSet {
    words: Vec<u64>,
    /// Which words are not 0, so that a few elements of a large range are found without a search.
    used: Vec<u64>,
}

impl BitSet {
    /// Makes room for numbers below `size`.
    pub(super) fn reserve(&mut self, size: u32) {
        let words = size.div_ceil(u64::BITS) as usize;
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.used.resize(words.div_ceil(u64::BITS as usize), 0);
        }
    }

    /// Adds a number.
    #[inline]
    pub(super) fn insert(&mut self, number: u32) {
        self.words[number as usize / 64] |= 1 << (number % 64);
        self.used[number as usize / 4096] |= 1 << (number / 64 % 64);
    }

    /// Appends all numbers, each plus `first`, to a list; the set is empty afterwards.
    pub(super) fn drain_into(&mut self, first: u32, numbers: &mut Vec<u32>) {
        for (group, used) in (0..).step_by(64).zip(&mut self.used) {
            while *used != 0 {
                let word = group + used.trailing_zeros() as usize;
                *used &= *used - 1;
                let mut bits = std::mem::take(&mut self.words[word]);
                let first = first + word as u32 * u64::BITS;
                while bits != 0 {
                    numbers.push(first + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back_in_order(numbers in prop::collection::btree_set(0..20_000_u32, 0..500), first in 0..1000_u32) {
            let (mut set, mut found) = (BitSet::default(), Vec::new());
            set.reserve(20_000);
            for _ in 0..2 {
                numbers.iter().rev().for_each(|number| set.insert(*number));
                found.clear();
                set.drain_into(first, &mut found);
                prop_assert!(found.iter().map(|number| number - first).eq(numbers.iter().copied()));
            }
        }
    }
}
