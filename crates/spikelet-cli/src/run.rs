//! `spikelet run`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{Activity, Network, Plan, Recorder, Simulation};

use crate::args::Run;
use crate::failure::Failure;
use crate::output::{self, Recording, Sample, TrialSpike};
use crate::progress::Progress;
use crate::recover::Recovery;
use crate::report::{Backend, Changed, Population, Report, Stopped};
use crate::{build, device, dry_run, interrupt, memory, source};

/// How long a batch of steps should take: Ctrl-C and the progress bar wait for it.
const BATCH: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let started = Instant::now();
    let network = source::network(args)?;
    if !args.quiet {
        network.notices().iter().for_each(|notice| eprintln!("notice: {notice}"));
    }
    let steps = steps(&network)?;
    interrupt::listen();
    // What is wrong with the network is said before a device is looked for.
    let Some(plan) = build::plan(&network, args)? else {
        eprintln!("interrupted while the network was built; nothing was run");
        return Ok(());
    };
    if args.dry_run {
        return output::print(&dry_run::Report::new(&network, &plan, started.elapsed()));
    }
    let plan = Arc::new(plan);
    let chosen = device::choose(args)?;
    let recovery = Recovery::new(args, &chosen);
    let backend = Backend { kind: chosen.kind.to_string(), name: chosen.name, threads: chosen.threads, reason: chosen.reason };
    let simulation = block_on(Simulation::with_plan(&network, plan, chosen.backend))?;
    let build = started.elapsed();

    let keep = args.out.is_some();
    let progress = Progress::new(network.duration_ms * f64::from(args.trials.get()), args.quiet);
    let mut trials = Trials::new(simulation, recovery, started, keep);
    for trial in 0..args.trials.get() {
        trials.run(trial, steps, &progress)?;
        if interrupt::asked() {
            break;
        }
    }
    drop(progress);
    if interrupt::asked() && !args.quiet {
        let (trial, time) = (trials.done.len(), trials.simulation.time_ms());
        eprintln!("interrupted at {time:.1} ms of trial {trial}; what follows is up to there");
    }

    let report = trials.report(&network, backend, build);
    if let Some(folder) = &args.out {
        output::write(folder, args.format, &network, &trials.recording, &report)?;
    }
    if args.json {
        output::print(&report.to_json())?;
    } else if !args.quiet {
        output::print(&report)?;
    }
    Ok(())
}

/// How many steps a trial has.
fn steps(network: &Network) -> Result<u32, Failure> {
    let steps = (network.duration_ms / network.dt_ms).round();
    if steps > f64::from(i32::MAX) {
        return Err(Failure::Input(format!(
            "{} ms are {steps} steps of {} ms, but a run has at most {}; take a shorter time or a longer step",
            network.duration_ms,
            network.dt_ms,
            i32::MAX
        )));
    }
    Ok(steps as u32)
}

/// The trials of a run, one after the other.
struct Trials<'a> {
    simulation: Simulation,
    recovery: Recovery<'a>,
    started: Instant,
    /// One for each trial so far, with its biological time in ms.
    done: Vec<(Recorder, f64)>,
    /// The changes that happened in the trial that got furthest.
    changes: Vec<Changed>,
    /// Why each trial ended before its time.
    stopped: Vec<Option<Stopped>>,
    simulated: Duration,
    first_spike: Option<Duration>,
    keep: bool,
    recording: Recording,
    /// Steps of the next batch.
    batch: u32,
}

impl<'a> Trials<'a> {
    fn new(simulation: Simulation, recovery: Recovery<'a>, started: Instant, keep: bool) -> Trials<'a> {
        let plan = simulation.plan();
        let recording = Recording {
            dt_ms: plan.dt_ms,
            populations: plan.populations.iter().map(|p| (p.name.clone(), p.first)).collect(),
            channels: plan.channels.iter().map(|channel| format!("{} ({})", channel.label, channel.unit)).collect(),
            ..Recording::default()
        };
        let (done, changes, stopped, simulated) = (Vec::new(), Vec::new(), Vec::new(), Duration::ZERO);
        Trials { simulation, recovery, started, done, changes, stopped, simulated, first_spike: None, keep, recording, batch: 16 }
    }

    /// Runs one trial to its end, or until one of its conditions holds, or until Ctrl-C.
    fn run(&mut self, trial: u32, steps: u32, progress: &Progress) -> Result<(), Failure> {
        if trial > 0 {
            self.recovery.attempt(&mut self.simulation, |simulation| block_on(simulation.reset(trial)))?;
        }
        let mut recorder = Recorder::new(self.simulation.plan());
        let before_ms: f64 = self.done.iter().map(|(_, time)| time).sum();
        while self.simulation.step() < steps && self.simulation.stopped().is_none() && !interrupt::asked() {
            let first = self.simulation.step();
            let batch = self.batch.min(steps - first);
            let start = Instant::now();
            let activity = self.recovery.attempt(&mut self.simulation, |simulation| block_on(simulation.advance(batch)))?;
            let took = start.elapsed();
            self.recovery.keep(&mut self.simulation)?;
            self.simulated += start.elapsed();
            if took < BATCH / 2 {
                self.batch = self.batch.saturating_mul(2);
            } else if took > 2 * BATCH {
                self.batch = (self.batch / 2).max(1);
            }

            if self.first_spike.is_none() && !activity.spikes.is_empty() {
                self.first_spike = Some(self.started.elapsed());
            }
            recorder.add(&activity.spikes);
            if self.keep {
                self.keep(trial, first, &activity);
            }
            progress.show(before_ms + self.simulation.time_ms(), self.simulated);
        }
        self.recovery.attempt(&mut self.simulation, |simulation| block_on(simulation.check_finite()))?;
        self.done.push((recorder, self.simulation.time_ms()));
        let stopped = self.simulation.stopped();
        self.stopped.push(stopped.map(|of| Stopped { condition: of.condition.clone(), time_ms: of.time_ms }));
        if self.simulation.changed().len() > self.changes.len() {
            let dt_ms = self.simulation.plan().dt_ms;
            let changed = |of: &spikelet::Changed| Changed {
                time_ms: output::without_dust(f64::from(of.step) * dt_ms),
                path: of.path.clone(),
                value: of.value.clone(),
            };
            self.changes = self.simulation.changed().iter().map(changed).collect();
        }
        Ok(())
    }

    fn keep(&mut self, trial: u32, first: u32, activity: &Activity) {
        let spike = |spike: &spikelet::Spike| TrialSpike { trial, step: spike.step, neuron: spike.neuron };
        self.recording.spikes.extend(activity.spikes.iter().map(spike));
        if !self.recording.channels.is_empty() {
            let steps = first..self.simulation.step();
            self.recording.samples.extend(steps.map(|step| Sample { trial, step }));
            self.recording.values.extend_from_slice(&activity.samples);
        }
    }

    fn report(&self, network: &Network, backend: Backend, build: Duration) -> Report {
        let plan = self.simulation.plan();
        let total_ms: f64 = self.done.iter().map(|(_, time)| time).sum();
        let simulate_seconds = self.simulated.as_secs_f64();
        let synaptic_events = self.done.iter().map(|(recorder, _)| recorder.synaptic_events()).sum();
        Report {
            network: network.name.clone(),
            neurons: plan.neurons().into(),
            synapses: plan.synapses(),
            dt_ms: plan.dt_ms,
            time_ms: output::without_dust(self.done.iter().map(|(_, time)| *time).fold(0.0, f64::max)),
            seed: plan.seed,
            trials: self.done.len() as u32,
            backend,
            build_seconds: build.as_secs_f64(),
            first_spike_seconds: self.first_spike.map(|time| time.as_secs_f64()),
            simulate_seconds,
            real_time_factor: (total_ms > 0.0).then(|| simulate_seconds * 1000.0 / total_ms),
            spikes: self.done.iter().map(|(recorder, _)| recorder.spikes()).sum(),
            synaptic_events,
            synaptic_events_per_second: (simulate_seconds > 0.0).then(|| synaptic_events as f64 / simulate_seconds),
            memory_bytes: plan.memory().iter().map(|(_, bytes)| bytes).sum(),
            resident_bytes: memory::resident(),
            populations: populations(plan, &self.done),
            spikes_hash: self.done.iter().map(|(recorder, _)| recorder.spikes_hash()).collect::<Vec<_>>().into(),
            changes: self.changes.clone(),
            stopped: self.stopped.clone().into(),
            notices: self.recovery.notices.clone(),
        }
    }
}

/// Rate and irregularity of each population, as means over trials.
fn populations(plan: &Plan, trials: &[(Recorder, f64)]) -> Vec<Population> {
    let summaries: Vec<_> = trials.iter().map(|(recorder, time)| recorder.populations(*time)).collect();
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let population = |(index, population): (usize, &spikelet::PopulationPlan)| Population {
        name: population.name.clone(),
        size: population.size,
        rate_hz: mean(summaries.iter().map(|trial| trial[index].rate_hz).collect()).unwrap_or_default(),
        cv_isi: mean(summaries.iter().filter_map(|trial| trial[index].cv_isi).collect()),
    };
    plan.populations.iter().enumerate().map(population).collect()
}
