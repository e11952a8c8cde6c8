//! The trials of a run: as many in parallel as fit.

mod finished;
mod groups;
mod results;

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use pollster::block_on;
use spikelet::{CpuProfile, EdgeTable, Pacing, Point, Simulation, SynapseState, TrialRun, Variant};
use spikelet_gpu::{Device, Monitor};

use crate::args::RunArguments;
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::jobs::Job;
use crate::monitor::{MonitorRow, RunMonitor};
use crate::output::{RunRecording, TrialRecording};
use crate::progress::Progress;
use crate::ranks::{Ranks, Spent};
use crate::recover::DeviceRecovery;
use crate::report::Backend;
use crate::signal::Signal;
use crate::{device, interrupt, jobs, pipelines, terminal, tune};
pub(crate) use finished::FinishedTrial;
use groups::Groups;
use results::RankResults;

/// Target duration of a batch of steps, in ms: signals and the progress bar wait for it.
const BATCH_MS: f64 = 50.0;

/// Epochs of a warm-up.
const WARM_UP_EPOCHS: u32 = 16;

/// The device of the trials.
enum TrialDevice {
    Closed,
    Open(Box<dyn spikelet::Backend>),
    Loaded(Simulation),
}

/// The trials of a run.
pub(crate) struct Trials<'a> {
    args: &'a RunArguments,
    points: &'a [Point],
    ranks: &'a Ranks,
    started: Instant,
    groups: Groups,
    place: TrialDevice,
    backend: Option<Backend>,
    /// The GPU and its description, if it is one.
    gpu: Option<(Device, Monitor)>,
    /// The times of the operations of a CPU, if they are measured.
    cpu_profile: Option<CpuProfile>,
    /// Rows at intervals, if requested, and those of the run after its end.
    monitor: Option<RunMonitor>,
    monitored: Option<Vec<MonitorRow>>,
    recover: Option<DeviceRecovery<'a>>,
    done: Vec<FinishedTrial>,
    /// Learned weights, if they are saved.
    learned: Vec<SynapseState>,
    synapses: Vec<EdgeTable>,
    /// Notices about devices.
    notices: Vec<String>,
    built: Option<Duration>,
    simulated: Duration,
    /// What the exchange with other ranks took of it.
    exchanged: Spent,
    first_spike: Option<Duration>,
    progress: Progress,
    pacing: Pacing,
    /// Ends the program at a signal until the first trials are loaded.
    watch: Option<InterruptGuard>,
    /// The signal that interrupted it.
    interruption: Option<Signal>,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(
        args: &'a RunArguments,
        points: &'a [Point],
        ranks: &'a Ranks,
        started: Instant,
        watch: Option<InterruptGuard>,
    ) -> Result<Trials<'a>, Failure> {
        let jobs = ranks.own(jobs::all(args, points)?);
        let total_ms: f64 = jobs.iter().map(|job| points[job.point].network.duration_ms).sum();
        let trials = Trials {
            args,
            points,
            ranks,
            started,
            groups: Groups::new(points, jobs)?,
            place: TrialDevice::Closed,
            backend: None,
            gpu: None,
            cpu_profile: args.profile.then(|| CpuProfile::new(device::clock)),
            monitor: None,
            monitored: None,
            recover: None,
            done: Vec::new(),
            learned: Vec::new(),
            synapses: Vec::new(),
            notices: Vec::new(),
            built: None,
            simulated: Duration::ZERO,
            exchanged: Spent::default(),
            first_spike: None,
            progress: Progress::new(total_ms, args.quiet),
            pacing: Pacing::new(BATCH_MS),
            watch,
            interruption: None,
        };
        trials.groups.notice(points).iter().for_each(|notice| trials.notice(notice));
        Ok(trials)
    }

    fn notice(&self, sentence: &str) {
        if !self.args.quiet {
            terminal::notice(&sentence);
        }
    }

    /// Runs all trials, or until a signal. A failed trial does not affect the others.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        // Before the first results, a signal ends the program.
        while agreed(self.ranks, 0)?.1.is_none() || self.built.is_none() {
            let Some(group) = self.groups.next() else { break };
            let taken = match self.load(&group) {
                Ok(taken) => taken,
                Err(failure) if self.done.is_empty() => return Err(failure),
                Err(failure) => {
                    let failed = |job: &Job| FinishedTrial {
                        failure: Some(failure.to_string()),
                        ..FinishedTrial::new(*job, self.points, None)
                    };
                    self.done.extend(group.iter().map(failed));
                    continue;
                }
            };
            let (group, rest) = group.split_at(taken);
            self.groups.put_back(rest);
            self.watch = None;
            if self.done.is_empty() {
                self.begin(group)?;
            }
            self.run_group(group)?;
        }
        if let Some(monitor) = self.monitor.take() {
            self.monitored = Some(monitor.finish(&self.points[0].plan, self.done.iter().map(|done| done.time_ms).sum()));
        }
        if let Some((device, _)) = &self.gpu {
            pipelines::store(device, self.args.quiet);
        }
        let is_whole = self.groups.is_empty() && self.done.iter().all(|done| done.completed || done.failure.is_some());
        self.interruption = agreed(self.ranks, 0)?.1.filter(|_| !is_whole);
        self.progress.clear();
        self.done.sort_by_key(|done| done.job);
        Ok(())
    }

    /// Prepares the first trials: a warm-up, if requested, and then the measurements of the run.
    fn begin(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let steps = jobs::steps(&self.points[jobs[0].point].network)?;
        if let (true, TrialDevice::Loaded(simulation)) = (self.args.warm_up, &mut self.place) {
            let steps = steps.min(WARM_UP_EPOCHS * self.points[jobs[0].point].plan.epoch_steps);
            block_on(simulation.advance_trials(steps))?;
            block_on(simulation.restart())?;
            self.built = Some(self.started.elapsed());
        }
        self.cpu_profile.iter().for_each(|profile| profile.measure(true));
        let prints = !self.args.quiet && !self.args.json;
        let is_first = self.ranks.is_first();
        self.monitor = self.args.monitor.filter(|_| is_first).map(|seconds| RunMonitor::new(seconds, self.started, prints));
        Ok(())
    }

    /// Loads as many of these trials as fit onto the device, in order; returns their number.
    fn load(&mut self, jobs: &[Job]) -> Result<usize, Failure> {
        let (mut count, mut why) = (jobs.len(), None);
        loop {
            self.open()?;
            if self.built.is_none() {
                let on_cpu = self.backend.as_ref().is_some_and(|backend| backend.kind == "cpu");
                let room = if on_cpu { groups::room(&self.points[jobs[0].point].plan, self.args.memory) } else { None };
                let (room, sentence) = room.unwrap_or((usize::MAX, String::new()));
                let room = self.ranks.share_of_room(room)?;
                if room < count {
                    (count, why) =
                        (room, Some(if sentence.is_empty() { "another rank has less memory".into() } else { sentence }));
                }
            }
            match self.put(&jobs[..count]) {
                Ok(()) => break,
                Err(error) if count == 1 || self.ranks.share_network() => return Err(error),
                Err(error) => (count, why) = (count.div_ceil(2), Some(error.to_string())),
            }
        }
        self.built.get_or_insert(self.started.elapsed());
        if let Some(why) = why {
            self.notice(&format!("{count} of {} trials run in parallel, and the others after them: {why}", jobs.len()));
            self.groups.limit(count);
        }
        Ok(count)
    }

    /// Chooses a device, if none is open.
    fn open(&mut self) -> Result<(), Failure> {
        if let TrialDevice::Closed = self.place {
            let Point { network, plan, .. } = &self.points[0];
            let chosen = tune::tuned(self.args, network, plan, device::choose(self.args, self.cpu_profile.as_ref())?)?;
            self.recover.get_or_insert_with(|| DeviceRecovery::new(self.args, &chosen));
            self.gpu = chosen.gpu;
            let (kind, name, threads, reason) = (chosen.kind.to_string(), chosen.name, chosen.threads, chosen.reason);
            self.backend = Some(Backend { kind, name, threads, reason });
            self.place = TrialDevice::Open(self.ranks.join(chosen.backend)?);
        }
        Ok(())
    }

    /// Loads trials; a device that fails is closed.
    fn put(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let variant = |job: &Job| {
            let Point { network, plan, .. } = &self.points[job.point];
            Variant { network: network.clone(), plan: plan.clone(), trial: job.trial }
        };
        let variants: Vec<Variant> = jobs.iter().map(variant).collect();
        let simulation = match std::mem::replace(&mut self.place, TrialDevice::Closed) {
            TrialDevice::Loaded(mut simulation) => {
                block_on(simulation.load(variants))?;
                simulation
            }
            TrialDevice::Open(backend) => block_on(Simulation::of_trials(variants, backend))?,
            TrialDevice::Closed => return Err(Failure::Run("there is no device for the trials; report this error".into())),
        };
        self.place = TrialDevice::Loaded(simulation);
        Ok(())
    }

    /// Runs the loaded trials to their end, until each has met a stop condition, or until a signal.
    fn run_group(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let steps = jobs::steps(&self.points[jobs[0].point].network)?;
        let mut group: Vec<FinishedTrial> =
            jobs.iter().map(|job| FinishedTrial::new(*job, self.points, self.args.statistics)).collect();
        match self.advance(steps, &mut group).and_then(|()| self.record_weights()) {
            Ok(()) => {}
            Err(failure) if jobs.len() > 1 => {
                self.notice(&format!("one of {} trials failed: each is run again separately ({failure})", jobs.len()));
                self.groups.part(jobs);
                return Ok(());
            }
            // Earlier results are kept.
            Err(failure) => group[0].failure = Some(failure.to_string()),
        }
        let TrialDevice::Loaded(simulation) = &self.place else { return Ok(()) };
        for (done, run) in group.iter_mut().zip(simulation.runs()) {
            done.finish(run, steps);
            if let Some(from) = kept_from(self.args.keep, run) {
                done.drop_before(from, self.points[0].plan.sample_rows());
            }
        }
        self.done.append(&mut group);
        Ok(())
    }

    /// Runs up to `steps`, and records the results.
    fn advance(&mut self, steps: u32, group: &mut [FinishedTrial]) -> Result<(), Failure> {
        let (TrialDevice::Loaded(simulation), Some(recover)) = (&mut self.place, &mut self.recover) else { return Ok(()) };
        // Of ranks that share the network the first one writes the results of all.
        let writes = self.args.out.is_some() && (self.ranks.is_first() || !self.ranks.share_network());
        let rows = self.points[0].plan.sample_rows();
        let before_ms: f64 = self.done.iter().map(|done| done.time_ms).sum();
        while simulation.step() < steps && !simulation.is_over() {
            // Steps that the device has begun are completed, so that all results end at one step.
            let (left, begun) = (steps - simulation.step(), simulation.device_step().saturating_sub(simulation.step()));
            let wanted = self.args.batch_steps.map_or_else(|| self.pacing.steps(), NonZeroU32::get);
            let (wanted, signal) = agreed(self.ranks, wanted)?;
            let batch = match signal {
                None => wanted.min(left),
                Some(_) if begun > 0 => begun.min(left),
                Some(_) => break,
            };
            // While the results of this batch are stored, the device computes the next one; no batch goes beyond the end.
            simulation.begin_ahead(u32::from(left >= 2 * batch && signal.is_none()));
            let (start, spent) = (Instant::now(), self.ranks.spent());
            let activities = recover.attempt(simulation, |simulation| block_on(simulation.advance_trials(batch)))?;
            self.pacing.record(batch, batch, start.elapsed().as_secs_f64() * 1000.0);
            if !self.ranks.share_network() {
                recover.keep(simulation)?;
            }
            self.simulated += start.elapsed();
            self.exchanged.add(spent, self.ranks.spent());

            if self.first_spike.is_none() && activities.iter().any(|activity| !activity.spikes.is_empty()) {
                self.first_spike = Some(self.started.elapsed());
            }
            let now_ms: f64 = simulation.runs().iter().map(TrialRun::time_ms).sum();
            if let Some(monitor) = &mut self.monitor {
                monitor.count(&self.points[0].plan, &activities, before_ms + now_ms);
            }
            for ((done, mut activity), run) in group.iter_mut().zip(activities).zip(simulation.runs()) {
                done.recorder.add(&activity.spikes);
                if let Some(measured) = &mut done.measured {
                    measured.add(&activity.spikes, run.step());
                }
                done.activity.statistics.append(&mut activity.statistics);
                if writes {
                    done.activity.spikes.append(&mut activity.spikes);
                    done.activity.samples.append(&mut activity.samples);
                }
                if let Some(from) = kept_from(self.args.keep, run) {
                    done.drop_half(from, run.step(), rows);
                }
            }
            self.progress.show(before_ms + now_ms, self.simulated);
        }
        Ok(())
    }

    /// Records learned weights and synapses, if they are saved.
    fn record_weights(&mut self) -> Result<(), Failure> {
        let (TrialDevice::Loaded(simulation), Some(recover)) = (&mut self.place, &mut self.recover) else { return Ok(()) };
        if self.args.save_weights.is_some() {
            self.learned = recover.attempt(simulation, |simulation| {
                block_on(async {
                    to_its_end(simulation).await?;
                    simulation.synapse_state(0).await
                })
            })?;
        }
        if self.args.save_synapses.is_some() {
            self.synapses = recover.attempt(simulation, |simulation| block_on(all_synapses(simulation)))?;
        }
        Ok(())
    }

    /// Collects the trials of other ranks on the first one if each had its own, or what each knows of their common trials.
    pub(crate) fn collect(&mut self) -> Result<(), Failure> {
        self.notices = self.recover.take().map(|recover| recover.notices).unwrap_or_default();
        if self.ranks.share_network() {
            // Each knows the synapses onto its own neurons.
            let own: Vec<u64> = self.done.iter().map(|done| done.synaptic_events).collect();
            let all = self.ranks.sum(&own)?;
            self.done.iter_mut().zip(all).for_each(|(done, events)| done.synaptic_events = events);
            return Ok(());
        }
        let own = RankResults {
            done: if self.ranks.is_first() { Vec::new() } else { std::mem::take(&mut self.done) },
            simulated: self.simulated,
            first_spike: self.first_spike,
            interrupted: self.interruption.map(|signal| signal.number),
            notices: self.notices.clone(),
        };
        for mut other in own.sent_to_first(self.ranks)? {
            self.interruption = self.interruption.or(other.signal());
            self.simulated = self.simulated.max(other.simulated);
            self.first_spike = [self.first_spike, other.first_spike].into_iter().flatten().min();
            self.notices.append(&mut other.notices);
            self.done.append(&mut other.done);
        }
        self.done.sort_by_key(|done| done.job);
        Ok(())
    }

    /// The completed ones, in the order of points and trials.
    pub(crate) fn done(&self) -> &[FinishedTrial] {
        &self.done
    }

    /// Learned weights, if they are saved.
    pub(crate) fn learned(&self) -> &[SynapseState] {
        &self.learned
    }

    /// All synapses at the end of the run, if they are saved.
    pub(crate) fn take_synapses(&mut self) -> Vec<EdgeTable> {
        std::mem::take(&mut self.synapses)
    }

    /// The device.
    pub(crate) fn backend(&self) -> Option<&Backend> {
        self.backend.as_ref()
    }

    /// The GPU and its description, if it is one.
    pub(crate) fn gpu(&self) -> Option<&(Device, Monitor)> {
        self.gpu.as_ref()
    }

    /// The times of the operations of a CPU, if they are measured.
    pub(crate) fn cpu_profile(&self) -> Option<&CpuProfile> {
        self.cpu_profile.as_ref()
    }

    /// What was monitored, if that was requested.
    pub(crate) fn monitored(&self) -> Option<&[MonitorRow]> {
        self.monitored.as_deref()
    }

    /// Notices about devices.
    pub(crate) fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Wall time until the first trials were loaded.
    pub(crate) fn built(&self) -> Duration {
        self.built.unwrap_or_default()
    }

    /// Wall time of all trials, without the build.
    pub(crate) fn simulated(&self) -> Duration {
        self.simulated
    }

    /// What the exchange with other ranks took of it.
    pub(crate) fn exchanged(&self) -> Spent {
        self.exchanged
    }

    /// Wall time to the first spike.
    pub(crate) fn first_spike(&self) -> Option<Duration> {
        self.first_spike
    }

    /// The signal that interrupted it.
    pub(crate) fn interruption(&self) -> Option<Signal> {
        self.interruption
    }

    /// All spikes and samples, for files.
    pub(crate) fn recording(&mut self) -> RunRecording {
        let plan = &self.points[0].plan;
        let of = |done: &mut FinishedTrial| TrialRecording {
            variant: done.job.point as u32,
            trial: done.job.trial,
            kept: done.kept_from..done.steps,
            first_row: done.dropped_rows,
            activity: std::mem::take(&mut done.activity),
        };
        RunRecording {
            dt_ms: plan.dt_ms,
            populations: plan.populations.iter().map(|p| (p.name.clone(), p.first)).collect(),
            channels: plan.channels.iter().map(|channel| format!("{} ({})", channel.label, channel.unit)).collect(),
            intervals: plan.channels.iter().map(|channel| channel.every).collect(),
            every: plan.sample_rows().every,
            statistics: plan.statistics.clone(),
            monitored: self.monitored.clone().unwrap_or_default(),
            variants: if self.args.sweep.is_empty() {
                Vec::new()
            } else {
                self.points.iter().map(|p| p.values.clone()).collect()
            },
            trials: self.done.iter_mut().map(of).collect(),
        }
    }
}

/// The steps of the next batch, and the signal that was received: of ranks that share the network the first decides about steps, and a signal
/// to any of them ends all.
fn agreed(ranks: &Ranks, steps: u32) -> Result<(u32, Option<Signal>), Failure> {
    let signal = interrupt::asked();
    if !ranks.share_network() {
        return Ok((steps, signal));
    }
    let all = ranks.gather(vec![steps, signal.map_or(0, |signal| signal.number as u32)])?;
    Ok((all[0][0], all.iter().find_map(|words| Signal::of_number(words[1] as i32))))
}

/// Brings a device to the last step of a run. If the device has continued beyond the step of a stop condition, the run is repeated up
/// to that step.
async fn to_its_end(simulation: &mut Simulation) -> Result<(), spikelet::Error> {
    if let Some(end) = simulation.stopped().map(|stopped| stopped.step)
        && end < simulation.device_step()
    {
        simulation.begin_ahead(0);
        simulation.restart().await?;
        simulation.advance(end).await?;
    }
    Ok(())
}

/// All synapses at the last step of a run.
async fn all_synapses(simulation: &mut Simulation) -> Result<Vec<EdgeTable>, spikelet::Error> {
    to_its_end(simulation).await?;
    let names: Vec<String> = simulation.at_start().projections.iter().map(|projection| projection.name.clone()).collect();
    let mut tables = Vec::new();
    for name in names {
        tables.push(simulation.edge_table(0, &name).await?);
    }
    Ok(tables)
}

/// The first step of what is kept of a trial, if not all of it is: of its last `kept_ms`.
fn kept_from(kept_ms: Option<f64>, run: &TrialRun) -> Option<u32> {
    let steps = (kept_ms? / run.plan().dt_ms).round();
    Some(run.step().saturating_sub(steps as u32))
}
