//! A plan as the words of a GPU's arenas, and the one place that knows where everything lies in them. No device is needed for it.

mod neurons;
mod rows;
mod synapses;

use std::ops::Range;

use spikelet::{Error, Plan, Probe};

use crate::passes::{self, Pass};
pub(crate) use neurons::Group;
use neurons::NeuronPlace;
pub(crate) use synapses::SynapsePlace;

/// Spikes that an epoch may make, if it has more than one step.
const EPOCH_SPIKES: u32 = 1 << 20;

/// The arenas, filled, and where everything lies in them.
#[derive(Default)]
pub(crate) struct Layout {
    pub(crate) tables: Vec<u32>,
    pub(crate) state: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    /// Words of the rings, then of the spikes remembered.
    pub(crate) ring_words: usize,
    /// Where those begin, and how many there are in a step.
    pub(crate) memory_at: usize,
    pub(crate) memory_words: u32,
    /// Steps in an epoch: the plan's, or fewer where so many neurons could fire in them that the log would grow large.
    pub(crate) epoch_steps: u32,
    pub(crate) populations_at: u32,
    pub(crate) walks_at: u32,
    pub(crate) channels_at: u32,
    /// The dispatches of an epoch, in their order.
    pub(crate) passes: Vec<Pass>,
    /// Populations that share their kernels.
    pub(crate) groups: Vec<Group>,
    pub(crate) populations: Vec<NeuronPlace>,
    /// Projections whose synapses have a state.
    pub(crate) projections: Vec<Option<SynapsePlace>>,
    /// First word in `state` that is free for any pass.
    pub(crate) scratch: usize,
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
            memory_at: plan.ring.slots as usize * plan.ring.lanes as usize,
            epoch_steps: plan.epoch_steps.min(EPOCH_SPIKES / plan.neurons().max(1)).max(1),
            ..Layout::default()
        };
        layout.place_populations(plan);
        layout.place_projections(plan);
        layout.place_walks(plan);
        layout.place_channels(plan);
        layout.ring_words = layout.memory_at + plan.memory_steps as usize * layout.memory_words as usize;
        layout.scratch = layout.state.len();
        layout.state.resize(layout.scratch + passes::scratch_words(plan), 0);
        layout.passes = passes::of_epoch(plan, &layout);
        let longest = [&layout.tables, &layout.state, &layout.rows].map(Vec::len);
        let most = longest.into_iter().chain([layout.ring_words]).max().unwrap_or(0);
        if most > u32::MAX as usize / 4 {
            let message = format!("an arena of {most} words is more than a kernel can address; make the network smaller");
            return Err(Error::Backend(message));
        }
        Ok(layout)
    }

    /// Adds words to `tables`; returns where they are.
    pub(crate) fn describe(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        let at = self.tables.len();
        self.tables.extend(words);
        at
    }

    /// The same for `rows`.
    fn list(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        let at = self.rows.len();
        self.rows.extend(words);
        at
    }

    /// The arena an array lies in and the ranges of its words there, in order.
    pub(crate) fn find(&self, plan: &Plan, probe: Probe) -> (Arena, Vec<Range<usize>>) {
        let words = probe.words(plan);
        let one = |arena, at: usize| (arena, std::iter::once(at..at + words).collect());
        match probe {
            Probe::Variable { population, variable } => {
                one(Arena::State, self.populations[population].array(variable, plan.populations[population].size))
            }
            Probe::LastSpike { population } => {
                let of = &plan.populations[population];
                one(Arena::State, self.populations[population].array(of.program.variables.len(), of.size))
            }
            Probe::Constants { population } => one(Arena::Tables, self.populations[population].constants),
            Probe::Scales { population } => one(Arena::Tables, self.populations[population].units),
            Probe::Weights { projection, write } => {
                (Arena::Rows, self.weights[projection].get(write).cloned().into_iter().collect())
            }
            Probe::Ring { population, port } => {
                let of = &plan.populations[population];
                let lanes = (of.size * of.ports[port].width()) as usize;
                let slot = |slot: u32| slot as usize * plan.ring.lanes as usize + of.ports[port].lane as usize;
                let ranges = (0..plan.ring.slots).map(|k| slot(k)..slot(k) + lanes);
                (Arena::Ring, ranges.collect())
            }
            Probe::Synapses { projection, array } => {
                let place = self.projections[projection].as_ref();
                one(Arena::State, place.map_or(0, |place| place.state + array * plan.projections[projection].rows.len()))
            }
            Probe::SynapseConstants { projection } => {
                one(Arena::Tables, self.projections[projection].as_ref().map_or(0, |place| place.constants))
            }
        }
    }

    /// Where the entries of a population's timed arrays lie in `tables`.
    pub(crate) fn entries(&self, population: usize) -> usize {
        self.populations[population].entries
    }
}

/// The arenas that arrays lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arena {
    Tables,
    State,
    Ring,
    Rows,
}

/// Numbers as their bits.
fn bits(values: &[f32]) -> impl Iterator<Item = u32> + '_ {
    values.iter().map(|value| value.to_bits())
}
