//! The open network and what is asked of it.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use js_sys::{Float32Array, Uint32Array};
use spikelet::{Activity, BuildOptions, Builder, Error, Network, Plan, Simulation};
use spikelet_gpu::{BackendRequest, Request};

use super::{
    pace::Pace,
    summary,
    turn::{Turn, now_ms},
};
use crate::protocol::{BATCHES_IN_FLIGHT, BackendChoice, Batch, Command, Event, Source};

/// Wall time between two words on how far a network is, in ms; a command waits about as long.
const TELL_MS: f64 = 50.0;

/// Takes commands one by one; at most one network is open.
pub(super) struct Desk {
    inbox: UnboundedReceiver<Command>,
    turn: Turn,
    post: Rc<dyn Fn(Event)>,
    /// Commands that came while a network was built.
    waiting: VecDeque<Command>,
    run: Option<Run>,
}

/// The open network.
struct Run {
    id: u32,
    simulation: Simulation,
    choice: BackendChoice,
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
    pub(super) fn new(inbox: UnboundedReceiver<Command>, turn: Turn, post: Rc<dyn Fn(Event)>) -> Desk {
        Desk { inbox, turn, post, waiting: VecDeque::new(), run: None }
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
            Ok((batch, changes)) => {
                (self.post)(Event::Batch(batch));
                changes.into_iter().for_each(|change| (self.post)(change));
                if run.simulation.stopped().is_some() {
                    run.playing = false;
                    (self.post)(run.state(false));
                }
            }
            Err(error) => {
                run.playing = false;
                run.broken = true;
                (self.post)(run.state(false));
                (self.post)(failed(run.id, format!("the run broke off: {error}"), None));
            }
        }
        self.turn.give().await;
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
                    Err(error) => (self.post)(failed(id, error.to_string(), None)),
                }
            }
            Command::Set { path, value, .. } => match run.simulation.set(&path, &value).await {
                Ok(()) => (self.post)(run.changed(path, run.simulation.step(), false)),
                Err(error) => (self.post)(failed(id, error.to_string(), Some(path))),
            },
            Command::Export { .. } => (self.post)(Event::Exported { id, json: run.simulation.at_start().to_json() }),
            Command::Taken { batch, .. } => run.taken = batch,
        }
    }

    /// Opens a network in place of the one that is open; if that fails, or is given up, nothing changes.
    async fn open(&mut self, id: u32, source: Source, choice: BackendChoice, seed: Option<u64>) {
        match self.build(id, source, choice, seed).await {
            Ok(Some((run, event))) => {
                self.run = Some(run);
                (self.post)(event);
            }
            Ok(None) => (self.post)(Event::Cancelled { id }),
            Err(error) => (self.post)(failed(id, error.to_string(), None)),
        }
    }

    /// Builds a network, a piece at a time; nothing where that is given up. The open one stands still meanwhile.
    async fn build(
        &mut self,
        id: u32,
        source: Source,
        choice: BackendChoice,
        seed: Option<u64>,
    ) -> Result<Option<(Run, Event)>, Error> {
        let began = now_ms();
        let mut network = match source {
            Source::Catalogue { name, scale } => spikelet::catalogue::network(&name, scale)?,
            Source::Json { text } => Network::from_json(&text)?,
        };
        if let Some(seed) = seed {
            network.seed = seed;
        }
        let chosen = choose(choice).await?;
        let backend = summary::backend(&chosen);
        let Some(plan) = self.plan(id, &network).await? else { return Ok(None) };
        let simulation = Simulation::with_plan(&network, Arc::new(plan), chosen.backend).await?;
        let event = summary::opened(id, &simulation, backend, (now_ms() - began) / 1000.0);
        let run = Run {
            id,
            simulation,
            choice,
            playing: false,
            broken: false,
            pace: Pace::new(),
            since_ms: now_ms(),
            posted: 0,
            taken: 0,
        };
        Ok(Some((run, event)))
    }

    /// Plans a network a piece at a time, and tells how far that is; nothing where it is given up.
    async fn plan(&mut self, id: u32, network: &Network) -> Result<Option<Plan>, Error> {
        let mut builder = Builder::new(network, BuildOptions::default())?;
        // At once for the first time: by then the page may have changed its mind.
        let mut told_ms = f64::NEG_INFINITY;
        loop {
            let progress = builder.advance()?;
            if now_ms() - told_ms > TELL_MS {
                let stage = if progress.is_done { "wiring".to_owned() } else { format!("drawing {}", progress.projection) };
                let done = progress.synapses as f64 / progress.expected.max(1.0);
                (self.post)(Event::Building { id, stage, done, synapses: progress.synapses });
                self.turn.give().await;
                if self.is_given_up(id) {
                    return Ok(None);
                }
                told_ms = now_ms();
            }
            if progress.is_done {
                return builder.finish().map(Some);
            }
        }
    }

    /// Whether a network that is being built is no longer wanted: so it was said, or another one is to be opened. Other
    /// commands wait.
    fn is_given_up(&mut self, id: u32) -> bool {
        let mut given_up = false;
        while let Ok(command) = self.inbox.try_recv() {
            match command {
                Command::Cancel { id: cancelled } if cancelled == id => given_up = true,
                other => {
                    given_up |= matches!(other, Command::Open { .. });
                    self.waiting.push_back(other);
                }
            }
        }
        given_up
    }
}

impl Run {
    /// Runs a batch; gives what happened in it, and the network's own changes that came due.
    async fn batch(&mut self) -> Result<(Batch, Vec<Event>), Error> {
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
        Ok((self.tell(first_step, steps, &activity), changes.collect()))
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

async fn choose(choice: BackendChoice) -> Result<spikelet_gpu::Chosen, Error> {
    let backend = match choice {
        BackendChoice::Auto => BackendRequest::Auto,
        BackendChoice::Gpu => BackendRequest::Gpu,
        BackendChoice::Cpu => BackendRequest::Cpu,
    };
    // One thread: this module is compiled without shared memory.
    spikelet_gpu::auto(&Request { backend, threads: 1, ..Request::default() }).await
}

fn failed(id: u32, message: String, path: Option<String>) -> Event {
    Event::Failed { id: Some(id), message, path, fatal: false }
}
