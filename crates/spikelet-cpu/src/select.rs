//! Exact selection of the largest values: which neurons of a population win.
//!
//! Values are compared as keys of 32 bits whose order is the order of the values, with -0 equal to 0. Of equal values the one with the
//! lower index comes first. So the winners are a function of the values alone, and every device finds the same ones.

use std::fmt;

use spikelet_kernel::simd::Level;
use spikelet_network::WinnerRule;
use spikelet_plan::Plan;

/// Finds the largest of many values, with memory that later calls use again.
///
/// ```
/// let mut select = spikelet_cpu::Select::default();
/// assert_eq!(select.largest(&[1.0, 7.0, -2.0, 7.0, 3.0], 2), Ok(&[1, 3][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// The largest value of each block.
    maxima: Vec<f32>,
    /// Keys of the values that could win.
    keys: Vec<u32>,
    winners: Vec<u32>,
}

/// A value cannot be compared, because it is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber {
    /// The first such value.
    pub index: usize,
}

impl std::error::Error for NotANumber {}

impl fmt::Display for NotANumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "value {} is not a number (NaN), and cannot be compared", self.index)
    }
}

/// Values that are compared together, as vectors, before any of them is looked at alone.
const BLOCK: usize = 16;
/// Partial sums of the values of winners.
const PARTS: usize = 256;

impl Select {
    /// The indices of the `k` largest values, ascending. All of them if there are fewer than `k`.
    ///
    /// # Errors
    /// A value is NaN.
    ///
    /// # Panics
    /// There are more than 2^32 - 1 values.
    pub fn largest(&mut self, values: &[f32], k: usize) -> Result<&[u32], NotANumber> {
        let count = u32::try_from(values.len()).expect("a population has fewer than 2^32 neurons");
        self.take_maxima(values)?;
        self.winners.clear();
        if k >= values.len() {
            self.winners.extend(0..count);
        } else if k > 0 {
            match self.bound(k) {
                Some(bound) => self.take_keys(values, bound),
                None => {
                    self.keys.clear();
                    self.keys.extend(values.iter().copied().map(key));
                }
            }
            let (larger, &mut smallest, _) = self.keys.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
            let equal = 1 + larger.iter().filter(|key| **key == smallest).count();
            self.take_winners(values, k, smallest, equal);
        }
        Ok(&self.winners)
    }

    /// The indices of the values that are at least `factor` times the largest one, ascending; none if no value is above 0. The product is
    /// that of f32, so that every device computes the same one.
    ///
    /// # Errors
    /// A value is NaN.
    pub fn within(&mut self, values: &[f32], factor: f32) -> Result<&[u32], NotANumber> {
        self.take_maxima(values)?;
        self.winners.clear();
        let best = self.maxima.iter().fold(f32::NEG_INFINITY, larger);
        if best > 0.0 {
            let bound = factor * best;
            for ((first, block), _) in blocks(values).zip(&self.maxima).filter(|(_, maximum)| **maximum >= bound) {
                self.winners.extend((first..).zip(block).filter(|(_, value)| **value >= bound).map(|(index, _)| index));
            }
        }
        Ok(&self.winners)
    }

    /// The indices of the winners by a rule of [`Winners`](spikelet_network::Winners), ascending.
    ///
    /// # Errors
    /// A value is NaN.
    pub fn winners(&mut self, rule: WinnerRule, values: &[f32]) -> Result<&[u32], NotANumber> {
        match rule {
            WinnerRule::Largest(k) => self.largest(values, k as usize),
            WinnerRule::Within(factor) => self.within(values, factor),
        }
    }

    /// Finds the maximum of each block.
    fn take_maxima(&mut self, values: &[f32]) -> Result<(), NotANumber> {
        let maxima = &mut self.maxima;
        maxima.clear();
        maxima.resize(values.len().div_ceil(BLOCK), f32::NEG_INFINITY);
        let mut numbers = true;
        Level::best().run(
            #[inline(always)]
            || {
                let (blocks, rest) = values.as_chunks::<BLOCK>();
                for (maximum, block) in maxima.iter_mut().zip(blocks) {
                    *maximum = block.iter().fold(f32::NEG_INFINITY, larger);
                    numbers &= block.iter().fold(true, |all, value| all & !value.is_nan());
                }
                if let Some(maximum) = maxima.last_mut().filter(|_| !rest.is_empty()) {
                    *maximum = rest.iter().fold(f32::NEG_INFINITY, larger);
                    numbers &= rest.iter().all(|value| !value.is_nan());
                }
            },
        );
        match values.iter().position(|value| !numbers && value.is_nan()) {
            Some(index) => Err(NotANumber { index }),
            None => Ok(()),
        }
    }

    /// A value that at least `k` values reach, because as many blocks have such a maximum. If `k` is small, few others reach it.
    fn bound(&mut self, k: usize) -> Option<f32> {
        if k > self.maxima.len() / 2 {
            return None;
        }
        self.keys.clear();
        self.keys.extend(self.maxima.iter().copied().map(key));
        Some(value(*self.keys.select_nth_unstable_by(k - 1, |a, b| b.cmp(a)).1))
    }

    /// Copies the keys of the values that reach a bound.
    fn take_keys(&mut self, values: &[f32], bound: f32) {
        self.keys.clear();
        for ((_, block), maximum) in blocks(values).zip(&self.maxima) {
            if *maximum >= bound {
                // Without a branch for each value, which could not be predicted.
                let mut kept = self.keys.len();
                self.keys.resize(kept + BLOCK, 0);
                for value in block {
                    self.keys[kept] = key(*value);
                    kept += usize::from(*value >= bound);
                }
                self.keys.truncate(kept);
            }
        }
    }

    /// Finds the `k` values with keys above `smallest`, or with this key, of which the first `equal` win.
    fn take_winners(&mut self, values: &[f32], k: usize, smallest: u32, mut equal: usize) {
        let bound = value(smallest);
        // One more place, which takes an index that is not kept.
        self.winners.resize(k + 1, 0);
        let mut kept = 0;
        for ((first, block), maximum) in blocks(values).zip(&self.maxima) {
            if *maximum >= bound {
                for (index, value) in (first..).zip(block) {
                    let tie = usize::from(*value == bound) & usize::from(equal > 0);
                    self.winners[kept] = index;
                    kept += usize::from(*value > bound) + tie;
                    equal -= tie;
                }
            }
        }
        self.winners.truncate(k);
    }
}

/// The sum by which the populations of a group are compared: value p is added to part p mod 256, in order, and the parts are added as a
/// binary tree, so that every device computes the same one.
pub fn sum_of_winners(values: impl IntoIterator<Item = f32>) -> f32 {
    let mut parts = [0.0; PARTS];
    for (place, value) in values.into_iter().enumerate() {
        parts[place % PARTS] += value;
    }
    let mut half = PARTS / 2;
    while half > 0 {
        let (sums, others) = parts[..2 * half].split_at_mut(half);
        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
        half /= 2;
    }
    parts[0]
}

/// The populations that do not fire because another one of their group has winners with a larger sum. `sums` are those of the populations
/// with winners, in ascending order.
pub fn inhibited(plan: &Plan, sums: &[(usize, Option<f32>)]) -> Vec<usize> {
    let group = |population: usize| plan.populations[population].group;
    let largest = |of: usize| {
        let members = sums.iter().filter(|(population, _)| group(*population) == group(of));
        let sums = members.filter_map(|(population, sum)| Some((*population, (*sum)?)));
        sums.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(population, _)| population)
    };
    let populations = sums.iter().map(|(population, _)| *population).filter(|population| group(*population).is_some());
    populations.filter(|population| largest(*population) != Some(*population)).collect()
}

/// The values in blocks, each with its first index.
fn blocks(values: &[f32]) -> impl Iterator<Item = (u32, &[f32])> {
    (0..).step_by(BLOCK).zip(values.chunks(BLOCK))
}

/// The larger one. Unlike [`f32::max`] it is one instruction.
#[inline(always)]
fn larger(a: f32, b: &f32) -> f32 {
    if *b > a { *b } else { a }
}

/// A number whose order is the order of the values. -0 has the key of 0.
fn key(value: f32) -> u32 {
    let bits = (value + 0.0).to_bits();
    // All bits of a negative value, and the sign of the others.
    bits ^ ((bits as i32 >> 31) as u32 | 0x8000_0000)
}

/// The value that has a key.
fn value(key: u32) -> f32 {
    f32::from_bits(key ^ ((!key as i32 >> 31) as u32 | 0x8000_0000))
}

#[cfg(test)]
mod tests;
