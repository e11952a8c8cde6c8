//! A network on a device, and the time of its steps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{Backend, Cpu, CpuProfile, Epoch, Plan, Recorder, Trial};
use spikelet_gpu::{Counters, Fusion, Gpu, OperationShare};
use spikelet_native::memory;

use super::conditions::Conditions;
use super::measurement::{self, Measurement, Repetition};
use super::target::Target;
use crate::failure::Failure;

/// A device.
pub(super) enum SubjectDevice {
    /// This number of CPU threads, and the times of their operations.
    Cpu(Cpu, usize, CpuProfile),
    /// A GPU.
    Gpu(Box<Gpu>),
}

impl SubjectDevice {
    fn backend(&mut self) -> &mut dyn Backend {
        match self {
            SubjectDevice::Cpu(cpu, ..) => cpu,
            SubjectDevice::Gpu(gpu) => &mut **gpu,
        }
    }
}

/// A network to measure.
pub(super) struct Subject {
    name: String,
    machine: SubjectDevice,
    plan: Arc<Plan>,
    /// The next step.
    step: u32,
    /// One for each trial.
    recorders: Vec<Recorder>,
    /// Wall time from the start of the build until it was loaded.
    build: Duration,
    resident_bytes: Option<u64>,
    first_spike: Option<Duration>,
    /// Spikes of the first trial for the comparison of devices, and their duration in ms.
    compared: (u64, String, f64),
    repetitions: Vec<Repetition>,
    /// Times of the operations of a CPU.
    operations: Vec<OperationShare>,
    /// Work of the GPU before the repetitions.
    counters_before: Counters,
    /// Approximate wall time of a step, in s.
    step_seconds: f64,
}

impl Subject {
    /// Loads a plan that took `build` to build.
    pub(super) fn load(
        name: String,
        mut machine: SubjectDevice,
        plan: Arc<Plan>,
        trials: u32,
        build: Duration,
    ) -> Result<Subject, Failure> {
        let started = Instant::now();
        let of = (0..trials).map(|number| Trial { number, plan: plan.clone() }).collect();
        block_on(machine.backend().load(of))?;
        let build = build + started.elapsed();
        let recorders = vec![Recorder::new(&plan); trials as usize];
        let (resident_bytes, compared) = (memory::resident(), (0, String::new(), 0.0));
        let (step, first_spike, repetitions, step_seconds) = (0, None, Vec::new(), 0.0);
        let (counters_before, operations) = (Counters::default(), Vec::new());
        Ok(Subject {
            name,
            machine,
            plan,
            step,
            recorders,
            build,
            resident_bytes,
            first_spike,
            compared,
            repetitions,
            operations,
            counters_before,
            step_seconds,
        })
    }

    /// Runs the first steps in batches of increasing size, which fills caches and compiles kernels; the spikes are compared later.
    pub(super) fn warm_up(&mut self, time_ms: f64) -> Result<(), Failure> {
        let end = (time_ms / self.plan.dt_ms).round().max(1.0) as u32;
        let (started, mut batch) = (Instant::now(), 16);
        while self.step < end {
            let before = Instant::now();
            let steps = batch.min(end - self.step);
            self.advance(steps)?;
            self.step_seconds = before.elapsed().as_secs_f64() / f64::from(steps);
            if self.first_spike.is_none() && self.recorders.iter().any(|recorder| recorder.spikes() > 0) {
                self.first_spike = Some(self.build + started.elapsed());
            }
            batch *= 2;
        }
        if let SubjectDevice::Gpu(gpu) = &self.machine {
            self.counters_before = gpu.counters();
        }
        self.compared = (self.recorders[0].spikes(), self.recorders[0].spikes_hash(), time_ms);
        Ok(())
    }

    /// Runs for about this number of seconds of wall time, in whole epochs.
    pub(super) fn repeat(&mut self, seconds: f64) -> Result<(), Failure> {
        let epoch = self.plan.epoch_steps;
        let wanted = (seconds / self.step_seconds.max(1e-9)).clamp(1.0, f64::from(1 << 24)) as u32;
        let steps = wanted.div_ceil(epoch) * epoch;
        let events = self.events();
        let started = Instant::now();
        self.advance(steps)?;
        let seconds = started.elapsed().as_secs_f64();
        self.step_seconds = seconds / f64::from(steps);
        self.repetitions.push(Repetition { steps, seconds, events: self.events() - events });
        Ok(())
    }

    /// Runs for about this number of seconds once more, with a clock around each operation of a CPU, which costs time itself.
    pub(super) fn profile(&mut self, seconds: f64) -> Result<(), Failure> {
        let SubjectDevice::Cpu(_, _, profile) = &self.machine else { return Ok(()) };
        let profile = profile.clone();
        profile.measure(true);
        let measured = self.repetitions.len();
        self.repeat(seconds)?;
        self.repetitions.truncate(measured);
        profile.measure(false);
        self.operations = OperationShare::of(&profile.times());
        Ok(())
    }

    /// Whether the measurement is long enough and has enough repetitions, or the run has reached its maximum.
    pub(super) fn is_done(&self, repetitions: usize, seconds: f64) -> bool {
        let spent: f64 = self.repetitions.iter().map(|repetition| repetition.seconds).sum();
        self.repetitions.len() >= repetitions && (spent >= seconds || self.step > i32::MAX as u32 / 2)
    }

    fn events(&self) -> u64 {
        self.recorders.iter().map(Recorder::synaptic_events).sum()
    }

    fn advance(&mut self, steps: u32) -> Result<(), Failure> {
        let epoch = Epoch::new(self.step, steps);
        let activity = block_on(self.machine.backend().advance(epoch))?;
        self.recorders.iter_mut().zip(&activity).for_each(|(recorder, activity)| recorder.add(&activity.spikes));
        self.step += steps;
        Ok(())
    }

    /// The results; `None` if it was interrupted before a measurement.
    pub(super) fn measurement(self, target: &Target, conditions: &Conditions) -> Option<Measurement> {
        let (backend, gpu) = match &self.machine {
            SubjectDevice::Cpu(_, threads, _) => (measurement::Backend { kind: "cpu", threads: *threads }, None),
            SubjectDevice::Gpu(gpu) => {
                let (now, before) = (gpu.counters(), self.counters_before);
                let dispatches = now.dispatches - before.dispatches;
                let encode_seconds = now.encode_seconds - before.encode_seconds;
                let steps: u64 = self.repetitions.iter().map(|repetition| u64::from(repetition.steps)).sum();
                let gpu = measurement::GpuMeasurement {
                    bytes: gpu.buffers().iter().map(|(_, bytes)| bytes).sum(),
                    pages: gpu.pages(),
                    epoch_steps: self.plan.epoch_steps,
                    dispatches_per_epoch: gpu.dispatches_per_epoch(),
                    single_dispatch: gpu.fusion() == Fusion::All,
                    steps_per_submission: steps as f64 / (now.submissions - before.submissions).max(1) as f64,
                    encode_microseconds_per_dispatch: 1e6 * encode_seconds / dispatches.max(1) as f64,
                };
                (measurement::Backend { kind: "gpu", threads: 0 }, Some(gpu))
            }
        };
        let trials = self.recorders.len() as f64;
        let rate = |of: fn(&Repetition) -> f64| {
            measurement::median(self.repetitions.iter().map(|repetition| of(repetition) / repetition.seconds).collect())
        };
        let each: Vec<f64> = self.repetitions.iter().map(|of| trials * f64::from(of.steps) / of.seconds).collect();
        let steps_per_second = measurement::median(each.clone())?;
        let spread = each.iter().fold(0.0, |most: f64, each| most.max((each / steps_per_second - 1.0).abs()));
        let (spikes, spikes_hash, compared_ms) = self.compared;
        Some(Measurement {
            name: self.name,
            network: target.network_name().to_owned(),
            size: target.size().to_owned(),
            backend,
            neurons: self.plan.neurons(),
            synapses: self.plan.synapses(),
            dt_ms: self.plan.dt_ms,
            trials: self.recorders.len(),
            build_seconds: self.build.as_secs_f64(),
            first_spike_seconds: self.first_spike.map(|time| time.as_secs_f64()),
            steps_per_second,
            spread,
            repetitions: each,
            real_time_factor: 1000.0 / (self.plan.dt_ms * steps_per_second),
            synaptic_events_per_second: rate(|repetition| repetition.events as f64)?,
            neuron_updates_per_second: steps_per_second * f64::from(self.plan.neurons()),
            plan_bytes: self.plan.memory().iter().map(|(_, bytes)| bytes).sum(),
            resident_bytes: self.resident_bytes,
            operations: self.operations,
            gpu,
            compared_ms,
            spikes,
            spikes_hash,
            baseline: None,
            ratio: None,
            conditions: conditions.clone(),
        })
    }
}
