//! The backend: what is loaded, and the verbs.

use std::sync::Arc;

use spikelet::{Activity, Backend, Epoch, Error, Plan, Probe, Spike, Task, Trial};

use crate::Device;
use crate::batch::Loaded;
use crate::layout::Place;
use crate::pipelines::Pipelines;
use crate::readback::Piece;

/// Epochs in one submission: a batch must not hold the device for long.
const EPOCHS_PER_SUBMIT: u32 = 256;

/// A GPU as a backend.
pub struct Gpu {
    device: Device,
    pipelines: Pipelines,
    loaded: Option<Loaded>,
}

impl Gpu {
    /// A backend on an open device.
    pub fn new(device: Device) -> Gpu {
        let pipelines = Pipelines::new(&device.device);
        Gpu { device, pipelines, loaded: None }
    }

    /// Dispatches of each epoch of the loaded plan.
    pub fn dispatches_per_epoch(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.layout.passes.len())
    }

    /// Buffers that the rows of the loaded plan are cut into.
    pub fn pages(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.layout.pages.len())
    }

    /// Kernels compiled so far: those that a plan has in common with the one before are kept.
    pub fn compiled(&self) -> usize {
        self.pipelines.compiled
    }

    fn loaded(&mut self) -> Result<(&Device, &mut Loaded), Error> {
        let loaded = self.loaded.as_mut().ok_or_else(nothing_loaded)?;
        Ok((&self.device, loaded))
    }
}

fn nothing_loaded() -> Error {
    Error::Backend("the GPU has no plan; load one first".into())
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.device.report().name.clone()
    }

    fn load(&mut self, mut trials: Vec<Trial>) -> Task<'_, ()> {
        Box::pin(async move {
            let (Some(Trial { number, plan }), true) = (trials.pop(), trials.is_empty()) else {
                return Err(Error::Backend("a GPU runs one trial at a time; load them one after the other".into()));
            };
            // The old plan's memory is free for the new one.
            self.loaded = None;
            self.loaded = Some(Loaded::new(&self.device, &mut self.pipelines, plan, number).await?);
            self.device.check()
        })
    }

    fn advance<'a>(&'a mut self, epoch: Epoch, inbound: &'a [Spike]) -> Task<'a, Vec<Activity>> {
        Box::pin(async move {
            if !inbound.is_empty() {
                return Err(Error::Backend("a GPU does not take spikes of other ranks; run them on the CPU".into()));
            }
            let (device, loaded) = self.loaded()?;
            let mut activity = Activity::default();
            let mut step = epoch.first;
            let longest = EPOCHS_PER_SUBMIT.saturating_mul(loaded.layout.epoch_steps).min(loaded.layout.batch_steps as u32);
            while step < epoch.end() {
                let reached = loaded.submit(device, step, longest.min(epoch.end() - step), &mut activity).await?;
                if reached == step {
                    return Err(Error::Backend(format!(
                        "{} made no step; reset the simulation, or take the CPU",
                        device.report().name
                    )));
                }
                step = reached;
            }
            activity.spikes.sort_unstable();
            Ok(vec![activity])
        })
    }

    fn revise(&mut self, mut plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        Box::pin(async move {
            let Gpu { device, pipelines, loaded } = self;
            let loaded = loaded.as_mut().ok_or_else(nothing_loaded)?;
            match plans.pop() {
                Some(plan) => loaded.revise(device, pipelines, plan).await,
                None => Ok(()),
            }
        })
    }

    fn read(&mut self, _: usize, probe: Probe) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            let (device, loaded) = self.loaded()?;
            let piece =
                |(arena, range): Place| Piece { buffer: loaded.buffers.arena(arena), at: range.start, words: range.len() };
            let pieces: Vec<_> = loaded.layout.find(&loaded.plan, probe).into_iter().map(piece).collect();
            let encoder = device.device.create_command_encoder(&Default::default());
            device.read_after(encoder, &pieces).await
        })
    }

    fn write<'a>(&'a mut self, _: usize, probe: Probe, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            let (device, loaded) = self.loaded()?;
            probe.check_length(&loaded.plan, words.len())?;
            let mut rest = words;
            for (arena, range) in loaded.layout.find(&loaded.plan, probe) {
                let (piece, left) = rest.split_at(range.len());
                device.queue.write_buffer(loaded.buffers.arena(arena), range.start as u64 * 4, bytemuck::cast_slice(piece));
                rest = left;
            }
            Ok(())
        })
    }
}
