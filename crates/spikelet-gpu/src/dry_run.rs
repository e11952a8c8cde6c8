//! The memory of a plan on a GPU, without a GPU.

use spikelet::cost::ExpectedMemory;
use spikelet::lang::End;
use spikelet::{Error, PerSynapse, Plan, ProjectionPlan};

use crate::layout::{EPOCH_SPIKES, LOG_SPIKES, SAMPLE_WORDS, check};
use crate::options::{Fusion, GpuConstants};
use crate::passes::lay_out;
use crate::shape::{Limits, Shape};
use crate::sizes::EVENTS;

/// The memory of a plan on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRun {
    /// Every buffer of kernels, by name, with its bytes; pages of rows are numbered.
    pub buffers: Vec<(String, u64)>,
    /// Number of pages of rows.
    pub pages: usize,
    /// The passes of an epoch, by kernel; each is counted once, also if it runs in each step.
    pub passes: usize,
    /// Dispatches per epoch; per several epochs if one does them all.
    pub dispatches_per_epoch: usize,
    /// How much of an epoch is one dispatch.
    pub fusion: Fusion,
    /// Steps of an epoch.
    pub epoch_steps: u32,
}

impl DryRun {
    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Lays out a plan for a GPU with buffers of at most `binding_bytes`. Needs no device, and copies no synapse.
///
/// # Errors
/// A buffer that is not divided into pages is larger, or a single row is: both sizes, and suggestions.
pub fn gpu_plan(plan: &Plan, binding_bytes: u64) -> Result<DryRun, Error> {
    gpu_plan_of_trials(plan, binding_bytes, 1)
}

/// The same for this number of parallel trials.
///
/// # Errors
/// As [`gpu_plan`].
pub fn gpu_plan_of_trials(plan: &Plan, binding_bytes: u64, trials: u32) -> Result<DryRun, Error> {
    let (layout, passes) = lay_out(plan, Shape { limits: Limits::of_binding(binding_bytes), trials, ..Shape::unlimited() })?;
    let (buffers, pages) = (layout.named_buffers(plan), layout.pages.len());
    let (dispatches_per_epoch, fusion) = (passes.launches().len(), passes.fusion);
    let passes = passes.all().count();
    Ok(DryRun { buffers, pages, passes, dispatches_per_epoch, fusion, epoch_steps: layout.epoch_steps })
}

/// The expected buffers of a network on a GPU with buffers of at most `binding_bytes`, for this number of parallel trials: by name, with their
/// bytes, as in [`DryRun`], all pages of rows together. Nothing is drawn; `tables` and `header` are those of a small network,
/// with the neurons that are summed.
///
/// # Errors
/// A buffer that is not divided into pages is larger: both sizes, and suggestions.
pub fn gpu_estimate(expected: &ExpectedMemory, binding_bytes: u64, trials: u32) -> Result<Vec<(String, u64)>, Error> {
    let (sample, limits, trials) = (&expected.sample, Limits::of_binding(binding_bytes), u64::from(trials));
    let (small, _) = lay_out(sample, Shape::unlimited())?;
    let tables = small.words_of_trial(sample).tables + expected.reduced;
    let neurons = expected.number_of_neurons();
    let (mut state, mut rows, mut events) = (expected.state(), 0, 0);
    let mut ring = u64::from(sample.ring.slots) * expected.columns();
    ring +=
        u64::from(sample.memory_steps) * expected.populations.iter().map(|(_, size)| u64::from(size.div_ceil(32))).sum::<u64>();
    for (index, of) in sample.projections.iter().enumerate().filter(|(index, _)| expected.is_stored(*index)) {
        let (synapses, [pre, _]) =
            (expected.estimate.projections[index].synapses as u64, expected.estimate.projections[index].ends);
        rows += u64::from(pre) + 1;
        let Some(stateful) = &of.state else {
            rows += words_of_row(of, synapses);
            continue;
        };
        let halves = stateful.arrays.iter().filter(|array| array.half).count() as u64;
        state += (stateful.arrays.len() as u64 - halves) * synapses + expected.traces(index);
        ring += halves * synapses.div_ceil(2);
        events += synapses * of.pathways.len() as u64;
        rows += 2 * synapses;
        let sums = |end: End| stateful.summed.iter().any(|sum| sum.end == end);
        let in_turn = stateful.arrivals.iter().any(|arrival| !arrival.writes.is_empty());
        if of.pathways.iter().any(|pathway| pathway.end == End::Post) || in_turn || sums(End::Post) {
            rows += synapses + u64::from(expected.populations[of.post].1) + 1;
        }
        if let Some(third) = &of.third {
            rows += 2 * synapses + u64::from(expected.populations[third.population].1) + 1;
        }
    }
    let max_steps = (u64::from(EPOCH_SPIKES) / neurons.max(1)).min(EVENTS / events.max(1)).max(1);
    let epoch_steps = u64::from(sample.epoch_steps).min(max_steps);
    let in_flight = u64::from(GpuConstants::default().in_flight);
    let spikes = 2 * in_flight * (LOG_SPIKES / trials).max(neurons * epoch_steps).max(1);
    let row = expected.columns.max(u64::from(sample.clock_columns)).max(1) * trials;
    let batch_steps = (SAMPLE_WORDS / row).max(epoch_steps);
    let clocks = (in_flight + 1) * batch_steps * u64::from(sample.clock_columns);
    let samples = batch_steps * expected.columns;
    let own =
        [("tables", tables), ("clocks", clocks), ("state", state), ("ring", ring), ("spikes", spikes), ("samples", samples)];
    let buffers: Vec<(&str, u64)> = own.into_iter().map(|(name, words)| (name, trials * words)).collect();
    check(&buffers, limits)?;
    let buffers = buffers.into_iter().chain([("rows", rows)]);
    Ok(buffers.map(|(name, words)| (name.to_owned(), (4 * words).max(16))).collect())
}

/// Words of the synapses of a stored projection without state: targets with their delays, and weights.
fn words_of_row(projection: &ProjectionPlan, synapses: u64) -> u64 {
    let delays = projection.pathways.iter().filter(|pathway| matches!(pathway.delay, PerSynapse::Each(_))).count() as u64;
    let weights = projection.writes().map(|(_, write)| match &write.weights {
        PerSynapse::Each(_) => synapses,
        PerSynapse::Half(_) => synapses.div_ceil(2),
        _ => 0,
    });
    (1 + delays) * synapses + weights.sum::<u64>()
}
