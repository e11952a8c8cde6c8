//! A plan as the words of a GPU's buffers, and the one place that knows where everything lies in them. No device is needed for it,
//! and no synapse is copied: what is large is handed out when the buffers are filled (`fill`).

mod arrays;
mod fill;
mod halves;
mod neurons;
mod pages;
mod procedural;
mod synapses;

use std::ops::Range;

use spikelet::{Error, Plan, PopulationPlan, human};

use crate::adapter::BINDING_LIMIT;
use crate::header::{Header, Progress};
use crate::shape::{ADDRESSABLE_WORDS, Limits, Shape};
use crate::sizes::IN_FLIGHT;
use fill::PageList;
use neurons::PopulationOffsets;
pub(crate) use neurons::{BlockRange, ModelGroup};
pub(crate) use pages::Page;
pub(crate) use procedural::ProceduralGroup;
use procedural::ProceduralOffsets;
pub(crate) use synapses::{ProjectionOffsets, TraceList};

/// Spikes that an epoch may make, if it has more than one step.
const EPOCH_SPIKES: u32 = 1 << 20;
/// Spikes that a part of the log holds at least, of all trials together; more where one epoch could make more.
const LOG_SPIKES: u64 = 1 << 15;
/// Samples of one submission, in words, of all trials together; and its clocks.
const SAMPLE_WORDS: u64 = 1 << 18;
/// Where everything lies in the buffers.
#[derive(Default)]
pub(crate) struct BufferLayout {
    /// What it is laid out for.
    pub(crate) shape: Shape,
    /// The words of `tables` of a trial.
    pub(crate) tables: Vec<u32>,
    pub(crate) state_words: usize,
    /// The buffers that `rows` stands for, one after the other.
    pub(crate) pages: Vec<Page>,
    /// What lies in front of the pieces of the first page: lists of the projections whose synapses have a state.
    lists: Vec<PageList>,
    /// Words of the rings, then of the spikes remembered.
    ring_words: u64,
    /// Where those begin, and how many there are in a step.
    pub(crate) memory_offset: u64,
    pub(crate) memory_words: u32,
    /// Steps in an epoch: the plan's, or fewer where so many neurons could fire in them that the log would grow large, or so many synapses
    /// could be reached that the device would be held for long.
    pub(crate) epoch_steps: u32,
    /// Spikes that fit a part of a trial's log.
    pub(crate) capacity: u64,
    /// Steps whose rows fit `samples`: a submission has at most as many.
    pub(crate) batch_steps: u64,
    /// Steps whose rows fit `clocks`.
    pub(crate) clock_rows: u64,
    pub(crate) populations_offset: u32,
    pub(crate) channels_offset: u32,
    /// Whether neurons that stop after each step do all of it in the kernel `neurons`.
    pub(crate) in_one_go: bool,
    /// Whether any of the channels is read from `state`, rather than by the neuron that has it at hand.
    pub(crate) samples_state: bool,
    /// Populations that share their kernels.
    pub(crate) groups: Vec<ModelGroup>,
    pub(crate) populations: Vec<PopulationOffsets>,
    /// Projections whose synapses have a state.
    pub(crate) projections: Vec<Option<ProjectionOffsets>>,
    /// Where the projections are listed whose traces the neurons at either end keep.
    pub(crate) traces: [TraceList; 2],
    /// Projections whose rows are drawn at every spike.
    procedural: Vec<ProceduralOffsets>,
    /// Those of them that share a kernel.
    pub(crate) recipe_groups: Vec<ProceduralGroup>,
    /// Where the members of those groups are listed in `tables`.
    procedural_groups_offset: usize,
    /// First word in `state` that is free for any pass.
    pub(crate) scratch: usize,
    /// Weights, by projection and write: pieces in their order.
    weights: Vec<Vec<Vec<WordRange>>>,
}

impl BufferLayout {
    /// Lays out a plan, for as many trials of it as asked for. What is added to `tables` later is still to be checked.
    ///
    /// # Errors
    /// A buffer is larger than a kernel can see: its name and both sizes; or a single row is larger than a page.
    pub(crate) fn new(plan: &Plan, shape: Shape) -> Result<BufferLayout, Error> {
        let Shape { limits, trials, .. } = shape;
        // Before anything is counted in fewer bits.
        let arrays = |population: &PopulationPlan| population.program.variables.len() as u64 + 1;
        let state = plan.populations.iter().map(|population| arrays(population) * u64::from(population.size)).sum();
        check(&[("state", state)], limits)?;
        let spikes_of_step = u64::from(plan.neurons());
        let max_steps = u64::from(EPOCH_SPIKES) / spikes_of_step.max(1);
        let max_steps = max_steps.min(shape.events / events_of_step(plan).max(1));
        let epoch_steps = u64::from(plan.epoch_steps).min(max_steps).max(1) as u32;
        let longest_row = (plan.channels.len() as u64).max(u64::from(plan.clock_columns)).max(1) * u64::from(trials);
        let batch_steps = (SAMPLE_WORDS / longest_row).max(u64::from(epoch_steps));
        let mut layout = BufferLayout {
            shape,
            memory_offset: u64::from(plan.ring.slots) * u64::from(plan.ring.columns),
            epoch_steps,
            capacity: (LOG_SPIKES / u64::from(trials)).max(u64::from(plan.neurons()) * u64::from(epoch_steps)),
            batch_steps,
            // Of the submissions under way, and of one that catches up.
            clock_rows: u64::from(IN_FLIGHT + 1) * batch_steps,
            weights: vec![Vec::new(); plan.projections.len()],
            ..BufferLayout::default()
        };
        layout.place_populations(plan);
        layout.place_projections(plan);
        layout.place_traces(plan);
        layout.place_pages(plan, limits)?;
        layout.place_recipes(plan);
        layout.place_channels(plan);
        layout.place_recipe_groups(plan);
        layout.ring_words = layout.memory_offset + u64::from(plan.memory_steps) * u64::from(layout.memory_words);
        layout.place_scratch(plan);
        Ok(layout)
    }

    /// Words of one trial in each buffer.
    pub(crate) fn words_of_trial(&self, plan: &Plan) -> TrialStrides {
        TrialStrides {
            tables: self.tables.len() as u64,
            clocks: self.clock_rows * u64::from(plan.clock_columns),
            state: self.state_words as u64,
            ring: self.ring_words,
            spikes: 2 * u64::from(IN_FLIGHT) * self.capacity,
            samples: self.batch_steps * plan.channels.len() as u64,
        }
    }

    /// Every storage buffer, in the order of the bindings, with its words.
    pub(crate) fn buffers(&self, plan: &Plan) -> Vec<(&'static str, u64)> {
        let trials = u64::from(self.shape.trials);
        let TrialStrides { tables, clocks, state, ring, spikes, samples } = self.words_of_trial(plan);
        let before = [
            ("header", Header::WORDS as u64 + trials * Progress::WORDS as u64),
            ("tables", trials * tables),
            ("clocks", trials * clocks),
            ("state", trials * state),
            ("ring", trials * ring),
        ];
        let pages = self.pages.iter().map(|page| ("rows", page.words as u64));
        let after = [("spikes", trials * spikes), ("samples", trials * samples)];
        before.into_iter().chain(pages).chain(after).collect()
    }

    /// The same with their bytes, as they are made; pages are numbered.
    pub(crate) fn named_buffers(&self, plan: &Plan) -> Vec<(String, u64)> {
        let mut pages = 0;
        let named = |(name, words): (&str, u64)| {
            pages += usize::from(name == "rows");
            // A binding cannot be empty.
            (if name == "rows" { format!("rows {pages}") } else { name.into() }, (words * 4).max(16))
        };
        self.buffers(plan).into_iter().map(named).collect()
    }

    /// Refuses buffers that a kernel could not see as a whole.
    ///
    /// # Errors
    /// One is larger: its name and both sizes.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), Error> {
        check(&self.buffers(plan), self.shape.limits)
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

    /// Where the entries of a population's timed arrays lie in `tables`.
    pub(crate) fn entries(&self, population: usize) -> usize {
        self.populations[population].entries
    }
}

/// Synaptic events of a step, at most, of synapses that have a state: they may be gone through in each.
pub(crate) fn events_of_step(plan: &Plan) -> u64 {
    let stateful = plan.projections.iter().filter(|projection| projection.state.is_some());
    stateful.map(|projection| projection.synapses() * projection.pathways.len() as u64).sum()
}

/// Refuses buffers that a kernel could not see as a whole.
fn check(buffers: &[(&str, u64)], limits: Limits) -> Result<(), Error> {
    let most = limits.binding_words() * 4;
    let Some((name, words)) = buffers.iter().find(|(_, words)| words * 4 > most) else { return Ok(()) };
    let way_out = match *name {
        // Pages hold what fits; what must stand in the first one may be too much.
        "rows" => "synapses with state are stored in one buffer: use fewer of them",
        "ring" => "shorten the longest delay, use fewer neurons, or run fewer trials in parallel",
        _ => "make the network smaller, or run fewer trials in parallel",
    };
    let bytes = words * 4;
    let limit = if limits.binding / 4 > ADDRESSABLE_WORDS { "places have 32 bits" } else { BINDING_LIMIT };
    Err(Error::Backend(format!(
        "the buffer `{name}` needs {bytes} bytes ({}), and a kernel can use at most {most} ({limit}, {}); {way_out}, or use the \
         CPU",
        human(bytes),
        human(most)
    )))
}

/// Words of a trial in the buffers that hold some of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrialStrides {
    pub(crate) tables: u64,
    pub(crate) clocks: u64,
    pub(crate) state: u64,
    pub(crate) ring: u64,
    pub(crate) spikes: u64,
    pub(crate) samples: u64,
}

impl TrialStrides {
    /// Words of a trial in the buffer of an arena: none where all trials share it.
    pub(crate) fn in_arena(&self, arena: Arena) -> u64 {
        match arena {
            Arena::Tables => self.tables,
            Arena::State => self.state,
            Arena::Ring => self.ring,
            Arena::Rows(_) => 0,
        }
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
pub(crate) type WordRange = (Arena, Range<usize>);

/// Numbers as their bits.
fn bits(values: &[f32]) -> impl Iterator<Item = u32> + '_ {
    values.iter().map(|value| value.to_bits())
}
