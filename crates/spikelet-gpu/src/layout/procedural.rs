//! Procedural projections.

use spikelet::{PerSynapse, Plan, Port, ProceduralRows, ProjectionPlan, RowDistribution, ring};

use super::BufferLayout;
use crate::spec::ProceduralKernel;

/// Edges, or candidates for edges, that a team processes at a time.
const CHUNK: u32 = 64;

/// The location of a procedural projection.
pub(super) struct ProceduralOffsets {
    projection: usize,
    /// Its description in `tables`.
    record: usize,
    /// In `tables`, for each drawn write, its offset and number: units per 1, and units of the remainder per unit.
    scales: Vec<(usize, usize)>,
}

/// Projections with the same kernel and dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProceduralGroup {
    /// Their law, and the effect of their synapses.
    pub(crate) rows: ProceduralKernel,
    /// In `tables`: for each population the range of the list of its projections.
    pub(crate) at: u32,
    /// Teams per row.
    pub(crate) parts: u32,
    /// Loop iterations of a step in which all neurons fire.
    pub(crate) iterations: u64,
}

impl BufferLayout {
    /// Describes every procedural projection: `PROCEDURAL_WORDS` of shaders/procedural.wgsl, the data of its law, its writes.
    pub(super) fn place_recipes(&mut self, plan: &Plan) {
        for (index, projection) in plan.projections.iter().enumerate() {
            let Some(procedural) = projection.procedural() else { continue };
            let shared = self.describe_shared(index, projection);
            let distribution = self.describe_law(procedural);
            let record = self.describe([
                procedural.pre.start,
                procedural.pre.end,
                procedural.post.start,
                procedural.post.end - procedural.post.start,
                u32::from(procedural.skips_self),
                procedural.projection,
                blocks(procedural),
                self.populations[projection.post].record as u32,
            ]);
            self.describe(distribution);
            let ports = &plan.populations[projection.post].ports;
            let mut scales = Vec::new();
            for (write, (delay, of)) in projection.writes().enumerate() {
                let delay = if let PerSynapse::Shared(delay) = delay { *delay } else { 0 };
                let [units, rest] = units_of(ports, of.port);
                let place = shared[write].map_or(units, |at| at as u32);
                let at = self.describe([ports[of.port].column, delay, place, rest]);
                if shared[write].is_none() {
                    scales.push((at + 2, write));
                }
            }
            self.procedural.push(ProceduralOffsets { projection: index, record, scales });
        }
    }

    /// The words of a law; longer data are elsewhere in `tables`.
    fn describe_law(&mut self, procedural: &ProceduralRows) -> Vec<u32> {
        match &procedural.distribution {
            RowDistribution::All => Vec::new(),
            RowDistribution::Bernoulli { bits, counts } => {
                let thresholds = self.describe(counts.thresholds().iter().copied());
                vec![*bits, counts.least(), thresholds as u32, counts.thresholds().len() as u32]
            }
            RowDistribution::Fixed { counts, .. } => {
                let at = self.describe(counts.iter().copied());
                vec![at as u32, u32::from(counts.len() > 1)]
            }
            RowDistribution::Footprint(footprint) => {
                let offsets = self.describe(footprint.offsets.iter().flatten().map(|offset| *offset as u32));
                let thresholds = self.describe(footprint.thresholds.iter().copied());
                let [x, y, z, w] = footprint.shape;
                let count = footprint.offsets.len() as u32;
                vec![x, y, z, w, footprint.tile, u32::from(footprint.periodic), offsets as u32, thresholds as u32, count]
            }
        }
    }

    /// Groups the projections with the same kernel, and lists their members; space is reserved for as many groups as projections, since
    /// values that are set may split them.
    pub(super) fn place_recipe_groups(&mut self, plan: &Plan) {
        let words = self.procedural.len() * (2 * plan.populations.len() + 1);
        self.procedural_groups_offset = self.describe(std::iter::repeat_n(0, words));
        let (groups, lists) = self.recipe_groups_of(plan);
        self.tables[self.procedural_groups_offset..][..lists.len()].copy_from_slice(&lists);
        self.recipe_groups = groups;
    }

    /// Offset of the lists of the groups in `tables`.
    pub(crate) fn procedural_groups_offset(&self) -> usize {
        self.procedural_groups_offset
    }

    /// Maximum number of groups.
    pub(crate) fn max_recipe_groups(&self) -> usize {
        self.procedural.len()
    }

    /// The groups, and the words of their lists.
    pub(crate) fn recipe_groups_of(&self, plan: &Plan) -> (Vec<ProceduralGroup>, Vec<u32>) {
        let mut kinds: Vec<(ProceduralKernel, Vec<&ProceduralOffsets>)> = Vec::new();
        for place in &self.procedural {
            let projection = &plan.projections[place.projection];
            let rows = ProceduralKernel::of(projection, &plan.populations[projection.post].ports);
            match kinds.iter_mut().find(|(other, _)| *other == rows) {
                Some((_, members)) => members.push(place),
                None => kinds.push((rows, vec![place])),
            }
        }
        let (mut groups, mut lists) = (Vec::new(), Vec::new());
        let drawn_parts = self.shape.constants.drawn_parts;
        for (rows, members) in kinds {
            let mut ranges = Vec::new();
            for population in 0..plan.populations.len() {
                ranges.push((self.procedural_groups_offset + lists.len()) as u32);
                let own = members.iter().filter(|place| plan.projections[place.projection].pre == population);
                lists.extend(own.map(|place| place.record as u32));
                ranges.push((self.procedural_groups_offset + lists.len()) as u32);
            }
            let at = (self.procedural_groups_offset + lists.len()) as u32;
            lists.extend(ranges);
            let parts_of = |place: &&ProceduralOffsets| {
                let projection = &plan.projections[place.projection];
                projection.procedural().map_or(1, blocks)
            };
            // The product of spikes and parts must fit 32 bits.
            let most = u64::from(u32::MAX) / self.capacity.max(1);
            let parts = members.iter().map(parts_of).max().unwrap_or(1).clamp(1, drawn_parts).min(most.max(1) as u32);
            // A spike searches its population, then every member, in each of its parts.
            let searches = u64::from(plan.neurons()) * (plan.populations.len() + members.len()) as u64 * u64::from(parts);
            let drawing = members.iter().map(|place| iterations(&plan.projections[place.projection]));
            let iterations = searches + drawing.sum::<u64>();
            groups.push(ProceduralGroup { rows, at, parts, iterations });
        }
        (groups, lists)
    }

    /// The units of every drawn write, and their offset in `tables`.
    pub(crate) fn drawn_scales(&self, plan: &Plan) -> Vec<(usize, [u32; 2])> {
        let mut scales = Vec::new();
        for place in &self.procedural {
            let projection = &plan.projections[place.projection];
            let ports = &plan.populations[projection.post].ports;
            for (write, (_, of)) in projection.writes().enumerate() {
                let found = place.scales.iter().find(|(_, number)| *number == write);
                scales.extend(found.map(|(at, _)| (*at, units_of(ports, of.port))));
            }
        }
        scales
    }
}

/// As the bits of f32: units per 1 of a port, or, for a port of remainders, those of the previous port, and its own units per unit of that
/// one.
fn units_of(ports: &[Port], port: usize) -> [u32; 2] {
    let own = ring::scale(ports[port].shift);
    if !ports[port].rest {
        return [own.to_bits(), 0];
    }
    let whole = ring::scale(ports[port - 1].shift);
    [whole.to_bits(), (own / whole).to_bits()]
}

/// Parts of a row that teams share: blocks of its law, or 64 edges each.
fn blocks(procedural: &ProceduralRows) -> u32 {
    let posts = procedural.post.end - procedural.post.start;
    match &procedural.distribution {
        RowDistribution::All => posts.div_ceil(CHUNK),
        RowDistribution::Bernoulli { bits, .. } => ((u64::from(posts) + (1 << bits) - 1) >> bits) as u32,
        RowDistribution::Fixed { counts, .. } => counts.iter().max().map_or(0, |most| most.div_ceil(CHUNK)),
        RowDistribution::Footprint(footprint) => (footprint.offsets.len() as u32).div_ceil(CHUNK),
    }
}

/// Maximum loop iterations of an edge: rounds of random words, of the permutation, and of values.
const ITERATIONS_OF_EDGE: u64 = 64;
const ITERATIONS_OF_DRAWN_VALUE: u64 = 160;

/// Loop iterations of a step in which all neurons with rows fire.
fn iterations(projection: &ProjectionPlan) -> u64 {
    let Some(procedural) = projection.procedural() else { return 0 };
    // Edges of a block that an invocation processes one after the other.
    let edges = match &procedural.distribution {
        RowDistribution::Bernoulli { counts, .. } => {
            u64::from(counts.least() + counts.thresholds().len() as u32).div_ceil(CHUNK.into())
        }
        RowDistribution::All | RowDistribution::Fixed { .. } | RowDistribution::Footprint(_) => 1,
    };
    let drawn_delays = projection.pathways.iter().filter(|pathway| matches!(pathway.delay, PerSynapse::Drawn(_))).count();
    let drawn_weights = projection.writes().filter(|(_, write)| matches!(write.weights, PerSynapse::Drawn(_))).count();
    let of_edge = ITERATIONS_OF_EDGE + (drawn_delays + drawn_weights) as u64 * ITERATIONS_OF_DRAWN_VALUE;
    projection.pre_slice.len() as u64 * u64::from(blocks(procedural)) * (edges + 1) * of_edge
}
