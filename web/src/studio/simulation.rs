//! The open simulation, and the one that replaces it: created, and its events handled.

use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::Changed;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

use super::Studio;
use crate::{
    package::{self, Error, Event, Simulation, Spikes},
    session::{Command, OpenRequest, OpenedNetwork, Session, parameters},
};

impl Studio {
    /// Opens a network.
    pub(crate) fn open(self, open_request: OpenRequest) {
        self.create(open_request, false);
    }

    /// Builds a network in a separate simulation; the open one continues until the new one is built. Returns its number.
    pub(super) fn create(self, open_request: OpenRequest, run: bool) -> u32 {
        let live = self.live();
        self.stop_building();
        let id = self.session.try_update(|session| session.open(open_request.clone(), run)).unwrap_or_default();
        self.leave_class();
        let building = AbortController::new().expect("a browser can give up");
        let signal = building.signal();
        live.building.replace(Some(building));
        let code = (open_request.seed, self.workgroup_size.get_untracked());
        spawn_local(async move {
            let emitted = move |building| self.session.update(|session| session.building(id, building));
            let built = Simulation::create(&open_request.source, open_request.backend, code, &signal, emitted).await;
            match built.and_then(|simulation| Ok((OpenedNetwork::new(id, simulation.info()?), simulation))) {
                Ok((opened, simulation)) => self.take_place(opened, simulation),
                Err(error) => {
                    self.give_up_run(id);
                    self.session.update(|session| session.not_opened(id, &error));
                }
            }
            self.ask_catalogue();
        });
        id
    }

    /// Cancels the network that is being built.
    pub(crate) fn cancel_opening(self) {
        self.stop_building();
        self.session.update(Session::cancel_opening);
    }

    fn stop_building(self) {
        if let Some(building) = self.live().building.take() {
            building.abort();
        }
    }

    /// A simulation was built: it replaces the open one.
    fn take_place(self, opened: OpenedNetwork, mut simulation: Simulation) {
        let id = opened.id;
        if !self.session.with_untracked(|session| session.awaits(id)) {
            // Cancelled at the last moment.
            return;
        }
        let live = self.live();
        live.building.take();
        self.leave_lesson();
        live.sets.take();
        self.begin_readings();
        let commands = self.session.try_update(|session| session.opened(opened)).unwrap_or_default();
        // Its listeners come first: the readings follow them.
        self.begin_history(&simulation);
        simulation.listen(move |event| self.on_event(event));
        drop(live.simulation.replace(Some(simulation)));
        self.take_arrival(id);
        self.begin_keeper();
        self.show_plots();
        self.openings.update(|openings| *openings += 1);
        // Before it runs.
        self.restore_weights();
        for command in commands {
            self.send(command);
        }
        self.write_address();
        self.take_equations(id);
        self.begin_course();
        self.begin_soft_play();
        self.refresh();
        self.apply_layout();
        self.resume_run(id);
        self.run_point(id);
    }

    /// Requests the catalogue, unless it is known: after the first network, or when the list is opened before.
    pub(crate) fn ask_catalogue(self) {
        if !self.session.with_untracked(|session| session.catalogue.is_empty()) {
            return;
        }
        let of_open = self.with_simulation(Simulation::networks);
        spawn_local(async move {
            let emitted = match of_open {
                Some(networks) => networks.await,
                None => package::networks().await,
            };
            self.session.update(|session| match emitted {
                Ok(catalogue) => session.catalogue = catalogue,
                Err(error) if error.is_disposed() => {}
                Err(error) => session.error = session.error.take().or(Some(error.message)),
            });
        });
    }

    /// Calls a function of the open simulation.
    pub(super) fn with_simulation<T>(self, act: impl FnOnce(&Simulation) -> T) -> Option<T> {
        self.live().simulation.borrow().as_ref().map(act)
    }

    /// The object of the package for the open network, `undefined` if there is none.
    pub(crate) fn simulation_handle(self) -> JsValue {
        self.with_simulation(|simulation| simulation.handle().clone()).unwrap_or_default()
    }

    /// Handles an event in the session and sends the resulting commands.
    pub(super) fn dispatch(self, act: impl FnOnce(&mut Session) -> Option<Command>) {
        if let Some(command) = self.session.try_update(act).flatten() {
            self.send(command);
        }
    }

    pub(super) fn send(self, command: Command) {
        match command {
            Command::Run => self.wait(self.with_simulation(Simulation::run), |_, ()| {}),
            Command::Pause => self.wait(self.with_simulation(Simulation::pause), |_, ()| {}),
            Command::Reset { run } => self.wait(self.with_simulation(Simulation::reset), move |studio, ()| {
                studio.restore_weights();
                if run {
                    studio.send(Command::Run);
                }
            }),
            Command::Set { path, value } => {
                let Some(set) = self.with_simulation(|simulation| simulation.set(&path, &value)) else { return };
                spawn_local(async move {
                    match set.await {
                        Ok(()) => self.dispatch(|session| session.was_set(&path)),
                        Err(error) if error.is_disposed() => {}
                        Err(error) => self.session.update(|session| session.refused(&path, &error)),
                    }
                });
            }
        }
    }

    /// Waits for the result of a request, and continues then.
    pub(super) fn wait<T: 'static>(
        self,
        answer: Option<impl Future<Output = Result<T, Error>> + 'static>,
        then: impl FnOnce(Studio, T) + 'static,
    ) {
        let Some(answer) = answer else { return };
        spawn_local(async move {
            match answer.await {
                Ok(answer) => then(self, answer),
                // Another network has replaced it.
                Err(error) if error.is_disposed() => {}
                Err(error) => self.session.update(|session| session.not_done(error)),
            }
        });
    }

    fn on_event(self, event: Event) {
        match event {
            Event::Spikes(spikes) => return self.take_spikes(&spikes),
            Event::Statistics(values) => return self.course_weights(&values),
            Event::Progress(progress) => {
                if let Some(factor) = progress.real_time_factor() {
                    self.live().real_time_factor.set(factor);
                }
                return;
            }
            Event::State(state) => {
                if state.moved {
                    self.take_move(&state);
                }
                self.session.update(|session| session.state(&state));
                if state.moved {
                    self.note_resumed();
                }
                self.note_state(&state);
                self.course_state(&state);
            }
            Event::Changed(changed) => self.take_change(&changed),
            Event::Info(info) => self.take_info(*info),
            Event::Notice(notice) => self.session.update(|session| session.notice(notice)),
            Event::Error(error) => self.session.update(|session| session.failed(&error)),
        }
        self.refresh();
    }

    fn take_spikes(self, spikes: &Spikes) {
        let live = self.live();
        live.time_ms.set(f64::from(spikes.first_step() + spikes.steps()) * spikes.dt_ms());
        live.spikes.set(live.spikes.get() + u64::from(spikes.neurons().length()));
        self.request_frame();
        self.course_spikes(spikes);
        self.class_spikes(spikes);
    }

    /// It is at its start.
    pub(super) fn begin_readings(self) {
        let live = self.live();
        live.time_ms.set(0.0);
        live.spikes.set(0);
        live.real_time_factor.set(0.0);
    }

    fn take_change(self, changed: &Changed) {
        let Changed { path, value, scheduled, .. } = changed;
        let unit = self.session.with_untracked(|session| {
            let current = session.current.as_ref()?;
            Some(parameters(&current.opened).find(|parameter| parameter.path == *path)?.unit.clone())
        });
        let unit = unit.unwrap_or_default();
        if !scheduled {
            self.note_change(changed, &unit);
        }
        self.session.update(|session| session.changed(changed));
        if !scheduled {
            self.course_changed(path);
            self.class_changed();
            self.write_address();
            self.follow(path, *value, &unit);
            self.save_soon();
        }
    }
}
