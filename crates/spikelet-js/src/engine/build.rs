//! From a command to an open network.

use std::sync::Arc;

use spikelet::{BuildOptions, Builder, Cpu, Error, Network, Plan, Pool, Simulation};
use spikelet_gpu::{BackendRequest, Chosen, GpuOptions, Kind, Pace, Request, auto_on};

use super::{
    desk::{Desk, Run, failed},
    memory, summary,
    threads::{Threads, pool},
    turn::now_ms,
};
use crate::protocol::{BackendChoice, BuildSeconds, Command, Event, Source};

/// Wall time between two words on how far a network is, in ms; a command waits about as long.
const TELL_MS: f64 = 50.0;

/// Synapses that one thread draws in the time in which others start.
const DRAWN_BY_ONE: f64 = 4e6;

impl Desk {
    /// Opens a network in place of the one that is open; if that fails, or is given up, nothing changes.
    pub(super) async fn open(&mut self, id: u32, source: Source, choice: BackendChoice, seed: Option<u64>) {
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
        let mut clock = Clock { began_ms: now_ms(), last_ms: now_ms() };
        let mut network = match source {
            Source::Catalogue { name, scale } => spikelet::catalogue::network(&name, scale)?,
            Source::Json { text } => Network::from_json(&text)?,
        };
        if let Some(seed) = seed {
            network.seed = seed;
        }
        if choice == BackendChoice::Gpu {
            // Before anything is drawn for a device that is not there.
            self.gpu.device().await?;
        }
        let mut device = clock.lap();
        let Some((plan, pool)) = self.plan(id, &network).await? else { return Ok(None) };
        let plan_seconds = clock.lap();
        // While the network is drawn the browser opens the device.
        let chosen = self.choose(choice, &plan, pool).await?;
        device += clock.lap();
        let (backend, is_gpu) = (summary::backend(&chosen, &self.threads), chosen.kind == Kind::Gpu);
        let monitor = chosen.gpu.as_ref().map(|(_, monitor)| monitor.clone());
        let loaded = Simulation::with_plan(&network, Arc::new(plan), chosen.backend).await;
        let simulation = loaded.inspect_err(|error| {
            if is_gpu {
                self.gpu.forget_if_failed(error);
            }
        })?;
        let load = clock.lap();
        let build = BuildSeconds { total: clock.total(), device, plan: plan_seconds, load };
        let event = summary::opened(id, &simulation, backend, build, monitor.as_ref());
        Ok(Some((Run::new(id, simulation, choice, is_gpu), event)))
    }

    /// Chooses a device for a plan; the threads of `pool` are there already.
    pub(super) async fn choose(&mut self, choice: BackendChoice, plan: &Plan, pool: Pool) -> Result<Chosen, Error> {
        let backend = match choice {
            BackendChoice::Auto => BackendRequest::Auto,
            BackendChoice::Gpu => BackendRequest::Gpu,
            BackendChoice::Cpu => BackendRequest::Cpu,
        };
        let options = GpuOptions { pace: Pace::Shared, ..GpuOptions::default() };
        let request = Request { backend, options, ..Request::default() };
        let chosen = auto_on(&request, async || self.gpu.device().await).await?;
        if chosen.kind == Kind::Gpu {
            return Ok(chosen);
        }
        let threads = Cpu::threads_worth(plan, self.threads.most);
        let pool = if pool.threads() == threads { pool } else { self.start_pool(threads).await };
        Ok(Chosen::of_cpu(pool, chosen.reason))
    }

    /// So many threads; where the browser does not start them, the one that there is, and from then on.
    async fn start_pool(&mut self, threads: usize) -> Pool {
        match pool(threads).await {
            Ok(pool) => pool,
            Err(error) => {
                self.threads = Threads::one(error.to_string());
                Pool::new(1)
            }
        }
    }

    /// Plans a network a piece at a time, and tells how far that is; nothing where it is given up. Gives the threads along that drew it.
    async fn plan(&mut self, id: u32, network: &Network) -> Result<Option<(Plan, Pool)>, Error> {
        let room = memory::room();
        let mut builder = Builder::new(network, BuildOptions { memory: Some(room), ..BuildOptions::default() })?;
        let held = self.run.as_ref().map_or(0, |run| memory::held(run.simulation.plan()));
        if builder.estimate().bytes > room - held.min(room) {
            // There is room for it, but not beside the one that is open.
            self.run = None;
        }
        let is_large = builder.estimate().synapses() > DRAWN_BY_ONE;
        let pool = if is_large { self.start_pool(self.threads.most).await } else { Pool::new(1) };
        builder = builder.with_pool(&pool);
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
                let plan = builder.finish()?;
                return Ok(Some((plan, pool)));
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

/// Tells wall time in laps.
struct Clock {
    began_ms: f64,
    last_ms: f64,
}

impl Clock {
    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now_ms = now_ms();
        (now_ms - std::mem::replace(&mut self.last_ms, now_ms)) / 1000.0
    }

    /// Seconds up to the last lap.
    fn total(&self) -> f64 {
        (self.last_ms - self.began_ms) / 1000.0
    }
}
