//! The lesson of the open network, and the first visit.

mod load;
mod run;

use std::sync::Arc;

use indexmap::IndexMap;
use leptos::prelude::*;
use spikelet_js::protocol::Source;
use wasm_bindgen::prelude::wasm_bindgen;

pub(crate) use self::load::Loaded;
use self::load::load;
pub(super) use self::load::text;
use super::{Pane, Studio};
use crate::{
    kept,
    lessons::{
        Library,
        course::{Course, Scene},
        pace::Borrowed,
        thumbnail::Thumbnail,
        visit::{SOFT_SPEED, Visit},
    },
    session::{Command, Session},
};

/// Files beside the page.
const LESSONS: &str = "lessons/lessons.json";
const PICTURES: &str = "lessons/pictures.json";
const HELP: &str = "lessons/help.html";

/// The names under which the finished lessons and the tour are stored.
const DONE: &str = "lessons";
const TOUR: &str = "tour";

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = matchMedia)]
    fn match_media(query: &str) -> MediaQueryList;

    type MediaQueryList;
    #[wasm_bindgen(method, getter)]
    fn matches(this: &MediaQueryList) -> bool;
}

/// The state of lessons, shared by all views.
#[derive(Clone, Copy)]
pub(crate) struct LessonState {
    /// All lessons.
    pub(crate) library: RwSignal<Loaded<Library>>,
    /// The pictures of the gallery, by network.
    pub(crate) pictures: RwSignal<Loaded<IndexMap<String, Thumbnail>>>,
    /// The text of the help.
    pub(crate) help: RwSignal<Loaded<String>>,
    /// Whether the help is open.
    pub(crate) is_help_open: RwSignal<bool>,
    /// The lesson of the open network.
    pub(crate) course: RwSignal<Option<Course>>,
    /// Names of the lessons that were finished, in this visit or before.
    pub(crate) done: RwSignal<Vec<String>>,
    /// The step of the tour that is shown.
    pub(crate) tour: RwSignal<Option<usize>>,
    /// Whether the first network plays softly, until the user does anything.
    pub(crate) plays_softly: RwSignal<bool>,
    /// The speed and the time span that a step has set.
    borrowed: RwSignal<Option<Borrowed>>,
    /// What was known when the page opened.
    visit: Visit,
}

impl LessonState {
    /// The state when the page opens.
    pub(super) fn start() -> LessonState {
        let location = window().location();
        let is_bare = [location.hash(), location.search()].iter().all(|part| part.as_ref().is_ok_and(String::is_empty));
        let visit = Visit {
            is_bare,
            has_seen_tour: kept::read(TOUR).is_some() || is_bare && kept::write(TOUR, None).is_err(),
            is_calm: match_media("(prefers-reduced-motion: reduce)").matches(),
        };
        let done = kept::read(DONE).map(|names| names.lines().map(str::to_owned).collect()).unwrap_or_default();
        LessonState {
            library: RwSignal::new(None),
            pictures: RwSignal::new(None),
            help: RwSignal::new(None),
            is_help_open: RwSignal::new(false),
            course: RwSignal::new(None),
            done: RwSignal::new(done),
            tour: RwSignal::new(visit.shows_tour().then_some(0)),
            plays_softly: RwSignal::new(visit.plays_softly()),
            borrowed: RwSignal::new(None),
            visit,
        }
    }

    /// Whether the address named no network when the page opened.
    pub(crate) fn is_first_page(self) -> bool {
        self.visit.is_bare
    }
}

impl Studio {
    /// Loads the lessons, unless they are there.
    pub(crate) fn ask_lessons(self) {
        load(self.lessons.library, LESSONS, Library::read, move || self.begin_course());
    }

    /// Loads the pictures of the gallery, unless they are there.
    pub(crate) fn ask_pictures(self) {
        let read = |text: &str| serde_json::from_str(text).map_err(|error| format!("pictures.json: {error}"));
        load(self.lessons.pictures, PICTURES, read, || {});
    }

    /// Opens the help.
    pub(crate) fn open_help(self) {
        load(self.lessons.help, HELP, |text| Ok(text.to_owned()), || {});
        self.lessons.is_help_open.set(true);
    }

    /// Shows a step of the tour; `None` ends it for good.
    pub(crate) fn show_tour(self, step: Option<usize>) {
        if step.is_none() {
            // If this fails, the tour comes again.
            kept::write(TOUR, Some("seen")).ok();
        }
        self.lessons.tour.set(step);
    }

    /// Opens the network of a lesson, at the size at which it runs in it, and shows the lesson.
    pub(crate) fn open_lesson(self, name: &str) {
        let source = self.with_library(|library| {
            let lesson = library.of(name)?;
            Some(match lesson.network_text() {
                Some(text) => Source::Json { text },
                None => Source::Catalogue { name: lesson.name.clone(), scale: lesson.scale },
            })
        });
        if let Some(Some(source)) = source {
            self.open_source(source);
            self.show_pane(Pane::Lesson);
        }
    }

    fn with_library<T>(self, act: impl FnOnce(&Library) -> T) -> Option<T> {
        self.lessons.library.with_untracked(|library| library.as_ref()?.as_ref().ok().map(|library| act(library)))
    }

    /// Another network is open, or the lessons were loaded: its lesson begins.
    pub(super) fn begin_course(self) {
        let name = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.network.name.clone()));
        let lesson = name.and_then(|name| self.with_library(|library| library.of(&name).cloned()).flatten());
        let course = lesson.zip(self.scene()).map(|(lesson, mut scene)| {
            scene.as_published = self.is_as_published(lesson.scale);
            let now = (self.live().time_ms.get() / scene.dt_ms).round() as u32;
            Course::new(Arc::new(lesson), scene, now)
        });
        self.lessons.course.set(course);
        self.look_at_parameters();
    }

    pub(super) fn scene(self) -> Option<Scene> {
        self.session.with_untracked(|session| {
            let opened = &session.current.as_ref()?.opened;
            let populations = opened.network.populations.iter();
            let populations = populations.map(|of| (of.name.clone(), of.first..of.first + of.size)).collect();
            Some(Scene { dt_ms: opened.dt_ms, populations, as_published: false })
        })
    }

    /// Whether the open network is that of the catalogue at a scale, with its own seed and values.
    fn is_as_published(self, scale: f64) -> bool {
        let published = |session: &Session| {
            let current = session.current.as_ref()?;
            let (_, of) = current.open_request.catalogue()?;
            Some(of == scale && current.open_request.seed.is_none() && current.changes().is_empty())
        };
        self.session.with_untracked(published).unwrap_or(false)
    }

    /// The first network is open: it plays softly if nothing speaks against it.
    pub(super) fn begin_soft_play(self) {
        if self.lessons.plays_softly.get_untracked() {
            self.set_speed(SOFT_SPEED);
            self.dispatch(|session| session.toggle());
        }
    }

    /// Pauses the network that plays softly, since the user does something else.
    pub(crate) fn stop_soft_play(self) {
        self.send(Command::Pause);
        self.end_soft_play();
    }

    /// The user has done something. Returns whether the network was playing softly; it continues at full speed.
    pub(crate) fn end_soft_play(self) -> bool {
        let softly = self.lessons.plays_softly.get_untracked();
        if softly {
            self.lessons.plays_softly.set(false);
            self.set_speed(f64::INFINITY);
        }
        softly
    }
}
