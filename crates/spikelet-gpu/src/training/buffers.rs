//! The buffers of a plan, for batches of up to a number of trials.

use spikelet::Error;
use spikelet_train::TrainingPlan;

use super::job::Job;
use super::layout::{BatchLayout, BufferWords, TapeLayout};
use crate::Device;
use crate::allocate::Allocator;

/// The buffers.
pub(super) struct Buffers {
    pub(super) jobs: wgpu::Buffer,
    /// The number of each step.
    pub(super) steps: wgpu::Buffer,
    pub(super) tables: wgpu::Buffer,
    pub(super) state: wgpu::Buffer,
    pub(super) ring: wgpu::Buffer,
    pub(super) spikes: wgpu::Buffer,
    /// By page.
    pub(super) tape: Vec<wgpu::Buffer>,
    pub(super) ports: wgpu::Buffer,
    pub(super) gradients: wgpu::Buffer,
    pub(super) readings: wgpu::Buffer,
    /// State and sums at the beginning of each segment.
    pub(super) checkpoints: wgpu::Buffer,
}

/// The buffers with one binding each, in its order, and their words.
type BoundBuffers = [(&'static str, u64); 7];

/// The buffers of batches like `layout`, of which kernels use each as a whole.
///
/// # Errors
/// One is larger than kernels can use.
pub(super) fn bound(
    device: &Device,
    plan: &TrainingPlan,
    layout: &BatchLayout,
    tape: TapeLayout,
    tables: u64,
) -> Result<BoundBuffers, Error> {
    let BufferWords { state, ring, spikes, ports, gradients, readings, .. } = layout.sizes;
    let all = [
        ("tables", tables),
        ("state", state),
        ("inputs", ring),
        ("spikes", spikes),
        ("adjoints of inputs", ports),
        ("gradients", gradients),
        ("readings", readings),
    ];
    let most = device.limits().binding_words();
    match all.iter().find(|(_, words)| *words > most) {
        None => Ok(all),
        Some((name, words)) => Err(Error::OutOfMemory {
            device: device.report().name.clone(),
            buffer: (*name).to_owned(),
            bytes: words * 4,
            total: 4 * all.iter().map(|(_, words)| words).sum::<u64>(),
            why: format!("its kernels use at most {} bytes of a buffer", most * 4),
            way_out: way_out(plan, layout, tape),
        }),
    }
}

impl Buffers {
    /// For this many jobs of a batch.
    ///
    /// # Errors
    /// The device has too little memory.
    pub(super) async fn new(
        device: &Device,
        plan: &TrainingPlan,
        layout: &BatchLayout,
        tape: TapeLayout,
        bound: BoundBuffers,
        jobs: usize,
    ) -> Result<Buffers, Error> {
        let pages = tape.segment.div_ceil(tape.page);
        let page = layout.sizes.tape * u64::from(tape.page);
        let checkpoints =
            if tape.segments > 1 { u64::from(tape.segments) * (layout.sizes.forward + layout.sizes.ring) } else { 0 };
        let stride = Job::STRIDE_WORDS as u64;
        let uniform = [stride * jobs as u64, stride * u64::from(plan.steps.max(1))];
        let total = bound.iter().map(|(_, words)| words).sum::<u64>() + page * u64::from(pages) + checkpoints;
        let way_out = way_out(plan, layout, tape);
        let allocator = Allocator::beside(device, total + uniform.iter().sum::<u64>(), &way_out);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let [of_jobs, of_steps] = uniform.map(|words| words * 4);
        let mut buffers = Vec::new();
        for (name, words) in bound {
            buffers.push(allocator.make(name, words).await?);
        }
        let mut pages_of_tape = Vec::new();
        for _ in 0..pages {
            pages_of_tape.push(allocator.make("tape", page).await?);
        }
        let Ok([tables, state, ring, spikes, ports, gradients, readings]) = <[wgpu::Buffer; 7]>::try_from(buffers) else {
            unreachable!("each of the names has a buffer")
        };
        let buffers = Buffers {
            jobs: allocator.make_for("jobs", of_jobs, usage).await?,
            steps: allocator.make_for("steps", of_steps, usage).await?,
            tables,
            state,
            ring,
            spikes,
            tape: pages_of_tape,
            ports,
            gradients,
            readings,
            checkpoints: allocator.make("checkpoints", checkpoints).await?,
        };
        let mut numbers = vec![0_u32; plan.steps.max(1) as usize * Job::STRIDE_WORDS];
        (0..).zip(numbers.iter_mut().step_by(Job::STRIDE_WORDS)).for_each(|(step, number)| *number = step);
        device.queue.write_buffer(&buffers.steps, 0, bytemuck::cast_slice(&numbers));
        Ok(buffers)
    }

    /// What the kernels use with a page of the tape.
    pub(super) fn storage(&self, page: usize) -> [&wgpu::Buffer; 8] {
        let Buffers { tables, state, ring, spikes, tape, ports, gradients, readings, .. } = self;
        [tables, state, ring, spikes, &tape[page], ports, gradients, readings]
    }
}

/// What needs less memory.
fn way_out(plan: &TrainingPlan, layout: &BatchLayout, tape: TapeLayout) -> String {
    let least = layout.best_segment(plan);
    if layout.tape_bytes(plan, least) < layout.tape_bytes(plan, tape.segment) {
        return format!(
            "write \"segment\": {least} into \"tape\", which takes {} bytes, or use smaller batches",
            layout.tape_bytes(plan, least)
        );
    }
    "use smaller batches, or train on the CPU".to_owned()
}
