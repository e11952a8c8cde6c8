//! Links and files with a run: made of the open network, and run again to the same time.

use std::time::Duration;

use indexmap::IndexMap;
use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::{Changed, State};
use spikelet_network::Network;
use wasm_bindgen::{JsCast, JsValue};

use super::arrival::{Arrival, Replay, Rerun};
use super::{Pane, Studio, edit::network, files, projects::sleep};
use crate::{
    equations::Equations,
    keep::{Player, copy, pictures},
    kept, link,
    package::{Error, Simulation},
    session::{Current, OpenRequest, parameters, plain_quantity},
    share::{ENDING, Shared, code},
};

/// How long a message is shown.
const SAID: Duration = Duration::from_millis(2500);

/// The length of the time span of plots at first, in ms.
const WINDOW_MS: f64 = 1000.0;

/// How long plots take to follow other colours.
const REDRAWN: Duration = Duration::from_millis(250);

impl Studio {
    /// Opens the content of a link, a file or a project.
    pub(crate) fn open_shared(self, shared: Shared, rerun: Rerun, project: Option<(String, String)>) {
        self.open_arriving(shared, rerun, |id| {
            let (project, notes) = project.unzip();
            Arrival { project, notes: notes.unwrap_or_default(), ..Arrival::plain(id) }
        });
    }

    pub(super) fn open_arriving(self, shared: Shared, rerun: Rerun, arrival: impl FnOnce(u32) -> Arrival) {
        let backend = self.session.with_untracked(|session| session.requested().map(|open_request| open_request.backend));
        let backend = backend.unwrap_or_else(super::address::backend);
        let id = self.create(shared.open_request(backend), false);
        self.expect(Arrival { shared: Some((shared, rerun)), ..arrival(id) });
    }

    /// Notes what belongs to a network that is being opened.
    pub(super) fn expect(self, arrival: Arrival) {
        self.keep.state().arrival.replace(Some(arrival));
    }

    /// The network that was expected is open. Its layout is applied; its run begins after its first commands.
    pub(super) fn take_arrival(self, id: u32) {
        let keep = self.keep;
        keep.state().history.take();
        keep.replay.set(None);
        let arrival = keep.state().arrival.borrow_mut().take_if(|arrival| arrival.id == id);
        let Some(Arrival { project, notes, shared, of_address, .. }) = arrival else {
            self.note_baseline(None);
            return;
        };
        self.begin_run(self.takes_run(id));
        self.turn_to_project(project.clone(), notes);
        if let Some(project) = project.filter(|_| of_address) {
            self.continue_project(project);
        }
        let shared = shared.map(|(shared, rerun)| {
            // Edits that the browser stored later than the run are newer.
            if rerun != Rerun::Continued || self.edits_name().is_none_or(|name| kept::read(&name).is_none()) {
                keep.state().draft.replace(Some(shared.draft.as_ref().map(ToString::to_string)));
            }
            self.lessons.plays_softly.set(false);
            keep.state().layout.replace(Some(shared.clone()));
            if let Some(window_ms) = shared.window_ms {
                self.show_window(window_ms);
            }
            if let Some(pane) = shared.pane.as_ref().and_then(|word| Pane::ALL.into_iter().find(|pane| pane.word() == word)) {
                self.pane.set(pane);
            }
            (shared, rerun)
        });
        self.note_baseline(shared.as_ref().map(|(shared, _)| shared.final_values()));
        if let Some((shared, rerun)) = shared.filter(|(shared, rerun)| shared.step > 0 && *rerun != Rerun::Continued) {
            self.offer_replay(id, shared, rerun);
        }
    }

    /// The edits of the network that was just opened, if they are not those in the browser's storage.
    pub(super) fn take_draft(self) -> Option<Option<String>> {
        self.keep.state().draft.take()
    }

    pub(super) fn offer_replay(self, id: u32, shared: Shared, rerun: Rerun) {
        let dt_ms = self.session.with_untracked(|session| session.current.as_ref().map_or(0.0, |current| current.opened.dt_ms));
        let to_ms = f64::from(shared.step) * dt_ms;
        self.keep.replay.set(Some(Replay { to_ms, runs: rerun == Rerun::AtOnce, shared, id }));
    }

    /// The plots of a network that was just opened exist: the layout of its link is applied, and its run begins.
    pub(super) fn apply_layout(self) {
        let Some(shared) = self.keep.state().layout.take() else { return };
        let layout = shared.plots.as_ref().map(ToString::to_string);
        let applied = layout.and_then(|layout| self.live().board.borrow().as_ref().and_then(|board| board.set_layout(&layout)));
        self.wait(applied, |_, ()| {});
        if self.is_replaying() {
            self.replay();
        } else {
            self.set_speed(shared.speed.unwrap_or(f64::INFINITY));
        }
    }

    /// Runs to the time of the link or project, with the values that were set on the way.
    pub(crate) fn replay(self) {
        let Some(replay) = self.keep.replay.get_untracked().filter(|replay| self.is_current(replay.id)) else { return };
        self.keep.replay.set(Some(Replay { runs: true, ..replay.clone() }));
        let (view, speed) = (replay.shared.view, replay.shared.speed.unwrap_or(f64::INFINITY));
        self.set_speed(f64::INFINITY);
        spawn_local(async move {
            let id = replay.id;
            match self.repeat(replay).await {
                Err(error) if !error.is_disposed() => self.session.update(|session| session.error = Some(error.message)),
                _ => {}
            }
            // Another network may have replaced it.
            if self.keep.replay.with_untracked(|now| now.as_ref().is_some_and(|now| now.id == id)) {
                self.keep.replay.set(None);
                self.set_speed(speed);
                self.set_view(view);
                self.write_address();
                self.touch_run();
            }
        });
    }

    /// Whether a run is being repeated.
    pub(super) fn is_replaying(self) -> bool {
        self.keep.replay.with_untracked(|replay| replay.as_ref().is_some_and(|replay| replay.runs))
    }

    /// Repeats a run, until the user interrupts it.
    async fn repeat(self, Replay { shared, id, .. }: Replay) -> Result<(), Error> {
        let fits = self.player(|player, dt_ms| player.time_ms() < 0.5 * dt_ms).unwrap_or(false);
        if !fits {
            // Values were changed since, or time has passed: it begins again.
            let Some(reset) = self.with_simulation(Simulation::reset) else { return Ok(()) };
            reset.await?;
        }
        for (path, value) in self.differing(&shared.values) {
            self.put(&path, &value).await?;
        }
        for (step, path, value) in &shared.changes {
            if !self.run_to(id, *step).await? {
                return Ok(());
            }
            self.put(path, value).await?;
        }
        self.run_to(id, shared.step).await?;
        Ok(())
    }

    /// What must be set so that the network has these values, and else those of its definition.
    fn differing(self, values: &IndexMap<String, String>) -> Vec<(String, String)> {
        let now = self.values_now();
        let default = |path: &String| {
            let text = self.session.with_untracked(|session| default_text(session.current.as_ref()?, path))?;
            Some((path.clone(), text))
        };
        let other = values.iter().filter(|(path, value)| now.get(*path) != Some(value));
        let other = other.map(|(path, value)| (path.clone(), value.clone()));
        other.chain(now.keys().filter(|path| !values.contains_key(*path)).filter_map(default)).collect()
    }

    async fn put(self, path: &str, value: &str) -> Result<(), Error> {
        match self.with_simulation(|simulation| simulation.set(path, value)) {
            Some(set) => set.await,
            None => Ok(()),
        }
    }

    /// Runs to a step. Returns whether it was reached, rather than interrupted.
    async fn run_to(self, id: u32, step: u32) -> Result<bool, Error> {
        let Some(ms) = self.player(|player, dt_ms| f64::from(step) * dt_ms - player.time_ms()) else { return Ok(false) };
        let dt_ms = self.session.with_untracked(|session| session.current.as_ref().map_or(1.0, |current| current.opened.dt_ms));
        if ms > 0.5 * dt_ms {
            let Some(run) = self.with_simulation(|simulation| simulation.run_for((ms / dt_ms).round() * dt_ms)) else {
                return Ok(false);
            };
            run.await?;
        }
        let reached = |player: &Player, dt_ms: f64| (player.time_ms() - f64::from(step) * dt_ms).abs() < 0.5 * dt_ms;
        Ok(self.is_current(id) && self.player(reached).unwrap_or(false))
    }

    fn player<T>(self, act: impl FnOnce(&Player, f64) -> T) -> Option<T> {
        let dt_ms = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.dt_ms))?;
        self.with_simulation(|simulation| act(simulation.handle().unchecked_ref(), dt_ms))
    }

    /// A parameter is about to have a new value, set by the user or by the repetition of a run.
    pub(super) fn note_change(self, Changed { path, value, step, .. }: &Changed, unit: &str) {
        if value.is_finite() {
            self.keep.state().history.borrow_mut().set(*step, path, &plain_quantity(*value, unit), || self.values_now());
        }
    }

    /// The network runs, pauses, or its time was set.
    pub(super) fn note_state(self, state: &State) {
        let dt_ms = self.session.with_untracked(|session| session.current.as_ref().map(|current| current.opened.dt_ms));
        if let (true, Some(dt_ms)) = (state.moved, dt_ms) {
            self.keep.state().history.borrow_mut().moved_to((state.time_ms / dt_ms).round() as u32);
        }
        if !state.running && self.keep.current.with_untracked(Option::is_some) {
            self.save_soon();
        }
    }

    /// The open network with its values and edits, and its run up to now.
    pub(crate) fn shared(self) -> Option<Shared> {
        self.shared_at(None)
    }

    /// The same, with its run up to a step.
    pub(super) fn shared_at(self, step: Option<u32>) -> Option<Shared> {
        let history = self.keep.state().history.borrow().clone();
        let draft = self.equations.with_untracked(Equations::to_kept).and_then(|kept| serde_json::from_str(&kept).ok());
        let time_ms = self.live().time_ms.get();
        self.session.with_untracked(|session| {
            let current = session.current.as_ref()?;
            let mut shared = Shared::of(&current.open_request)?;
            shared.step = step.unwrap_or_else(|| (time_ms / current.opened.dt_ms).round() as u32);
            (shared.values, shared.changes) = history.until(shared.step, current.changes().into_iter().collect());
            shared.view = self.timeline.with_untracked(|timeline| timeline.view);
            let is_limited = |speed: &f64| speed.is_finite() && !self.lessons.plays_softly.get_untracked();
            shared.speed = Some(self.speed.get_untracked()).filter(is_limited);
            shared.window_ms = Some(self.window_ms.get_untracked()).filter(|window_ms| *window_ms != WINDOW_MS);
            let layout = kept::read(&format!("plots:{}", current.opened.network.name));
            shared.plots = layout.and_then(|layout| serde_json::from_str(&layout).ok());
            shared.pane = Some(self.pane.get_untracked().word().to_owned());
            shared.draft = draft;
            Some(shared)
        })
    }

    /// The parameters that differ from those of the network.
    fn values_now(self) -> IndexMap<String, String> {
        let changes = |current: &Current| current.changes().into_iter().collect();
        self.session.with_untracked(|session| session.current.as_ref().map(changes)).unwrap_or_default()
    }

    /// Notes the values with which the network was opened: other ones are changes of the user.
    fn note_baseline(self, values: Option<IndexMap<String, String>>) {
        let requested = || -> IndexMap<String, String> {
            let changes = |current: &Current| current.open_request.changes.iter().cloned().collect();
            self.session.with_untracked(|session| session.current.as_ref().map(changes)).unwrap_or_default()
        };
        self.keep.state().baseline.replace(values.unwrap_or_else(requested));
    }

    /// Whether the user has changed a value since the network was opened.
    pub(super) fn has_other_values(self) -> bool {
        !self.has_values(&self.keep.state().baseline.borrow())
    }

    /// Whether the network has these values, and else those of its definition.
    pub(super) fn has_values(self, values: &IndexMap<String, String>) -> bool {
        let now = self.values_now();
        let is_default = |path: &String, value: &String| {
            self.session.with_untracked(|session| {
                session.current.as_ref().is_some_and(|current| default_text(current, path).as_ref() == Some(value))
            })
        };
        now.iter().all(|(path, value)| values.get(path) == Some(value))
            && values.iter().all(|(path, value)| now.contains_key(path) || is_default(path, value))
    }

    /// Whether the address is a link that shows what is open, so that it can stay.
    pub(super) fn is_as_linked(self) -> bool {
        let hash = window().location().hash().unwrap_or_default();
        let Some(link) = hash.strip_prefix('#').filter(|hash| code::is_link(hash)) else { return false };
        let Ok(shared) = Shared::from_link(link) else { return false };
        let open_request: OpenRequest = self.request_now();
        let source = shared.open_request(open_request.backend).source;
        link::name_of(&source) == link::name_of(&open_request.source)
            && shared.seed == open_request.seed
            && self.has_values(&shared.final_values())
    }

    /// Copies a link that shows the visible time span of the plots.
    pub(crate) fn copy_view_link(self) {
        let Some(shared) = self.shared() else { return };
        let (now_ms, window_ms) = (self.live().time_ms.get(), self.window_ms.get_untracked());
        let shared = Shared {
            view: shared.view.or(Some(((now_ms - window_ms).max(0.0), now_ms))).filter(|(from, to)| to > from),
            ..shared
        };
        let Ok(address) = self.link_to(&shared) else {
            let sentence = "The network is too long for a link: save a file from “Share” instead.";
            return self.session.update(|session| session.error = Some(sentence.into()));
        };
        spawn_local(async move {
            let said = if copy(&address).await {
                "The link to this view was copied."
            } else {
                "Nothing can be copied here: use “Share”."
            };
            self.keep.said.set(Some(said));
            set_timeout(move || self.keep.said.set(None), SAID);
        });
    }

    /// The address of a link with this content.
    ///
    /// # Errors
    /// The length of the link, if it is too long.
    pub(crate) fn link_to(self, shared: &Shared) -> Result<String, usize> {
        let location = window().location();
        let (origin, path) = (location.origin().unwrap_or_default(), location.pathname().unwrap_or_default());
        Ok(format!("{origin}{path}#{}", shared.to_link()?))
    }

    /// Shows the lab book. Its plots are drawn as on paper, whatever the colours of the page are.
    pub(crate) fn open_lab_book(self) {
        self.rest();
        let Some(root) = document().document_element() else { return };
        root.class_list().add_1("paper").ok();
        spawn_local(async move {
            // The plots follow the colours in their next frame.
            sleep(REDRAWN).await;
            self.keep.pictures.set(pictures(".stage .board"));
            self.keep.lab_book.set(true);
        });
    }

    /// Returns to the page.
    pub(crate) fn close_lab_book(self) {
        if let Some(root) = document().document_element() {
            root.class_list().remove_1("paper").ok();
        }
        self.keep.lab_book.set(false);
        self.keep.pictures.set(Vec::new());
    }

    /// The open network as it was built.
    pub(crate) fn running_network(self) -> Option<Network> {
        network(&self.session.with_untracked(|session| Some(session.current.as_ref()?.open_request.clone()))?)
    }

    /// Saves the open network with its run as a file.
    pub(crate) fn save_shared(self, shared: &Shared) {
        let name = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.network.name.clone()));
        let text = Array::of1(&JsValue::from_str(&shared.to_file()));
        self.save_text(&files::file_name(&name.unwrap_or_default(), ENDING), &text);
    }
}

/// The value of a parameter in the network's definition, as text.
fn default_text(current: &Current, path: &str) -> Option<String> {
    let unit = &parameters(&current.opened).find(|parameter| parameter.path == path)?.unit;
    Some(plain_quantity(current.default_of(path)?, unit))
}
