//! The jobs of a batch: what each kernel is dispatched with.

use spikelet_train::TrainingPlan;

use super::job::Job;
use super::layout::{BatchLayout, TapeLayout};
use super::tables::Tables;
use crate::kernels::{Taped, TrainingKernel};
use crate::sizes::WORKGROUP_SIZE;

/// Neurons that one invocation adds up in a dispatch, which limits its loop.
const SUMMED: u32 = 8192;

/// A kernel with the index of its job, and its workgroups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch {
    pub(super) kernel: TrainingKernel,
    pub(super) job: usize,
    pub(super) groups: u32,
}

/// The dispatches of a batch, in their order.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) list: Vec<Job>,
    /// Once: the initial state, and the input.
    pub(super) begin: Vec<Dispatch>,
    pub(super) input: Option<Dispatch>,
    /// In each step: populations, then projections; without and with a tape.
    pub(super) step: [Vec<Dispatch>; 2],
    /// In each block: readings.
    pub(super) read: Vec<Dispatch>,
    /// In each step backwards.
    pub(super) back: Vec<Dispatch>,
    /// In each block backwards: gradients of weights.
    pub(super) weights: Vec<Dispatch>,
    /// Once, after all steps.
    pub(super) sums: Vec<Dispatch>,
}

/// What is the same for all jobs of a batch.
pub(super) struct BatchShape<'a> {
    pub(super) plan: &'a TrainingPlan,
    pub(super) tables: &'a Tables,
    pub(super) tape: TapeLayout,
    pub(super) layout: &'a BatchLayout,
    pub(super) first_trial: u32,
    /// Spikes of the input.
    pub(super) spikes: u32,
}

impl BatchShape<'_> {
    /// What all kernels see.
    fn job(&self) -> Job {
        let (plan, layout, tape) = (self.plan, self.layout, self.tape);
        Job {
            trials: layout.trials,
            first_trial: self.first_trial,
            steps: plan.steps,
            chunk: layout.chunk,
            seed: [plan.plan.seed as u32, (plan.plan.seed >> 32) as u32],
            segment: tape.segment,
            page: tape.page,
            window: plan.tape.window.unwrap_or(u32::MAX).max(1),
            block: layout.block,
            slots: layout.slots,
            port_slots: layout.port_slots,
            tape_words: layout.sizes.tape as u32,
            clock_columns: plan.plan.clock_columns,
            per_step: (1.0 / f64::from(plan.steps.max(1))) as f32,
            per_spike: -plan.plan.dt_ms as f32,
            ..Job::default()
        }
    }

    /// What the kernels of a population see.
    fn of_population(&self, index: usize) -> Job {
        let (of, place, tables) =
            (&self.plan.plan.populations[index], &self.layout.populations[index], &self.tables.populations[index]);
        Job {
            size: of.size,
            lane_count: place.lane_count,
            first: of.first,
            arrays: of.program.variables.len() as u32,
            state: place.state,
            ring: place.ring,
            spikes: place.spikes,
            words: place.words,
            tape: place.tape,
            adjoints: place.adjoints,
            ports: place.ports,
            observed: place.observed,
            constants: tables.constants as u32,
            units: tables.units as u32,
            clocks: tables.clocks as u32,
            entries: tables.entries as u32,
            initial: tables.initial as u32,
            projections: tables.projections as u32,
            outgoing: tables.outgoing as u32,
            readouts: tables.readouts as u32,
            ..self.job()
        }
    }

    /// All dispatches of a batch.
    pub(super) fn jobs(&self) -> Jobs {
        let mut jobs = Jobs::default();
        let plan = self.plan;
        for index in (0..plan.populations.len()).filter(|index| *index != plan.input) {
            let of = self.of_population(index);
            let begin = jobs.each(TrainingKernel::Begin, of, of.lane_count);
            jobs.begin.push(begin);
            let tapes = Taped::of(&plan.populations[index]).words() > 0;
            for tape in [false, true] {
                let step = Job { tapes: u32::from(tape && tapes), ..of };
                let step = jobs.each(TrainingKernel::Step(index), step, of.lane_count);
                jobs.step[usize::from(tape)].push(step);
            }
            if plan.populations[index].is_trained {
                let back = jobs.each(TrainingKernel::StepBack(index), of, of.lane_count);
                jobs.back.push(back);
            }
        }
        let input = Job { count: self.spikes, ..self.of_population(plan.input) };
        jobs.input = (self.spikes > 0).then(|| jobs.each(TrainingKernel::Inputs, input, self.spikes));
        for (of, at) in plan.readouts.iter().zip(&self.tables.readout_words) {
            let read = Job { readouts: *at as u32, ..self.of_population(of.population) };
            let read = jobs.each(TrainingKernel::Read(of.reading), read, read.lane_count);
            jobs.read.push(read);
        }
        self.of_projections(&mut jobs);
        self.sums(&mut jobs);
        jobs
    }

    fn of_projections(&self, jobs: &mut Jobs) {
        let layout = self.layout;
        for (index, of) in self.plan.projections.iter().enumerate() {
            let words = layout.trials * layout.populations[of.pre].words;
            let at = self.tables.projection_words[index] as u32;
            // A workgroup for each word of spikes.
            let job = jobs.push(Job { projections: at, count: words, ..self.job() });
            let propagate = Dispatch { kernel: TrainingKernel::Propagate, job, groups: words };
            jobs.step.iter_mut().for_each(|step| step.push(propagate));
            let count = of.targets.len() as u32;
            if of.group.is_some() && count > 0 {
                let weights = Job { projections: at, count, results: layout.projections[index], ..self.job() };
                let weights = jobs.each(TrainingKernel::Weights, weights, count * layout.chunks);
                jobs.weights.push(weights);
            }
        }
    }

    /// Sums over neurons, trials and chunks.
    fn sums(&self, jobs: &mut Jobs) {
        let (plan, layout) = (self.plan, self.layout);
        let mut over_chunks = Vec::new();
        for (index, of) in plan.populations.iter().enumerate().filter(|(_, of)| of.is_trained && of.has_trained_values) {
            let job = self.of_population(index);
            let (place, arrays, constants) = (&layout.populations[index], job.arrays, of.layout.constants as u32);
            for lower in (0..job.size).step_by(SUMMED as usize).filter(|_| constants > 0) {
                let count = constants * layout.trials;
                let sum = Job { lower, upper: (lower + SUMMED).min(job.size), count, ..job };
                let sum = jobs.each(TrainingKernel::SumNeurons, sum, count);
                jobs.sums.push(sum);
            }
            let of_constants = Job { lower: arrays + 1, width: 1, count: constants, results: place.constants, ..job };
            let count = arrays * job.size;
            let of_arrays = Job { lower: 0, width: job.size, count, results: place.initial, ..job };
            for sum in [of_constants, of_arrays].into_iter().filter(|sum| sum.count > 0) {
                let dispatch = jobs.each(TrainingKernel::SumTrials, sum, sum.count * layout.chunks);
                jobs.sums.push(dispatch);
                over_chunks.push(sum);
            }
        }
        for (of, results) in plan.projections.iter().zip(&layout.projections).filter(|(of, _)| of.group.is_some()) {
            over_chunks.push(Job { count: of.targets.len() as u32, results: *results, ..self.job() });
        }
        for sum in over_chunks {
            let sum = jobs.each(TrainingKernel::SumChunks, sum, sum.count);
            jobs.sums.push(sum);
        }
    }
}

impl Jobs {
    fn push(&mut self, job: Job) -> usize {
        self.list.push(job);
        self.list.len() - 1
    }

    /// An invocation for each of `items`.
    fn each(&mut self, kernel: TrainingKernel, job: Job, items: u32) -> Dispatch {
        Dispatch { kernel, job: self.push(job), groups: items.div_ceil(WORKGROUP_SIZE) }
    }

    /// Their words, at the distance that uniform buffers need.
    pub(super) fn words(&self) -> Vec<u32> {
        let mut words = vec![0_u32; self.list.len() * Job::STRIDE_WORDS];
        for (words, job) in words.chunks_mut(Job::STRIDE_WORDS).zip(&self.list) {
            let job: &[u32] = bytemuck::cast_slice(std::slice::from_ref(job));
            words[..job.len()].copy_from_slice(job);
        }
        words
    }
}
