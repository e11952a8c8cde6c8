//! The layout of a plan in the words of GPU buffers. It needs no device, and copies no synapse: large arrays are generated when the buffers
//! are filled (`fill`).

mod arrays;
mod fill;
mod halves;
mod neurons;
mod pages;
mod procedural;
mod selections;
mod synapses;

use std::ops::Range;

use spikelet::lang::End;
use spikelet::{Error, Plan, PopulationPlan, ProjectionPlan, StatePlan, human};

use crate::adapter::BINDING_LIMIT;
use crate::header::{Header, Progress};
use crate::shape::{ADDRESSABLE_WORDS, Limits, Shape};
use fill::PageList;
pub(crate) use halves::variable_in_halves;
use neurons::PopulationOffsets;
pub(crate) use neurons::{BlockRange, ModelGroup};
pub(crate) use pages::Page;
pub(crate) use procedural::ProceduralGroup;
use procedural::ProceduralOffsets;
pub(crate) use selections::SelectionList;
pub(crate) use synapses::{ProjectionOffsets, TraceList, waits};

/// Maximum number of spikes of an epoch, if it has more than one step.
pub(crate) const EPOCH_SPIKES: u32 = 1 << 20;
/// Minimum number of spikes in a part of the log, of all trials together; more if one epoch could have more.
pub(crate) const LOG_SPIKES: u64 = 1 << 15;
/// Words of samples of one submission, of all trials together; and of its clocks.
pub(crate) const SAMPLE_WORDS: u64 = 1 << 18;
/// The layout of the buffers.
#[derive(Default)]
pub(crate) struct BufferLayout {
    /// The target of the layout.
    pub(crate) shape: Shape,
    /// The words of `tables` of a trial.
    pub(crate) tables: Vec<u32>,
    pub(crate) state_words: usize,
    /// The pages of `rows`.
    pub(crate) pages: Vec<Page>,
    /// The lists before the pieces of the first page: those of the projections with synaptic state.
    lists: Vec<PageList>,
    /// Words of the delay buffers, then of the spike history, then of synapses in two bytes, then of the counts of selections.
    ring_words: u64,
    /// Offset of the history, and words per step.
    pub(crate) memory_offset: u64,
    pub(crate) memory_words: u32,
    /// Length of an epoch in steps: that of the plan, or shorter if the log would be too large, or the device would be busy too long.
    pub(crate) epoch_steps: u32,
    /// Number of spikes in a part of a trial's log.
    pub(crate) capacity: u64,
    /// Number of steps whose rows fit `samples`: the maximum of a submission.
    pub(crate) batch_steps: u64,
    /// Steps whose rows fit `clocks`.
    pub(crate) clock_rows: u64,
    pub(crate) populations_offset: u32,
    pub(crate) channels_offset: u32,
    /// Whether neurons that stop after each step use only the kernel `neurons`.
    pub(crate) in_one_go: bool,
    /// Whether any channel is read from `state`, rather than by its neuron.
    pub(crate) samples_state: bool,
    /// Populations with the same kernels.
    pub(crate) groups: Vec<ModelGroup>,
    pub(crate) populations: Vec<PopulationOffsets>,
    /// Projections with synaptic state.
    pub(crate) projections: Vec<Option<ProjectionOffsets>>,
    /// The lists of the projections with traces of pre- and postsynaptic neurons, which are updated together.
    pub(crate) traces: Vec<TraceList>,
    /// The populations of which only the winners fire.
    pub(crate) selections: SelectionList,
    /// Procedural projections.
    procedural: Vec<ProceduralOffsets>,
    /// Groups of them with the same kernel.
    pub(crate) recipe_groups: Vec<ProceduralGroup>,
    /// The lists of the members of these groups in `tables`.
    procedural_groups_offset: usize,
    /// First free word of `state`.
    pub(crate) scratch: usize,
    /// Weights, by projection and write: their pieces in order.
    weights: Vec<Vec<Vec<WordRange>>>,
}

impl BufferLayout {
    /// Lays out a plan for the requested number of trials. Later additions to `tables` must still be checked.
    ///
    /// # Errors
    /// A buffer is larger than the maximum of kernels: its name and both sizes; or a single row is larger than a page.
    pub(crate) fn new(plan: &Plan, shape: Shape) -> Result<BufferLayout, Error> {
        let Shape { limits, trials, .. } = shape;
        // Checked before any count is stored in fewer bits.
        let arrays = |population: &PopulationPlan| population.program.variables.len() as u64 + 1;
        let populations = plan.populations.iter().zip(plan.part().populations());
        let state = populations.map(|(population, own)| arrays(population) * u64::from(own.len())).sum();
        check(&[("state", state)], limits)?;
        let spikes_of_step = u64::from(plan.part().neurons());
        let max_steps = u64::from(EPOCH_SPIKES) / spikes_of_step.max(1);
        // Each step of a part is a submission of its own.
        let is_whole = plan.part().is_whole();
        let max_steps = if is_whole { max_steps.min(shape.events / events_of_step(plan).max(1)) } else { max_steps };
        let epoch_steps = u64::from(plan.epoch_steps).min(max_steps).max(1) as u32;
        let longest_row = (plan.sampling.columns.len() as u64).max(u64::from(plan.clock_columns)).max(1) * u64::from(trials);
        let batch_steps = (SAMPLE_WORDS / longest_row).max(u64::from(epoch_steps));
        let mut layout = BufferLayout {
            shape,
            memory_offset: u64::from(plan.ring.slots) * u64::from(plan.ring.columns),
            epoch_steps,
            capacity: (LOG_SPIKES / u64::from(trials)).max(spikes_of_step * u64::from(epoch_steps)).max(1),
            batch_steps,
            // Of the submissions in flight, and of one that catches up.
            clock_rows: u64::from(shape.constants.in_flight + 1) * batch_steps,
            weights: vec![Vec::new(); plan.projections.len()],
            ..BufferLayout::default()
        };
        layout.place_populations(plan);
        layout.ring_words = layout.memory_offset + u64::from(plan.memory_steps) * u64::from(layout.memory_words);
        layout.place_projections(plan);
        layout.place_traces(plan);
        layout.place_pages(plan, limits)?;
        layout.place_recipes(plan);
        layout.place_channels(plan);
        layout.place_recipe_groups(plan);
        layout.place_selections(plan);
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
            spikes: 2 * u64::from(self.shape.constants.in_flight) * self.capacity,
            samples: self.batch_steps * plan.sampling.columns.len() as u64,
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

    /// Rejects buffers larger than the maximum of kernels.
    ///
    /// # Errors
    /// One is larger: its name and both sizes.
    pub(crate) fn check(&self, plan: &Plan) -> Result<(), Error> {
        check(&self.buffers(plan), self.shape.limits)
    }

    /// Adds words to `tables`; returns their offset.
    pub(crate) fn describe(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        let at = self.tables.len();
        self.tables.extend(words);
        at
    }

    /// Reserves words of `state`; returns their offset.
    fn take_state(&mut self, words: usize) -> usize {
        self.state_words += words;
        self.state_words - words
    }

    /// Reserves words of `ring`; returns their offset.
    fn take_ring(&mut self, words: usize) -> usize {
        self.ring_words += words as u64;
        self.ring_words as usize - words
    }

    /// Offsets of a population's timed arrays in `tables`.
    pub(crate) fn entries(&self, population: usize) -> usize {
        self.populations[population].entries
    }
}

/// Maximum number of synaptic events per step of synapses with state: all may be visited.
pub(crate) fn events_of_step(plan: &Plan) -> u64 {
    let stateful = plan.projections.iter().filter(|projection| projection.state.is_some());
    stateful.map(|projection| projection.synapses() * projection.pathways.len() as u64).sum()
}

/// Rejects buffers larger than the maximum of kernels.
pub(crate) fn check(buffers: &[(&str, u64)], limits: Limits) -> Result<(), Error> {
    let most = limits.binding_words() * 4;
    let Some((name, words)) = buffers.iter().find(|(_, words)| words * 4 > most) else { return Ok(()) };
    let way_out = match *name {
        // Pages are filled up to their limit; the fixed part of the first one may be too large.
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

/// Words of a trial in the buffers with data per trial.
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
    /// Words of a trial in the buffer of an arena: 0 if all trials share it.
    pub(crate) fn in_arena(&self, arena: Arena) -> u64 {
        match arena {
            Arena::Tables => self.tables,
            Arena::State => self.state,
            Arena::Ring => self.ring,
            Arena::Rows(_) => 0,
        }
    }
}

/// The buffers of arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arena {
    Tables,
    State,
    Ring,
    /// A page.
    Rows(usize),
}

/// A range of words of a buffer.
pub(crate) type WordRange = (Arena, Range<usize>);

/// Numbers as their bits.
fn bits(values: &[f32]) -> impl Iterator<Item = u32> + '_ {
    values.iter().map(|value| value.to_bits())
}

/// Words of a trace: one per neuron of its side, of postsynaptic ones per own neuron.
fn trace_words(plan: &Plan, projection: &ProjectionPlan, of: &StatePlan, trace: usize) -> usize {
    match of.traces[trace].end {
        End::Pre => plan.populations[projection.pre].size as usize,
        End::Post | End::Third => plan.own(projection.population(of.traces[trace].end)).len() as usize,
    }
}
