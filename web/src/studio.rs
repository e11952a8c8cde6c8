//! What ties the page together: the simulation, the session, the history, and the frames in which plots are drawn.

mod address;
mod draw;
mod edit;
mod files;
mod simulation;
mod weights;

pub(crate) use files::file_name;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
use spikelet_js::protocol::{BackendChoice, Source};
use web_sys::AbortController;

use crate::{
    equations::{Equations, check::Checked},
    history::History,
    measured::Measurements,
    network::{Object, past::Past},
    package::Simulation,
    plot::{Plot, Scene, raster, theme::Theme},
    session::{Session, Wish},
};

/// Wall time between two updates of the readings, in ms: digits that change faster cannot be read.
const READING_MS: f64 = 125.0;
/// Wall time between two frames for those who asked their system for less motion, in ms.
const CALM_FRAME_MS: f64 = 500.0;

/// What stands between the plots and the sliders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    Shut,
    Equations,
    Network,
}

/// The numbers beside the plots.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Readings {
    /// Biological time in ms.
    pub(crate) time_ms: f64,
    /// Wall ÷ biological time; 0 before there is one.
    pub(crate) real_time_factor: f64,
    /// Spikes since t = 0.
    pub(crate) spikes: u64,
    /// What the statistic that is shown came to last, in words.
    pub(crate) weights: String,
}

/// The handle that all views share.
#[derive(Clone, Copy)]
pub(crate) struct Studio {
    /// What is known about the open network.
    pub(crate) session: RwSignal<Session>,
    /// A few times a second.
    pub(crate) readings: RwSignal<Readings>,
    /// Which statistic is shown.
    pub(crate) statistic: RwSignal<usize>,
    /// How much time the plots show, in ms.
    pub(crate) window_ms: RwSignal<f64>,
    /// The equations of the open network, as they run and as they were edited.
    pub(crate) equations: RwSignal<Equations>,
    /// What was found in them when they were last checked.
    pub(crate) checked: RwSignal<Checked>,
    /// Whether they were edited since then.
    pub(crate) checking: RwSignal<bool>,
    /// Which pane is in sight beside the plots.
    pub(crate) pane: RwSignal<Pane>,
    /// The object of the network whose form is unfolded.
    pub(crate) form: RwSignal<Option<Object>>,
    /// Edits that can be undone.
    pub(crate) past: RwSignal<Past>,
    /// Whether the browser keeps nothing, so that a reload would lose edits.
    pub(crate) forgetful: RwSignal<bool>,
    live: StoredValue<Rc<Live>, LocalStorage>,
}

/// What changes too often for signals.
struct Live {
    /// The network that is open.
    simulation: RefCell<Option<Simulation>>,
    /// Gives up the network that is being built.
    building: RefCell<Option<AbortController>>,
    history: RefCell<History>,
    measured: RefCell<Measurements>,
    /// What the synapses of a network have learnt before its start.
    weights: RefCell<Option<(u32, Vec<u8>)>>,
    theme: RefCell<Theme>,
    plots: RefCell<Vec<Box<dyn Plot>>>,
    frame_is_due: Cell<bool>,
    last_frame_ms: Cell<f64>,
    last_reading_ms: Cell<f64>,
    real_time_factor: Cell<f64>,
    /// The check that is due when typing pauses.
    check: Cell<Option<TimeoutHandle>>,
    /// Edits that are being opened: the number of the network, and the name they are kept under until it is there.
    running: RefCell<Option<(u32, String)>>,
    /// Whether to turn to the equations once a network is open.
    turn_to_equations: Cell<bool>,
}

impl Studio {
    /// Opens the network of the address.
    pub(crate) fn start() -> Studio {
        let live = Live {
            simulation: RefCell::new(None),
            building: RefCell::new(None),
            history: RefCell::default(),
            measured: RefCell::default(),
            weights: RefCell::default(),
            theme: RefCell::new(Theme::read(&window())),
            plots: RefCell::default(),
            frame_is_due: Cell::new(false),
            last_frame_ms: Cell::new(0.0),
            last_reading_ms: Cell::new(0.0),
            real_time_factor: Cell::new(0.0),
            check: Cell::new(None),
            running: RefCell::new(None),
            turn_to_equations: Cell::new(false),
        };
        let studio = Studio {
            session: RwSignal::new(Session::default()),
            readings: RwSignal::new(Readings::default()),
            statistic: RwSignal::new(0),
            window_ms: RwSignal::new(1000.0),
            equations: RwSignal::new(Equations::default()),
            checked: RwSignal::new(Checked::default()),
            checking: RwSignal::new(false),
            pane: RwSignal::new(edit::pane_at_first()),
            form: RwSignal::new(None),
            past: RwSignal::new(Past::default()),
            forgetful: RwSignal::new(false),
            live: StoredValue::new_local(Rc::new(live)),
        };
        studio.open_address();
        studio
    }

    fn live(self) -> Rc<Live> {
        self.live.get_value()
    }

    /// Opens another source on the device chosen before. Returns its number.
    pub(crate) fn open_source(self, source: Source) -> u32 {
        let backend = self.session.with_untracked(|session| session.wish().map(|wish| wish.backend));
        let backend = backend.unwrap_or_default();
        self.create(Wish { source, backend, seed: None, changes: Vec::new() }, false)
    }

    /// Opens the same network, as it is now, on another device.
    pub(crate) fn choose_backend(self, backend: BackendChoice) {
        let wish = self.wish_now();
        let before = self.session.with_untracked(|session| session.latest());
        self.open(Wish { backend, ..wish });
        self.hand_on_weights(before);
    }

    fn wish_now(self) -> Wish {
        self.session.with_untracked(|session| {
            let current = session.current.as_ref().map(|current| current.wish_now());
            current.unwrap_or_else(Wish::first)
        })
    }

    /// Play or pause. Where the engine is gone: open the network again.
    pub(crate) fn toggle(self) {
        if !self.reopen() {
            self.ask(|session| session.toggle());
        }
    }

    /// Back to t = 0.
    pub(crate) fn reset(self) {
        if !self.reopen() {
            self.ask(|session| session.reset());
        }
    }

    /// Opens the network again that was lost with its engine, if one was.
    fn reopen(self) -> bool {
        let lost = self.session.with_untracked(|session| session.lost.clone().filter(|_| !session.is_opening()));
        lost.map(|wish| self.open(wish)).is_some()
    }

    fn is_current(self, id: u32) -> bool {
        self.session.with_untracked(|session| session.is_current(id))
    }

    /// Moves a parameter.
    pub(crate) fn set(self, path: &str, value: f64) {
        self.ask(|session| session.set(path, value));
    }

    /// Shows readings and plots as they are now.
    fn refresh(self) {
        self.live().last_reading_ms.set(0.0);
        self.request_frame();
    }

    /// Adds a plot, to be drawn from the next frame on.
    pub(crate) fn add_plot(self, plot: impl Plot + 'static) {
        self.live().plots.borrow_mut().push(Box::new(plot));
        self.request_frame();
    }

    /// Reads the colours again: the system went light or dark.
    pub(crate) fn read_theme(self) {
        self.live().theme.replace(Theme::read(&window()));
        self.request_frame();
    }

    /// Draws before the screen is next refreshed.
    pub(crate) fn request_frame(self) {
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
            let history = live.history.borrow();
            self.readings.set(Readings {
                time_ms: history.now_ms(),
                real_time_factor: live.real_time_factor.get(),
                spikes: history.spike_count(),
                weights: self.with_scene(weights::latest).unwrap_or_default(),
            });
        }
        if self.is_playing() && prefers_less_motion() && now_ms - live.last_frame_ms.get() < CALM_FRAME_MS {
            return;
        }
        live.last_frame_ms.set(now_ms);
        self.with_scene(|scene| {
            for plot in live.plots.borrow_mut().iter_mut() {
                plot.draw(scene);
            }
        });
    }

    fn is_playing(self) -> bool {
        let playing = |session: &Session| session.current.as_ref().is_some_and(|current| current.playing);
        self.session.with_untracked(playing)
    }

    fn with_scene<T>(self, look: impl FnOnce(&Scene<'_>) -> T) -> Option<T> {
        let live = self.live();
        self.session.with_untracked(|session| {
            let scene = Scene {
                opened: &session.current.as_ref()?.opened,
                history: &live.history.borrow(),
                measured: &live.measured.borrow(),
                statistic: self.statistic.get_untracked(),
                theme: &live.theme.borrow(),
                window_ms: self.window_ms.get_untracked(),
            };
            Some(look(&scene))
        })
    }

    /// What stands under a point of the raster, in words: `E[12] at 812.3 ms`.
    pub(crate) fn under(self, point: (f64, f64), size: (f64, f64)) -> Option<String> {
        self.with_scene(|scene| {
            let (neuron, time_ms) = raster::under(point, size, scene)?;
            let population = &scene.opened.network.populations[scene.population_of(neuron)];
            Some(format!("{}[{}] at {time_ms:.1}\u{a0}ms", population.name, neuron - population.first))
        })
        .flatten()
    }
}

fn prefers_less_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
