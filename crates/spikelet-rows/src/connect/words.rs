//! The words of edges, as short as possible: reading them is most of the work of a spike.

use std::ops::Range;

/// A word for each edge, in two bytes if the numbers of neurons allow it, else in four.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// Two bytes each.
    Narrow(Vec<u16>),
    /// Four bytes each.
    Wide(Vec<u32>),
}

impl Words {
    /// No words, in the width for numbers below `end`.
    pub fn below(end: u32) -> Words {
        if end <= 1 << u16::BITS { Words::Narrow(Vec::new()) } else { Words::Wide(Vec::new()) }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        match self {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Words::Narrow(words) => 2 * words.capacity() as u64,
            Words::Wide(words) => 4 * words.capacity() as u64,
        }
    }

    /// The word of an edge.
    #[inline]
    pub fn get(&self, edge: usize) -> u32 {
        match self {
            Words::Narrow(words) => words[edge].into(),
            Words::Wide(words) => words[edge],
        }
    }

    /// The words of some edges.
    pub fn of(&self, edges: Range<usize>) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        edges.map(|edge| self.get(edge))
    }

    /// Number of words for which there is memory.
    pub fn capacity(&self) -> usize {
        match self {
            Words::Narrow(words) => words.capacity(),
            Words::Wide(words) => words.capacity(),
        }
    }

    /// Makes room for this many more.
    pub fn reserve_exact(&mut self, more: usize) {
        match self {
            Words::Narrow(words) => words.reserve_exact(more),
            Words::Wide(words) => words.reserve_exact(more),
        }
    }

    /// Gives back room that is not used.
    pub fn shrink_to_fit(&mut self) {
        match self {
            Words::Narrow(words) => words.shrink_to_fit(),
            Words::Wide(words) => words.shrink_to_fit(),
        }
    }

    /// Appends words, which fit.
    pub fn extend(&mut self, more: &[u32]) {
        match self {
            Words::Narrow(words) => words.extend(more.iter().map(|word| *word as u16)),
            Words::Wide(words) => words.extend_from_slice(more),
        }
    }

    /// Sets the bits from `place` on of each word to a number, and widens the words if two bytes are too few for numbers up to `most`.
    pub fn pack(&mut self, numbers: &[u32], place: u32, most: u32) {
        match self {
            Words::Narrow(words) if u64::from(most) << place <= u64::from(u16::MAX) => {
                words.iter_mut().zip(numbers).for_each(|(word, number)| *word |= (number << place) as u16);
            }
            Words::Narrow(words) => {
                *self = Words::Wide(words.iter().zip(numbers).map(|(word, number)| u32::from(*word) | number << place).collect());
            }
            Words::Wide(words) => words.iter_mut().zip(numbers).for_each(|(word, number)| *word |= number << place),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_keep_both_numbers(pairs in prop::collection::vec((0..1000_u32, 0..200_u32), 0..50), end in 1000..100_000_u32) {
            let (targets, delays): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
            let mut words = Words::below(end);
            words.extend(&targets);
            prop_assert!(words.of(0..targets.len()).eq(targets.iter().copied()));
            words.pack(&delays, 10, delays.iter().copied().max().unwrap_or(0));
            let unpacked = words.of(0..targets.len()).map(|word| (word & 1023, word >> 10));
            prop_assert!(unpacked.eq(pairs.iter().copied()));
            prop_assert_eq!(words.len(), pairs.len());
        }
    }
}
