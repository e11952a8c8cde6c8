//! The open network, as the page knows it.

use std::collections::BTreeMap;

use spikelet_js::protocol::{BackendSummary, Buffer, BuildSeconds, Changed, Channel, Info, Parameter, State, Summary};

use super::{Command, OpenRequest};
use crate::number;

/// What an open network is: of the package's [`Info`] what the page shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenedNetwork {
    /// The page's number for it.
    pub(crate) id: u32,
    /// What it consists of, with the parameters as they are now.
    pub(crate) network: Summary,
    /// All synapses.
    pub(crate) synapses: u64,
    /// Length of a step in ms.
    pub(crate) dt_ms: f64,
    /// Who runs it, and why.
    pub(crate) backend: BackendSummary,
    /// What building it took.
    pub(crate) build: BuildSeconds,
    /// What it takes where it runs.
    pub(crate) buffers: Vec<Buffer>,
    /// What is recorded.
    pub(crate) channels: Vec<Channel>,
    /// Whether synapses have a state that can be saved.
    pub(crate) has_weights: bool,
}

impl OpenedNetwork {
    /// A network, and the page's number for it.
    pub(crate) fn new(id: u32, info: Info) -> OpenedNetwork {
        let Info { network, synapses, dt_ms, backend, build, buffers, channels, has_weights, .. } = info;
        OpenedNetwork { id, network, synapses, dt_ms, backend, build, buffers, channels, has_weights }
    }

    /// All neurons, or else all inputs: the neurons of sources.
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
    /// What it is.
    pub(crate) opened: OpenedNetwork,
    /// How it was asked for.
    pub(crate) open_request: OpenRequest,
    /// Whether it runs.
    pub(crate) playing: bool,
    /// Whether it was ever played since it was opened or reset.
    pub(crate) begun: bool,
    /// Which of its own conditions ended the run, and when.
    pub(crate) stopped: Option<String>,
    /// What in the network is allowed but hardly meant.
    pub(crate) notices: Vec<String>,
    /// Parameters that the network has changed by itself, with their values before: a reset brings them back.
    scheduled: BTreeMap<String, f64>,
    /// The parameters' values when it was opened, before any change.
    defaults: BTreeMap<String, f64>,
    /// Sliders ahead of the engine: what was sent last, and what it should be by now.
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
            begun: false,
            stopped: None,
            notices: Vec::new(),
            scheduled: BTreeMap::new(),
            defaults,
            ahead: BTreeMap::new(),
        }
    }

    /// It runs or pauses now, or was put back.
    pub(super) fn state(&mut self, state: &State) {
        self.playing = state.running;
        self.begun = state.running || (self.begun && !state.moved);
        let at = format!("{}\u{a0}ms", number::short(state.time_ms, 9));
        self.stopped = state.stopped.as_ref().map(|condition| format!("stopped: {condition} at {at}"));
        if state.moved {
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

    /// Its run broke off: no slider is waited for any more.
    pub(super) fn abort(&mut self) {
        self.playing = false;
        self.ahead.clear();
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

    /// A slider goes back.
    pub(super) fn refused(&mut self, path: &str) {
        self.ahead.remove(path);
    }

    /// The value a slider shows: where the user put it, else where the engine has it.
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

    /// What was set since the network was opened: path and quantity. What it has changed by itself counts as it was before.
    pub(crate) fn changes(&self) -> Vec<(String, String)> {
        let value = |parameter: &Parameter| self.scheduled.get(&parameter.path).copied().unwrap_or(parameter.value);
        parameters(&self.opened)
            .filter(|parameter| !self.default_of(&parameter.path).is_some_and(|default| same(default, value(parameter))))
            .map(|parameter| (parameter.path.clone(), plain_quantity(value(parameter), &parameter.unit)))
            .collect()
    }

    /// The network as it would be asked for now.
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

    /// Keeps the value that a parameter has before the network changes it by itself, and forgets it once the parameter is set.
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

/// Whether two values are the same but for what changing units does to them.
pub(crate) fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// A quantity as the engine reads it, in the unit in which it is shown. A slider's position carries rounding in its last digits; a network's values do not
/// have as many.
pub(crate) fn plain_quantity(value: f64, unit: &str) -> String {
    let (value, unit) = number::customary(value, unit);
    let number = number::short(value, 12).replace('\u{2212}', "-");
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}
