//! Rows of synapses without a state, and the walks over them.

use spikelet::Plan;

use super::Layout;

/// `WALK_WORDS` of shaders/propagate.wgsl.
const WALK_WORDS: usize = 9;

impl Layout {
    /// Lists the rows of every projection without a state, and describes a walk for each of its writes, in the order of the
    /// populations that they start in.
    pub(super) fn place_walks(&mut self, plan: &Plan) {
        let mut walks: Vec<(usize, [u32; WALK_WORDS])> = Vec::new();
        for projection in &plan.projections {
            let mut weights = Vec::new();
            if projection.state.is_none() {
                let offsets = self.list(projection.rows.offsets.iter().map(|offset| *offset as u32));
                let targets = self.list(projection.rows.targets.iter().copied());
                for pathway in &projection.pathways {
                    let delays = self.list(pathway.delay.as_slice().iter().copied());
                    for write in &pathway.writes {
                        let kept = write.weights.as_slice();
                        let at = self.list(kept.iter().map(|weight| *weight as u32));
                        weights.push(at..at + kept.len());
                        let words = [
                            projection.pre_slice.start,
                            projection.pre_slice.end,
                            offsets as u32,
                            targets as u32,
                            delays as u32,
                            stride(pathway.delay.as_slice()),
                            at as u32,
                            stride(kept),
                            plan.populations[projection.post].ports[write.port].lane,
                        ];
                        walks.push((projection.pre, words));
                    }
                }
            }
            self.weights.push(weights);
        }
        walks.sort_by_key(|(pre, _)| *pre);
        for population in 0..plan.populations.len() {
            let first = walks.partition_point(|(pre, _)| *pre < population);
            let end = walks.partition_point(|(pre, _)| *pre <= population);
            self.assign_walks(population, first..end);
        }
        self.walks_at = self.describe(walks.iter().flat_map(|(_, words)| *words)) as u32;
    }
}

/// How far the value of the next synapse is: 0 where one is kept for all.
pub(super) fn stride<T>(kept: &[T]) -> u32 {
    u32::from(kept.len() > 1)
}
