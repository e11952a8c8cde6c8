//! The random words of a block, from step to step.

use spikelet_kernel::block::{Aligned, LANES};
use spikelet_kernel::simd::Level;

use super::Words;

/// The random words of a block at its sites. A draw gives four, which are sufficient for four steps.
#[derive(Debug, Default)]
pub struct NoiseWords {
    level: Level,
    /// For each site the quarter of its words (the step divided by four), and the words, four per neuron.
    sites: Vec<(u32, Aligned<u32>)>,
}

impl NoiseWords {
    /// Those of a site in a step; `draw` computes the words of a quarter, once for its steps.
    #[inline]
    pub fn at(&mut self, site: u32, step: u32, draw: impl FnOnce(Level, u32, &mut Words), bits: &mut [u32; LANES]) {
        let (quarter, word) = (step / 4, step as usize % 4);
        while self.sites.len() <= site as usize {
            self.sites.push((u32::MAX, Aligned::default()));
        }
        let (of, words) = &mut self.sites[site as usize];
        if *of != quarter {
            if words.is_empty() {
                *words = Aligned::new(4);
            }
            let words = words.first_chunk_mut().expect("there are four words");
            draw(self.level, quarter, words);
            *of = quarter;
        }
        *bits = words[word];
    }
}
