//! A random permutation of 0 … n − 1 with access to single elements.

use spikelet_kernel::simd::Level;

/// How numbers below `size` are split into two halves of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Domain {
    size: u32,
    /// Bits of the low half, and of the high half.
    bits: [u32; 2],
}

/// Rounds, half of them on each half of the bits.
const ROUNDS: u32 = 6;
/// Fewer bits mix badly.
const MIN_BITS: u32 = 8;
/// Elements that are computed together, in vectors.
const LANES: usize = 256;

impl Domain {
    pub(crate) fn new(size: u32) -> Domain {
        let bits = (u32::BITS - size.saturating_sub(1).leading_zeros()).max(MIN_BITS);
        Domain { size, bits: [bits / 2, bits - bits / 2] }
    }

    /// The element at index `k`, below the size, of the permutation given by the keys.
    ///
    /// A Feistel network over the next power of four or two, repeated until the result is below the size (Black & Rogaway 2002, "Ciphers
    /// with arbitrary finite domains", cycle walking). The same as `permuted` in shaders/procedural.wgsl.
    #[inline]
    pub(crate) fn permuted(self, keys: [u32; 3], k: u32) -> u32 {
        let mut x = k;
        loop {
            x = self.network(keys, x);
            if x < self.size {
                return x;
            }
        }
    }

    /// Appends the elements at all indices below `count` to a list, in any order.
    pub(crate) fn first_into(self, keys: [u32; 3], count: u32, elements: &mut Vec<u32>) {
        let (level, is_whole) = (Level::best(), self.size.is_power_of_two() && self.bits[0] + self.bits[1] == self.size.ilog2());
        let (mut lanes, mut next, mut pending) = ([0; LANES], 0, 0);
        while next < count || pending > 0 {
            // Lanes whose result was not below the size continue beside new ones.
            let drawn = LANES.min(pending + (count - next) as usize);
            (next..).zip(&mut lanes[pending..drawn]).for_each(|(k, lane)| *lane = k);
            next += (drawn - pending) as u32;
            level.run(
                #[inline(always)]
                || lanes[..drawn.next_multiple_of(16)].iter_mut().for_each(|x| *x = self.network(keys, *x)),
            );
            pending = 0;
            if is_whole {
                elements.extend_from_slice(&lanes[..drawn]);
                continue;
            }
            // Without branches, which could not be predicted.
            let mut end = elements.len();
            elements.resize(end + drawn, 0);
            for at in 0..drawn {
                let x = lanes[at];
                elements[end] = x;
                end += usize::from(x < self.size);
                lanes[pending] = x;
                pending += usize::from(x >= self.size);
            }
            elements.truncate(end);
        }
    }

    #[inline(always)]
    fn network(self, keys: [u32; 3], x: u32) -> u32 {
        let [low_bits, high_bits] = self.bits;
        let (mut low, mut high) = (x & ((1 << low_bits) - 1), x >> low_bits);
        for round in 0..ROUNDS / 2 {
            let key = keys[round as usize];
            low ^= mixed(high ^ key) >> (32 - low_bits);
            high ^= mixed(low.wrapping_add(key.rotate_left(16))) >> (32 - high_bits);
        }
        high << low_bits | low
    }
}

/// A number whose high bits depend on all bits of `x` (the multipliers are those of MurmurHash3's finaliser, Appleby 2011).
#[inline(always)]
fn mixed(x: u32) -> u32 {
    let x = x.wrapping_mul(0x85EB_CA6B);
    (x ^ x >> 15).wrapping_mul(0xC2B2_AE35)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::{Key, Purpose};

    fn keys(n: u32) -> [u32; 3] {
        let [a, b, c, _] = Key(9).draw(Purpose::Connect, 0, [n, 0, 0]);
        [a, b, c]
    }

    proptest! {
        #[test]
        fn every_number_stands_once(size in 1..3000_u32, seed: u32) {
            let domain = Domain::new(size);
            let mut seen: Vec<u32> = (0..size).map(|k| domain.permuted(keys(seed), k)).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..size));
        }

        #[test]
        fn elements_in_vectors_are_those_one_by_one(size in 1..3000_u32, part in 0.0..1.0_f64, seed: u32) {
            let (domain, count) = (Domain::new(size), (f64::from(size) * part) as u32);
            let (mut together, mut single) = (vec![7], vec![7]);
            domain.first_into(keys(seed), count, &mut together);
            single.extend((0..count).map(|k| domain.permuted(keys(seed), k)));
            together[1..].sort_unstable();
            single[1..].sort_unstable();
            prop_assert_eq!(together, single);
        }

        #[test]
        fn large_numbers_stay_below_the_size(size in 1 << 20..u32::MAX, k: u32, seed: u32) {
            let domain = Domain::new(size);
            prop_assert!(domain.permuted(keys(seed), k % size) < size);
        }
    }

    /// χ² of the first three elements together: no positions and no order are preferred.
    #[test]
    fn the_first_places_are_independent() {
        for size in [5_u32, 16, 60, 256] {
            let domain = Domain::new(size);
            let (bins, draws) = (5_u32, 400_000_u32);
            let bin = |x: u32| (x * bins / size) as usize;
            let mut weights = vec![0.0; bins as usize];
            (0..size).for_each(|x| weights[bin(x)] += 1.0);
            let mut counts = vec![0_u32; (bins * bins * bins) as usize];
            for n in 0..draws {
                let [a, b, c] = [0, 1, 2].map(|k| bin(domain.permuted(keys(n), k)));
                counts[(a * bins as usize + b) * bins as usize + c] += 1;
            }
            let n = f64::from(size);
            let (mut chi, mut cells) = (0.0, 0);
            for (cell, count) in counts.into_iter().enumerate() {
                let [a, b, c] = [cell / 25, cell / 5 % 5, cell % 5];
                // Drawn without replacement.
                let second = weights[b] - f64::from(u8::from(a == b));
                let third = weights[c] - f64::from(u8::from(a == c)) - f64::from(u8::from(b == c));
                let expected = f64::from(draws) * weights[a] * second * third.max(0.0) / (n * (n - 1.0) * (n - 2.0));
                if expected > 0.0 {
                    chi += (f64::from(count) - expected).powi(2) / expected;
                    cells += 1;
                } else {
                    assert_eq!(count, 0);
                }
            }
            let freedom = f64::from(cells - 1);
            assert!((chi - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(), "size {size}: χ² {chi} at {freedom}");
        }
    }
}
