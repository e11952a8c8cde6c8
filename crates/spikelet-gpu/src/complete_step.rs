//! The end of the last step, between two epochs: its completion, and pending input after it.

use spikelet::Error;

use crate::Device;
use crate::kernels::Dialect;
use crate::options::GpuOptions;
use crate::passes::Pass;
use crate::pipelines::Pipelines;
use crate::session::{Dispatch, GpuSession};
use crate::spec::EntryPoint;

impl GpuSession {
    /// Completes the step before this one. All begun work has been completed.
    ///
    /// # Errors
    /// The device rejects a kernel.
    pub(crate) async fn complete_step(
        &mut self,
        device: &Device,
        pipelines: &mut Pipelines,
        options: &GpuOptions,
        step: u32,
    ) -> Result<(), Error> {
        let completing = match self.completing.take() {
            Some(completing) => completing,
            None => self.compile_completing(device, pipelines, options).await?,
        };
        self.put_clocks(device, step + 1);
        let first = self.kernels.dispatches.len() as u32;
        let stride = self.buffers.job_stride;
        let jobs = (first..).map(|job| job * stride).zip(&completing);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        self.encode(&mut encoder, jobs.map(|(job, of)| (&of.pipeline, of.page, job, of.workgroups)));
        device.queue.submit([encoder.finish()]);
        self.completing = Some(completing);
        device.check()
    }

    /// Compiles the kernels, and writes their jobs after those of the epoch.
    async fn compile_completing(
        &self,
        device: &Device,
        pipelines: &mut Pipelines,
        options: &GpuOptions,
    ) -> Result<Vec<Dispatch>, Error> {
        let (size, passes) = (options.workgroup_size, &self.passes);
        let entry = |pass: &Pass| EntryPoint::Alone(pass.kernel.clone(), size);
        // Those of the epoch are listed too, because all others are dropped.
        let of_epoch: Vec<EntryPoint> = passes.launches().iter().map(|launch| launch.entry(size)).collect();
        let count = of_epoch.len() + 1;
        let entries = of_epoch.into_iter().chain([EntryPoint::Start]).chain(passes.complete_step.iter().map(entry)).collect();
        let compiled = pipelines.compile(device, entries, &Dialect::new(&self.plans[0], options.arithmetic)).await?;
        let jobs: Vec<[u32; 6]> = passes.complete_step.iter().map(|pass| [pass.job[0], pass.job[1], 0, 0, 0, 1]).collect();
        self.buffers.put_jobs(device, self.kernels.dispatches.len(), &jobs);
        let dispatch = |(pass, pipeline): (&Pass, wgpu::ComputePipeline)| {
            let workgroups = pass.workgroups(size, device.report().software);
            Dispatch { name: pass.kernel.name(), pipeline, workgroups, page: pass.page, first_step: 0 }
        };
        Ok(passes.complete_step.iter().zip(compiled.into_iter().skip(count)).map(dispatch).collect())
    }
}
