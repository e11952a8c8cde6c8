//! The equations of the open network: edited, stored, run.

use leptos::prelude::*;
use spikelet_js::protocol::Source;
use spikelet_network::{Network, catalogue};
use wasm_bindgen::JsCast;

use super::{Pane, Studio, projects::edits_of};
use crate::{
    equations::{Equations, start},
    kept, link,
    network::{Kind, Object, undo_history::UndoHistory},
    rescue,
    session::{OpenRequest, plain_quantity},
};

/// The name under which the state of the pane is stored.
const PANE: &str = "pane";

/// The name under which the edits of a network are stored.
fn edits(source: &Source) -> String {
    format!("edits:{}", link::name_of(source))
}

/// The visible pane when the page opens: the last one, else, if there is space, the lesson on the first page and the network on any other.
pub(super) fn pane_at_first(is_first_page: bool) -> Pane {
    let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(0.0);
    match kept::read(PANE) {
        Some(word) => Pane::of_word(&word).unwrap_or(Pane::Shut),
        None if width >= 1200.0 && is_first_page => Pane::Lesson,
        None if width >= 1200.0 => Pane::Network,
        None => Pane::Shut,
    }
}

/// The requested network, before any slider is moved.
pub(super) fn network(open_request: &OpenRequest) -> Option<Network> {
    let mut network = match &open_request.source {
        Source::Catalogue { name, scale } => catalogue::network(name, *scale).ok()?,
        Source::Json { text } => Network::from_json(text).ok()?,
    };
    network.seed = open_request.seed.unwrap_or(network.seed);
    Some(network)
}

impl Studio {
    /// Loads the equations of the network that was just opened, with stored edits.
    pub(super) fn take_equations(self, id: u32) {
        let open_request = self.session.with_untracked(|session| Some(session.current.as_ref()?.open_request.clone()));
        let Some(open_request) = open_request.filter(|_| self.is_current(id)) else { return };
        let Some(network) = network(&open_request) else { return };
        let before = self.equations.get_untracked();
        let mut equations = Equations::of(network);
        let ran = self.live().running.borrow_mut().take_if(|(running, _)| *running == id);
        equations.arrangement = match ran {
            Some(_) => before.arrangement.clone(),
            None => Studio::stored_arrangement(equations.network().map_or("", |network| &network.name)),
        };
        if ran.is_none() {
            self.past.set(UndoHistory::default());
            self.form.set(None);
        }
        let kept_as = self.edits_name().unwrap_or_else(|| edits(&open_request.source));
        // Edits that make the page panic are not loaded a second time.
        rescue::note(kept_as.clone(), None);
        if let Some(kept) = self.take_draft().unwrap_or_else(|| kept::read(&kept_as)) {
            equations.take_kept(&kept);
        }
        if let Some((_, name)) = ran {
            // Edits during the build are kept.
            equations.take_kept(&before.to_kept().unwrap_or_default());
            self.note(kept::write(&name, None));
        }
        if before.names() == equations.names() {
            equations.select(before.selected());
        }
        let is_new = self.live().turn_to_equations.take();
        if is_new {
            // The edits of the previous network are not applied to a new one, but stored.
            equations.undo_all();
        }
        self.equations.set(equations);
        self.keep_edits();
        self.checked.update(|checked| checked.field_errors.clear());
        self.check_another();
        if is_new && self.pane.get_untracked() == Pane::Network {
            self.form.set(Some(Object::new(Kind::Population, 0)));
            turn_to("text-equations");
        }
    }

    /// Applies a change of a slider.
    pub(super) fn follow(self, path: &str, value: f64, unit: &str) {
        if value.is_finite() {
            let text = plain_quantity(value, unit);
            self.equations.update(|equations| equations.follow(path, &text));
            self.past.update_untracked(|past| past.follow(path, &text));
        }
    }

    /// Edits the equations; they are stored at once, and checked when typing pauses.
    pub(crate) fn edit(self, act: impl FnOnce(&mut Equations)) {
        self.draw("equations", act);
    }

    /// Stores the edits, and checks them when typing pauses.
    pub(super) fn edited(self) {
        self.keep_edits();
        self.keep_arrangement();
        self.check_soon();
    }

    /// Selects another population.
    pub(crate) fn select(self, place: usize) {
        let is_another = self.equations.with_untracked(Equations::selected) != place;
        self.equations.update(|equations| equations.select(place));
        if self.form.with_untracked(|form| form.is_some_and(|form| form.kind == Kind::Population && form.place != place)) {
            self.form.set(Some(Object::new(Kind::Population, place)));
        }
        if is_another {
            self.check_another();
        }
    }

    /// Edits that caused no panic are loaded again.
    pub(super) fn note_edits(self) {
        if let Some((name, edits)) = self.edits_to_keep() {
            rescue::note(name, edits);
        }
    }

    fn keep_edits(self) {
        if let Some((name, edits)) = self.edits_to_keep() {
            self.note(kept::write(&name, edits.as_deref()));
        }
        self.save_soon();
    }

    /// The name under which edits of the open network are stored: that of its project, if it is of one.
    pub(super) fn edits_name(self) -> Option<String> {
        let source = self.session.with_untracked(|session| Some(session.current.as_ref()?.open_request.source.clone()))?;
        Some(self.keep.current.get_untracked().map_or_else(|| edits(&source), |project| edits_of(&project)))
    }

    /// The edits of the open network, and the name under which they are stored.
    fn edits_to_keep(self) -> Option<(String, Option<String>)> {
        Some((self.edits_name()?, self.equations.with_untracked(Equations::to_kept)))
    }

    fn note(self, kept: Result<(), kept::StorageError>) {
        if self.forgetful.get_untracked() != kept.is_err() {
            self.forgetful.set(kept.is_err());
        }
    }

    /// Opens the network with its edits and runs it; without edits, plays it. With errors it has no effect, and the running network
    /// continues.
    pub(crate) fn run(self) {
        self.when_checked(Studio::run_if);
    }

    /// The same, after a check.
    fn run_if(self, fine: bool) {
        if !fine {
            return self.turn_to_first_mistake();
        }
        if !self.equations.with_untracked(Equations::is_any_edited) {
            if !self.is_playing() {
                self.toggle();
            }
            return;
        }
        let Some(mut candidate) = self.equations.with_untracked(Equations::candidate) else { return };
        let open_request = self.request_now();
        candidate.seed = open_request.seed.unwrap_or(candidate.seed);
        let edited = OpenRequest {
            source: Source::Json { text: candidate.to_json() },
            backend: open_request.backend,
            seed: None,
            changes: Vec::new(),
        };
        let id = self.create(edited, true);
        self.live().running.replace(Some((id, self.edits_name().unwrap_or_else(|| edits(&open_request.source)))));
    }

    /// Shows a pane, or none.
    pub(crate) fn show_pane(self, pane: Pane) {
        if pane != Pane::Lesson {
            self.leave_lesson();
        }
        self.pane.set(pane);
        // If nothing can be stored, the pane has its initial state the next time.
        kept::write(PANE, Some(pane.word())).ok();
    }

    /// Why the parameter column has no sliders for an object of the running network.
    pub(crate) fn elsewhere(self, name: &str) -> Option<Elsewhere> {
        if self.pane.get() != Pane::Network {
            return None;
        }
        let inspected = self.form.get();
        self.equations.with(|equations| {
            let is_inspected = |object: Object| {
                equations.is_live(object) && equations.network().and_then(|network| object.name(network)) == Some(name)
            };
            if inspected.is_some_and(is_inspected) {
                return Some(Elsewhere::Inspector);
            }
            (!equations.draws(name)).then_some(Elsewhere::Nowhere)
        })
    }

    /// Opens a network for custom equations.
    pub(crate) fn open_new(self) {
        self.show_pane(Pane::Network);
        self.live().turn_to_equations.set(true);
        self.open_source(Source::Json { text: start::network().to_json() });
    }
}

/// Where the values of an object of the running network are, if not in the parameter column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// In its inspector, with all others.
    Inspector,
    /// The network that is drawn does not have it.
    Nowhere,
}

/// Opens the list of changes and focuses the first of some.
pub(super) fn turn_to_flags(_: Studio, ids: &[u32]) {
    let Some(first) = ids.first() else { return };
    let css = format!("[data-flag='{first}'] input, [data-flag='{first}'] button");
    if let Some(list) = document().get_element_by_id("changes") {
        list.set_attribute("open", "").ok();
    }
    request_animation_frame(move || {
        let element = document().query_selector(&css).ok().flatten();
        if let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            element.focus().ok();
        }
    });
}

/// Focuses an element after the next update of the page.
pub(crate) fn turn_to(id: &'static str) {
    request_animation_frame(move || {
        let Some(element) = document().get_element_by_id(id) else { return };
        // Elements of HTML and of SVG share the function, but no type with it.
        match element.dyn_into::<web_sys::HtmlElement>() {
            Ok(element) => element.focus().ok(),
            Err(element) => element.dyn_into::<web_sys::SvgElement>().ok().and_then(|element| element.focus().ok()),
        };
    });
}
