//! The GPU backend.

use std::rc::Rc;
use std::sync::Arc;

use spikelet::{
    Activity, ArrayId, Backend, Epoch, Error, Exchange, Owner, PartialHistogram, Plan, Spike, StatisticPlan, Task, Trial,
    refilled,
};

use crate::Device;
use crate::histogram::HistogramReducer;
use crate::layout::{WordRange, variable_in_halves};
use crate::monitor::{Counters, Monitor};
use crate::options::{Fusion, GpuOptions};
use crate::pipelines::Pipelines;
use crate::rank::Rank;
use crate::readback::BufferRange;
use crate::session::GpuSession;
use crate::sizes::{TEAM_SIZE, WORKGROUP_SIZE};

/// A GPU as a backend.
pub struct Gpu {
    device: Device,
    options: GpuOptions,
    pipelines: Pipelines,
    loaded: Option<GpuSession>,
    /// Created for the first statistic.
    tallier: Option<HistogramReducer>,
    counters: Counters,
    monitor: Monitor,
    /// The other ranks, and the link of the loaded plan to them.
    exchange: Option<Rc<dyn Exchange>>,
    rank: Option<Rank>,
}

impl Gpu {
    /// A backend on an open device.
    pub fn new(device: Device) -> Gpu {
        Gpu::of(device, GpuOptions::default())
    }

    fn of(device: Device, options: GpuOptions) -> Gpu {
        let pipelines = Pipelines::new(&device);
        Gpu {
            device,
            options,
            pipelines,
            loaded: None,
            tallier: None,
            counters: Counters::default(),
            monitor: Monitor::default(),
            exchange: None,
            rank: None,
        }
    }

    /// A backend on an open device with options.
    ///
    /// # Errors
    /// The options are not possible.
    pub fn with_options(device: Device, options: GpuOptions) -> Result<Gpu, Error> {
        let (size, limits) = (options.workgroup_size, device.device.limits());
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        if !size.is_power_of_two() || !(TEAM_SIZE..=most).contains(&size) {
            return Err(Error::Invalid {
                path: "the workgroup size".into(),
                value: size.to_string(),
                expected: format!("{} supports powers of two from {TEAM_SIZE} to {most}", device.report().name),
                way_out: format!("use {WORKGROUP_SIZE}"),
                kind: None,
            });
        }
        options.constants.check()?;
        Ok(Gpu::of(device, options))
    }

    /// Dispatches per epoch of the loaded plan, unless one does everything.
    pub fn dispatches_per_epoch(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.passes.launches().len())
    }

    /// How much of an epoch of the loaded plan is one dispatch.
    pub fn fusion(&self) -> Fusion {
        self.loaded.as_ref().map_or(Fusion::None, |loaded| loaded.passes.fusion)
    }

    /// Number of pages of rows of the loaded plan.
    pub fn pages(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.layout.pages.len())
    }

    /// Every buffer of kernels, by name, with its bytes; pages of rows are numbered.
    pub fn buffers(&self) -> Vec<(String, u64)> {
        self.loaded.as_ref().map_or(Vec::new(), |loaded| loaded.layout.named_buffers(&loaded.plans[0]))
    }

    /// Number of compiled kernels: those of the previous plan are reused.
    pub fn compiled(&self) -> usize {
        self.pipelines.compiled
    }

    /// The work of the device since it was opened.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// A monitor that remains usable when a simulation owns the backend.
    pub fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    /// The loaded plan, after all begun work is completed.
    async fn drained_session(&mut self) -> Result<(&Device, &mut Pipelines, &GpuOptions, &mut GpuSession), Error> {
        let Gpu { device, options, pipelines, loaded, counters, .. } = self;
        let loaded = loaded.as_mut().ok_or_else(nothing_loaded)?;
        loaded.drain(device, counters).await?;
        Ok((device, pipelines, options, loaded))
    }

    /// Receives all spikes of other ranks on which an array depends, or whose effect depends on it.
    async fn receive_deferred_for(&mut self, array: ArrayId) -> Result<(), Error> {
        let plan = self.loaded.as_ref().ok_or_else(nothing_loaded)?.plans[0].clone();
        match plan.arrays().get(array)?.owner {
            Owner::RingColumns { .. } | Owner::Events { .. } => self.receive_deferred().await,
            _ => Ok(()),
        }
    }

    /// Receives all spikes of other ranks.
    async fn receive_deferred(&mut self) -> Result<(), Error> {
        let Gpu { device, loaded, counters, rank, .. } = self;
        if let (Some(rank), Some(loaded)) = (rank, loaded) {
            let received = rank.link.receive_deferred().await?;
            loaded.receive(device, counters, &received).await?;
        }
        Ok(())
    }

    /// The words of a statistic, computed on the device.
    async fn reduce_statistic(&mut self, trial: usize, statistic: usize) -> Result<Vec<u32>, Error> {
        self.drained_session().await?;
        let Gpu { device, loaded, tallier, .. } = self;
        let loaded = loaded.as_ref().ok_or_else(nothing_loaded)?;
        let plan = &loaded.plans[0];
        let tallier = match tallier {
            Some(tallier) => tallier,
            none => none.insert(HistogramReducer::new(device, plan).await?),
        };
        let StatisticPlan { projection, array, edges, .. } = &plan.statistics[statistic];
        let measured = plan.arrays().of(Owner::Synapses { projection: *projection }, *array);
        if let Some(measured) = measured.filter(|measured| variable_in_halves(plan, &plan.arrays()[*measured]).is_some()) {
            let edges = edges.clone();
            let values: Vec<f32> = self.read(trial, measured).await?.into_iter().map(f32::from_bits).collect();
            return Ok(PartialHistogram::of(&values, &edges).to_words());
        }
        let places = measured.map(|measured| loaded.find(trial, measured)).transpose()?.unwrap_or_default();
        // An array of synapses is contiguous.
        let histogram = match places.into_iter().next() {
            Some((arena, range)) => tallier.reduce(device, loaded.buffers.arena(arena), range, edges).await?,
            None => PartialHistogram::new(edges.len().saturating_sub(1)),
        };
        Ok(histogram.to_words())
    }
}

fn nothing_loaded() -> Error {
    Error::Backend("the GPU has no plan; load one first".into())
}

impl Backend for Gpu {
    fn name(&self) -> String {
        self.device.report().name.clone()
    }

    fn join(&mut self, exchange: Rc<dyn Exchange>) -> Result<(), Error> {
        self.exchange = Some(exchange);
        Ok(())
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        Box::pin(async move {
            // Frees the memory of the old plan for the new one.
            (self.loaded, self.rank) = (None, None);
            self.monitor.record_loaded(Vec::new(), Fusion::None);
            let loaded = GpuSession::new(&self.device, &mut self.pipelines, &self.options, trials).await;
            let loaded = loaded.map_err(|error| self.device.device_lost_or(error))?;
            self.rank = Rank::of(&loaded, self.exchange.as_ref()).await?;
            self.loaded = Some(loaded);
            self.monitor.record_loaded(self.buffers(), self.fusion());
            self.device.check()
        })
    }

    fn begin(&mut self, epoch: Epoch) -> Task<'_, ()> {
        Box::pin(async move {
            let Gpu { device, loaded, counters, rank, .. } = self;
            let loaded = loaded.as_mut().ok_or_else(nothing_loaded)?;
            loaded.start_at(device, epoch);
            // The steps of a part depend on what other ranks send.
            if rank.is_some() {
                return Ok(());
            }
            loaded.request(device, counters, epoch.end());
            Ok(())
        })
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        Box::pin(async move {
            let Gpu { device, loaded, counters, monitor, rank, .. } = self;
            let running = loaded.as_mut().ok_or_else(nothing_loaded)?;
            running.start_at(device, epoch);
            let activity = match rank {
                None => running.run(device, counters, epoch.end()).await,
                Some(rank) => running.run_rank(device, counters, rank, epoch).await,
            };
            monitor.record_counters(*counters);
            if let Some(times) = loaded.as_ref().and_then(|loaded| loaded.times.as_ref()) {
                monitor.record_times(times);
            }
            activity
        })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        Box::pin(async move {
            self.rank.iter_mut().for_each(Rank::forget_copies);
            let (device, pipelines, options, loaded) = self.drained_session().await?;
            loaded.revise(device, pipelines, options, plans).await.map_err(|error| device.device_lost_or(error))?;
            device.check()
        })
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        Box::pin(async move {
            self.receive_deferred_for(array).await?;
            let (_, _, _, loaded) = self.drained_session().await?;
            let plan = loaded.plans[0].clone();
            let entry = plan.arrays().get(array)?;
            if entry.owner == Owner::Statistic {
                return self.reduce_statistic(trial, entry.index).await;
            }
            let (device, _, _, loaded) = self.drained_session().await?;
            let piece = |(arena, range): WordRange| BufferRange {
                buffer: loaded.buffers.arena(arena),
                at: range.start,
                words: range.len(),
            };
            let pieces: Vec<_> = loaded.find(trial, array)?.into_iter().map(piece).collect();
            let encoder = device.device.create_command_encoder(&Default::default());
            let words = device.read_after(encoder, &pieces).await?;
            Ok(loaded.layout.unpacked(&plan, entry, words))
        })
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        Box::pin(async move {
            self.receive_deferred().await?;
            self.rank.iter_mut().for_each(Rank::forget_copies);
            let (device, pipelines, options, loaded) = self.drained_session().await?;
            loaded.complete_step(device, pipelines, options, step).await.map_err(|error| device.device_lost_or(error))
        })
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        Box::pin(async move {
            let (_, _, _, loaded) = self.drained_session().await?;
            let plan = loaded.plans.get(trial).cloned().ok_or_else(nothing_loaded)?;
            let mut weights = Vec::new();
            for (array, _) in plan.arrays().iter().filter(|(_, entry)| matches!(entry.owner, Owner::Events { .. })) {
                weights.push((array, self.read(trial, array).await?));
            }
            for (array, words) in refilled(&plan, &weights, spikes, step)? {
                self.write(trial, array, &words).await?;
            }
            Ok(())
        })
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move {
            self.receive_deferred_for(array).await?;
            self.rank.iter_mut().for_each(Rank::forget_copies);
            let (device, _, _, loaded) = self.drained_session().await?;
            let plan = &loaded.plans[0];
            let entry = plan.arrays().get(array)?;
            entry.check_write(words.len(), plan.own_length(array))?;
            let words = loaded.layout.packed(plan, entry, words);
            let mut rest = &*words;
            for (arena, range) in loaded.find(trial, array)? {
                let (piece, left) = rest.split_at(range.len());
                device.queue.write_buffer(loaded.buffers.arena(arena), range.start as u64 * 4, bytemuck::cast_slice(piece));
                rest = left;
            }
            device.check()
        })
    }
}
