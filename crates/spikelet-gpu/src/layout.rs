//! A plan as the words of a GPU's arenas. No device is needed for it.

use std::ops::Range;

use spikelet::{Error, Plan, Probe};

/// Neurons of a workgroup: `BLOCK_SIZE` of shaders/neurons.wgsl.
pub(crate) const BLOCK_SIZE: u32 = 64;

/// Spikes that an epoch may make, if it has more than one step.
const EPOCH_SPIKES: u32 = 1 << 20;

/// Where a population lies.
struct Place {
    state: usize,
    constants: usize,
    units: usize,
}

/// The populations that share a kernel: those with the same program.
pub(crate) struct Group {
    /// One of the populations.
    pub(crate) population: usize,
    /// First word of its blocks in `tables`.
    pub(crate) blocks_at: u32,
    /// How many blocks there are.
    pub(crate) blocks: u32,
}

/// The arenas, filled, and where everything lies in them.
pub(crate) struct Layout {
    pub(crate) tables: Vec<u32>,
    pub(crate) constants: Vec<u32>,
    pub(crate) state: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) ring_words: usize,
    /// Steps in an epoch: the plan's, or fewer where so many neurons could fire in them that the log would grow large.
    pub(crate) epoch_steps: u32,
    pub(crate) groups: Vec<Group>,
    pub(crate) populations_at: u32,
    pub(crate) walks_at: u32,
    pub(crate) channels_at: u32,
    places: Vec<Place>,
    /// Weights in `rows`, by projection and write.
    weights: Vec<Vec<Range<usize>>>,
}

impl Layout {
    /// Lays out a plan.
    ///
    /// # Errors
    /// An arena has more words than a kernel can count.
    pub(crate) fn new(plan: &Plan) -> Result<Layout, Error> {
        let mut layout = Layout {
            tables: Vec::new(),
            constants: Vec::new(),
            state: Vec::new(),
            rows: Vec::new(),
            ring_words: plan.ring.slots as usize * plan.ring.lanes as usize,
            epoch_steps: plan.epoch_steps.min(EPOCH_SPIKES / plan.neurons().max(1)).max(1),
            groups: Vec::new(),
            populations_at: 0,
            walks_at: 0,
            channels_at: 0,
            places: Vec::new(),
            weights: Vec::new(),
        };
        layout.place_state(plan);
        let walks = layout.place_rows(plan);
        layout.describe_populations(plan, &walks);
        layout.walks_at = layout.tables.len() as u32;
        layout.tables.extend(walks.iter().flat_map(|(_, words)| words));
        layout.describe_blocks(plan);
        let longest = [&layout.tables, &layout.constants, &layout.state, &layout.rows].map(Vec::len);
        let most = longest.into_iter().chain([layout.ring_words]).max().unwrap_or(0);
        if most > u32::MAX as usize / 4 {
            let message = format!("an arena of {most} words is more than a kernel can address; make the network smaller");
            return Err(Error::Backend(message));
        }
        Ok(layout)
    }

    /// State, constants and units of every population.
    fn place_state(&mut self, plan: &Plan) {
        for population in &plan.populations {
            let size = population.size as usize;
            let units = population.ports.iter().map(|port| port.unit().to_bits());
            self.places.push(Place {
                state: self.state.len(),
                constants: self.constants.len(),
                units: self.constants.len() + population.constants.len(),
            });
            self.constants.extend(population.constants.iter().map(|value| value.to_bits()).chain(units));
            for array in 0..population.program.variables.len() {
                self.state.extend((0..size).map(|neuron| population.initial(array, neuron).to_bits()));
            }
            self.state.extend(std::iter::repeat_n((i32::MIN / 2) as u32, size));
        }
    }

    /// Rows of every projection; returns its walks, each with the population it starts in, in the order of populations.
    fn place_rows(&mut self, plan: &Plan) -> Vec<(usize, [u32; 9])> {
        let mut walks = Vec::new();
        for projection in &plan.projections {
            let offsets = self.rows.len();
            self.rows.extend(projection.rows.offsets.iter().map(|offset| *offset as u32));
            let targets = self.rows.len();
            self.rows.extend(&projection.rows.targets);
            let delays = self.rows.len();
            self.rows.extend(projection.delay.as_slice());
            let stride = |kept: usize| u32::from(kept > 1);
            let mut weights = Vec::new();
            for write in &projection.writes {
                let at = self.rows.len();
                let kept = write.weights.as_slice();
                self.rows.extend(kept.iter().map(|weight| *weight as u32));
                weights.push(at..self.rows.len());
                let words = [
                    projection.pre_slice.start,
                    projection.pre_slice.end,
                    offsets as u32,
                    targets as u32,
                    delays as u32,
                    stride(projection.delay.as_slice().len()),
                    at as u32,
                    stride(kept.len()),
                    plan.populations[projection.post].ports[write.port].lane,
                ];
                walks.push((projection.pre, words));
            }
            self.weights.push(weights);
        }
        walks.sort_by_key(|(pre, _)| *pre);
        walks
    }

    fn describe_populations(&mut self, plan: &Plan, walks: &[(usize, [u32; 9])]) {
        self.populations_at = self.tables.len() as u32;
        let mut ports_at = self.populations_at + plan.populations.len() as u32 * 8;
        for (index, (population, place)) in plan.populations.iter().zip(&self.places).enumerate() {
            self.tables.extend([
                population.first,
                population.size,
                place.state as u32,
                place.constants as u32,
                place.units as u32,
                ports_at,
                walks.partition_point(|(pre, _)| *pre < index) as u32,
                walks.partition_point(|(pre, _)| *pre <= index) as u32,
            ]);
            ports_at += population.ports.len() as u32;
        }
        let lanes = plan.populations.iter().flat_map(|population| &population.ports).map(|port| port.lane);
        self.tables.extend(lanes);
    }

    /// Blocks of 64 neurons, kernel by kernel, with the channels sampled in each.
    fn describe_blocks(&mut self, plan: &Plan) {
        for (index, population) in plan.populations.iter().enumerate() {
            if self.groups.iter().any(|group| plan.populations[group.population].program == population.program) {
                continue;
            }
            let blocks_at = self.tables.len() as u32;
            let mut blocks = 0;
            for (other, member) in plan.populations.iter().enumerate().filter(|(_, other)| other.program == population.program) {
                for first in (0..member.size).step_by(BLOCK_SIZE as usize) {
                    let block = first..(first + BLOCK_SIZE).min(member.size);
                    let sampled = |channel: &spikelet::Channel| channel.population == other && block.contains(&channel.neuron);
                    // Channels of one block need not stand together: the range spans them, and the kernel compares each.
                    let from = plan.channels.iter().position(sampled).unwrap_or(0);
                    let to = plan.channels.iter().rposition(sampled).map_or(0, |last| last + 1);
                    let described = self.populations_at + other as u32 * 8;
                    self.tables.extend([described, first, from as u32, to as u32]);
                    blocks += 1;
                }
            }
            self.groups.push(Group { population: index, blocks_at, blocks });
        }
        self.channels_at = self.tables.len() as u32;
        for channel in &plan.channels {
            self.tables.extend([plan.populations[channel.population].first + channel.neuron, channel.variable as u32]);
        }
    }

    /// The arena an array lies in and the ranges of its words there, in order.
    pub(crate) fn find(&self, plan: &Plan, probe: Probe) -> (Arena, Vec<Range<usize>>) {
        let words = probe.words(plan);
        let one = |arena, at: usize| (arena, std::iter::once(at..at + words).collect());
        match probe {
            Probe::Variable { population, variable } => {
                one(Arena::State, self.places[population].state + variable * plan.populations[population].size as usize)
            }
            Probe::LastSpike { population } => {
                let of = &plan.populations[population];
                one(Arena::State, self.places[population].state + of.program.variables.len() * of.size as usize)
            }
            Probe::Constants { population } => one(Arena::Constants, self.places[population].constants),
            Probe::Scales { population } => one(Arena::Constants, self.places[population].units),
            Probe::Weights { projection, write } => (Arena::Rows, vec![self.weights[projection][write].clone()]),
            Probe::Ring { population, port } => {
                let of = &plan.populations[population];
                let slot = |slot: u32| slot as usize * plan.ring.lanes as usize + of.ports[port].lane as usize;
                let ranges = (0..plan.ring.slots).map(|k| slot(k)..slot(k) + of.size as usize);
                (Arena::Ring, ranges.collect())
            }
        }
    }
}

/// The arenas that arrays lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arena {
    Constants,
    State,
    Ring,
    Rows,
}
