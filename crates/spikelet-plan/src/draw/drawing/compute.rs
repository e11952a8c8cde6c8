//! Delays and weights of a part.

use std::ops::Range;

use spikelet_kernel::ValueScratch;
use spikelet_kernel::block::LANES;
use spikelet_kernel::simd::Level;
use spikelet_network::Error;
use spikelet_rows::connect::RowGenerator;
use spikelet_rows::rng::{SynapseCoordinates, synapse_bits, synapse_words};

use super::{ChunkResult, Drawing};
use crate::check::quantities::{MAX_DELAY_STEPS, whole_steps};

impl Drawing<'_> {
    /// Computes delays and weights of a part, in blocks.
    pub(super) fn compute(&self, pres: Range<u32>, ids: &[u32], part: &mut ChunkResult) -> Result<(), Error> {
        let (mut scratch, mut out, mut values) = (ValueScratch::default(), [0.0; LANES], Vec::new());
        let (own, mut neurons) = (&self.connectivity.own, [0; LANES]);
        let (mut pre_of, mut copies, mut steps) = ([0; LANES], [0; LANES], [0; LANES]);
        let mut rows = Runs::new(pres, &part.lengths);
        // Rows of a recipe have no copies, or each edge has its own identifier.
        let is_copied = ids.is_empty() && !matches!(self.ready, RowGenerator::Recipe(_));
        let mut previous: Option<(u32, u32, u32)> = None;
        let level = Level::best();
        let count = part.targets.len();
        part.delays.iter_mut().for_each(|delays| delays.reserve_exact(count));
        part.amounts.iter_mut().for_each(|amounts| amounts.reserve_exact(count));
        for at in (0..count).step_by(LANES) {
            let synapses = at..count.min(at + LANES);
            let (places, pre_of) = (&part.targets[synapses.clone()], &mut pre_of[..synapses.len()]);
            let posts = match own.as_range() {
                Some(Range { start: 0, .. }) => places,
                _ => {
                    neurons.iter_mut().zip(places).for_each(|(neuron, place)| *neuron = own.neuron(*place));
                    &neurons[..places.len()]
                }
            };
            rows.fill(pre_of);
            if is_copied {
                for ((pre, post), copy) in pre_of.iter().zip(posts).zip(&mut copies) {
                    *copy = previous.filter(|(i, j, _)| (i, j) == (pre, post)).map_or(0, |(.., copy)| copy + 1);
                    previous = Some((*pre, *post, *copy));
                }
            }
            let id = if ids.is_empty() { posts } else { &ids[synapses.clone()] };
            let of = SynapseCoordinates { pre: pre_of, id, copy: &copies[..synapses.len()] };
            let bits = |site: u32, lanes: &mut [u32]| synapse_bits(self.network.seed, self.index as u32, of, site, lanes);
            let words = |site: u32, lane: usize| synapse_words(self.network.seed, self.index as u32, of.at(lane), site);
            let more = |site: u32, lane: usize| words(site, lane)[1];
            let (out, steps) = (&mut out[..synapses.len()], &mut steps[..synapses.len()]);
            for (pathway, code) in self.codes[0].iter().enumerate() {
                code.run(pre_of, posts, (&bits, &more), &mut scratch, out);
                let (are_delays, range) = whole_delays(level, out, steps);
                if let Some(wrong) = out.iter().find(|steps| !are_delays && !is_delay(**steps)) {
                    whole_steps(&self.path("delay_ms"), f64::from(*wrong), self.network.dt_ms)?;
                }
                let longest = &mut part.longest[pathway];
                *longest = longest.start.min(range.start)..longest.end.max(range.end);
                part.delays[pathway].extend_from_slice(steps);
            }
            for (write, code) in self.codes[1].iter().enumerate() {
                code.run(pre_of, posts, (&bits, &more), &mut scratch, out);
                let largest = largest(level, out);
                if !largest.is_finite() {
                    let found = out.iter().find(|value| !value.is_finite()).copied().unwrap_or(largest);
                    let (found, expected) = (format!("{found} in a synapse"), "a finite number is expected");
                    return Err(Error::invalid(self.path("parameters"), found, expected, "check its distribution"));
                }
                part.largest[write] = part.largest[write].max(f64::from(largest));
                for (place, value) in places.iter().zip(&*out) {
                    part.sums[write][(place - self.places.start) as usize] += f64::from(value.abs());
                }
                part.amounts[write].extend_from_slice(out);
                if self.exact_amounts.is_some() {
                    part.exact_amounts[write].extend(
                        (0..out.len()).map(|lane| code.in_f64(of.pre[lane], posts[lane], &|site| words(site, lane), &mut values)),
                    );
                }
            }
        }
        Ok(())
    }
}

/// The presynaptic neurons of successive synapses.
struct Runs<'a> {
    pres: Range<u32>,
    lengths: std::slice::Iter<'a, u32>,
    /// The neuron of the last synapses, and the number of further ones.
    pre: u32,
    left: usize,
}

impl<'a> Runs<'a> {
    fn new(pres: Range<u32>, lengths: &'a [u32]) -> Runs<'a> {
        Runs { pre: pres.start, pres, lengths: lengths.iter(), left: 0 }
    }

    /// The neurons of the next synapses.
    fn fill(&mut self, pre_of: &mut [u32]) {
        let mut rest = pre_of;
        while !rest.is_empty() {
            if self.left == 0 {
                let (Some(pre), Some(length)) = (self.pres.next(), self.lengths.next()) else { return };
                (self.pre, self.left) = (pre, *length as usize);
            }
            let (run, after) = rest.split_at_mut(self.left.min(rest.len()));
            run.fill(self.pre);
            self.left -= run.len();
            rest = after;
        }
    }
}

/// Whether a number of steps, not yet rounded, is a delay.
#[inline(always)]
fn is_delay(steps: f32) -> bool {
    steps >= 0.0 && steps.round_ties_even() <= MAX_DELAY_STEPS as f32
}

/// Delays as whole steps; whether all of them are delays, and the shortest and longest.
fn whole_delays(level: Level, delays: &[f32], steps: &mut [u32]) -> (bool, Range<u32>) {
    level.run(
        #[inline(always)]
        || {
            let (mut are_delays, mut range) = (true, super::NO_DELAY);
            for (delay, steps) in delays.iter().zip(steps) {
                are_delays &= is_delay(*delay);
                // As a signed number, which every processor converts in vectors.
                *steps = delay.round_ties_even() as i32 as u32;
                range = range.start.min(*steps)..range.end.max(*steps);
            }
            (are_delays, range)
        },
    )
}

/// The largest absolute value; infinite or NaN if one of them is.
fn largest(level: Level, values: &[f32]) -> f32 {
    // Bits of positive floats are in the order of the numbers, and integers can be compared in vectors.
    let size = |value: &f32| value.to_bits() & (u32::MAX >> 1);
    let bits = level.run(
        #[inline(always)]
        || values.iter().map(size).fold(0, u32::max),
    );
    f32::from_bits(bits)
}
