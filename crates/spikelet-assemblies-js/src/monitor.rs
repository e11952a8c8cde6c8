//! An engine that reports its rounds.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use spikelet_assemblies::{AreaId, AreaOptions, Cpu, Engine, Error, MemoryItem, Round, Source};

use crate::protocol;

/// Receives rounds.
pub(crate) type Listener = Box<dyn Fn(protocol::Round)>;

/// What a session and the engine of its brain share.
pub(crate) struct RoundMonitor {
    /// Whether rounds are reported.
    pub(crate) is_on: Cell<bool>,
    /// The names of areas and stimuli.
    pub(crate) names: RefCell<HashMap<Source, String>>,
    pub(crate) listener: Listener,
}

/// The engine on one CPU thread, which reports each round of any operation.
pub(crate) struct MonitoredEngine {
    engine: Cpu,
    monitor: Rc<RoundMonitor>,
    rounds: u64,
}

impl MonitoredEngine {
    pub(crate) fn new(engine: Cpu, monitor: Rc<RoundMonitor>) -> MonitoredEngine {
        MonitoredEngine { engine, monitor, rounds: 0 }
    }
}

impl RoundMonitor {
    fn name(&self, of: impl Into<Source>) -> String {
        self.names.borrow().get(&of.into()).cloned().unwrap_or_default()
    }

    fn report(&self, number: u64, round: &Round, winners: &[&[u32]]) {
        if !self.is_on.get() {
            return;
        }
        let fibres = round.targets.iter().flat_map(|target| target.sources.iter().map(|source| (*source, target.area)));
        let winners = round
            .targets
            .iter()
            .zip(winners)
            .map(|(target, winners)| protocol::Winners { area: self.name(target.area), neurons: winners.to_vec() });
        (self.listener)(protocol::Round {
            round: number as f64,
            fibres: fibres.map(|(source, area)| (self.name(source), self.name(area))).collect(),
            winners: winners.collect(),
        });
    }
}

impl Engine for MonitoredEngine {
    fn add_stimulus(&mut self, size: u32) -> Result<(), Error> {
        self.engine.add_stimulus(size)
    }

    fn add_area(&mut self, name: &str, options: &AreaOptions) -> Result<(), Error> {
        self.engine.add_area(name, options)
    }

    fn set_beta(&mut self, source: Source, area: AreaId, beta: f64) -> Result<(), Error> {
        self.engine.set_beta(source, area, beta)
    }

    fn run(&mut self, round: &Round, count: u32, after: &mut dyn FnMut(&[&[u32]])) -> Result<(), Error> {
        let MonitoredEngine { engine, monitor, rounds } = self;
        engine.run(round, count, &mut |winners| {
            *rounds += 1;
            monitor.report(*rounds, round, winners);
            after(winners);
        })
    }

    fn winners(&self, area: AreaId) -> &[u32] {
        self.engine.winners(area)
    }

    fn set_winners(&mut self, area: AreaId, winners: &[u32]) -> Result<(), Error> {
        self.engine.set_winners(area, winners)
    }

    fn known(&self, area: AreaId) -> u32 {
        self.engine.known(area)
    }

    fn forget(&mut self, area: AreaId) -> Result<(), Error> {
        self.engine.forget(area)
    }

    fn memory(&self) -> Vec<MemoryItem> {
        self.engine.memory()
    }

    fn synapses(&self, from: AreaId, to: AreaId, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)> {
        self.engine.synapses(from, to, pres, posts)
    }
}
