//! What the page knows about the open network and the one that is being built: plain data, changed by events and by what the user does.
//!
//! Nothing here touches the browser. A method that has something to ask of a simulation returns the commands.

use std::collections::BTreeMap;

use spikelet_js::protocol::{
    BackendChoice, BackendSummary, Buffer, BuildSeconds, Building, Catalogued, Changed, Channel, Info, Notice, NoticeCode,
    Parameter, Source, State, Statistic, Summary,
};

use crate::{number, package::Error};

/// A network as it was asked for: enough to ask for it again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    /// Where it comes from.
    pub(crate) source: Source,
    /// On which device.
    pub(crate) backend: BackendChoice,
    /// With which seed, if not its own.
    pub(crate) seed: Option<u64>,
    /// Parameters to change once it is open: path and quantity.
    pub(crate) changes: Vec<(String, String)>,
}

impl Wish {
    /// The published network that the page opens with.
    pub(crate) fn first() -> Wish {
        Wish {
            source: Source::Catalogue { name: "cuba".into(), scale: 1.0 },
            backend: BackendChoice::Auto,
            seed: None,
            changes: Vec::new(),
        }
    }

    /// Its name in the catalogue and its scale, if it is from there.
    pub(crate) fn catalogue(&self) -> Option<(&str, f64)> {
        match &self.source {
            Source::Catalogue { name, scale } => Some((name, *scale)),
            Source::Json { .. } => None,
        }
    }
}

/// What an open network is: of the package's [`Info`] what the page shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opened {
    /// The page's number for it.
    pub(crate) id: u32,
    /// What it consists of, with the parameters as they are now.
    pub(crate) network: Summary,
    /// All neurons, sources included.
    pub(crate) neurons: u32,
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
    /// What is summed up over synapses.
    pub(crate) statistics: Vec<Statistic>,
    /// Whether synapses have a state that can be saved.
    pub(crate) has_weights: bool,
}

impl Opened {
    /// A network, and the page's number for it.
    pub(crate) fn new(id: u32, info: Info) -> Opened {
        let Info { network, neurons, synapses, dt_ms, backend, build, buffers, channels, statistics, has_weights, .. } = info;
        Opened { id, network, neurons, synapses, dt_ms, backend, build, buffers, channels, statistics, has_weights }
    }

    /// Bytes of all buffers.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }
}

/// What is to be asked of the open simulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// To run until something ends it.
    Run,
    /// To pause.
    Pause,
    /// To go back to t = 0, which ends a run.
    Reset {
        /// Whether it is to run again from there.
        run: bool,
    },
    /// To change a parameter. [`Session::was_set`] or [`Session::refused`] tells what came of it.
    Set {
        /// [`Parameter::path`].
        path: String,
        /// A quantity with its unit.
        value: String,
    },
}

/// The network that is open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    /// What it is.
    pub(crate) opened: Opened,
    /// How it was asked for.
    pub(crate) wish: Wish,
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

/// A network that is being built.
#[derive(Debug, Clone, PartialEq)]
struct Opening {
    id: u32,
    wish: Wish,
    /// Whether it is to run as soon as it is there.
    run: bool,
}

/// Everything the page knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Session {
    /// The built-in networks; empty until an engine has told them.
    pub(crate) catalogue: Vec<Catalogued>,
    /// The open network.
    pub(crate) current: Option<Current>,
    /// The network that was asked for last, while it is being built.
    opening: Option<Opening>,
    /// How far that is, as far as was told.
    pub(crate) progress: Option<Building>,
    /// What went wrong last, until dismissed or mended.
    pub(crate) error: Option<String>,
    /// What to open again, where there is no engine any more.
    pub(crate) lost: Option<Wish>,
    last_id: u32,
}

impl Session {
    /// Asks for another network, and gives up the one that is being built. The open one stays until this one is there. Returns its
    /// number.
    pub(crate) fn open(&mut self, wish: Wish, run: bool) -> u32 {
        self.last_id += 1;
        self.opening = Some(Opening { id: self.last_id, wish, run });
        self.progress = None;
        self.error = None;
        self.last_id
    }

    /// Whether a network is being built.
    pub(crate) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// The number of the network that was asked for last.
    pub(crate) fn latest(&self) -> u32 {
        self.last_id
    }

    /// Gives up the network that is being built.
    pub(crate) fn give_up(&mut self) {
        self.opening = None;
        self.progress = None;
    }

    /// What was asked for last, whether or not it is open yet.
    pub(crate) fn wish(&self) -> Option<&Wish> {
        let opening = self.opening.as_ref().map(|opening| &opening.wish);
        opening.or(self.current.as_ref().map(|current| &current.wish))
    }

    /// Play if it pauses, pause if it plays; nothing while another network is on its way.
    pub(crate) fn toggle(&self) -> Option<Command> {
        let current = self.current.as_ref().filter(|_| !self.is_opening())?;
        Some(if current.playing { Command::Pause } else { Command::Run })
    }

    /// Back to t = 0; what runs goes on from there.
    pub(crate) fn reset(&self) -> Option<Command> {
        Some(Command::Reset { run: self.current.as_ref()?.playing })
    }

    /// Moves a parameter. At most one change of a parameter is under way; a slider that is dragged meanwhile leaves the
    /// latest value to be sent when the answer comes.
    pub(crate) fn set(&mut self, path: &str, value: f64) -> Option<Command> {
        let current = self.current.as_mut()?;
        match current.ahead.get_mut(path) {
            Some(ahead) => {
                ahead.wanted = value;
                None
            }
            None => {
                current.ahead.insert(path.into(), Ahead { sent: value, wanted: value });
                current.command(path, value)
            }
        }
    }

    /// A parameter was set. Returns where it should be by now, if elsewhere.
    pub(crate) fn was_set(&mut self, path: &str) -> Option<Command> {
        self.current.as_mut()?.was_set(path)
    }

    /// A parameter could not be set: its slider goes back.
    pub(crate) fn refused(&mut self, path: &str, error: &Error) {
        if let Some(current) = &mut self.current {
            current.ahead.remove(path);
        }
        self.error = Some(error.message.clone());
    }

    /// How far a network is.
    pub(crate) fn building(&mut self, id: u32, building: Building) {
        if self.awaits(id) {
            self.progress = Some(building);
        }
    }

    /// Whether this network is waited for: it was asked for last, and not given up.
    pub(crate) fn awaits(&self, id: u32) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.id == id)
    }

    /// Whether this is the open network.
    pub(crate) fn is_current(&self, id: u32) -> bool {
        self.current.as_ref().is_some_and(|current| current.opened.id == id)
    }

    /// The network that was waited for is open. Returns what to ask of it.
    pub(crate) fn opened(&mut self, opened: Opened) -> Vec<Command> {
        let Some(Opening { wish, run, .. }) = self.opening.take() else { return Vec::new() };
        let defaults = parameters(&opened).map(|parameter| (parameter.path.clone(), parameter.value)).collect();
        let changes = wish.changes.iter().map(|(path, value)| Command::Set { path: path.clone(), value: value.clone() });
        let commands = changes.chain(run.then_some(Command::Run)).collect();
        self.progress = None;
        self.lost = None;
        self.current = Some(Current {
            opened,
            wish,
            playing: false,
            begun: false,
            stopped: None,
            notices: Vec::new(),
            scheduled: BTreeMap::new(),
            defaults,
            ahead: BTreeMap::new(),
        });
        commands
    }

    /// A network could not be built; the one that is open stays as it was.
    pub(crate) fn not_opened(&mut self, id: u32, error: &Error) {
        if let Some(opening) = self.opening.take_if(|opening| opening.id == id) {
            self.progress = None;
            self.error = Some(error.message.clone());
            if error.is_of_engine() && self.current.is_none() {
                self.lost = Some(opening.wish);
            }
        }
    }

    /// The open network runs or pauses now, or was put back.
    pub(crate) fn state(&mut self, state: &State) {
        let Some(current) = &mut self.current else { return };
        current.playing = state.running;
        current.begun = state.running || (current.begun && !state.moved);
        let at = format!("{}\u{a0}ms", number::short(state.time_ms, 9));
        current.stopped = state.stopped.as_ref().map(|condition| format!("stopped: {condition} at {at}"));
        if state.moved {
            current.scheduled.clear();
            self.error = None;
        }
    }

    /// A parameter of the open network has a new value.
    pub(crate) fn changed(&mut self, changed: &Changed) {
        if let Some(current) = &mut self.current {
            current.note_scheduled(&changed.path, changed.scheduled && changed.step > 0);
            current.change(&changed.path, changed.value);
        }
    }

    /// The open network was built anew, or goes on on another device.
    pub(crate) fn info(&mut self, info: Info) {
        if let Some(current) = &mut self.current {
            current.opened = Opened::new(current.opened.id, info);
        }
    }

    /// Something to know about the open network.
    pub(crate) fn notice(&mut self, notice: Notice) {
        match notice.code {
            NoticeCode::DeviceLost => self.error = Some(notice.message),
            NoticeCode::Network => self.current.iter_mut().for_each(|current| current.notices.push(notice.message.clone())),
            // Told by the reason for the device and by what is known of it.
            NoticeCode::NoGpu | NoticeCode::OneThread | NoticeCode::SynapsesNotKept => {}
        }
    }

    /// The run broke off, or the engine is gone.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.error = Some(error.message.clone());
        if let Some(current) = &mut self.current {
            current.playing = false;
            current.ahead.clear();
            if error.is_of_engine() {
                self.lost = Some(current.wish_now());
            }
        }
    }
}

impl Current {
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
    pub(crate) fn wish_now(&self) -> Wish {
        Wish { changes: self.changes(), ..self.wish.clone() }
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

    fn change(&mut self, path: &str, value: f64) {
        let network = &mut self.opened.network;
        let populations = network.populations.iter_mut().flat_map(|population| &mut population.parameters);
        let projections = network.projections.iter_mut().flat_map(|projection| &mut projection.parameters);
        if let Some(parameter) = populations.chain(projections).find(|parameter| parameter.path == path) {
            parameter.value = value;
        }
    }

    fn was_set(&mut self, path: &str) -> Option<Command> {
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
pub(crate) fn parameters(opened: &Opened) -> impl Iterator<Item = &Parameter> {
    let populations = opened.network.populations.iter().flat_map(|population| &population.parameters);
    let projections = opened.network.projections.iter().flat_map(|projection| &projection.parameters);
    populations.chain(projections)
}

/// Whether two values are the same but for what changing units does to them.
pub(crate) fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// A quantity as the engine reads it. A slider's position carries rounding in its last digits; a network's values do not
/// have as many.
pub(crate) fn plain_quantity(value: f64, unit: &str) -> String {
    let number = number::short(value, 12).replace('\u{2212}', "-");
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests;
