//! The controller of the page: the simulation, its plots, the session, and the updates of readings.

mod address;
mod arrange;
mod arrival;
mod check;
mod class;
mod continue_run;
mod draw;
mod edit;
mod experiments;
mod files;
mod language;
mod lesson;
mod pane;
mod plots;
mod profile;
mod projects;
mod share;
mod simulation;
mod timeline;
mod weights;

use arrival::Arrival;
pub(crate) use class::{ClassState, VisitRun};
use continue_run::Continue;
pub(crate) use edit::{Elsewhere, turn_to};
pub(crate) use experiments::PointRun;
pub(crate) use files::file_name;
use language::LanguageState;
pub(crate) use lesson::LessonState;
pub(crate) use pane::Pane;
use plots::PlotMount;
pub(crate) use profile::ProfileState;
use projects::Keep;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
use spikelet_js::protocol::{BackendChoice, Source};
use web_sys::AbortController;

use crate::{
    equations::{Equations, check::Checked},
    network::{Object, undo_history::UndoHistory},
    package::Simulation,
    plot::Board,
    session::{Command, Current, OpenRequest, Session, SetHistory},
    timeline::{History, Strip, TimelineState},
};

/// Wall time between two updates of the readings, in ms: faster changes cannot be read.
const READING_MS: f64 = 125.0;

/// Sizes of workgroups that every GPU with WebGPU supports; the first one is the usual one.
pub(crate) const WORKGROUP_SIZES: [u32; 3] = [64, 128, 256];

/// The readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Readings {
    /// Biological time in ms.
    pub(crate) time_ms: f64,
    /// Wall ÷ biological time; 0 before it is known.
    pub(crate) real_time_factor: f64,
    /// Spikes since t = 0.
    pub(crate) spikes: u64,
}

/// The handle shared by all views.
#[derive(Clone, Copy)]
pub(crate) struct Studio {
    /// The state of the open network.
    pub(crate) session: RwSignal<Session>,
    /// Updated a few times per second.
    pub(crate) readings: RwSignal<Readings>,
    /// The time span of the plots, in ms.
    pub(crate) window_ms: RwSignal<f64>,
    /// The largest speed of a run: biological ÷ wall time.
    pub(crate) speed: RwSignal<f64>,
    /// Invocations per workgroup of a GPU.
    pub(crate) workgroup_size: RwSignal<u32>,
    /// The time axis of the run.
    pub(crate) timeline: RwSignal<TimelineState>,
    /// The equations of the open network, as they run and as edited.
    pub(crate) equations: RwSignal<Equations>,
    /// The results of the last check.
    pub(crate) checked: RwSignal<Checked>,
    /// Whether they were edited since then.
    pub(crate) checking: RwSignal<bool>,
    /// The visible pane.
    pub(crate) pane: RwSignal<Pane>,
    /// The object in the inspector.
    pub(crate) form: RwSignal<Option<Object>>,
    /// Edits that can be undone.
    pub(crate) past: RwSignal<UndoHistory>,
    /// Changes whenever another simulation is open.
    pub(crate) openings: RwSignal<u32>,
    /// Whether the browser stores nothing, so that a reload would lose edits.
    pub(crate) forgetful: RwSignal<bool>,
    /// Saved projects, and what is shared.
    pub(crate) keep: Keep,
    /// The run that is saved, to continue it later.
    pub(crate) continues: Continue,
    /// Lessons, tour and help.
    pub(crate) lessons: LessonState,
    /// Classes without accounts.
    pub(crate) class: ClassState,
    /// The language of the page.
    pub(crate) language: LanguageState,
    live: StoredValue<Rc<LiveReadings>, LocalStorage>,
}

/// State that changes too often for signals.
struct LiveReadings {
    /// The network that is open.
    simulation: RefCell<Option<Simulation>>,
    /// Cancels the network that is being built.
    building: RefCell<Option<AbortController>>,
    /// Its plots.
    board: RefCell<Option<Board>>,
    /// What happened in the run, and the strip that shows it.
    history: RefCell<Option<History>>,
    strip: RefCell<Option<Strip>>,
    strip_mount: RefCell<Option<web_sys::HtmlElement>>,
    /// The element of the plots, once the page exists.
    stage: RefCell<Option<PlotMount>>,
    /// Moves of its sliders.
    sets: RefCell<SetHistory>,
    /// Biological time in ms, and spikes since t = 0.
    time_ms: Cell<f64>,
    spikes: Cell<u64>,
    /// Learned weights for the start of a network.
    weights: RefCell<Option<(u32, Vec<u8>)>>,
    frame_is_due: Cell<bool>,
    last_reading_ms: Cell<f64>,
    real_time_factor: Cell<f64>,
    /// The check scheduled for the next pause in typing.
    check: Cell<Option<TimeoutHandle>>,
    /// Whether the engine is checking the equations.
    asking: Cell<bool>,
    /// What to do after that.
    when_checked: RefCell<Option<WhenChecked>>,
    /// Edits that are being opened: the number of the network, and the name under which they are stored until it is open.
    running: RefCell<Option<(u32, String)>>,
    /// Whether to turn to the equations once a network is open.
    turn_to_equations: Cell<bool>,
    /// How long a network that is being opened runs at once, in ms.
    run_when_open: Cell<Option<(u32, f64)>>,
}

/// An action after a check; its argument is whether the equations can run.
type WhenChecked = Box<dyn FnOnce(Studio, bool)>;

impl Studio {
    /// Opens the network of the address.
    pub(crate) fn start() -> Studio {
        let live = LiveReadings {
            simulation: RefCell::new(None),
            building: RefCell::new(None),
            board: RefCell::new(None),
            history: RefCell::new(None),
            strip: RefCell::new(None),
            strip_mount: RefCell::new(None),
            stage: RefCell::new(None),
            sets: RefCell::default(),
            time_ms: Cell::new(0.0),
            spikes: Cell::new(0),
            weights: RefCell::default(),
            frame_is_due: Cell::new(false),
            last_reading_ms: Cell::new(0.0),
            real_time_factor: Cell::new(0.0),
            check: Cell::new(None),
            asking: Cell::new(false),
            when_checked: RefCell::default(),
            running: RefCell::new(None),
            turn_to_equations: Cell::new(false),
            run_when_open: Cell::new(None),
        };
        let lessons = LessonState::start();
        let studio = Studio {
            session: RwSignal::new(Session::default()),
            readings: RwSignal::new(Readings::default()),
            window_ms: RwSignal::new(1000.0),
            speed: RwSignal::new(f64::INFINITY),
            workgroup_size: RwSignal::new(WORKGROUP_SIZES[0]),
            timeline: RwSignal::new(TimelineState::default()),
            equations: RwSignal::new(Equations::default()),
            checked: RwSignal::new(Checked::default()),
            checking: RwSignal::new(false),
            pane: RwSignal::new(edit::pane_at_first(lessons.is_first_page())),
            form: RwSignal::new(None),
            past: RwSignal::new(UndoHistory::default()),
            openings: RwSignal::new(0),
            forgetful: RwSignal::new(false),
            keep: Keep::new(),
            continues: Continue::new(),
            lessons,
            class: ClassState::start(),
            language: LanguageState::start(),
            live: StoredValue::new_local(Rc::new(live)),
        };
        studio.start_projects();
        studio.open_address();
        studio.start_continue();
        studio
    }

    fn live(self) -> Rc<LiveReadings> {
        self.live.get_value()
    }

    /// Opens another source on the selected device. Returns its number.
    pub(crate) fn open_source(self, source: Source) -> u32 {
        let backend = self.session.with_untracked(|session| session.requested().map(|open_request| open_request.backend));
        let backend = backend.unwrap_or_default();
        let id = self.create(OpenRequest { source, backend, seed: None, changes: Vec::new() }, false);
        self.expect(Arrival::plain(id));
        id
    }

    /// Opens another definition of the open network, which stays the same project. Returns its number.
    pub(crate) fn apply_source(self, source: Source) -> u32 {
        let open_request = self.request_now();
        self.create(OpenRequest { source, backend: open_request.backend, seed: None, changes: Vec::new() }, false)
    }

    /// Opens the same network, in its current state, on another device.
    pub(crate) fn choose_backend(self, backend: BackendChoice) {
        let open_request = self.request_now();
        let before = self.session.with_untracked(|session| session.latest());
        self.open(OpenRequest { backend, ..open_request });
        self.move_weights(before);
    }

    /// Opens the same network, in its current state, with another size of workgroups.
    pub(crate) fn choose_workgroup_size(self, size: u32) {
        self.workgroup_size.set(size);
        let backend = self.request_now().backend;
        self.choose_backend(backend);
    }

    fn request_now(self) -> OpenRequest {
        self.session.with_untracked(|session| {
            let current = session.current.as_ref().map(|current| current.request_now());
            current.unwrap_or_else(OpenRequest::first)
        })
    }

    /// Plays or pauses; in a lesson it runs the current step. If the engine has ended: opens the network again.
    pub(crate) fn toggle(self) {
        let softly = self.end_soft_play();
        if !softly && self.reopen() {
            return;
        }
        if self.is_in_lesson() && (softly || !self.is_playing()) {
            self.run_step(false);
        } else if !softly {
            self.dispatch(|session| session.toggle());
        }
    }

    /// Pauses if it runs, because it is not visible.
    pub(crate) fn rest(self) {
        if self.is_playing() {
            self.toggle();
        }
    }

    /// Returns to t = 0.
    pub(crate) fn reset(self) {
        self.end_soft_play();
        if !self.reopen() {
            self.dispatch(|session| session.reset());
        }
    }

    /// Opens the network again whose engine has ended, if there is one.
    fn reopen(self) -> bool {
        let lost = self.session.with_untracked(|session| session.lost.clone().filter(|_| !session.is_opening()));
        lost.map(|open_request| self.open(open_request)).is_some()
    }

    fn is_current(self, id: u32) -> bool {
        self.session.with_untracked(|session| session.is_current(id))
    }

    /// Moves a parameter, which can be undone.
    pub(crate) fn set(self, path: &str, value: f64) {
        if let Some(before) = self.shown(path).filter(|before| *before != value) {
            self.live().sets.borrow_mut().note(path, before, js_sys::Date::now());
        }
        self.move_to(path, value);
    }

    /// Undoes the last move of a slider, or does it again.
    pub(crate) fn undo_set(self, again: bool) {
        let live = self.live();
        let found = {
            let mut sets = live.sets.borrow_mut();
            if again { sets.redo(|path| self.shown(path)) } else { sets.undo(|path| self.shown(path)) }
        };
        if let Some((path, value)) = found {
            self.move_to(&path, value);
        }
    }

    fn shown(self, path: &str) -> Option<f64> {
        self.session.with_untracked(|session| session.current.as_ref()?.shown(path))
    }

    fn move_to(self, path: &str, value: f64) {
        self.dispatch(|session| session.set(path, value));
    }

    /// Gives a parameter a quantity as it was typed.
    pub(crate) fn set_quantity(self, path: &str, value: String) {
        self.send(Command::Set { path: path.to_owned(), value });
    }

    /// Shows the current readings.
    fn refresh(self) {
        self.live().last_reading_ms.set(0.0);
        self.request_frame();
    }

    /// Updates the readings in the next animation frame, unless they were just updated.
    fn request_frame(self) {
        if !self.live().frame_is_due.replace(true) {
            request_animation_frame(move || self.frame());
        }
    }

    fn frame(self) {
        let live = self.live();
        let now_ms = js_sys::Date::now();
        live.frame_is_due.set(false);
        if now_ms - live.last_reading_ms.get() >= READING_MS {
            live.last_reading_ms.set(now_ms);
            self.readings.set(Readings {
                time_ms: live.time_ms.get(),
                real_time_factor: live.real_time_factor.get(),
                spikes: live.spikes.get(),
            });
            self.refresh_timeline();
        }
    }

    fn is_playing(self) -> bool {
        let playing = |session: &Session| session.current.as_ref().is_some_and(Current::will_play);
        self.session.with_untracked(playing)
    }
}
