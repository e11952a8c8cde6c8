//! What the tests share: the devices of this machine, running a network on one, summing up its spikes.

use spikelet::{ArrayEntry, ArrayId, Backend, Cpu, Error, Network, Owner, Recorder, Simulation, Spike};
use spikelet_gpu::{Device, Gpu, GpuOptions};

/// What a run gave.
pub struct RecordedRun {
    /// All spikes, by step, then neuron.
    pub spikes: Vec<Spike>,
    /// A row of channels for each step.
    pub samples: Vec<f32>,
    /// The recorder that saw them.
    pub recorder: Recorder,
    /// The simulation after its last step.
    pub simulation: Simulation,
}

/// Runs `network` for `time_ms` on a device, in batches of `batch` steps.
///
/// # Errors
/// Whatever the simulation refuses.
pub fn run(network: &Network, backend: Box<dyn Backend>, time_ms: f64, batch: u32) -> Result<RecordedRun, Error> {
    pollster::block_on(async {
        let simulation = Simulation::new(network, backend).await?;
        let recorder = Recorder::new(simulation.plan());
        let mut run = RecordedRun { spikes: Vec::new(), samples: Vec::new(), recorder, simulation };
        run.go_on(time_ms, batch).await?;
        Ok(run)
    })
}

impl RecordedRun {
    /// Runs for another `time_ms`, or until a condition of the network holds.
    ///
    /// # Errors
    /// The device's failure.
    pub async fn go_on(&mut self, time_ms: f64, batch: u32) -> Result<(), Error> {
        let end = self.simulation.step() + (time_ms / self.simulation.network().dt_ms).round() as u32;
        while self.simulation.step() < end && self.simulation.stopped().is_none() {
            let activity = self.simulation.advance(batch.min(end - self.simulation.step())).await?;
            self.recorder.add(&activity.spikes);
            self.spikes.extend(activity.spikes);
            self.samples.extend(activity.samples);
        }
        Ok(())
    }

    /// Every array that neurons, and synapses with a state, keep.
    pub fn kept(&self) -> Vec<(ArrayId, ArrayEntry)> {
        let is_kept = |entry: &ArrayEntry| !matches!(entry.owner, Owner::Events { .. } | Owner::Statistic);
        let all = self.simulation.plan().arrays().iter().filter(|(_, entry)| is_kept(entry));
        all.map(|(array, entry)| (array, entry.clone())).collect()
    }

    /// All of them, as they are now.
    ///
    /// # Errors
    /// The device's failure.
    pub fn arrays(&mut self) -> Result<Vec<(String, Vec<u32>)>, Error> {
        let kept = self.kept();
        let read = |(array, entry): (ArrayId, ArrayEntry)| Ok((entry.path, pollster::block_on(self.simulation.read(array))?));
        kept.into_iter().map(read).collect()
    }
}

/// The GPU of this machine, a software one included, with nothing loaded.
pub fn gpu() -> Option<Gpu> {
    device().map(Gpu::new)
}

/// The same, used in a certain way.
pub fn gpu_with(options: GpuOptions) -> Option<Gpu> {
    device().map(|device| Gpu::with_options(device, options).unwrap_or_else(|error| panic!("{error}")))
}

/// The GPU of this machine, a software one included.
///
/// Without one the test says so and passes, unless `SPIKELET_REQUIRE_ADAPTER` is set, as in CI.
pub fn device() -> Option<Device> {
    match pollster::block_on(Device::open()) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
            println!("skipped: no adapter ({error})");
            None
        }
    }
}

/// Whether the long cases run too, as `cargo xtask test --full` asks for; prints it if they do not.
pub fn full() -> bool {
    let full = std::env::var_os("SPIKELET_FULL").is_some();
    if !full {
        println!("skipped: only in --full");
    }
    full
}

/// Every device of this machine, by name: one CPU thread, three, the GPU.
pub fn devices() -> Vec<(&'static str, Box<dyn Backend>)> {
    let mut devices: Vec<(&'static str, Box<dyn Backend>)> =
        vec![("one CPU thread", Box::new(Cpu::new(1))), ("three CPU threads", Box::new(Cpu::new(3)))];
    devices.extend(gpu().map(|gpu| ("the GPU", Box::new(gpu) as Box<dyn Backend>)));
    devices
}
