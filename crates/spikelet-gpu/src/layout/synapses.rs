//! Projections whose synapses have a state.

use spikelet::{Plan, ProjectionPlan, StatePlan, ring};

use super::rows::stride;
use super::{Layout, bits};

/// Where a projection whose synapses have a state lies.
pub(crate) struct SynapsePlace {
    /// Its description in `tables`.
    pub(crate) record: usize,
    /// Its first array in `state`.
    pub(crate) state: usize,
    /// Its constants in `tables`.
    pub(super) constants: usize,
    /// Its pathways in `tables`.
    pub(crate) pathways: Vec<usize>,
}

impl Layout {
    /// Describes every projection that has a state, lists its rows, and fills its arrays.
    pub(super) fn place_projections(&mut self, plan: &Plan) {
        for (number, projection) in plan.projections.iter().enumerate() {
            let place = projection.state.as_ref().map(|state| self.place_projection(plan, number, projection, state));
            self.projections.push(place);
        }
    }

    fn place_projection(&mut self, plan: &Plan, number: usize, projection: &ProjectionPlan, of: &StatePlan) -> SynapsePlace {
        let rows = &projection.rows;
        let offsets = self.list(rows.offsets.iter().map(|offset| *offset as u32));
        let targets = self.list(rows.targets.iter().copied());
        let ends = (projection.pre_slice.start..).zip(rows.offsets.windows(2));
        let sources = self.list(ends.flat_map(|(pre, ends)| (ends[0]..ends[1]).map(move |_| pre)));
        let needs_order = !of.summed.is_empty() || of.arrivals.iter().any(|arrival| !arrival.writes.is_empty());
        let (by_post, order) =
            if needs_order { rows.by_post(plan.populations[projection.post].size) } else { Default::default() };
        let (by_post, order) = (self.list(by_post), self.list(order));
        let state = self.state.len();
        for array in &of.arrays {
            self.state.extend((0..rows.len()).map(|synapse| array.initial(synapse).to_bits()));
        }
        let constants = self.describe(bits(&of.constants));
        let record = self.describe([
            number as u32,
            self.populations[projection.pre].record as u32,
            self.populations[projection.post].record as u32,
            projection.pre_slice.start,
            projection.pre_slice.end,
            rows.len() as u32,
            offsets as u32,
            targets as u32,
            sources as u32,
            by_post as u32,
            order as u32,
            state as u32,
            constants as u32,
            of.first_clock,
        ]);
        let ports = &plan.populations[projection.post].ports;
        let mut pathways = Vec::new();
        for (pathway, arrival) in projection.pathways.iter().zip(&of.arrivals) {
            let delays = pathway.delay.as_slice();
            let at = self.list(delays.iter().copied());
            let adds = arrival.adds.iter().flat_map(|(_, port)| {
                let of = &ports[*port];
                let (units, rest) = (ring::scale(of.shift), ring::scale(of.fine_shift) / ring::scale(of.shift));
                [of.lane, units.to_bits(), rest.to_bits(), (of.limit as f32).to_bits(), *port as u32]
            });
            let words: Vec<u32> = [at as u32, stride(delays)].into_iter().chain(adds).collect();
            pathways.push(self.describe(words));
        }
        SynapsePlace { record, state, constants, pathways }
    }
}
