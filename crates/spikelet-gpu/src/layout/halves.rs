//! Weights and variables of synapses in two bytes: two per word, the first in the lower half. Outside of a device they are normal words.

use std::borrow::Cow;

use spikelet::lang::half as float;
use spikelet::{ArrayEntry, Owner, PerSynapse, Plan, half};

use super::BufferLayout;

/// Two per word; the last one may be alone.
pub(super) fn in_pairs(mut halves: impl Iterator<Item = u16>) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lower = halves.next()?;
        Some(u32::from(lower) | u32::from(halves.next().unwrap_or(0)) << 16)
    })
}

/// Words of the halves of this many synapses.
pub(super) fn words_of_halves(synapses: usize) -> usize {
    synapses.div_ceil(2)
}

/// Number of values of an array, if it is a variable of synapses in two bytes.
pub(crate) fn variable_in_halves(plan: &Plan, entry: &ArrayEntry) -> Option<usize> {
    let Owner::Synapses { projection } = entry.owner else { return None };
    let of = &plan.projections[projection];
    of.state.as_ref().filter(|state| state.arrays[entry.index].half).map(|_| of.rows().len())
}

impl BufferLayout {
    /// The words of an array on the device, range by range.
    pub(crate) fn packed<'a>(&self, plan: &Plan, entry: &ArrayEntry, words: &'a [u32]) -> Cow<'a, [u32]> {
        if variable_in_halves(plan, entry).is_some() {
            return in_pairs(words.iter().map(|word| float::encode(float::round(f32::from_bits(*word))))).collect();
        }
        let Some(pieces) = self.pieces_of_halves(plan, entry) else { return Cow::Borrowed(words) };
        let mut rest = words;
        let mut packed = Vec::with_capacity(words.len().div_ceil(2) + pieces.len());
        for synapses in pieces {
            let (piece, left) = rest.split_at(synapses);
            packed.extend(in_pairs(piece.iter().map(|word| half::encode(*word as i32))));
            rest = left;
        }
        Cow::Owned(packed)
    }

    /// The inverse.
    pub(crate) fn unpacked(&self, plan: &Plan, entry: &ArrayEntry, words: Vec<u32>) -> Vec<u32> {
        if let Some(values) = variable_in_halves(plan, entry) {
            let halves = words.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]);
            return halves.map(|half| float::decode(half).to_bits()).take(values).collect();
        }
        let Some(pieces) = self.pieces_of_halves(plan, entry) else { return words };
        let mut rest = words.as_slice();
        let mut unpacked = Vec::with_capacity(2 * words.len());
        for synapses in pieces {
            let (piece, left) = rest.split_at(synapses.div_ceil(2));
            let halves = piece.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]);
            unpacked.extend(halves.take(synapses).map(|half| half::decode(half) as u32));
            rest = left;
        }
        unpacked
    }

    /// Number of weights in each of the ranges of an array, if they are f16.
    fn pieces_of_halves(&self, plan: &Plan, entry: &ArrayEntry) -> Option<Vec<usize>> {
        let Owner::Events { projection } = entry.owner else { return None };
        let of = &plan.projections[projection];
        let (_, PerSynapse::Half(_)) = of.writes().nth(entry.index).map(|(delay, write)| (delay, &write.weights))? else {
            return None;
        };
        let offsets = &of.rows().offsets;
        let pieces = self.pages.iter().flat_map(|page| &page.pieces).filter(|piece| piece.projection == projection);
        Some(pieces.map(|piece| (offsets[piece.rows.end] - offsets[piece.rows.start]) as usize).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_one_is_alone() {
        assert_eq!(in_pairs([1, 2, 3].into_iter()).collect::<Vec<_>>(), [0x0002_0001, 3]);
        assert_eq!(in_pairs([].into_iter()).count(), 0);
    }
}
