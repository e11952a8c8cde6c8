//! Loaded trials: their buffers and kernels.

use std::sync::Arc;

use spikelet::{ArrayId, Error, Plan, Trial};

use crate::Device;
use crate::buffers::Buffers;
use crate::header::{Header, Progress};
use crate::kernels::Dialect;
use crate::layout::{BufferLayout, WordRange, events_of_step};
use crate::options::GpuOptions;
use crate::passes::{Launch, Passes, WorkgroupLoop, lay_out};
use crate::pipelines::{Bindings, Pipelines};
use crate::readback::BufferRange;
use crate::rounds;
use crate::shape::Shape;
use crate::sizes::{EVENTS, EVENTS_SOFTWARE, ITERATIONS_SOFTWARE};
use crate::spec::EntryPoint;
use crate::submission::SubmissionQueue;
use crate::timer::{DispatchTimes, MAX_TIMED, Timer};

/// Maximum number of epochs recorded per submission, and of dispatches.
const MAX_EPOCHS: u32 = 256;
const MAX_DISPATCHES: u32 = 4096;

/// A dispatch: the kernel, its workgroups per trial, its page, and its first step of the epoch.
pub(crate) struct Dispatch {
    pub(crate) name: &'static str,
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) workgroups: u32,
    pub(crate) page: usize,
    pub(crate) first_step: u32,
}

pub(crate) struct GpuSession {
    pub(crate) plans: Vec<Arc<Plan>>,
    pub(crate) layout: BufferLayout,
    pub(crate) passes: Passes,
    pub(crate) buffers: Buffers,
    pub(crate) bindings: Bindings,
    pub(crate) kernels: SessionKernels,
    /// What completes the last step, once it was needed.
    pub(crate) completing: Option<Vec<Dispatch>>,
    /// The last step before which the state was completed.
    pub(crate) completed: u32,
    /// Maximum number of spikes per submission whose rows are processed, of each trial.
    pub(crate) walks: u32,
    /// Maximum number of steps per submission.
    pub(crate) max_steps: u32,
    pub(crate) submissions: SubmissionQueue,
    /// Timestamps of dispatches, if measured, and their sums.
    pub(crate) timer: Option<Timer>,
    pub(crate) times: Option<DispatchTimes>,
}

impl GpuSession {
    pub(crate) async fn new(
        device: &Device,
        pipelines: &mut Pipelines,
        options: &GpuOptions,
        trials: Vec<Trial>,
    ) -> Result<GpuSession, Error> {
        let (numbers, plans): (Vec<u32>, Vec<Arc<Plan>>) = trials.into_iter().map(|trial| (trial.number, trial.plan)).unzip();
        let Some(plan) = plans.first().cloned() else { return Err(Error::Backend("there is no trial to load".into())) };
        if let Some(other) = plans.iter().position(|other| !plan.shares_rows_with(other)) {
            return Err(Error::Backend(format!("trial {other} differs from the first in more than values; run it separately")));
        }
        let software = device.report().software;
        rounds::check(&device.report().name, &plan)?;
        let most = options.events_per_submission.unwrap_or(if software { EVENTS_SOFTWARE } else { EVENTS });
        let events = (most / plans.len() as u64).max(1);
        let GpuOptions { fusion, constants, .. } = *options;
        let shape = Shape { limits: device.limits(), trials: plans.len() as u32, fusion, events, software, constants };
        let (layout, passes) = lay_out(&plan, shape)?;
        let each: Vec<&Plan> = plans.iter().map(|plan| &**plan).collect();
        let buffers = Buffers::new(device, &each, &layout, passes.max_jobs()).await?;
        let words = layout.words_of_trial(&plan);
        let header = Header {
            epoch_steps: layout.epoch_steps,
            capacity: layout.capacity as u32,
            log_parts: options.constants.in_flight,
            epoch_spikes: plan.part().neurons() * layout.epoch_steps,
            seed_low: plan.seed as u32,
            seed_high: (plan.seed >> 32) as u32,
            slots: plan.ring.slots,
            columns: plan.ring.columns,
            channels: plan.sampling.columns.len() as u32,
            clock_columns: plan.clock_columns,
            clock_rows: layout.clock_rows as u32,
            populations: plan.populations.len() as u32,
            populations_offset: layout.populations_offset,
            channels_offset: layout.channels_offset,
            jobs_offset: passes.jobs_offset as u32,
            memory_steps: plan.memory_steps,
            memory_offset: layout.memory_offset as u32,
            memory_words: layout.memory_words,
            tables_words: words.tables as u32,
            clocks_words: words.clocks as u32,
            state_words: words.state as u32,
            ring_words: words.ring as u32,
            samples_words: words.samples as u32,
            ..Header::default()
        };
        let progress = numbers.iter().flat_map(|number| Progress { number: *number, ..Progress::default() }.words());
        let header: Vec<u32> = header.words().into_iter().chain(progress).collect();
        device.queue.write_buffer(&buffers.header, 0, bytemuck::cast_slice(&header));
        let kernels = SessionKernels::compile(device, pipelines, (&plan, &passes), options).await?;
        buffers.put_jobs(device, 0, &kernels.jobs);
        let timer = if options.profile { Timer::new(device) } else { None };
        // The first dispatch of a submission.
        let timed_epochs = ((MAX_TIMED - 1) / kernels.dispatches.len().max(1) as u32).max(1).saturating_mul(kernels.epochs);
        let timed_steps = timed_epochs.saturating_mul(layout.epoch_steps);
        Ok(GpuSession {
            bindings: pipelines.bind(&device.device, &buffers),
            walks: (events / longest_row(&plan)).clamp(1, u32::MAX.into()) as u32,
            max_steps: max_steps(&plan, &layout, &kernels).min(if timer.is_some() { timed_steps } else { u32::MAX }),
            kernels,
            times: options.profile.then(|| DispatchTimes::new(&plan)),
            timer,
            completing: None,
            completed: 0,
            submissions: SubmissionQueue::new(plans.len(), options.pace),
            plans,
            layout,
            passes,
            buffers,
        })
    }

    /// Replaces the plans by others of the same networks.
    ///
    /// # Errors
    /// Their timed arrays have other sizes.
    pub(crate) async fn revise(
        &mut self,
        device: &Device,
        pipelines: &mut Pipelines,
        options: &GpuOptions,
        plans: Vec<Arc<Plan>>,
    ) -> Result<(), Error> {
        let tables = |plan: &Plan| plan.populations.iter().map(|population| population.clocks.tables.len()).collect::<Vec<_>>();
        let (Some(plan), true) = (plans.first().cloned(), plans.len() == self.plans.len()) else {
            let counts = format!("{} trials are loaded, but {} plans were given", self.plans.len(), plans.len());
            return Err(Error::Backend(format!("{counts}; give one per trial")));
        };
        for (new, old) in plans.iter().zip(&self.plans) {
            if tables(new) != tables(old) || new.clock_columns != old.clock_columns {
                return Err(Error::Backend("the sizes of timed arrays cannot change during a run; reset the simulation".into()));
            }
        }
        let (groups, lists) = self.layout.recipe_groups_of(&plan);
        let regrouped = groups != self.layout.recipe_groups;
        if regrouped {
            // Other formulas of drawn values need other kernels.
            self.layout.recipe_groups = groups;
            self.passes.renew(&plan, &self.layout);
            self.kernels = SessionKernels::compile(device, pipelines, (&plan, &self.passes), options).await?;
            self.completing = None;
            self.buffers.put_jobs(device, 0, &self.kernels.jobs);
        }
        let words = self.layout.words_of_trial(&plan).tables as usize;
        for (trial, plan) in plans.iter().enumerate() {
            let put = |at: usize, words_there: &[u32]| {
                let at = (trial * words + at) as u64 * 4;
                device.queue.write_buffer(&self.buffers.tables, at, bytemuck::cast_slice(words_there));
            };
            for (index, population) in plan.populations.iter().enumerate() {
                put(self.layout.entries(index), bytemuck::cast_slice(&population.clocks.tables));
            }
            for (at, units) in self.layout.drawn_scales(plan) {
                put(at, &units);
            }
            if regrouped {
                put(self.layout.procedural_groups_offset(), &lists);
                put(self.passes.jobs_offset, &self.passes.jobs());
            }
        }
        self.plans = plans;
        // Rows that were already sent have the old clocks.
        self.submissions.forget_clocks();
        Ok(())
    }

    /// Some words of `state` of the first trial.
    pub(crate) async fn read_state(&self, device: &Device, at: usize, words: u32) -> Result<Vec<u32>, Error> {
        let piece = BufferRange { buffer: &self.buffers.state, at, words: words as usize };
        device.read_after(device.device.create_command_encoder(&Default::default()), &[piece]).await
    }

    /// The ranges of an array of a trial.
    pub(crate) fn find(&self, trial: usize, array: ArrayId) -> Result<Vec<WordRange>, Error> {
        let plan = self
            .plans
            .get(trial)
            .ok_or_else(|| Error::Backend(format!("there is no trial {trial}; {} are loaded", self.plans.len())))?;
        let words = self.layout.words_of_trial(plan);
        let moved = |(arena, range): WordRange| {
            let from = trial * words.in_arena(arena) as usize;
            (arena, range.start + from..range.end + from)
        };
        plan.arrays().get(array)?;
        Ok(self.layout.find(plan, array).into_iter().map(moved).collect())
    }
}

/// The compiled kernels of a plan.
pub(crate) struct SessionKernels {
    /// Begins a submission.
    pub(crate) start: wgpu::ComputePipeline,
    /// The dispatches of an epoch, or of a whole submission.
    pub(crate) dispatches: Vec<Dispatch>,
    /// Their jobs.
    jobs: Vec<[u32; 6]>,
    /// Number of epochs that the dispatches run, once recorded.
    pub(crate) epochs: u32,
}

impl SessionKernels {
    async fn compile(
        device: &Device,
        pipelines: &mut Pipelines,
        (plan, passes): (&Plan, &Passes),
        options: &GpuOptions,
    ) -> Result<SessionKernels, Error> {
        let (size, software) = (options.workgroup_size, device.report().software);
        let launches = passes.launches();
        let entries: Vec<EntryPoint> = launches.iter().map(|launch| launch.entry(size)).collect();
        let names: Vec<&'static str> = entries.iter().map(EntryPoint::name).collect();
        Pipelines::check_functions(device, &plan.functions).await?;
        let dialect = Dialect::new(plan, options.arithmetic);
        let entries = entries.into_iter().chain([EntryPoint::Start]).collect();
        let mut compiled = pipelines.compile(device, entries, &dialect).await?;
        let Some(start) = compiled.pop() else { return Err(Error::Backend("no kernel was compiled; report this error".into())) };
        let goes_on = launches.iter().any(|launch| matches!(launch, Launch::Loop(WorkgroupLoop { goes_on: true, .. })));
        let epochs = match goes_on {
            // llvmpipe ends loops that are too long.
            true if software => (ITERATIONS_SOFTWARE / passes.iterations().max(1)).max(1) as u32,
            true => u32::MAX,
            false => 1,
        };
        let dispatch = |((launch, name), pipeline): ((&Launch<'_>, &'static str), wgpu::ComputePipeline)| {
            let (workgroups, page) = match launch {
                Launch::Pass(pass, _) => (pass.workgroups(size, software), pass.page),
                Launch::Loop(_) => (1, 0),
            };
            Dispatch { name, pipeline, workgroups, page, first_step: launch.first_step() }
        };
        let jobs = launches.iter().map(|launch| launch.job(passes.epoch_steps, epochs)).collect();
        let dispatches = launches.iter().zip(names).zip(compiled).map(dispatch).collect();
        Ok(SessionKernels { start, dispatches, jobs, epochs })
    }
}

/// Maximum number of synapses of one neuron whose rows are processed when it fires, at least 1.
fn longest_row(plan: &Plan) -> u64 {
    let mut degrees = vec![1_u64; plan.neurons() as usize];
    for projection in plan.projections.iter().filter(|projection| projection.state.is_none()) {
        let first = (plan.populations[projection.pre].first + projection.pre_slice.start) as usize;
        let writes = projection.writes().count() as u64;
        let own = degrees[first..].iter_mut().zip(&projection.degrees.outgoing);
        own.for_each(|(sum, degree)| *sum += u64::from(*degree) * writes);
    }
    degrees.into_iter().max().unwrap_or(1)
}

/// Maximum number of steps of a submission: its results must fit, and synapses with state are visited in each.
fn max_steps(plan: &Plan, layout: &BufferLayout, kernels: &SessionKernels) -> u32 {
    let of_events = layout.shape.events / events_of_step(plan).max(1);
    let steps = layout.batch_steps.min(of_events).clamp(1, u32::MAX.into()) as u32;
    let rounds = (MAX_DISPATCHES / kernels.dispatches.len().max(1) as u32).clamp(1, MAX_EPOCHS);
    let whole = (steps / layout.epoch_steps).clamp(1, rounds.saturating_mul(kernels.epochs));
    whole.saturating_mul(layout.epoch_steps)
}
