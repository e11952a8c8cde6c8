//! Delays and weights of a part.

use std::ops::Range;

use spikelet_lang::ValueScratch;
use spikelet_lang::block::LANES;

use super::{ChunkResult, Drawing};
use crate::Error;
use crate::plan::quantities::{MAX_DELAY_STEPS, whole_steps};
use crate::rng::{synapse_bits, synapse_word};

impl Drawing<'_> {
    /// Computes delays and weights of a part, in blocks.
    pub(super) fn compute(&self, pres: Range<u32>, ids: &[u32], part: &mut ChunkResult) -> Result<(), Error> {
        let mut coordinates: Vec<[u32; 3]> = Vec::with_capacity(LANES);
        let (mut pre_of, mut post_of) = (Vec::with_capacity(LANES), Vec::with_capacity(LANES));
        let (mut scratch, mut out, mut values) = (ValueScratch::default(), [0.0; LANES], Vec::new());
        let mut at = 0;
        let mut row_ends = pres.zip(part.lengths.iter().scan(0, |end, length| {
            *end += *length as usize;
            Some(*end)
        }));
        let Some((mut pre, mut end)) = row_ends.next() else { return Ok(()) };
        let mut before: Option<(u32, u32)> = None;
        while at < part.targets.len() {
            coordinates.clear();
            pre_of.clear();
            post_of.clear();
            while at < part.targets.len() && coordinates.len() < LANES {
                while at >= end {
                    let Some(next) = row_ends.next() else { break };
                    (pre, end) = next;
                    before = None;
                }
                let post = part.targets[at];
                // The coordinates are the pair, and the index among its synapses.
                let copy = match before {
                    Some((same, copy)) if same == post && ids.is_empty() => copy + 1,
                    _ => 0,
                };
                before = Some((post, copy));
                coordinates.push([pre, ids.get(at).copied().unwrap_or(post), copy]);
                pre_of.push(pre);
                post_of.push(post);
                at += 1;
            }
            let out = &mut out[..coordinates.len()];
            let bits = |site: u32, lanes: &mut [u32]| {
                synapse_bits(self.network.seed, self.index as u32, |lane| coordinates[lane], site, lanes);
            };
            for (pathway, code) in self.codes[0].iter().enumerate() {
                code.run(&pre_of, &post_of, &bits, &mut scratch, out);
                let is_delay = |steps: f32| steps >= 0.0 && steps.round_ties_even() <= MAX_DELAY_STEPS as f32;
                if let Some(wrong) = out.iter().find(|steps| !is_delay(**steps)) {
                    whole_steps(&self.path("delay_ms"), f64::from(*wrong), self.network.dt_ms)?;
                }
                let steps = out.iter().map(|steps| steps.round_ties_even() as u32);
                let longest = &mut part.longest[pathway];
                *longest = steps.clone().fold(longest.clone(), |range, steps| range.start.min(steps)..range.end.max(steps));
                part.delays[pathway].extend(steps);
            }
            for (write, code) in self.codes[1].iter().enumerate() {
                code.run(&pre_of, &post_of, &bits, &mut scratch, out);
                if let Some(lane) = out.iter().position(|value| !value.is_finite()) {
                    let (found, expected) = (format!("{} in a synapse", out[lane]), "a finite number is expected");
                    return Err(Error::invalid(self.path("parameters"), found, expected, "check its distribution"));
                }
                part.largest[write] = out.iter().fold(part.largest[write], |most, value| most.max(f64::from(value.abs())));
                for (post, value) in post_of.iter().zip(&*out) {
                    part.sums[write][(post - self.post.start) as usize] += f64::from(value.abs());
                }
                part.amounts[write].extend_from_slice(out);
                if self.exact_amounts.is_some() {
                    part.exact_amounts[write].extend((0..out.len()).map(|lane| {
                        let bits = |site: u32| synapse_word(self.network.seed, self.index as u32, coordinates[lane], site);
                        code.in_f64(pre_of[lane], post_of[lane], &bits, &mut values)
                    }));
                }
            }
        }
        Ok(())
    }
}
