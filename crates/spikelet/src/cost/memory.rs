//! The memory of a rank.

use super::{Load, ProjectionLoad};

/// Bytes per word of an array.
const WORD: f64 = 4.0;

impl Load {
    /// Expected bytes of a rank by item, as [`Plan::memory`](crate::Plan::memory) names them, and the routes of spikes to other ranks.
    pub(super) fn memory(&self, ranks: usize) -> Vec<(&'static str, f64)> {
        let own = |size: u32| f64::from(size) / ranks as f64;
        let neurons = |words: fn(&super::PopulationLoad) -> u32| -> f64 {
            self.populations.iter().map(|of| WORD * f64::from(words(of)) * own(of.size)).sum()
        };
        let synapses = |bytes: &dyn Fn(&ProjectionLoad) -> f64| -> f64 { self.projections.iter().map(bytes).sum() };
        let rows = |of: &ProjectionLoad| 8.0 * (f64::from(of.neurons[0]) + 1.0);
        let degrees = |of: &ProjectionLoad| {
            let posts = if of.stored { own(self.populations[of.ends[1]].size) } else { 0.0 };
            WORD * (f64::from(of.neurons[0]) + posts)
        };
        let traces = |of: &ProjectionLoad| {
            let words =
                of.ends.iter().zip(of.traces).map(|(end, traces)| f64::from(traces) * f64::from(self.populations[*end].size));
            WORD * words.sum::<f64>()
        };
        vec![
            ("state", neurons(|of| of.words)),
            ("ring", f64::from(self.ring_slots) * neurons(|of| of.columns)),
            ("remembered spikes", WORD * f64::from(self.memory_steps) * (self.neurons() + 1.0)),
            ("offsets", synapses(&|of| if of.stored { rows(of) } else { 0.0 })),
            ("synapses", synapses(&|of| if of.stored { of.synapses / ranks as f64 * self.word(of, ranks) } else { 0.0 })),
            ("values", synapses(&|of| if of.stored { of.synapses / ranks as f64 * of.bytes } else { 0.0 })),
            ("traces", synapses(&traces)),
            ("recipes", synapses(&|of| if of.counts_rows { WORD * f64::from(of.neurons[0]) } else { 0.0 })),
            ("degrees", synapses(&degrees)),
            ("routes", if ranks == 1 { 0.0 } else { self.route_bytes(ranks) / ranks as f64 * (ranks as f64 - 1.0) }),
        ]
    }

    /// Expected bytes of the needs of all ranks, which each of them has while routes are found.
    pub(super) fn start(&self, ranks: usize) -> f64 {
        if ranks == 1 { 0.0 } else { self.route_bytes(ranks) * ranks as f64 }
    }

    /// Bytes of the need of a rank: a bit for each neuron of populations of which some neurons, but not all, have targets there.
    fn route_bytes(&self, ranks: usize) -> f64 {
        let bits = |(index, of): (usize, &super::PopulationLoad)| {
            let (size, reach) = (f64::from(of.size), self.reach(index, ranks));
            let (all, none) = (size * (1.0 - reach) < 0.5, size * reach < 0.5);
            if all || none { 0.0 } else { size }
        };
        self.populations.iter().enumerate().map(bits).sum::<f64>() / 8.0
    }

    /// Bytes of the word of a synapse, as short as the own neurons and delays allow.
    fn word(&self, of: &ProjectionLoad, ranks: usize) -> f64 {
        let posts = f64::from(self.populations[of.ends[1]].size) / ranks as f64;
        if libm::ceil(posts) * f64::from(of.delays) <= 65_536.0 { 2.0 } else { 4.0 }
    }
}
