//! Checkpoints of a run, and its continuation from them.

use std::time::Instant;

use pollster::block_on;
use spikelet::{Driver, Point, Purpose, Snapshot};

use super::{FinishedTrial, RunningTrial, TrialDevice, Trials};
use crate::args::Backend;
use crate::failure::Failure;
use crate::jobs::Job;
use crate::unfinished::Checkpoint;

/// Trials that continue.
pub(super) struct Restored {
    running: Vec<RunningTrial>,
    snapshot: Vec<u8>,
    /// The device of the run before: its kind and its name.
    device: (String, String),
}

impl Restored {
    /// Their jobs, in the order of the snapshot.
    pub(super) fn jobs(&self) -> impl Iterator<Item = Job> {
        self.running.iter().map(|trial| trial.job)
    }
}

impl Trials<'_> {
    /// Saves the trials that run, unless one of them has failed: then the checkpoint before it stays.
    pub(super) fn save_running(&mut self, group: &[RunningTrial]) -> Result<(), Failure> {
        let (began, mut step) = (Instant::now(), 0);
        if let TrialDevice::Loaded(driver) = &mut self.place {
            step = driver.simulation.step();
            if driver.simulation.runs().iter().all(|run| run.failure().is_none()) {
                let call = driver.attempt(&mut self.host, async |simulation| simulation.snapshot().await);
                let snapshot = block_on(call)?;
                // Of ranks that share the network the first one stores the arrays of all.
                let is_writer = self.ranks.is_first() || !self.ranks.share_network();
                let snapshot = if is_writer { snapshot } else { snapshot.without_arrays() }.to_bytes();
                let records = self.records.state()?;
                self.save(Checkpoint { running: group.to_vec(), snapshot, records, ..Checkpoint::default() }, false)?;
                self.has_saved = true;
            }
        }
        // Those that have come since wait for the next one.
        self.saves = self.saves_seen;
        self.host.cadence.saved(step, began);
        Ok(())
    }

    /// Saves the end of a run whose synapses are written afterwards, unless the device is beyond it: a continuation then repeats what is after
    /// the checkpoint before it.
    pub(super) fn save_end(&mut self, group: &[RunningTrial]) -> Result<(), Failure> {
        let is_there = |Driver { simulation, .. }: &Driver| simulation.device_step() == simulation.step();
        match &self.place {
            TrialDevice::Loaded(driver) if self.host.cadence.is_on() && self.needs_synapses() && is_there(driver) => {
                self.save_running(group)
            }
            _ => Ok(()),
        }
    }

    /// Whether files are written of the state at the end of the run.
    fn needs_synapses(&self) -> bool {
        self.args.save_weights.is_some() || self.args.save_synapses.is_some()
    }

    /// Saves the trials that have ended, while none runs; not the only one, if its state is still needed.
    pub(super) fn save_between(&mut self) -> Result<(), Failure> {
        if self.unfinished.is_none() || self.needs_synapses() {
            return Ok(());
        }
        let began = Instant::now();
        let records = self.records.state()?;
        self.save(Checkpoint { records, ..Checkpoint::default() }, false)?;
        self.host.cadence.saved(0, began);
        Ok(())
    }

    /// Removes what was recorded of the trials that run.
    pub(super) fn take_back(&mut self) -> Result<(), Failure> {
        let state = self.records.state_at(self.records_before)?;
        // Before its files become shorter, no checkpoint refers to what is removed.
        self.save(Checkpoint { records: state.clone(), ..Checkpoint::default() }, true)?;
        self.records.restore(state)
    }

    /// Writes a checkpoint, whose own fields are given.
    fn save(&mut self, own: Checkpoint, replaces: bool) -> Result<(), Failure> {
        let Some(unfinished) = &mut self.unfinished else { return Ok(()) };
        let device = self.backend.as_ref().map(|backend| (backend.kind.clone(), backend.name.clone()));
        let notices = self.notices.iter().chain(&self.host.notices);
        let checkpoint = Checkpoint {
            device: device.unwrap_or_default(),
            done: std::mem::take(&mut self.done),
            records_before: self.records_before.map(|records| records as u64),
            simulated: self.simulated,
            first_spike: self.first_spike,
            monitor: self.monitor.as_ref().map(|monitor| monitor.state()),
            notices: notices.cloned().collect(),
            resumed: self.resumed,
            ..own
        };
        let saved = if replaces { unfinished.replace(&checkpoint) } else { unfinished.save(&checkpoint) };
        self.done = checkpoint.done;
        saved
    }

    /// Returns to the newest checkpoint, if there is one; `jobs` are all that it may have.
    pub(super) fn restore(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let Some(unfinished) = &mut self.unfinished else { return Ok(()) };
        let (points, records) = (self.points, &self.records);
        let sound = |checkpoint: &Checkpoint| check(checkpoint, jobs, points).and_then(|()| records.check(&checkpoint.records));
        let (checkpoint, notices) = unfinished.newest(self.ranks, sound)?;
        notices.iter().for_each(|notice| self.notice(notice));
        let checkpoint = checkpoint.unwrap_or_default();
        self.records.restore(checkpoint.records)?;
        self.records_before = checkpoint.records_before.map(|records| records as usize);
        self.done = checkpoint.done;
        (self.simulated, self.first_spike, self.monitored) = (checkpoint.simulated, checkpoint.first_spike, checkpoint.monitor);
        self.notices = checkpoint.notices;
        self.notices.extend(notices);
        self.resumed = checkpoint.resumed + 1;
        if !checkpoint.running.is_empty() {
            let Checkpoint { running, snapshot, device, .. } = checkpoint;
            self.restored = Some(Restored { running, snapshot, device });
        }
        Ok(())
    }

    /// The trials that are loaded, at their start or as a checkpoint continues them.
    pub(super) fn start(&mut self, jobs: &[Job]) -> Result<Vec<RunningTrial>, Failure> {
        let Some(restored) = self.restored.take() else {
            self.records_before = self.records.lengths();
            self.host.cadence.begin(0);
            return Ok(jobs.iter().map(|job| RunningTrial::new(*job, self.points, self.args.statistics)).collect());
        };
        if restored.running.len() != jobs.len() {
            let (fitting, all) = (jobs.len(), restored.running.len());
            let sentence = "the checkpoint has the state of all together; give the program more memory";
            return Err(Failure::Run(format!("only {fitting} of {all} parallel trials fit into memory: {sentence}")));
        }
        self.check_device(&restored.device)?;
        let mut snapshot = Snapshot::from_bytes(&restored.snapshot)?;
        if self.ranks.share_network() {
            let of_first = self.ranks.receive_from_first(Purpose::Checkpoint, restored.snapshot)?;
            snapshot = snapshot.with_arrays_of(&Snapshot::from_bytes(&of_first)?);
        }
        if let TrialDevice::Loaded(driver) = &mut self.place {
            block_on(driver.attempt(&mut self.host, async |simulation| simulation.restore(&snapshot).await))?;
            self.host.cadence.begin(driver.simulation.step());
            let at_ms = driver.simulation.time_ms();
            self.notice(&format!("the run continues at {at_ms} ms"));
        }
        Ok(restored.running)
    }

    /// Rejects another device than that of the run before, whose spikes may differ, unless it was chosen.
    fn check_device(&self, before: &(String, String)) -> Result<(), Failure> {
        let Some(now) = &self.backend else { return Ok(()) };
        let (kind, name) = before;
        // Spikes are the same on every CPU.
        if (&now.kind, &now.name) == (kind, name) || now.kind == "cpu" && kind == "cpu" {
            return Ok(());
        }
        let sentence = format!("the run was on {name}, and {} may compute other spikes from here on", now.name);
        if self.args.backend != Backend::Auto || self.args.adapter.is_some() {
            self.notice(&sentence);
            return Ok(());
        }
        Err(Failure::Input(format!("{sentence}; use that device again, or choose this one with --backend {}", now.kind)))
    }
}

/// Rejects a checkpoint whose trials are not those of the run.
fn check(checkpoint: &Checkpoint, jobs: &[Job], points: &[Point]) -> Result<(), Failure> {
    let wrong = |what: String| {
        let sentence = "something else has changed it; remove the folder, and run the network again";
        Err(Failure::Run(format!("a checkpoint has {what}: {sentence}")))
    };
    let all: Vec<Job> = checkpoint.done.iter().map(|done| done.job).chain(checkpoint.running.iter().map(|of| of.job)).collect();
    for (place, job) in all.iter().enumerate() {
        let Job { point, trial } = job;
        if jobs.binary_search(job).is_err() {
            return wrong(format!("trial {trial} of combination {point}, which this run does not have"));
        }
        if all[..place].contains(job) {
            return wrong(format!("trial {trial} of combination {point} twice"));
        }
    }
    let is_complete = |done: &FinishedTrial| done.populations.len() == points[done.job.point].plan.populations.len();
    if let Some(done) = checkpoint.done.iter().find(|done| !is_complete(done)) {
        return wrong(format!("{} populations in trial {}", done.populations.len(), done.job.trial));
    }
    let lengths = checkpoint.records.lengths();
    if checkpoint.records_before.iter().zip(lengths).any(|(before, all)| *before > all) {
        return wrong("more records of trials that have ended than records".to_owned());
    }
    Ok(())
}
