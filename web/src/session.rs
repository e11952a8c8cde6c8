//! The state of the open network and of the one that is being built: plain data, changed by events and by the user.
//!
//! Independent of the browser. A method returns the commands for a simulation, if any.

mod current;
mod set_history;

use std::collections::BTreeMap;

use spikelet_js::protocol::{BackendChoice, Building, CatalogueEntry, Changed, Info, Notice, NoticeCode, Source, State};

use crate::package::Error;
pub(crate) use current::{Current, OpenedNetwork, parameters, plain_quantity, same};
pub(crate) use set_history::SetHistory;

/// A request for a network, which can be repeated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenRequest {
    /// The source of the network.
    pub(crate) source: Source,
    /// The device.
    pub(crate) backend: BackendChoice,
    /// The seed, if not that of the network.
    pub(crate) seed: Option<u64>,
    /// Parameters to set after it is open: path and quantity.
    pub(crate) changes: Vec<(String, String)>,
}

impl OpenRequest {
    /// The network that the page opens at first.
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

/// Commands for the open simulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// Run until something ends the run.
    Run,
    /// Pause.
    Pause,
    /// Return to t = 0, which ends a run.
    Reset {
        /// Whether to run again from there.
        run: bool,
    },
    /// Set a parameter. [`Session::was_set`] or [`Session::refused`] handles the result.
    Set {
        /// Its path, such as `E.taum`: see [`Parameter`](spikelet_js::protocol::Parameter).
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
    /// Whether to run after the build.
    run: bool,
}

/// The state of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Session {
    /// The built-in networks; empty until an engine has returned them.
    pub(crate) catalogue: Vec<CatalogueEntry>,
    /// The open network.
    pub(crate) current: Option<Current>,
    /// The network requested last, while it is being built.
    opening: Option<Opening>,
    /// Its progress.
    pub(crate) progress: Option<Building>,
    /// The last error, until dismissed or fixed.
    pub(crate) error: Option<String>,
    /// The last network that could not be opened, by its number, with the error.
    pub(crate) rejected: Option<(u32, Error)>,
    /// The network to open again after the engine has ended.
    pub(crate) lost: Option<OpenRequest>,
    last_id: u32,
    /// What is said of a network once it is open, by its number.
    announced: Option<(u32, Vec<String>)>,
}

impl Session {
    /// Requests another network, and cancels the one that is being built. The open one stays until the new one is built. Returns its
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

    /// The number of the network requested last.
    pub(crate) fn latest(&self) -> u32 {
        self.last_id
    }

    /// Cancels the network that is being built.
    pub(crate) fn cancel_opening(&mut self) {
        self.opening = None;
        self.progress = None;
    }

    /// The last request, whether or not the network is open.
    pub(crate) fn requested(&self) -> Option<&OpenRequest> {
        let opening = self.opening.as_ref().map(|opening| &opening.open_request);
        opening.or(self.current.as_ref().map(|current| &current.open_request))
    }

    /// Plays or pauses; has no effect while another network is being built.
    pub(crate) fn toggle(&mut self) -> Option<Command> {
        let is_opening = self.is_opening();
        let current = self.current.as_mut().filter(|_| !is_opening)?;
        let runs = !current.will_play();
        current.request(runs);
        Some(if runs { Command::Run } else { Command::Pause })
    }

    /// It is requested to run for a while.
    pub(crate) fn requests_run(&mut self) {
        if let Some(current) = &mut self.current {
            current.request(true);
        }
    }

    /// It has run for that while.
    pub(crate) fn has_run(&mut self) {
        if let Some(current) = &mut self.current {
            current.forget_request();
        }
    }

    /// The answer to a request is an error.
    pub(crate) fn not_done(&mut self, error: Error) {
        self.error = Some(error.message);
        self.has_run();
    }

    /// Returns to t = 0; a running simulation continues from there.
    pub(crate) fn reset(&self) -> Option<Command> {
        Some(Command::Reset { run: self.current.as_ref()?.will_play() })
    }

    /// Changes a parameter. Only one change of a parameter is pending; the latest value of a slider is sent when the reply arrives.
    pub(crate) fn set(&mut self, path: &str, value: f64) -> Option<Command> {
        self.current.as_mut()?.set(path, value)
    }

    /// A parameter was set. Returns the next value, if it has changed.
    pub(crate) fn was_set(&mut self, path: &str) -> Option<Command> {
        self.current.as_mut()?.was_set(path)
    }

    /// A parameter could not be set: its slider returns.
    pub(crate) fn refused(&mut self, path: &str, error: &Error) {
        if let Some(current) = &mut self.current {
            current.refused(path);
        }
        self.error = Some(error.message.clone());
    }

    /// The progress of a network.
    pub(crate) fn building(&mut self, id: u32, building: Building) {
        if self.awaits(id) {
            self.progress = Some(building);
        }
    }

    /// Whether this network is still expected: it was requested last, and not cancelled.
    pub(crate) fn awaits(&self, id: u32) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.id == id)
    }

    /// Whether this is the open network.
    pub(crate) fn is_current(&self, id: u32) -> bool {
        self.current.as_ref().is_some_and(|current| current.opened.id == id)
    }

    /// The expected network is open. Returns the commands for it.
    pub(crate) fn opened(&mut self, opened: OpenedNetwork) -> Vec<Command> {
        let Some(Opening { open_request, run, .. }) = self.opening.take() else { return Vec::new() };
        let changes = open_request.changes.iter().map(|(path, value)| Command::Set { path: path.clone(), value: value.clone() });
        let commands = changes.chain(run.then_some(Command::Run)).collect();
        self.progress = None;
        self.lost = None;
        let mut current = Current::new(opened, open_request);
        if let Some((_, notices)) = self.announced.take_if(|(id, _)| *id == current.opened.id) {
            current.notices = notices;
        }
        self.current = Some(current);
        commands
    }

    /// A network could not be built; the open one stays.
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

    /// The open network runs, pauses, or its time was set.
    pub(crate) fn state(&mut self, state: &State) {
        if let Some(current) = &mut self.current {
            current.state(state);
        }
        if state.moved {
            self.error = None;
        }
    }

    /// The open network continues a run, in which it has changed these parameters itself; with their values before.
    pub(crate) fn resumed(&mut self, scheduled: BTreeMap<String, f64>) {
        if let Some(current) = &mut self.current {
            current.resumed(scheduled);
        }
    }

    /// A parameter of the open network has a new value.
    pub(crate) fn changed(&mut self, changed: &Changed) {
        if let Some(current) = &mut self.current {
            current.changed(changed);
        }
    }

    /// The open network was rebuilt, or continues on another device.
    pub(crate) fn info(&mut self, info: Info) {
        if let Some(current) = &mut self.current {
            current.opened = OpenedNetwork::new(current.opened.id, info);
        }
    }

    /// Notices about a network that is being opened.
    pub(crate) fn announce(&mut self, id: u32, notices: Vec<String>) {
        self.announced = Some((id, notices));
    }

    /// A notice about the open network.
    pub(crate) fn notice(&mut self, notice: Notice) {
        match notice.code {
            NoticeCode::DeviceLost => self.error = Some(notice.message),
            NoticeCode::Network => self.current.iter_mut().for_each(|current| current.notices.push(notice.message.clone())),
            // Shown with the reason for the device and its facts.
            NoticeCode::NoGpu | NoticeCode::OneThread | NoticeCode::SynapsesNotKept => {}
        }
    }

    /// The run failed, or the engine has ended.
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
