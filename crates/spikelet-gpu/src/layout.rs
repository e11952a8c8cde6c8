//! A plan as the words of a GPU's buffers, and the one place that knows where everything lies in them. No device is needed for it,
//! and no synapse is copied: what is large is handed out when the buffers are filled (`fill`).

mod fill;
mod neurons;
mod pages;
mod recipes;
mod synapses;

use std::ops::Range;

use spikelet::{Error, Plan, PopulationPlan, Probe};

use crate::buffers::Header;
use crate::passes::{self, Pass};
use fill::List;
pub(crate) use neurons::Group;
use neurons::NeuronPlace;
pub(crate) use pages::Page;
pub(crate) use recipes::RecipeGroup;
use recipes::RecipePlace;
pub(crate) use synapses::SynapsePlace;

/// Spikes that an epoch may make, if it has more than one step.
const EPOCH_SPIKES: u32 = 1 << 20;
/// Spikes that the log holds at least; more where one epoch could make more.
const LOG_SPIKES: u64 = 1 << 16;
/// Samples of one batch, in words; and its clocks.
const SAMPLE_WORDS: u64 = 1 << 18;
/// Words of a buffer that a kernel can address: places in bytes have 32 bits.
const ADDRESSABLE_WORDS: u64 = u32::MAX as u64 / 4;

/// How large buffers may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of a buffer that a kernel sees.
    pub(crate) binding: u64,
    /// Bytes of a page of rows, at most as many.
    pub(crate) page: u64,
}

impl Limits {
    /// Pages as large as buffers may be.
    pub(crate) fn of_binding(binding: u64) -> Limits {
        Limits { binding, page: binding }
    }

    /// Words of a buffer.
    fn binding_words(self) -> u64 {
        (self.binding / 4).min(ADDRESSABLE_WORDS)
    }

    /// Words of a page.
    fn page_words(self) -> u64 {
        (self.page / 4).min(self.binding_words())
    }
}

/// Where everything lies in the buffers.
#[derive(Default)]
pub(crate) struct Layout {
    /// The words of `tables`, until they are handed over.
    pub(crate) tables: Vec<u32>,
    pub(crate) state_words: usize,
    /// The buffers that `rows` stands for, one after the other.
    pub(crate) pages: Vec<Page>,
    /// What lies in front of the pieces of the first page: lists of the projections whose synapses have a state.
    lists: Vec<List>,
    /// Words of the rings, then of the spikes remembered.
    ring_words: u64,
    /// Where those begin, and how many there are in a step.
    pub(crate) memory_at: u64,
    pub(crate) memory_words: u32,
    /// Steps in an epoch: the plan's, or fewer where so many neurons could fire in them that the log would grow large.
    pub(crate) epoch_steps: u32,
    /// Spikes that fit the log.
    pub(crate) capacity: u64,
    /// Steps whose rows fit `samples` and `clocks`.
    pub(crate) batch_steps: u64,
    pub(crate) populations_at: u32,
    pub(crate) channels_at: u32,
    /// The dispatches of an epoch, in their order.
    pub(crate) passes: Vec<Pass>,
    /// Populations that share their kernels.
    pub(crate) groups: Vec<Group>,
    pub(crate) populations: Vec<NeuronPlace>,
    /// Projections whose synapses have a state.
    pub(crate) projections: Vec<Option<SynapsePlace>>,
    /// Projections whose rows are drawn at every spike.
    recipes: Vec<RecipePlace>,
    /// Those of them that share a kernel.
    pub(crate) recipe_groups: Vec<RecipeGroup>,
    /// Where the members of those groups are listed in `tables`.
    recipe_groups_at: usize,
    /// First word in `state` that is free for any pass.
    pub(crate) scratch: usize,
    /// Weights, by projection and write: pieces in their order.
    weights: Vec<Vec<Vec<Place>>>,
}

impl Layout {
    /// Lays out a plan.
    ///
    /// # Errors
    /// A buffer is larger than a kernel can see: its name and both sizes; or a single row is larger than a page.
    pub(crate) fn new(plan: &Plan, limits: Limits) -> Result<Layout, Error> {
        // Before anything is counted in fewer bits.
        let arrays = |population: &PopulationPlan| population.program.variables.len() as u64 + 1;
        let state = plan.populations.iter().map(|population| arrays(population) * u64::from(population.size)).sum();
        Layout::check(&[("state", state)], limits)?;
        let epoch_steps = plan.epoch_steps.min(EPOCH_SPIKES / plan.neurons().max(1)).max(1);
        let longest_row = (plan.channels.len() as u64).max(u64::from(plan.clock_lanes)).max(1);
        let mut layout = Layout {
            memory_at: u64::from(plan.ring.slots) * u64::from(plan.ring.lanes),
            epoch_steps,
            capacity: LOG_SPIKES.max(2 * u64::from(plan.neurons()) * u64::from(epoch_steps)),
            batch_steps: (SAMPLE_WORDS / longest_row).max(u64::from(epoch_steps)),
            weights: vec![Vec::new(); plan.projections.len()],
            ..Layout::default()
        };
        layout.place_populations(plan);
        layout.place_projections(plan);
        layout.place_pages(plan, limits)?;
        layout.place_recipes(plan);
        layout.place_channels(plan);
        layout.place_recipe_groups(plan);
        layout.ring_words = layout.memory_at + u64::from(plan.memory_steps) * u64::from(layout.memory_words);
        layout.scratch = layout.take_state(passes::scratch_words(plan));
        layout.passes = passes::of_epoch(plan, &layout);
        Layout::check(&layout.buffers(plan), limits)?;
        Ok(layout)
    }

    /// Every storage buffer, in the order of the bindings, with its words.
    pub(crate) fn buffers(&self, plan: &Plan) -> Vec<(&'static str, u64)> {
        let tables = self.tables.len() as u64;
        let before = [
            ("header", Header::WORDS as u64),
            ("tables", tables),
            ("clocks", self.batch_steps * u64::from(plan.clock_lanes)),
            ("state", self.state_words as u64),
            ("ring", self.ring_words),
        ];
        let pages = self.pages.iter().map(|page| ("rows", page.words as u64));
        let after = [("spikes", 2 * self.capacity), ("samples", self.batch_steps * plan.channels.len() as u64)];
        before.into_iter().chain(pages).chain(after).collect()
    }

    /// Refuses buffers that a kernel could not see as a whole.
    fn check(buffers: &[(&str, u64)], limits: Limits) -> Result<(), Error> {
        let most = limits.binding_words() * 4;
        let Some((name, words)) = buffers.iter().find(|(_, words)| words * 4 > most) else { return Ok(()) };
        let way_out = match *name {
            // Pages hold what fits; what must stand in the first one may be too much.
            "rows" => "synapses with a state are kept in one buffer: have fewer of them",
            "ring" => "shorten the longest delay, or have fewer neurons",
            _ => "make the network smaller",
        };
        let bytes = words * 4;
        Err(Error::Backend(format!(
            "the buffer `{name}` needs {bytes} bytes, and a kernel sees {most} at most; {way_out}, or take the CPU"
        )))
    }

    /// Adds words to `tables`; returns where they are.
    pub(crate) fn describe(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        let at = self.tables.len();
        self.tables.extend(words);
        at
    }

    /// Makes room in `state`; returns where.
    fn take_state(&mut self, words: usize) -> usize {
        self.state_words += words;
        self.state_words - words
    }

    /// The ranges of an array's words, each in its arena, in order.
    pub(crate) fn find(&self, plan: &Plan, probe: Probe) -> Vec<Place> {
        let words = probe.words(plan);
        let one = |arena, at: usize| vec![(arena, at..at + words)];
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
            Probe::Weights { projection, write } => self.weights[projection].get(write).cloned().unwrap_or_default(),
            Probe::Ring { population, port } => {
                let of = &plan.populations[population];
                let lanes = (of.size * of.ports[port].width()) as usize;
                let slot = |slot: u32| slot as usize * plan.ring.lanes as usize + of.ports[port].lane as usize;
                (0..plan.ring.slots).map(|k| (Arena::Ring, slot(k)..slot(k) + lanes)).collect()
            }
            Probe::Synapses { projection, array } => {
                let place = self.projections[projection].as_ref();
                one(Arena::State, place.map_or(0, |place| place.state + array * plan.projections[projection].rows().len()))
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

/// The buffers that arrays lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arena {
    Tables,
    State,
    Ring,
    /// A page.
    Rows(usize),
}

/// Some words of a buffer.
pub(crate) type Place = (Arena, Range<usize>);

/// Numbers as their bits.
fn bits(values: &[f32]) -> impl Iterator<Item = u32> + '_ {
    values.iter().map(|value| value.to_bits())
}
