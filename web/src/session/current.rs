//! The state of the open network.

use std::collections::BTreeMap;

use spikelet_js::protocol::{BackendSummary, Buffer, BuildSeconds, Changed, Channel, Info, Parameter, State, Summary};

use super::{Command, OpenRequest};
use crate::number;

/// The description of an open network: the shown part of the package's [`Info`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenedNetwork {
    /// The page's number for it.
    pub(crate) id: u32,
    /// Its parts, with the current parameters.
    pub(crate) network: Summary,
    /// Number of synapses.
    pub(crate) synapses: u64,
    /// Time step in ms.
    pub(crate) dt_ms: f64,
    /// The device, and why it was chosen.
    pub(crate) backend: BackendSummary,
    /// Times of the build.
    pub(crate) build: BuildSeconds,
    /// Its memory.
    pub(crate) buffers: Vec<Buffer>,
    /// Its recordings.
    pub(crate) channels: Vec<Channel>,
    /// Labels of its statistics.
    pub(crate) statistics: Vec<String>,
    /// Whether synapses have state that can be saved.
    pub(crate) has_weights: bool,
}

impl OpenedNetwork {
    /// A network, and the page's number for it.
    pub(crate) fn new(id: u32, info: Info) -> OpenedNetwork {
        let Info { network, synapses, dt_ms, backend, build, buffers, channels, statistics, has_weights, .. } = info;
        let statistics = statistics.into_iter().map(|statistic| statistic.label).collect();
        OpenedNetwork { id, network, synapses, dt_ms, backend, build, buffers, channels, statistics, has_weights }
    }

    /// Number of neurons, or else of inputs: the neurons of sources.
    pub(crate) fn count(&self, sources: bool) -> u64 {
        let populations = self.network.populations.iter().filter(|population| population.source == sources);
        populations.map(|population| u64::from(population.size)).sum()
    }

    /// Bytes of all buffers.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

/// The network that is open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    /// Its description.
    pub(crate) opened: OpenedNetwork,
    /// Its request.
    pub(crate) open_request: OpenRequest,
    /// Whether it runs.
    pub(crate) playing: bool,
    /// What was requested, to run or to pause, until the engine says that it does: a double click is two requests.
    requested: Option<bool>,
    /// Whether it was played since it was opened or reset.
    pub(crate) begun: bool,
    /// The stop condition that ended the run, and its time.
    pub(crate) stopped: Option<String>,
    /// Notices about the network.
    pub(crate) notices: Vec<String>,
    /// Parameters changed by the network, with their values before: a reset restores them.
    scheduled: BTreeMap<String, f64>,
    /// The parameters' values when it was opened, before any change.
    defaults: BTreeMap<String, f64>,
    /// Sliders ahead of the engine: the value sent last, and the current value.
    ahead: BTreeMap<String, Ahead>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Ahead {
    sent: f64,
    wanted: f64,
}

impl Current {
    /// A network that was just opened, paused at t = 0.
    pub(super) fn new(opened: OpenedNetwork, open_request: OpenRequest) -> Current {
        let defaults = parameters(&opened).map(|parameter| (parameter.path.clone(), parameter.value)).collect();
        Current {
            opened,
            open_request,
            playing: false,
            requested: None,
            begun: false,
            stopped: None,
            notices: Vec::new(),
            scheduled: BTreeMap::new(),
            defaults,
            ahead: BTreeMap::new(),
        }
    }

    /// It runs, pauses, or was reset.
    pub(super) fn state(&mut self, state: &State) {
        self.playing = state.running;
        if self.requested == Some(state.running) {
            self.requested = None;
        }
        self.begun = state.running || (self.begun && (!state.moved || state.rewound));
        let at = format!("{}\u{a0}ms", number::short(state.time_ms, 9));
        self.stopped = state.stopped.as_ref().map(|condition| format!("stopped: {condition} at {at}"));
        if state.moved && !state.rewound {
            self.scheduled.clear();
        }
    }

    /// A parameter has a new value.
    pub(super) fn changed(&mut self, changed: &Changed) {
        self.note_scheduled(&changed.path, changed.scheduled && changed.step > 0);
        let network = &mut self.opened.network;
        let populations = network.populations.iter_mut().flat_map(|population| &mut population.parameters);
        let projections = network.projections.iter_mut().flat_map(|projection| &mut projection.parameters);
        if let Some(parameter) = populations.chain(projections).find(|parameter| parameter.path == changed.path) {
            parameter.value = changed.value;
        }
    }

    /// Its run failed: no slider waits any more.
    pub(super) fn abort(&mut self) {
        self.playing = false;
        self.requested = None;
        self.ahead.clear();
    }

    /// Whether it runs once all requests are answered.
    pub(crate) fn will_play(&self) -> bool {
        self.requested.unwrap_or(self.playing)
    }

    /// It is requested to run or to pause.
    pub(super) fn request(&mut self, runs: bool) {
        self.requested = Some(runs);
    }

    /// A request is answered, or failed.
    pub(super) fn forget_request(&mut self) {
        self.requested = None;
    }

    /// Moves a slider; see [`super::Session::set`].
    pub(super) fn set(&mut self, path: &str, value: f64) -> Option<Command> {
        if let Some(ahead) = self.ahead.get_mut(path) {
            ahead.wanted = value;
            return None;
        }
        self.ahead.insert(path.into(), Ahead { sent: value, wanted: value });
        self.command(path, value)
    }

    /// A slider returns.
    pub(super) fn refused(&mut self, path: &str) {
        self.ahead.remove(path);
    }

    /// The value of a slider: that of the user, else that of the engine.
    pub(crate) fn shown(&self, path: &str) -> Option<f64> {
        match self.ahead.get(path) {
            Some(ahead) => Some(ahead.wanted),
            None => self.parameter(path).map(|parameter| parameter.value),
        }
    }

    /// The value it was opened with.
    pub(crate) fn default_of(&self, path: &str) -> Option<f64> {
        self.defaults.get(path).copied()
    }

    /// Parameters set since the network was opened: path and quantity. Changes by the network do not count.
    pub(crate) fn changes(&self) -> Vec<(String, String)> {
        let value = |parameter: &Parameter| self.scheduled.get(&parameter.path).copied().unwrap_or(parameter.value);
        parameters(&self.opened)
            .filter(|parameter| !self.default_of(&parameter.path).is_some_and(|default| same(default, value(parameter))))
            .map(|parameter| (parameter.path.clone(), plain_quantity(value(parameter), &parameter.unit)))
            .collect()
    }

    /// Parameters changed by the network, with their values before.
    pub(crate) fn scheduled(&self) -> &BTreeMap<String, f64> {
        &self.scheduled
    }

    /// It continues a run, in which the network has changed these parameters.
    pub(super) fn resumed(&mut self, scheduled: BTreeMap<String, f64>) {
        self.begun = true;
        self.scheduled = scheduled;
    }

    /// Whether the network has changed this parameter.
    pub(crate) fn is_scheduled(&self, path: &str) -> bool {
        self.scheduled.contains_key(path)
    }

    /// The request for the network in its current state.
    pub(crate) fn request_now(&self) -> OpenRequest {
        OpenRequest { changes: self.changes(), ..self.open_request.clone() }
    }

    fn parameter(&self, path: &str) -> Option<&Parameter> {
        parameters(&self.opened).find(|parameter| parameter.path == path)
    }

    fn command(&self, path: &str, value: f64) -> Option<Command> {
        let unit = &self.parameter(path)?.unit;
        Some(Command::Set { path: path.into(), value: plain_quantity(value, unit) })
    }

    /// Stores the value of a parameter before the network changes it, and discards it once the parameter is set.
    fn note_scheduled(&mut self, path: &str, by_itself: bool) {
        let before = self.parameter(path).map(|parameter| parameter.value);
        if let (true, Some(before)) = (by_itself, before) {
            self.scheduled.entry(path.into()).or_insert(before);
        } else {
            self.scheduled.remove(path);
        }
    }

    /// A parameter was set; see [`super::Session::was_set`].
    pub(super) fn was_set(&mut self, path: &str) -> Option<Command> {
        let ahead = self.ahead.get_mut(path)?;
        if ahead.sent == ahead.wanted {
            self.ahead.remove(path);
            return None;
        }
        ahead.sent = ahead.wanted;
        let wanted = ahead.wanted;
        self.command(path, wanted)
    }
}

/// All parameters of a network, populations first.
pub(crate) fn parameters(opened: &OpenedNetwork) -> impl Iterator<Item = &Parameter> {
    let populations = opened.network.populations.iter().flat_map(|population| &population.parameters);
    let projections = opened.network.projections.iter().flat_map(|projection| &projection.parameters);
    populations.chain(projections)
}

/// Whether two values are the same up to the conversion of units.
pub(crate) fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// A quantity for the engine, in the displayed unit, without the rounding errors of a slider's position.
pub(crate) fn plain_quantity(value: f64, unit: &str) -> String {
    let (value, unit) = number::customary(value, unit);
    let number = number::short(value, 12).replace('\u{2212}', "-");
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}
