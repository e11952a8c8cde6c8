//! Builds the network of a command.

use std::io::Cursor;
use std::sync::Arc;

use js_sys::Uint8Array;
use spikelet::cost::ExpectedMemory;
use spikelet::{BuildOptions, Builder, Error, FileContent, Network, Plan, Pool, Simulation, Variant, human};
use spikelet_gpu::DeviceKind;

use super::built::{Build, CodeOptions};
use super::command_error::CommandError;
use super::devices::EngineDevices;
use super::run::OpenNetwork;
use super::threads::Threads;
use super::time::now_ms;
use super::{memory, notice};
use crate::estimate;
use crate::protocol::{BackendChoice, BuildSeconds, Building, Create, Estimate, Event, NoticeCode, Source};

/// Wall time between two progress events, in ms.
const TELL_MS: f64 = 50.0;

/// Synapses that one thread draws while others start.
const DRAWN_BY_ONE: f64 = 4e6;

impl EngineDevices {
    /// Builds a network, and reports its notices.
    pub(super) async fn create(&mut self, create: &Create) -> Result<OpenNetwork, CommandError> {
        check_counts(create)?;
        let run = self.build(create).await?;
        // The user who requests one thread needs no notice.
        let news = notice::of(&run).filter(|notice| notice.code != NoticeCode::OneThread || create.threads != Some(1));
        news.for_each(|notice| self.emit(Event::Notice(notice)));
        Ok(run)
    }

    /// The memory that a network would need.
    pub(super) async fn estimate(&mut self, create: &Create) -> Result<Estimate, CommandError> {
        check_counts(create)?;
        let network = network(create)?;
        if create.backend != BackendChoice::Cpu {
            // Without a GPU, there is an estimate for the CPU only.
            let opened = self.gpu.device().await;
            if let (BackendChoice::Gpu, Err(error)) = (create.backend, opened) {
                return Err(CommandError::NoGpu(error.to_string()));
            }
        }
        let on_gpu = |of: &ExpectedMemory| match create.backend {
            BackendChoice::Cpu => None,
            BackendChoice::Auto | BackendChoice::Gpu => self.gpu.estimate(of, create.trials),
        };
        let estimated = estimate::estimate(&network, create.trials, Some(memory::room()), &on_gpu);
        estimated.map_err(|error| CommandError::Network { error, network: network.into() })
    }

    async fn build(&mut self, create: &Create) -> Result<OpenNetwork, CommandError> {
        let (choice, code, threads) = (create.backend, CodeOptions::of(create), self.threads.at_most(create.threads));
        let mut clock = Clock { began_ms: now_ms(), last_ms: now_ms() };
        let network = Arc::new(network(create)?);
        if choice != BackendChoice::Cpu {
            // The browser opens the device while the network is drawn.
            self.gpu.begin();
        }
        if choice == BackendChoice::Gpu {
            // Fails before anything is drawn if the device is not available.
            self.gpu.device().await.map_err(|error| CommandError::NoGpu(error.to_string()))?;
        }
        let mut device = clock.lap();
        let planned = self.plan(&network, &threads).await;
        let (plan, pool) = planned.map_err(|error| CommandError::Network { error, network: network.clone() })?;
        let plan_seconds = clock.lap();
        let (chosen, measurement) = self.choose(choice, &plan, pool, (&threads, code)).await?;
        // There is one thread, with a reason, if the browser did not start more.
        let threads = self.threads.at_most(create.threads);
        device += clock.lap();
        let is_gpu = chosen.kind == DeviceKind::Gpu;
        if !is_gpu {
            check_room(&plan, create.trials)?;
        }
        let mut build = Build::new((choice, code), threads, (&chosen, measurement), self.neuron_code(code.compile));
        let plan = Arc::new(plan);
        let variant = |trial| Variant { network: network.clone(), plan: plan.clone(), trial };
        let loaded = Simulation::of_trials((0..create.trials).map(variant).collect(), chosen.backend).await;
        let simulation = loaded.inspect_err(|error| {
            if is_gpu {
                self.gpu.forget_if_failed(error);
            }
        })?;
        let load = clock.lap();
        build.seconds = BuildSeconds { total: clock.total(), device, plan: plan_seconds, load };
        Ok(OpenNetwork::new(simulation, build, create.statistics_from_ms))
    }

    /// Builds the plan of a network in pieces, and reports the progress. Returns the threads that were used.
    async fn plan(&mut self, network: &Network, threads: &Threads) -> Result<(Plan, Pool), Error> {
        let mut builder = Builder::new(network, BuildOptions { memory: Some(memory::room()), ..BuildOptions::default() })?;
        let is_large = builder.estimate().synapses() > DRAWN_BY_ONE;
        let pool = if is_large { self.start_pool(threads.most).await } else { Pool::new(1) };
        builder = builder.with_pool(&pool);
        let mut emitted_ms = f64::NEG_INFINITY;
        loop {
            let progress = builder.advance()?;
            if now_ms() - emitted_ms > TELL_MS {
                let stage = if progress.is_done { "wiring".to_owned() } else { format!("drawing {}", progress.projection) };
                let done = progress.synapses as f64 / progress.expected.max(1.0);
                self.emit(Event::Building(Building { stage, done, synapses: progress.synapses }));
                // The device is opened meanwhile.
                self.turn.give().await;
                emitted_ms = now_ms();
            }
            if progress.is_done {
                let plan = builder.finish()?;
                return Ok((plan, pool));
            }
        }
    }
}

/// Rejects zero trials and threads.
fn check_counts(create: &Create) -> Result<(), CommandError> {
    let counts = [("trials", Some(create.trials)), ("threads", create.threads)];
    counts
        .iter()
        .find(|(_, count)| *count == Some(0))
        .map_or(Ok(()), |(name, _)| Err(CommandError::invalid(name, 0, "at least one is needed", "use 1, or remove it")))
}

/// The network of the command, with its files.
fn network(create: &Create) -> Result<Network, Error> {
    let mut network = match &create.source {
        Source::Catalogue { name, scale } => spikelet::catalogue::network(name, *scale)?,
        Source::Json { text } => Network::from_json(text)?,
    };
    if let Some(seed) = create.seed {
        network.seed = seed;
    }
    let mut open = |name: &str| -> FileContent<'static> {
        let file = create.files.iter().find(|file| file.name == name);
        let content = file.map(|file| Uint8Array::to_vec(&file.content)).ok_or("no file of that name was given")?;
        Ok(Box::new(Cursor::new(content)))
    };
    network.resolve(&mut open)?;
    Ok(network)
}

/// Rejects more parallel trials than fit into memory.
fn check_room(plan: &Plan, trials: u32) -> Result<(), Error> {
    let (shared, each, room) = (plan.memory().iter().map(|(_, bytes)| bytes).sum::<u64>(), plan.trial_memory(), memory::room());
    if trials == 1 || shared.saturating_add(each.saturating_mul(u64::from(trials))) <= room {
        return Ok(());
    }
    let expected = format!(
        "each needs {} in addition to {} for all, and {} of memory are available",
        human(each),
        human(shared),
        human(room)
    );
    let most = (room.saturating_sub(shared) / each.max(1)).max(1);
    Err(Error::Invalid {
        path: "trials".into(),
        value: trials.to_string(),
        expected,
        way_out: format!("run at most {most} in parallel"),
        kind: Some("out_of_memory"),
    })
}

/// Measures wall time in laps.
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
