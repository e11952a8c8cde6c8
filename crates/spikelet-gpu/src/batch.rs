//! A loaded plan: its buffers and kernels, and the commands of a batch of epochs.

use std::sync::Arc;

use spikelet::{Activity, Error, Plan, Spike};

use crate::Device;
use crate::buffers::{Buffers, Header};
use crate::kernels::Text;
use crate::layout::Layout;
use crate::passes::{self, Pass};
use crate::pipelines::{Bindings, Pipelines};
use crate::readback::Piece;

/// Spikes read back along with the header; more of them take a second copy.
const QUICK_SPIKES: usize = 4096;

/// A dispatch: the kernel, and its workgroups.
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    workgroups: u32,
    page: usize,
}

/// The dispatches of an epoch, in the order of [`Layout::passes`].
async fn compile(device: &Device, pipelines: &mut Pipelines, plan: &Plan, layout: &Layout) -> Result<Vec<Dispatch>, Error> {
    let texts = layout.passes.iter().map(|pass| Text::of(plan, pass.kernel)).collect();
    let pipelines = pipelines.compile(device, texts).await?;
    let software = device.report().software;
    let dispatch = |(pipeline, pass): (_, &Pass)| Dispatch { pipeline, workgroups: pass.workgroups(software), page: pass.page };
    Ok(pipelines.into_iter().zip(&layout.passes).map(dispatch).collect())
}

pub(crate) struct Loaded {
    pub(crate) plan: Arc<Plan>,
    pub(crate) layout: Layout,
    pub(crate) buffers: Buffers,
    bindings: Bindings,
    dispatches: Vec<Dispatch>,
    header: Header,
}

impl Loaded {
    pub(crate) async fn new(device: &Device, pipelines: &mut Pipelines, plan: Arc<Plan>, trial: u32) -> Result<Loaded, Error> {
        let mut layout = Layout::new(&plan, device.limits())?;
        let buffers = Buffers::new(device, &plan, &mut layout).await?;
        let bindings = pipelines.bind(&device.device, &buffers);
        let dispatches = compile(device, pipelines, &plan, &layout).await?;
        let header = Header {
            epoch_steps: layout.epoch_steps,
            capacity: layout.capacity as u32,
            epoch_spikes: plan.neurons() * layout.epoch_steps,
            seed_low: plan.seed as u32,
            seed_high: (plan.seed >> 32) as u32,
            trial,
            slots: plan.ring.slots,
            lanes: plan.ring.lanes,
            channels: plan.channels.len() as u32,
            clock_lanes: plan.clock_lanes,
            populations: plan.populations.len() as u32,
            populations_at: layout.populations_at,
            channels_at: layout.channels_at,
            memory_steps: plan.memory_steps,
            memory_at: layout.memory_at as u32,
            memory_words: layout.memory_words,
            ..Header::default()
        };
        Ok(Loaded { plan, layout, buffers, bindings, dispatches, header })
    }

    /// Goes on with another plan of the same network.
    ///
    /// # Errors
    /// Its timed arrays have other sizes.
    pub(crate) async fn revise(&mut self, device: &Device, pipelines: &mut Pipelines, plan: Arc<Plan>) -> Result<(), Error> {
        let tables = |plan: &Plan| plan.populations.iter().map(|population| population.clocks.tables.len()).collect::<Vec<_>>();
        if tables(&plan) != tables(&self.plan) || plan.clock_lanes != self.plan.clock_lanes {
            return Err(Error::Backend("a running network keeps the sizes of its timed arrays; reset it".into()));
        }
        for (index, population) in plan.populations.iter().enumerate() {
            let at = self.layout.entries(index) as u64 * 4;
            device.queue.write_buffer(&self.buffers.tables, at, bytemuck::cast_slice(&population.clocks.tables));
        }
        for (at, scale) in self.layout.drawn_scales(&plan) {
            device.queue.write_buffer(&self.buffers.tables, at as u64 * 4, bytemuck::bytes_of(&scale));
        }
        let (groups, lists) = self.layout.recipe_groups_of(&plan);
        if groups != self.layout.recipe_groups {
            // Other formulas of drawn values are other kernels.
            let at = self.layout.recipe_groups_at() as u64 * 4;
            device.queue.write_buffer(&self.buffers.tables, at, bytemuck::cast_slice(&lists));
            self.layout.recipe_groups = groups;
            self.layout.passes = passes::of_epoch(&plan, &self.layout);
            self.buffers.replace_jobs(device, &self.layout.passes);
            self.bindings = pipelines.bind(&device.device, &self.buffers);
            self.dispatches = compile(device, pipelines, &plan, &self.layout).await?;
        }
        self.plan = plan;
        Ok(())
    }

    /// Runs up to `steps` steps in one submission; returns the step it came to, which is earlier when the log is full.
    pub(crate) async fn submit(
        &mut self,
        device: &Device,
        first: u32,
        steps: u32,
        activity: &mut Activity,
    ) -> Result<u32, Error> {
        let header = Header { step_next: first, run_next: 1, until: first + steps, origin: first, ..self.header };
        device.queue.write_buffer(&self.buffers.header, 0, bytemuck::cast_slice(&header.words()));
        if self.plan.clock_lanes > 0 {
            let clocks: Vec<f32> = (first..first + steps).flat_map(|step| self.plan.clocks(step)).collect();
            device.queue.write_buffer(&self.buffers.clocks, 0, bytemuck::cast_slice(&clocks));
        }
        let mut encoder = device.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for _ in 0..steps.div_ceil(self.layout.epoch_steps) {
                for (job, dispatch) in (0..).step_by(self.buffers.job_stride as usize).zip(&self.dispatches) {
                    pass.set_pipeline(&dispatch.pipeline);
                    pass.set_bind_group(0, &self.bindings.storage[dispatch.page], &[]);
                    pass.set_bind_group(1, &self.bindings.job, &[job]);
                    pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
                }
            }
        }
        let channels = self.plan.channels.len();
        let quick = QUICK_SPIKES.min(self.layout.capacity as usize);
        let pieces = [
            Piece { buffer: &self.buffers.header, at: 0, words: Header::WORDS },
            Piece { buffer: &self.buffers.spikes, at: 0, words: 2 * quick },
            Piece { buffer: &self.buffers.samples, at: 0, words: steps as usize * channels },
        ];
        let words = device.read_after(encoder, &pieces).await?;
        let reached = Header::of_words(&words);
        if let Some(fault) = self.fault(&reached) {
            return Err(fault);
        }
        let log =
            |words: &[u32]| words.chunks_exact(2).map(|spike| Spike { step: spike[0], neuron: spike[1] }).collect::<Vec<_>>();
        let (count, samples_at) = (reached.count as usize, Header::WORDS + 2 * quick);
        activity.spikes.extend(log(&words[Header::WORDS..Header::WORDS + 2 * count.min(quick)]));
        if count > quick {
            let rest = Piece { buffer: &self.buffers.spikes, at: 2 * quick, words: 2 * (count - quick) };
            let encoder = device.device.create_command_encoder(&Default::default());
            activity.spikes.extend(log(&device.read_after(encoder, &[rest]).await?));
        }
        let rows = (reached.step_next - first) as usize;
        activity.samples.extend(words[samples_at..samples_at + rows * channels].iter().map(|word| f32::from_bits(*word)));
        Ok(reached.step_next)
    }

    /// The event that was too large, if there was one.
    fn fault(&self, header: &Header) -> Option<Error> {
        let projection = &self.plan.projections[header.fault.checked_sub(1)? as usize];
        let port = header.fault_port as usize;
        let of = &self.plan.populations[projection.post].ports[port];
        Some(projection.state.as_ref()?.too_large(&projection.name, port, of, f32::from_bits(header.fault_value)))
    }
}
