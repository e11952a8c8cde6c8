//! The time axis of the open network: its history, its strip, speed, steps and forks.

use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::{Info, State};
use web_sys::HtmlElement;

use super::{Studio, edit::turn_to_flags};
use crate::{
    package::{Error, Simulation},
    session::{Session, parameters, same},
    timeline::{History, Strip, TimelineState, duration_ms},
};

impl Studio {
    /// The element of the strip exists.
    pub(crate) fn lay_strip(self, element: HtmlElement) {
        self.live().strip_mount.replace(Some(element));
        self.show_strip();
    }

    /// The history of a simulation begins with it, before anything is set.
    pub(super) fn begin_history(self, simulation: &Simulation) {
        let mut history = History::new(simulation);
        history.listen(move || self.take_history());
        simulation.set_speed(self.speed.get_untracked());
        let live = self.live();
        live.strip.take();
        live.history.replace(Some(history));
        self.timeline.set(TimelineState::default());
    }

    /// Creates the strip of the open network.
    pub(super) fn show_strip(self) {
        let live = self.live();
        let (mount, board, history) = (live.strip_mount.borrow(), live.board.borrow(), live.history.borrow());
        let (Some(mount), Some(board), Some(history)) = (mount.as_ref(), board.as_ref(), history.as_ref()) else { return };
        let window_ms = self.window_ms.get_untracked();
        let pressed = move |ids: Vec<u32>| turn_to_flags(self, &ids);
        let strip = self.with_simulation(|simulation| Strip::new(simulation, history, board, window_ms, pressed));
        if let Some(strip) = strip {
            mount.replace_children_with_node_1(&strip.element());
            live.strip.replace(Some(strip));
        }
    }

    /// The flags have changed, or a part of the run is repeated.
    fn take_history(self) {
        let Some((flags, replay)) = self.with_history(|history| (history.flags(), history.replay())) else { return };
        self.timeline.update(|timeline| {
            timeline.flags = flags;
            timeline.replay = replay;
        });
        self.refresh_timeline();
    }

    /// The visible time span has changed.
    pub(super) fn take_view(self, view: Option<(f64, f64)>) {
        if self.timeline.with_untracked(|timeline| timeline.view != view) {
            self.timeline.update(|timeline| timeline.view = view);
        }
    }

    /// Updates the sentence on what is kept.
    pub(super) fn refresh_timeline(self) {
        let live = self.live();
        let Some(kept) = live.board.borrow().as_ref().map(|board| board.kept()) else { return };
        let Some(sentence) = self.with_history(|history| kept.sentence(&history.stored())) else { return };
        if self.timeline.with_untracked(|timeline| timeline.kept != sentence) {
            self.timeline.update(|timeline| timeline.kept = sentence);
        }
    }

    /// The time was set; after a fork, and if a run continues, spikes before it count.
    pub(super) fn take_move(self, state: &State) {
        self.begin_readings();
        let live = self.live();
        live.time_ms.set(state.time_ms);
        live.spikes.set(self.with_history(History::spikes).unwrap_or_default());
    }

    /// A new description. After a fork and a full reset, parameters have other values: equations and address follow.
    pub(super) fn take_info(self, info: Info) {
        let before = self.session.with_untracked(|session| session.current.as_ref().map(|current| current.opened.clone()));
        self.session.update(|session| session.info(info));
        let Some(before) = before else { return };
        let changed = self.session.with_untracked(|session| {
            let Some(current) = &session.current else { return Vec::new() };
            let is_new = |path: &str, value: f64| {
                parameters(&before).any(|old| old.path == path && !same(old.value, value)) && !current.is_scheduled(path)
            };
            let new = parameters(&current.opened).filter(|new| is_new(&new.path, new.value));
            new.map(|new| (new.path.clone(), new.value, new.unit.clone())).collect::<Vec<_>>()
        });
        if changed.is_empty() {
            return;
        }
        for (path, value, unit) in changed {
            self.follow(&path, value, &unit);
        }
        self.write_address();
    }

    /// Shows a time span in ms, or the live edge.
    pub(crate) fn set_view(self, view: Option<(f64, f64)>) {
        if let Some(board) = &*self.live().board.borrow()
            && let Err(error) = board.set_view(view)
        {
            self.session.update(|session| session.error = Some(error.message));
        }
    }

    /// Limits the speed: biological ÷ wall time; infinite without a limit.
    pub(crate) fn set_speed(self, speed: f64) {
        self.speed.set(speed);
        self.with_simulation(|simulation| simulation.set_speed(speed));
    }

    /// Runs one time step, if it is paused.
    pub(crate) fn step(self) {
        if !self.is_playing() && !self.session.with_untracked(|session| session.is_opening()) {
            self.session.update(Session::requests_run);
            self.wait(self.with_simulation(Simulation::step), |studio, ()| studio.session.update(Session::has_run));
        }
    }

    /// Runs for a time in ms, if it is paused.
    pub(crate) fn run_for(self, ms: f64) {
        if !self.is_playing() && !self.session.with_untracked(|session| session.is_opening()) {
            self.session.update(Session::requests_run);
            let run = self.with_simulation(|simulation| simulation.run_for(ms));
            self.wait(run, |studio, ()| studio.session.update(Session::has_run));
        }
    }

    /// The same, for a duration that was typed.
    pub(crate) fn run_for_text(self, text: &str) {
        let dt_ms = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.dt_ms));
        let Some(dt_ms) = dt_ms else { return };
        match duration_ms(text, dt_ms) {
            Ok(ms) => {
                self.session.update(|session| session.error = None);
                self.run_for(ms);
            }
            Err(sentence) => self.session.update(|session| session.error = Some(sentence)),
        }
    }

    /// Goes back to a time in ms, paused: what was later is dropped.
    pub(crate) fn fork(self, time_ms: f64) {
        self.set_view(None);
        self.change_history(|history| Box::pin(history.fork(time_ms)));
    }

    /// Gives a change another value, and repeats the run from there. `wrong` gets what is wrong with the value.
    pub(crate) fn edit_flag(self, id: u32, value: &str, wrong: RwSignal<Option<String>>) {
        wrong.set(None);
        let Some(edited) = self.with_history(|history| history.edit(id, value)) else { return };
        spawn_local(async move {
            match edited.await {
                Ok(()) => self.refresh(),
                Err(error) if error.is_disposed() => {}
                // The list of changes may be a new one by now.
                Err(error) => {
                    wrong.try_set(Some(error.message));
                }
            }
        });
    }

    /// Removes a change, and repeats the run from there.
    pub(crate) fn remove_flag(self, id: u32) {
        self.change_history(|history| Box::pin(history.remove(id)));
    }

    /// Returns to t = 0 with the values of the network.
    pub(crate) fn full_reset(self) {
        let restarted = self.with_history(History::restart);
        self.wait(restarted, |studio, ()| studio.restore_weights());
    }

    fn change_history(self, act: impl FnOnce(&History) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Error>>>>) {
        self.session.update(|session| session.error = None);
        self.wait(self.with_history(act), |studio, ()| studio.refresh());
    }

    pub(super) fn with_history<T>(self, act: impl FnOnce(&History) -> T) -> Option<T> {
        self.live().history.borrow().as_ref().map(act)
    }
}
