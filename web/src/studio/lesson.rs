//! The lesson of the open network: loaded, fed with what runs, and carried out.

use std::sync::Arc;

use indexmap::IndexMap;
use js_sys::Promise;
use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::{Source, State};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use super::{Pane, Studio};
use crate::{
    kept,
    lessons::{
        Library,
        course::{Course, Orders, Outcome, Scene},
        pace::{Borrowed, Pace},
        thumbnail::Thumbnail,
        visit::{SOFT_SPEED, Visit},
    },
    package::{Spikes, StatisticValues},
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
    #[wasm_bindgen(js_name = fetch)]
    fn fetch(url: &str) -> Promise;
    #[wasm_bindgen(js_name = matchMedia)]
    fn match_media(query: &str) -> MediaQueryList;

    type Response;
    #[wasm_bindgen(method, getter)]
    fn ok(this: &Response) -> bool;
    #[wasm_bindgen(method, getter)]
    fn status(this: &Response) -> u16;
    #[wasm_bindgen(method)]
    fn text(this: &Response) -> Promise;

    type MediaQueryList;
    #[wasm_bindgen(method, getter)]
    fn matches(this: &MediaQueryList) -> bool;
}

/// A file that the page loads when it is needed.
pub(crate) type Loaded<T> = Option<Result<Arc<T>, String>>;

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

    fn scene(self) -> Option<Scene> {
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

    /// Changes the lesson; views are updated only if it says so. At the end of a step the network pauses.
    fn update_course(self, act: impl FnOnce(&mut Course) -> Outcome) {
        let of_course = |course: &mut Option<Course>| course.as_mut().map_or(Outcome::Same, act);
        let outcome = self.lessons.course.try_update_untracked(of_course).unwrap_or(Outcome::Same);
        if outcome == Outcome::Same {
            return;
        }
        if outcome == Outcome::Ended {
            self.send(Command::Pause);
        }
        self.lessons.course.notify();
        self.look_at_parameters();
        self.keep_pace();
        self.note_done();
    }

    fn note_done(self) {
        let done = |course: &Option<Course>| course.as_ref().filter(|course| course.is_done()).map(|of| of.lesson.name.clone());
        let Some(name) = self.lessons.course.with_untracked(done) else { return };
        if self.lessons.done.with_untracked(|done| !done.contains(&name)) {
            self.lessons.done.update(|done| done.push(name));
            // Without storage the ticks of this visit are lost; nothing else depends on them.
            kept::write(DONE, Some(&self.lessons.done.get_untracked().join("\n"))).ok();
        }
    }

    /// Spikes of the latest steps.
    pub(super) fn course_spikes(self, spikes: &Spikes) {
        if self.lessons.course.with_untracked(Option::is_none) {
            return;
        }
        self.update_course(|course| {
            let measures = course.measures();
            let copied = |array: js_sys::Uint32Array| if measures { array.to_vec() } else { Vec::new() };
            let (neurons, steps) = (copied(spikes.neurons()), copied(spikes.spike_steps()));
            course.take(spikes.first_step(), spikes.steps(), neurons.into_iter().zip(steps))
        });
    }

    /// Statistics of synapses.
    pub(super) fn course_weights(self, values: &StatisticValues) {
        let of = values.statistic() as usize;
        let label = self.session.with_untracked(|session| session.current.as_ref()?.opened.statistics.get(of).cloned());
        let Some(label) = label else { return };
        let projection = label.split_once('.').map_or(label.as_str(), |(projection, _)| projection);
        let moments = values.moments().to_vec();
        self.update_course(|course| {
            let rows = values.steps().to_vec().into_iter().zip(moments.chunks_exact(4));
            let outcomes = rows.map(|(step, row)| course.take_weights(projection, step, [row[0], row[1]]));
            outcomes.max().unwrap_or(Outcome::Same)
        });
    }

    /// It runs, pauses, or was reset.
    pub(super) fn course_state(self, state: &State) {
        if state.moved {
            let as_published = self.course_scale().is_some_and(|scale| self.is_as_published(scale));
            let dt_ms = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.dt_ms)).unwrap_or(1.0);
            self.update_course(|course| {
                course.moved((state.time_ms / dt_ms).round() as u32, as_published);
                Outcome::Changed
            });
        }
    }

    /// The learner has set a parameter.
    pub(super) fn course_changed(self, path: &str) {
        let as_published = self.course_scale().is_some_and(|scale| self.is_as_published(scale));
        self.update_course(|course| {
            course.changed(path, as_published);
            Outcome::Changed
        });
    }

    fn course_scale(self) -> Option<f64> {
        self.lessons.course.with_untracked(|course| Some(course.as_ref()?.lesson.scale))
    }

    /// Ticks steps about parameters.
    fn look_at_parameters(self) {
        let value = |path: &str| self.shown(path);
        let changed = self.lessons.course.try_update_untracked(|course| course.as_mut().is_some_and(|course| course.look(value)));
        if changed == Some(true) {
            self.lessons.course.notify();
            self.keep_pace();
            self.note_done();
        }
    }

    /// Whether Play runs a step: the lesson is visible, and not done.
    pub(crate) fn is_in_lesson(self) -> bool {
        let is_open = |course: &Option<Course>| course.as_ref().is_some_and(|course| !course.is_done());
        self.pane.get() == Pane::Lesson && self.lessons.course.with(is_open)
    }

    /// The plot that shows the visible lesson.
    pub(crate) fn lesson_plot(self) -> Option<String> {
        let plot = |course: &Option<Course>| course.as_ref().map(|course| course.lesson.plot.clone());
        self.lessons.course.with(plot).filter(|_| self.pane.get() == Pane::Lesson)
    }

    /// Does what a step of the lesson says, and runs it.
    pub(crate) fn act(self) {
        self.end_soft_play();
        self.run_step(true);
    }

    /// Runs the current step of the lesson; `for_me` also changes the network as it says. The step sets speed and time span.
    pub(super) fn run_step(self, for_me: bool) {
        // Who begins a lesson finds it again after a reload.
        self.show_pane(Pane::Lesson);
        self.take_pace();
        let run = |course: &mut Option<Course>| course.as_mut().map(|course| course.run(for_me)).unwrap_or_default();
        let Orders { set, reset } = self.lessons.course.try_update(run).unwrap_or_default();
        self.look_at_parameters();
        for (path, value) in set {
            self.send(Command::Set { path, value });
        }
        if reset {
            self.send(Command::Reset { run: true });
        } else if !self.is_playing() {
            self.dispatch(|session| session.toggle());
        }
    }

    /// Begins the steps again, with the values of the network.
    pub(crate) fn start_lesson_again(self) {
        self.send(Command::Pause);
        self.lessons.course.update(|course| course.iter_mut().for_each(Course::start_again));
        self.full_reset();
    }

    /// The lesson is not visible any more, or its network is replaced: a step that runs ends, and the pace is that from before.
    pub(super) fn leave_lesson(self) {
        let leave = |course: &mut Option<Course>| {
            let followed = course.as_ref().is_some_and(Course::is_followed);
            course.iter_mut().for_each(Course::leave);
            followed
        };
        if self.lessons.course.try_update(leave) == Some(true) && self.is_playing() {
            self.send(Command::Pause);
        }
        if let Some(borrowed) = self.lessons.borrowed.try_update(Option::take).flatten() {
            self.set_pace(borrowed.give_back(self.pace()));
        }
    }

    fn take_pace(self) {
        let wanted = self.lessons.course.with_untracked(|course| course.as_ref().map(|of| Pace::of(&of.lesson, of.at)));
        let Some(wanted) = wanted else { return };
        let earlier = self.lessons.borrowed.get_untracked();
        // Within a step, what the user has chosen stays.
        if earlier.is_none_or(|earlier| earlier.set() != wanted) {
            self.lessons.borrowed.set(Some(Borrowed::take(earlier, self.pace(), wanted)));
            self.set_pace(wanted);
        }
    }

    /// The next step of a lesson that is followed has begun, with its own pace.
    fn keep_pace(self) {
        if self.lessons.borrowed.with_untracked(Option::is_some) {
            self.take_pace();
        }
    }

    fn pace(self) -> Pace {
        Pace { speed: self.speed.get_untracked(), window_ms: self.window_ms.get_untracked() }
    }

    fn set_pace(self, pace: Pace) {
        if pace.speed != self.speed.get_untracked() {
            self.set_speed(pace.speed);
        }
        if pace.window_ms != self.window_ms.get_untracked() {
            self.show_window(pace.window_ms);
        }
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

/// Loads a file once; after an error again.
fn load<T: Send + Sync + 'static>(
    into: RwSignal<Loaded<T>>,
    address: &'static str,
    read: impl FnOnce(&str) -> Result<T, String> + 'static,
    then: impl FnOnce() + 'static,
) {
    if into.with_untracked(|loaded| loaded.as_ref().is_some_and(Result::is_ok)) {
        return;
    }
    spawn_local(async move {
        let text = text(address).await.map_err(|why| format!("{address} could not be loaded: {why}"));
        into.set(Some(text.and_then(|text| read(&text).map(Arc::new))));
        then();
    });
}

async fn text(address: &str) -> Result<String, String> {
    let said = |error: JsValue| String::from(js_sys::JsString::from(error));
    let response: Response = JsFuture::from(fetch(address)).await.map_err(said)?.unchecked_into();
    if !response.ok() {
        return Err(format!("the server answered {}", response.status()));
    }
    JsFuture::from(response.text()).await.map_err(said)?.as_string().ok_or_else(|| "it is no text".into())
}
