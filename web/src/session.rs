//! What the page knows about the engine and the open network: plain data, changed by events and by what the user does.
//!
//! Nothing here touches the browser. A method that has something to ask of the engine returns the commands.

use std::collections::BTreeMap;

use spikelet_js::protocol::{BackendChoice, CatalogueEntry, Command, Event, Opened, Parameter, Source};

use crate::number;

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

/// The network that is open in the engine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    /// What it is, with the parameters as they are now.
    pub(crate) opened: Opened,
    /// How it was asked for.
    pub(crate) wish: Wish,
    /// Whether it runs.
    pub(crate) playing: bool,
    /// Whether it was ever played since it was opened or reset.
    pub(crate) begun: bool,
    /// Which of its own conditions ended the run, and when.
    pub(crate) stopped: Option<String>,
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

/// How far a network is that is being built.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Progress {
    /// What is being done.
    pub(crate) stage: String,
    /// From 0 to 1.
    pub(crate) done: f64,
    /// Synapses drawn so far.
    pub(crate) synapses: u64,
}

/// Everything the page knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Session {
    /// The built-in networks; empty until the engine is up.
    pub(crate) catalogue: Vec<CatalogueEntry>,
    /// The open network.
    pub(crate) current: Option<Current>,
    /// Networks asked for and not yet answered, oldest first.
    opening: Vec<(u32, Wish)>,
    /// How far the latest one of them is, as far as the engine has told.
    pub(crate) progress: Option<Progress>,
    /// The one among them that is to run as soon as it is open.
    to_play: Option<u32>,
    /// What went wrong last, until dismissed or mended.
    pub(crate) error: Option<String>,
    /// Whether the engine is gone and must be started anew.
    pub(crate) stopped: bool,
    last_id: u32,
}

impl Session {
    /// Asks for another network. The open one stays until that one is there.
    pub(crate) fn open(&mut self, wish: Wish) -> Command {
        self.last_id += 1;
        let (id, source, backend, seed) = (self.last_id, wish.source.clone(), wish.backend, wish.seed);
        self.opening.push((id, wish));
        self.progress = None;
        self.error = None;
        Command::Open { id, source, backend, seed }
    }

    /// As [`Session::open`]; the network runs as soon as it is there.
    pub(crate) fn open_and_play(&mut self, wish: Wish) -> Command {
        let command = self.open(wish);
        self.to_play = Some(command.id());
        command
    }

    /// Whether a network is being built.
    pub(crate) fn is_opening(&self) -> bool {
        !self.opening.is_empty()
    }

    /// The number of the network that was asked for last.
    pub(crate) fn latest(&self) -> u32 {
        self.last_id
    }

    /// Gives up the network that is being built.
    pub(crate) fn cancel(&self) -> Option<Command> {
        self.opening.last().map(|(id, _)| Command::Cancel { id: *id })
    }

    /// What was asked for last, whether or not it is open yet.
    pub(crate) fn wish(&self) -> Option<&Wish> {
        let opening = self.opening.last().map(|(_, wish)| wish);
        opening.or(self.current.as_ref().map(|current| &current.wish))
    }

    /// Play if it pauses, pause if it plays; nothing while another network is on its way.
    pub(crate) fn toggle(&self) -> Option<Command> {
        let current = self.current.as_ref().filter(|_| !self.is_opening())?;
        let id = current.opened.id;
        Some(if current.playing { Command::Pause { id } } else { Command::Play { id } })
    }

    /// Back to t = 0.
    pub(crate) fn reset(&self) -> Option<Command> {
        let id = self.current.as_ref()?.opened.id;
        Some(Command::Reset { id })
    }

    /// Asks for what synapses have learnt.
    pub(crate) fn save_weights(&self) -> Option<Command> {
        let id = self.current.as_ref()?.opened.id;
        Some(Command::SaveWeights { id })
    }

    /// Gives synapses what they have learnt before.
    pub(crate) fn take_weights(&self, file: String, content: Vec<u8>) -> Option<Command> {
        let id = self.current.as_ref()?.opened.id;
        Some(Command::TakeWeights { id, file, content })
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

    /// Takes in an event. Returns what to ask of the engine because of it.
    pub(crate) fn hear(&mut self, event: &Event) -> Vec<Command> {
        match event {
            Event::Ready { catalogue } => {
                self.catalogue.clone_from(catalogue);
                Vec::new()
            }
            Event::Building { id, stage, done, synapses } => {
                if self.opening.last().is_some_and(|(opening, _)| opening == id) {
                    self.progress = Some(Progress { stage: stage.clone(), done: *done, synapses: *synapses });
                }
                Vec::new()
            }
            Event::Cancelled { id } => {
                self.opening.retain(|(opening, _)| opening != id);
                self.progress = None;
                Vec::new()
            }
            Event::Opened(opened) => self.opened(opened),
            Event::Failed { id, message, path, fatal } => {
                self.failed(*id, message, path.as_deref(), *fatal);
                Vec::new()
            }
            Event::State { id, playing, time_ms, reset, stopped } => {
                if let Some(current) = self.current.as_mut().filter(|current| current.opened.id == *id) {
                    current.playing = *playing;
                    current.begun = *playing || (current.begun && !*reset);
                    let at = format!("{}\u{a0}ms", number::short(*time_ms, 9));
                    current.stopped = stopped.as_ref().map(|condition| format!("stopped: {condition} at {at}"));
                }
                Vec::new()
            }
            Event::Changed { id, path, value, step, scheduled } => self
                .current
                .as_mut()
                .filter(|current| current.opened.id == *id)
                .and_then(|current| {
                    current.note_scheduled(path, *scheduled && *step > 0);
                    current.changed(path, *value)
                })
                .into_iter()
                .collect(),
            Event::Moved(moved) => {
                if let Some(current) = self.current.as_mut().filter(|current| current.opened.id == moved.id) {
                    current.opened.backend.clone_from(&moved.backend);
                    current.opened.buffers.clone_from(&moved.buffers);
                    self.error = Some(moved.message.clone());
                }
                Vec::new()
            }
            Event::Batch(_) | Event::Measured(_) | Event::Exported { .. } | Event::Weights { .. } | Event::TookWeights { .. } => {
                Vec::new()
            }
        }
    }

    /// Whether messages with this id are about the open network.
    pub(crate) fn is_current(&self, id: u32) -> bool {
        self.current.as_ref().is_some_and(|current| current.opened.id == id)
    }

    fn opened(&mut self, opened: &Opened) -> Vec<Command> {
        let Some(at) = self.opening.iter().position(|(id, _)| *id == opened.id) else {
            self.rebuilt(opened);
            return Vec::new();
        };
        // Whatever was asked for before this one has been answered or overtaken.
        let (id, wish) = self.opening.drain(..=at).next_back().expect("the position was found");
        let defaults = parameters(opened).map(|parameter| (parameter.path.clone(), parameter.value)).collect();
        let commands = wish.changes.iter().map(|(path, value)| Command::Set { id, path: path.clone(), value: value.clone() });
        let play = self.to_play.take_if(|to_play| *to_play == id).map(|id| Command::Play { id });
        let commands = commands.chain(play).collect();
        self.progress = None;
        self.current = Some(Current {
            opened: opened.clone(),
            wish,
            playing: false,
            begun: false,
            stopped: None,
            scheduled: BTreeMap::new(),
            defaults,
            ahead: BTreeMap::new(),
        });
        commands
    }

    /// The open network was built anew after its run broke off.
    fn rebuilt(&mut self, opened: &Opened) {
        if let Some(current) = self.current.as_mut().filter(|current| current.opened.id == opened.id) {
            current.opened = opened.clone();
            (current.playing, current.begun, current.stopped) = (false, false, None);
            current.ahead.clear();
            current.scheduled.clear();
            self.error = None;
        }
    }

    fn failed(&mut self, id: Option<u32>, message: &str, path: Option<&str>, fatal: bool) {
        if fatal {
            // The first message is the cause; a Worker that is down sends more.
            if !self.stopped {
                self.error = Some(message.into());
            }
            self.stopped = true;
            self.opening.clear();
            self.progress = None;
            if let Some(current) = &mut self.current {
                current.playing = false;
                current.ahead.clear();
            }
            return;
        }
        let was_opening = id.is_some_and(|id| {
            let before = self.opening.len();
            self.opening.retain(|(opening, _)| *opening != id);
            self.progress.take_if(|_| self.opening.len() < before);
            self.opening.len() < before
        });
        if was_opening || id.is_none_or(|id| self.is_current(id)) {
            self.error = Some(message.into());
        }
        if let (Some(current), Some(path)) = (&mut self.current, path) {
            current.ahead.remove(path);
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
        Some(Command::Set { id: self.opened.id, path: path.into(), value: plain_quantity(value, unit) })
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

    fn changed(&mut self, path: &str, value: f64) -> Option<Command> {
        let network = &mut self.opened.network;
        let populations = network.populations.iter_mut().flat_map(|population| &mut population.parameters);
        let projections = network.projections.iter_mut().flat_map(|projection| &mut projection.parameters);
        if let Some(parameter) = populations.chain(projections).find(|parameter| parameter.path == path) {
            parameter.value = value;
        }
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
