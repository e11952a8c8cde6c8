//! What the page knows about the open network and the one that is being built: plain data, changed by events and by what the user does.
//!
//! Nothing here touches the browser. A method that has something to ask of a simulation returns the commands.

mod current;

use spikelet_js::protocol::{BackendChoice, Building, CatalogueEntry, Changed, Info, Notice, NoticeCode, Source, State};

use crate::package::Error;
pub(crate) use current::{Current, OpenedNetwork, parameters, plain_quantity, same};

/// A network as it was asked for: enough to ask for it again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenRequest {
    /// Where it comes from.
    pub(crate) source: Source,
    /// On which device.
    pub(crate) backend: BackendChoice,
    /// With which seed, if not its own.
    pub(crate) seed: Option<u64>,
    /// Parameters to change once it is open: path and quantity.
    pub(crate) changes: Vec<(String, String)>,
}

impl OpenRequest {
    /// The published network that the page opens with.
    pub(crate) fn first() -> OpenRequest {
        OpenRequest {
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
        /// Which, such as `E.taum`: see [`Parameter`](spikelet_js::protocol::Parameter).
        path: String,
        /// A quantity with its unit.
        value: String,
    },
}

/// A network that is being built.
#[derive(Debug, Clone, PartialEq)]
struct Opening {
    id: u32,
    open_request: OpenRequest,
    /// Whether it is to run as soon as it is there.
    run: bool,
}

/// Everything the page knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Session {
    /// The built-in networks; empty until an engine has told them.
    pub(crate) catalogue: Vec<CatalogueEntry>,
    /// The open network.
    pub(crate) current: Option<Current>,
    /// The network that was asked for last, while it is being built.
    opening: Option<Opening>,
    /// How far that is, as far as was told.
    pub(crate) progress: Option<Building>,
    /// What went wrong last, until dismissed or mended.
    pub(crate) error: Option<String>,
    /// The network that could not be opened last, by its number, and why.
    pub(crate) rejected: Option<(u32, Error)>,
    /// What to open again, where there is no engine any more.
    pub(crate) lost: Option<OpenRequest>,
    last_id: u32,
}

impl Session {
    /// Asks for another network, and gives up the one that is being built. The open one stays until this one is there. Returns its
    /// number.
    pub(crate) fn open(&mut self, open_request: OpenRequest, run: bool) -> u32 {
        self.last_id += 1;
        self.opening = Some(Opening { id: self.last_id, open_request, run });
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
    pub(crate) fn cancel_opening(&mut self) {
        self.opening = None;
        self.progress = None;
    }

    /// What was asked for last, whether or not it is open yet.
    pub(crate) fn requested(&self) -> Option<&OpenRequest> {
        let opening = self.opening.as_ref().map(|opening| &opening.open_request);
        opening.or(self.current.as_ref().map(|current| &current.open_request))
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
        self.current.as_mut()?.set(path, value)
    }

    /// A parameter was set. Returns where it should be by now, if elsewhere.
    pub(crate) fn was_set(&mut self, path: &str) -> Option<Command> {
        self.current.as_mut()?.was_set(path)
    }

    /// A parameter could not be set: its slider goes back.
    pub(crate) fn refused(&mut self, path: &str, error: &Error) {
        if let Some(current) = &mut self.current {
            current.refused(path);
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
    pub(crate) fn opened(&mut self, opened: OpenedNetwork) -> Vec<Command> {
        let Some(Opening { open_request, run, .. }) = self.opening.take() else { return Vec::new() };
        let changes = open_request.changes.iter().map(|(path, value)| Command::Set { path: path.clone(), value: value.clone() });
        let commands = changes.chain(run.then_some(Command::Run)).collect();
        self.progress = None;
        self.lost = None;
        self.current = Some(Current::new(opened, open_request));
        commands
    }

    /// A network could not be built; the one that is open stays as it was.
    pub(crate) fn not_opened(&mut self, id: u32, error: &Error) {
        if let Some(opening) = self.opening.take_if(|opening| opening.id == id) {
            self.progress = None;
            self.error = Some(error.message.clone());
            self.rejected = Some((id, error.clone()));
            if error.is_of_engine() && self.current.is_none() {
                self.lost = Some(opening.open_request);
            }
        }
    }

    /// The open network runs or pauses now, or was put back.
    pub(crate) fn state(&mut self, state: &State) {
        if let Some(current) = &mut self.current {
            current.state(state);
        }
        if state.moved {
            self.error = None;
        }
    }

    /// A parameter of the open network has a new value.
    pub(crate) fn changed(&mut self, changed: &Changed) {
        if let Some(current) = &mut self.current {
            current.changed(changed);
        }
    }

    /// The open network was built anew, or goes on on another device.
    pub(crate) fn info(&mut self, info: Info) {
        if let Some(current) = &mut self.current {
            current.opened = OpenedNetwork::new(current.opened.id, info);
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
            current.abort();
            if error.is_of_engine() {
                self.lost = Some(current.request_now());
            }
        }
    }
}

#[cfg(test)]
mod tests;
