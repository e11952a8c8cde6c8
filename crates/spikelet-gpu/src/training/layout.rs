//! Where the numbers of a batch are in the buffers, and how many there are.

use spikelet::Error;
use spikelet_train::{Reading, TrainingPlan};

use crate::kernels::Taped;

/// Steps of a block: weights and readings follow block by block.
const BLOCK: u32 = 32;

/// How the tape of a plan is stored; it is the same for all batches.
#[derive(Debug, Clone, Copy)]
pub(super) struct TapeLayout {
    /// Steps of a segment, and segments.
    pub(super) segment: u32,
    pub(super) segments: u32,
    /// Steps of a page: a page is a buffer.
    pub(super) page: u32,
}

/// First words of what belongs to a population.
#[derive(Debug, Clone, Default)]
pub(super) struct PopulationPlace {
    pub(super) lane_count: u32,
    /// Words of the spikes of a trial in a step.
    pub(super) words: u32,
    pub(super) state: u32,
    pub(super) ring: u32,
    pub(super) spikes: u32,
    pub(super) tape: u32,
    pub(super) adjoints: u32,
    pub(super) ports: u32,
    pub(super) observed: u32,
    /// Gradients of constants and of initial values.
    pub(super) constants: u32,
    pub(super) initial: u32,
}

/// First words of what belongs to a reading, and the number of its values.
#[derive(Debug, Clone)]
pub(super) struct ReadoutPlace {
    pub(super) values: u32,
    pub(super) places: u32,
    pub(super) adjoints: u32,
    pub(super) count: u32,
}

/// Words of each buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BufferWords {
    pub(super) state: u64,
    pub(super) ring: u64,
    pub(super) spikes: u64,
    /// A step of the tape.
    pub(super) tape: u64,
    pub(super) ports: u64,
    pub(super) gradients: u64,
    pub(super) readings: u64,
    /// State and sums between two steps: the beginning of `state`, and `ring`.
    pub(super) forward: u64,
}

/// The places of a batch.
#[derive(Debug, Clone)]
pub(super) struct BatchLayout {
    pub(super) trials: u32,
    /// Trials of a chunk, and chunks.
    pub(super) chunk: u32,
    pub(super) chunks: u32,
    pub(super) block: u32,
    pub(super) slots: u32,
    pub(super) port_slots: u32,
    pub(super) populations: Vec<PopulationPlace>,
    /// Gradients of each projection.
    pub(super) projections: Vec<u32>,
    pub(super) readouts: Vec<ReadoutPlace>,
    pub(super) sizes: BufferWords,
}

/// Takes this many words, and returns the first. BufferWords are tested afterwards, so that a place may be cut off here.
fn take(total: &mut u64, words: u64) -> u32 {
    let first = *total as u32;
    *total += words;
    first
}

impl BatchLayout {
    /// The places for this many trials.
    pub(super) fn new(plan: &TrainingPlan, trials: u32) -> BatchLayout {
        let chunk = plan.chunk(trials as usize) as u32;
        let chunks = u64::from(trials.div_ceil(chunk));
        let (steps, slots, block) = (u64::from(plan.steps), plan.plan.ring.slots.max(1), BLOCK.min(plan.steps.max(1)));
        let port_slots = slots + block;
        let mut sizes = BufferWords::default();
        let mut populations = Vec::new();
        for (population, trained) in plan.plan.populations.iter().zip(&plan.populations) {
            let lanes = u64::from(population.size) * u64::from(trials);
            let words = u64::from(population.size.div_ceil(32));
            let ports = lanes * trained.layout.ports as u64;
            populations.push(PopulationPlace {
                lane_count: lanes as u32,
                words: words as u32,
                state: take(&mut sizes.state, lanes * (trained.layout.variables as u64 + 1)),
                ring: take(&mut sizes.ring, ports * u64::from(slots)),
                spikes: take(&mut sizes.spikes, steps * u64::from(trials) * words),
                tape: take(&mut sizes.tape, lanes * Taped::of(trained).words() as u64),
                ports: take(&mut sizes.ports, if trained.is_trained { ports * u64::from(port_slots) } else { 0 }),
                observed: take(&mut sizes.readings, lanes * u64::from(block) * trained.layout.observed.len() as u64),
                ..PopulationPlace::default()
            });
        }
        sizes.forward = sizes.state;
        for (index, (place, trained)) in populations.iter_mut().zip(&plan.populations).enumerate() {
            if !trained.is_trained {
                continue;
            }
            let (lanes, layout) = (u64::from(place.lane_count), &trained.layout);
            place.adjoints = take(&mut sizes.state, lanes * (layout.variables + 1 + layout.constants) as u64);
            place.constants = take(&mut sizes.gradients, chunks * layout.constants as u64);
            if trained.has_trained_values {
                let count = layout.variables as u64 * u64::from(plan.plan.populations[index].size);
                place.initial = take(&mut sizes.gradients, chunks * count);
            }
        }
        let of_weights = plan.projections.iter().map(|of| if of.group.is_some() { of.targets.len() as u64 } else { 0 });
        let projections = of_weights.map(|count| take(&mut sizes.gradients, chunks * count)).collect();
        let readouts = plan.readouts.iter().map(|readout| {
            let lanes = u64::from(populations[readout.population].lane_count);
            let count = if readout.reading.is_by_step() { lanes * steps } else { lanes };
            let has_places = matches!(readout.reading, Reading::Max);
            let values = take(&mut sizes.readings, count);
            // That of the first spike is its value.
            let places = if has_places { take(&mut sizes.readings, lanes) } else { values };
            ReadoutPlace { values, places, adjoints: take(&mut sizes.readings, count), count: count as u32 }
        });
        let readouts = readouts.collect();
        BatchLayout { trials, chunk, chunks: chunks as u32, block, slots, port_slots, populations, projections, readouts, sizes }
    }

    /// Bytes that are stored for the gradient, with a tape in segments of this many steps.
    pub(super) fn tape_bytes(&self, plan: &TrainingPlan, segment: u32) -> u64 {
        let segments = u64::from(plan.steps.div_ceil(segment.max(1)));
        let checkpoints = if segments > 1 { segments * (self.sizes.forward + self.sizes.ring) } else { 0 };
        4 * (self.sizes.tape * u64::from(segment) + checkpoints + self.sizes.spikes + self.sizes.ports)
    }

    /// The length of segments that takes least: about the square root of the number of steps (Griewank & Walther 2008, *Evaluating
    /// Derivatives*, chapter 12, with one level).
    pub(super) fn best_segment(&self, plan: &TrainingPlan) -> u32 {
        (1..=plan.steps.max(1)).min_by_key(|segment| self.tape_bytes(plan, *segment)).unwrap_or(1)
    }
}

impl TapeLayout {
    /// The segments of batches like `layout`: as the training says, or as its memory allows; on a device whose kernels use at most `most`
    /// words of a buffer.
    ///
    /// # Errors
    /// The tape is larger than this memory, or a step of it larger than a buffer: says what would fit.
    pub(super) fn new(plan: &TrainingPlan, layout: &BatchLayout, most: u64) -> Result<TapeLayout, Error> {
        let (steps, least) = (plan.steps.max(1), layout.best_segment(plan));
        let memory = plan.tape.memory.unwrap_or(u64::MAX);
        let segment = match plan.tape.segment {
            Some(segment) => segment.clamp(1, steps),
            None if layout.tape_bytes(plan, steps) <= memory => steps,
            None => least,
        };
        let bytes = layout.tape_bytes(plan, segment);
        if bytes > memory {
            let found = format!("{bytes} bytes for {} trials of {steps} steps", layout.trials);
            let way_out = match layout.tape_bytes(plan, least) {
                bytes if bytes <= memory => format!("write \"segment\": {least}, which takes {bytes} bytes"),
                bytes => format!("use smaller batches: the shortest tape, with segments of {least} steps, has {bytes} bytes"),
            };
            return Err(Error::invalid("tape", found, format!("at most {memory} bytes"), way_out));
        }
        let page = u64::from(segment).min(most / layout.sizes.tape.max(1)) as u32;
        if page == 0 {
            let found = format!("{} bytes in each step", 4 * layout.sizes.tape);
            return Err(Error::invalid("tape", found, format!("at most {} bytes in a buffer", 4 * most), "use smaller batches"));
        }
        Ok(TapeLayout { segment, segments: steps.div_ceil(segment), page })
    }
}
