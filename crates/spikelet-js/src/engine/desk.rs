//! The open network and what is asked of it.

use std::collections::VecDeque;
use std::rc::Rc;

use futures_channel::mpsc::UnboundedReceiver;
use js_sys::{Float32Array, Uint32Array};
use spikelet::{Activity, Error, Simulation};

use super::{
    gpu::WorkerGpu,
    pace::Pace,
    recover::Checkpoints,
    summary,
    threads::Threads,
    turn::{Turn, now_ms},
    weights,
};
use crate::protocol::{BATCHES_IN_FLIGHT, BackendChoice, Batch, Command, Event, Measured, Source};

/// Batches that a GPU begins before it is asked for them: a pause or a new value waits for as many.
const BATCHES_AHEAD: u32 = 2;

/// Takes commands one by one; at most one network is open.
pub(super) struct Desk {
    pub(super) inbox: UnboundedReceiver<Command>,
    pub(super) turn: Turn,
    pub(super) threads: Threads,
    pub(super) post: Rc<dyn Fn(Event)>,
    /// Commands that came while a network was built.
    pub(super) waiting: VecDeque<Command>,
    pub(super) gpu: WorkerGpu,
    pub(super) run: Option<Run>,
}

/// The open network.
pub(super) struct Run {
    pub(super) id: u32,
    pub(super) simulation: Simulation,
    pub(super) choice: BackendChoice,
    pub(super) is_gpu: bool,
    pub(super) checkpoints: Checkpoints,
    playing: bool,
    /// Its device gave up, or its state left the numbers: it can be looked at, and `Reset` builds it anew.
    broken: bool,
    pace: Pace,
    /// When the last batch ended, or play was pressed.
    since_ms: f64,
    /// Number of the last batch posted, and of the last one that the page took in.
    posted: u32,
    taken: u32,
}

impl Desk {
    pub(super) fn new(inbox: UnboundedReceiver<Command>, turn: Turn, threads: Threads, post: Rc<dyn Fn(Event)>) -> Desk {
        Desk { inbox, turn, threads, post, waiting: VecDeque::new(), gpu: WorkerGpu::begin(), run: None }
    }

    /// Takes the next command, when it comes; whether there will be any.
    pub(super) async fn hear(&mut self) -> bool {
        let next = match self.waiting.pop_front() {
            Some(command) => Ok(command),
            None => self.inbox.recv().await,
        };
        match next {
            Ok(command) => {
                self.take(command).await;
                true
            }
            Err(_) => false,
        }
    }

    /// Takes all commands that have arrived.
    pub(super) async fn hear_all(&mut self) {
        while let Some(command) = self.waiting.pop_front().or_else(|| self.inbox.try_recv().ok()) {
            self.take(command).await;
        }
    }

    /// Whether a batch should be run now.
    pub(super) fn has_work(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.playing && run.posted.wrapping_sub(run.taken) < BATCHES_IN_FLIGHT)
    }

    /// Runs one batch and posts it, and lets commands arrive.
    pub(super) async fn work(&mut self) {
        let Some(run) = &mut self.run else { return };
        match run.batch().await {
            Ok((batch, measured, changes)) => {
                (self.post)(Event::Batch(batch));
                measured.into_iter().for_each(|measured| (self.post)(Event::Measured(measured)));
                changes.into_iter().for_each(|change| (self.post)(change));
                if run.simulation.stopped().is_some() {
                    run.playing = false;
                    (self.post)(run.state(false));
                }
                if let Err(error) = run.keep().await {
                    self.survive(error).await;
                }
            }
            Err(error) => self.survive(error).await,
        }
        self.turn.give().await;
    }

    /// Goes on where a device is lost; a run that cannot go on breaks off.
    async fn survive(&mut self, error: Error) {
        let error = match error {
            Error::DeviceLost { device, why } => self.go_on(&device, &why).await.err(),
            error => Some(error),
        };
        if let Some(error) = error {
            self.break_off(&error);
        }
    }

    /// The open network cannot go on.
    fn break_off(&mut self, error: &Error) {
        let Some(run) = &mut self.run else { return };
        run.playing = false;
        run.broken = true;
        if run.is_gpu {
            self.gpu.forget_if_failed(error);
        }
        (self.post)(run.state(false));
        (self.post)(failed(run.id, format!("the run broke off: {error}"), None));
    }

    /// What a command met: a device that is lost is replaced, and the command taken once more; all else is told.
    async fn meet(&mut self, error: Error, command: Command, path: Option<String>) {
        let id = command.id();
        match error {
            Error::DeviceLost { device, why } => match self.go_on(&device, &why).await {
                Ok(()) => self.waiting.push_front(command),
                Err(error) => self.break_off(&error),
            },
            error => (self.post)(failed(id, error.to_string(), path)),
        }
    }

    /// Does what a command says; whatever comes of it is posted.
    async fn take(&mut self, command: Command) {
        if let Command::Open { id, source, backend, seed } = command {
            return self.open(id, source, backend, seed).await;
        }
        let id = command.id();
        let Some(run) = self.run.as_mut().filter(|run| run.id == id) else {
            // The page's last words about a network it has closed: of interest only where it waits for an answer.
            if !matches!(command, Command::Taken { .. } | Command::Cancel { .. }) {
                (self.post)(failed(id, format!("network {id} is not open"), None));
            }
            return;
        };
        match command {
            Command::Open { .. } | Command::Cancel { .. } => {}
            Command::Play { .. } if run.broken => {
                (self.post)(failed(id, "the run broke off; reset it to build the network anew".into(), None));
            }
            Command::Play { .. } if run.simulation.stopped().is_some() => {
                let stopped = run.simulation.stopped();
                let why =
                    stopped.map(|stopped| format!("{} held at {} ms", stopped.condition, stopped.time_ms)).unwrap_or_default();
                (self.post)(failed(id, format!("the run has ended, since {why}; reset it to run it again"), None));
            }
            Command::Play { .. } => {
                run.playing = true;
                run.since_ms = now_ms();
                (self.post)(run.state(false));
            }
            Command::Pause { .. } => {
                run.playing = false;
                (self.post)(run.state(false));
            }
            Command::Reset { .. } if run.broken => {
                let (text, choice) = (run.simulation.at_start().to_json(), run.choice);
                self.open(id, Source::Json { text }, choice, None).await;
            }
            Command::Reset { .. } => {
                let mut undone: Vec<String> = run.simulation.changed().iter().map(|changed| changed.path.clone()).collect();
                undone.sort_unstable();
                undone.dedup();
                match run.simulation.reset(0).await {
                    Ok(()) => {
                        run.since_ms = now_ms();
                        (self.post)(run.state(true));
                        undone.into_iter().for_each(|path| (self.post)(run.changed(path, 0, true)));
                    }
                    Err(error) => self.meet(error, Command::Reset { id }, None).await,
                }
            }
            Command::Set { path, value, .. } => match run.simulation.set(&path, &value).await {
                Ok(()) => (self.post)(run.changed(path, run.simulation.device_step(), false)),
                Err(error) => self.meet(error, Command::Set { id, path: path.clone(), value }, Some(path)).await,
            },
            Command::SaveWeights { .. } => match run.weights().await {
                Ok(content) => (self.post)(Event::Weights { id, content }),
                Err(error) => self.meet(error, Command::SaveWeights { id }, None).await,
            },
            Command::TakeWeights { file, content, .. } => match run.take_weights(&file, &content).await {
                Ok(()) => (self.post)(Event::TookWeights { id, file }),
                Err(error) => self.meet(error, Command::TakeWeights { id, file, content }, None).await,
            },
            Command::LoseDevice { .. } if run.is_gpu => self.gpu.destroy(),
            Command::LoseDevice { .. } => {}
            Command::Export { .. } => (self.post)(Event::Exported { id, json: run.simulation.at_start().to_json() }),
            Command::Taken { batch, .. } => run.taken = batch,
        }
    }
}

impl Run {
    /// A network that was just built, paused at t = 0.
    pub(super) fn new(id: u32, simulation: Simulation, choice: BackendChoice, is_gpu: bool) -> Run {
        let (checkpoints, pace, since_ms) = (Checkpoints::new(), Pace::new(), now_ms());
        let mut run = Run {
            id,
            simulation,
            choice,
            is_gpu,
            checkpoints,
            playing: false,
            broken: false,
            pace,
            since_ms,
            posted: 0,
            taken: 0,
        };
        run.settle_on(is_gpu);
        run
    }

    /// It runs on a GPU, which works ahead while the page is told what happened, or on the CPU, which cannot.
    pub(super) fn settle_on(&mut self, is_gpu: bool) {
        self.is_gpu = is_gpu;
        self.simulation.look_ahead(if is_gpu { BATCHES_AHEAD } else { 0 });
    }

    /// Runs a batch; gives what happened in it, what was measured, and the network's own changes that came due.
    async fn batch(&mut self) -> Result<(Batch, Vec<Measured>, Vec<Event>), Error> {
        let (first_step, done) = (self.simulation.step(), self.simulation.changed().len());
        let began = now_ms();
        let activity = self.simulation.advance(self.pace.steps()).await?;
        let steps = self.simulation.step() - first_step;
        if activity.samples.iter().any(|sample| !sample.is_finite()) {
            self.simulation.check_finite().await?;
        }
        let ended = now_ms();
        let biological_ms = f64::from(steps) * self.simulation.plan().dt_ms;
        self.pace.took(ended - began, ended - self.since_ms, biological_ms);
        self.since_ms = ended;
        self.posted = self.posted.wrapping_add(1);
        let changes =
            self.simulation.changed()[done..].iter().map(|changed| self.changed(changed.path.clone(), changed.step, true));
        let measured = weights::measured(self.id, self.simulation.plan(), &activity.statistics);
        Ok((self.tell(first_step, steps, &activity), measured, changes.collect()))
    }

    /// Tells the value that a parameter has now.
    fn changed(&self, path: String, step: u32, scheduled: bool) -> Event {
        Event::Changed { id: self.id, value: summary::value(&self.simulation, &path), step, path, scheduled }
    }

    fn tell(&self, first_step: u32, steps: u32, activity: &Activity) -> Batch {
        let (neurons, at): (Vec<u32>, Vec<u32>) = activity.spikes.iter().map(|spike| (spike.neuron, spike.step)).unzip();
        Batch {
            id: self.id,
            number: self.posted,
            first_step,
            steps,
            time_ms: self.simulation.time_ms(),
            real_time_factor: self.pace.real_time_factor(),
            spike_neurons: Uint32Array::from(neurons.as_slice()),
            spike_steps: Uint32Array::from(at.as_slice()),
            samples: Float32Array::from(activity.samples.as_slice()),
            sample_every: 1,
            first_sample: first_step,
        }
    }

    fn state(&self, reset: bool) -> Event {
        let stopped = self.simulation.stopped().map(|stopped| stopped.condition.clone());
        Event::State { id: self.id, playing: self.playing, time_ms: self.simulation.time_ms(), reset, stopped }
    }
}

pub(super) fn failed(id: u32, message: String, path: Option<String>) -> Event {
    Event::Failed { id: Some(id), message, path, fatal: false }
}
