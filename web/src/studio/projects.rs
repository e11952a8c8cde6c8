//! Projects: saved as they change, opened from the list.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use indexmap::IndexMap;
use js_sys::{Array, Date, Math};
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::{
    Studio,
    arrival::{Arrival, Replay, Rerun},
    files,
};
use crate::{
    equations::EDITED,
    keep::{self, PlotPicture, ProjectStore},
    kept,
    projects::{self, Card, Content, Exported},
    rescue,
    share::{Shared, history::ValueHistory},
};

/// Duration of a pause between changes before they are saved.
const PAUSE: Duration = Duration::from_millis(600);

/// What is stored once networks and edits of earlier versions are projects.
const TAKEN_OVER: &str = "projects";

/// Saved projects, and what is shared.
#[derive(Clone, Copy)]
pub(crate) struct Keep {
    /// The projects, the latest first; `None` until they are read.
    pub(crate) cards: RwSignal<Option<Vec<Card>>>,
    /// The project that is open in this tab.
    pub(crate) current: RwSignal<Option<String>>,
    /// Why projects are not saved.
    pub(crate) problem: RwSignal<Option<String>>,
    /// Information about the open project.
    pub(crate) notice: RwSignal<Option<String>>,
    /// Notes of the open network.
    pub(crate) notes: RwSignal<String>,
    /// Deleted projects, the last one at the end.
    pub(crate) deleted: RwSignal<Vec<(Card, String)>>,
    /// A run that is repeated, or could be.
    pub(crate) replay: RwSignal<Option<Replay>>,
    /// A message for a moment.
    pub(crate) said: RwSignal<Option<&'static str>>,
    /// Whether the lab book is shown.
    pub(crate) lab_book: RwSignal<bool>,
    /// The plots as the lab book shows them.
    pub(crate) pictures: RwSignal<Vec<PlotPicture>>,
    state: StoredValue<Rc<KeepState>, LocalStorage>,
}

/// State that no view shows.
#[derive(Default)]
pub(super) struct KeepState {
    /// The network that is being opened.
    pub(super) arrival: RefCell<Option<Arrival>>,
    /// The edits for it, if they are not those in the browser's storage.
    pub(super) draft: Cell<Option<Option<String>>>,
    /// The layout for it.
    pub(super) layout: RefCell<Option<Shared>>,
    /// Values set since t = 0.
    pub(super) history: RefCell<ValueHistory>,
    /// Values with which the network was opened.
    pub(super) baseline: RefCell<IndexMap<String, String>>,
    store: RefCell<Option<ProjectStore>>,
    save: Cell<Option<TimeoutHandle>>,
    /// The content that was saved last, with its project.
    saved: RefCell<Option<(String, String)>>,
}

impl Keep {
    pub(super) fn new() -> Keep {
        Keep {
            cards: RwSignal::new(None),
            current: RwSignal::new(None),
            problem: RwSignal::new(None),
            notice: RwSignal::new(None),
            notes: RwSignal::new(String::new()),
            deleted: RwSignal::new(Vec::new()),
            replay: RwSignal::new(None),
            said: RwSignal::new(None),
            lab_book: RwSignal::new(false),
            pictures: RwSignal::new(Vec::new()),
            state: StoredValue::new_local(Rc::default()),
        }
    }

    pub(super) fn state(self) -> Rc<KeepState> {
        self.state.get_value()
    }

    /// The open project.
    pub(crate) fn card(self) -> Option<Card> {
        let id = self.current.get()?;
        self.cards.with(|cards| cards.as_ref()?.iter().find(|card| card.id == id).cloned())
    }
}

/// The name under which edits of a project are stored while it is open.
pub(super) fn edits_of(project: &str) -> String {
    format!("edits:project:{project}")
}

/// A key that no other project has.
fn new_id() -> String {
    let time = Date::now() as u64;
    let chance = (Math::random() * f64::from(u32::MAX)) as u32;
    format!("{time:x}-{chance:08x}")
}

impl Studio {
    /// Opens the storage, and makes projects of what earlier versions stored.
    pub(super) fn start_projects(self) {
        spawn_local(async move {
            match ProjectStore::open(move || self.list_projects()).await {
                Ok(store) => {
                    self.keep.state().store.replace(Some(store.clone()));
                    self.take_over(&store).await;
                    self.list_projects();
                }
                Err(sentence) => {
                    self.keep.cards.set(Some(Vec::new()));
                    self.keep.problem.set(Some(sentence));
                }
            }
        });
        let _ = window_event_listener(leptos::ev::visibilitychange, move |_| {
            // A page that is being left cannot say in its entry of the history that it is a new project now: the next visit would not
            // find the edits, which are stored under the name of the network until then.
            if document().hidden() && self.keep.current.with_untracked(Option::is_some) {
                self.flush();
            }
        });
    }

    async fn take_over(self, store: &ProjectStore) {
        if kept::read(TAKEN_OVER).is_some() {
            return;
        }
        let stored = kept::all();
        for (name, content) in projects::of_earlier_versions(&stored) {
            let (card, text) = self.new_card(&name, &content, String::new(), &[]);
            if let Err(sentence) = store.write(&card, Some(&text)).await {
                self.keep.problem.set(Some(sentence));
                return;
            }
        }
        // If this is not stored, there are more projects the next time, and none is missing.
        kept::write(TAKEN_OVER, Some("1")).ok();
    }

    fn store(self) -> Option<ProjectStore> {
        self.keep.state().store.borrow().clone()
    }

    /// Reads the list.
    pub(crate) fn list_projects(self) {
        self.with_store(async move |store| {
            let mut cards = store.list().await?;
            projects::sort(&mut cards);
            self.keep.cards.set(Some(cards));
            Ok(())
        });
    }

    /// Calls a function of the storage; an error is shown with the projects.
    fn with_store(self, act: impl AsyncFnOnce(ProjectStore) -> Result<(), String> + 'static) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.keep.problem.set(act(store).await.err());
        });
    }

    fn new_card(self, name: &str, content: &Content, picture: String, cards: &[Card]) -> (Card, String) {
        let text = content.to_text();
        let (name, bytes) = (projects::free_name(name, cards), text.len());
        (Card { id: new_id(), name, changed_ms: Date::now(), bytes, time_ms: self.live().time_ms.get(), picture }, text)
    }

    /// The open network belongs to this project from now on, or to none.
    pub(super) fn turn_to_project(self, project: Option<String>, notes: String) {
        let keep = self.keep;
        keep.state().saved.take();
        keep.notes.set(notes);
        if keep.current.get_untracked() != project {
            if project.is_none() {
                keep.notice.set(None);
                keep::release();
            }
            keep.current.set(project);
        }
    }

    /// The project of this entry of the browser's history, which a reload and the way back open again.
    pub(super) fn project_of_address(self) -> Option<String> {
        window().history().ok()?.state().ok()?.as_string().filter(|id| !id.is_empty())
    }

    /// Stores the open project in this entry of the browser's history.
    fn stamp(self) {
        let Ok(history) = window().history() else { return };
        // Browsers reject this in sandboxed frames. A reload then opens the network without its project.
        history.replace_state(&self.stamp_value(), "").ok();
    }

    pub(super) fn stamp_value(self) -> JsValue {
        self.keep.current.get_untracked().map_or(JsValue::NULL, |id| JsValue::from_str(&id))
    }

    /// The project of the address continues in this tab, unless another tab has it: then a copy does.
    pub(super) fn continue_project(self, id: String) {
        spawn_local(async move {
            let is_free = keep::claim(&id).await;
            // The storage may still be opening.
            let Some(store) = self.wait_for_store().await else { return };
            let text = store.read(&id).await.ok().flatten();
            // Another network may have been opened meanwhile.
            if self.keep.current.get_untracked().as_ref() != Some(&id) {
                return;
            }
            let content = text.and_then(|text| Content::from_text(&text).ok());
            let Some(content) = content else {
                // It was deleted.
                return self.leave_project();
            };
            self.keep.notes.set(content.notes.clone());
            if !is_free {
                match self.copy_of(&id).await {
                    Ok(copy) => self.keep.current.set(Some(copy.id)),
                    Err(sentence) => return self.keep.problem.set(Some(sentence)),
                }
                self.stamp();
            }
            let network = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.id));
            if let Some(number) = network
                && content.shared.step > 0
                && self.live().time_ms.get() == 0.0
                && !self.is_resuming()
            {
                self.offer_replay(number, content.shared, Rerun::Offered);
            }
        });
    }

    async fn wait_for_store(self) -> Option<ProjectStore> {
        for _ in 0..100 {
            if let Some(store) = self.store() {
                return Some(store);
            }
            if self.keep.problem.with_untracked(Option::is_some) {
                return None;
            }
            sleep(Duration::from_millis(50)).await;
        }
        None
    }

    fn leave_project(self) {
        keep::release();
        self.keep.current.set(None);
        self.stamp();
    }

    /// A copy of a project that is open in another tab, for this tab.
    async fn copy_of(self, id: &str) -> Result<Card, String> {
        let store = self.store().ok_or_else(String::new)?;
        let cards = store.list().await?;
        let original = cards.iter().find(|card| card.id == id).cloned().ok_or("The project was deleted in another tab.")?;
        let copy = Card { id: new_id(), name: projects::copy_name(&original.name, &cards), ..original.clone() };
        let text = store.read(id).await?;
        store.write(&copy, text.as_deref()).await?;
        keep::claim(&copy.id).await;
        if let Some(edits) = kept::read(&edits_of(id)) {
            kept::write(&edits_of(&copy.id), Some(&edits)).ok();
        }
        let notice = format!("“{}” is open in another tab. This tab continues with a copy, “{}”.", original.name, copy.name);
        self.keep.notice.set(Some(notice));
        self.list_projects();
        Ok(copy)
    }

    /// Saves the project when changes pause. The first change of a network makes it a project.
    pub(super) fn save_soon(self) {
        self.touch_run();
        let state = self.keep.state();
        if let Some(due) = state.save.take() {
            due.clear();
        }
        state.save.set(set_timeout_with_handle(move || self.save_now(), PAUSE).ok());
    }

    pub(super) fn is_touched(self) -> bool {
        self.has_other_values()
            || self.equations.with_untracked(crate::equations::Equations::is_any_edited)
            || self.keep.notes.with_untracked(|notes| !notes.is_empty())
    }

    /// Saves the project. Without changes there is nothing to save.
    fn save_now(self) {
        self.keep.state().save.take();
        let is_new = self.keep.current.with_untracked(Option::is_none);
        if self.is_replaying() || (is_new && !self.is_touched()) {
            return;
        }
        self.save_project();
    }

    /// Saves the open network as its project; makes it a project if it is of none.
    pub(crate) fn save_project(self) {
        let (Some(shared), Some(store)) = (self.shared(), self.store()) else { return };
        let content = Content { shared, notes: self.keep.notes.get_untracked() };
        let cards = self.keep.cards.get_untracked().unwrap_or_default();
        let picture = if self.live().time_ms.get() > 0.0 { keep::thumbnail(".plot.raster canvas") } else { String::new() };
        let current = self.keep.current.get_untracked();
        let name = self.session.with_untracked(|session| Some(session.current.as_ref()?.opened.network.name.clone()));
        let (made, text) = self.new_card(name.unwrap_or_default().trim_end_matches(EDITED), &content, picture, &cards);
        let card = match current.as_ref().and_then(|id| cards.iter().find(|card| card.id == *id)) {
            Some(card) => Card { id: card.id.clone(), name: card.name.clone(), ..made },
            // A project that was deleted in another tab is saved again.
            None => Card { id: current.clone().unwrap_or(made.id.clone()), ..made },
        };
        let saved = Some((card.id.clone(), text.clone()));
        if *self.keep.state().saved.borrow() == saved {
            return;
        }
        if current.is_none() {
            self.become_project(&card.id);
        }
        self.keep.cards.update(|cards| {
            let cards = cards.get_or_insert_default();
            cards.retain(|other| other.id != card.id);
            cards.insert(0, card.clone());
        });
        self.with_store(async move |store| {
            store.write(&card, Some(&text)).await?;
            self.keep.state().saved.replace(saved);
            Ok(())
        });
        drop(store);
    }

    /// The open network is a new project: its edits are stored under the name of the project.
    fn become_project(self, id: &str) {
        let before = self.edits_name();
        self.keep.current.set(Some(id.to_owned()));
        let claimed = id.to_owned();
        spawn_local(async move {
            keep::claim(&claimed).await;
        });
        if let Some(before) = before
            && let Some(edits) = kept::read(&before)
            && kept::write(&edits_of(id), Some(&edits)).is_ok()
        {
            kept::write(&before, None).ok();
            rescue::rename(&edits_of(id));
        }
        self.stamp();
    }

    /// Opens a project; a copy, if it is open in another tab.
    pub(crate) fn open_project(self, card: Card) {
        let Some(store) = self.store() else { return };
        spawn_local(async move {
            self.flush();
            let text = match store.read(&card.id).await {
                Ok(Some(text)) => text,
                Ok(None) => return self.list_projects(),
                Err(sentence) => return self.keep.problem.set(Some(sentence)),
            };
            match Content::from_text(&text) {
                Ok(Content { shared, notes }) => {
                    self.keep.notice.set(None);
                    let id =
                        if keep::claim(&card.id).await { Ok(card.id) } else { self.copy_of(&card.id).await.map(|copy| copy.id) };
                    match id {
                        Ok(id) => self.open_shared(shared, Rerun::Offered, Some((id, notes))),
                        Err(sentence) => self.keep.problem.set(Some(sentence)),
                    }
                }
                Err(sentence) => self.session.update(|session| session.error = Some(sentence)),
            }
        });
    }

    /// Saves at once what is due.
    fn flush(self) {
        if let Some(due) = self.keep.state().save.take() {
            due.clear();
            self.save_now();
        }
    }

    /// Changes the notes.
    pub(crate) fn set_notes(self, notes: String) {
        self.keep.notes.set(notes);
        self.save_soon();
    }

    /// Renames a project; an empty name is not accepted.
    pub(crate) fn rename_project(self, id: &str, name: &str) {
        let cards = self.keep.cards.get_untracked().unwrap_or_default();
        let Some(card) = cards.iter().find(|card| card.id == id) else { return };
        let name = name.trim();
        if name.is_empty() || name == card.name {
            // The field shows the name again.
            return self.keep.cards.update(|_| {});
        }
        let others: Vec<Card> = cards.iter().filter(|card| card.id != id).cloned().collect();
        let card = Card { name: projects::free_name(name, &others), ..card.clone() };
        self.with_store(async move |store| {
            store.write(&card, None).await?;
            self.list_projects();
            Ok(())
        });
    }

    /// Makes a copy of a project.
    pub(crate) fn duplicate_project(self, card: Card) {
        self.flush();
        self.with_store(async move |store| {
            let text = store.read(&card.id).await?.unwrap_or_default();
            let cards = store.list().await?;
            let copy = Card { id: new_id(), name: projects::copy_name(&card.name, &cards), changed_ms: Date::now(), ..card };
            store.write(&copy, Some(&text)).await?;
            self.list_projects();
            Ok(())
        });
    }

    /// Deletes a project; [`Studio::restore_project`] undoes it.
    pub(crate) fn delete_project(self, card: Card) {
        self.flush();
        self.with_store(async move |store| {
            let text = store.read(&card.id).await?.unwrap_or_default();
            store.remove(&card.id).await?;
            if self.keep.current.get_untracked().as_ref() == Some(&card.id) {
                self.leave_project();
            }
            kept::write(&edits_of(&card.id), None).ok();
            self.keep.deleted.update(|deleted| deleted.push((card, text)));
            self.list_projects();
            Ok(())
        });
    }

    /// Restores the project that was deleted last.
    pub(crate) fn restore_project(self) {
        let Some((card, text)) = self.keep.deleted.try_update(Vec::pop).flatten() else { return };
        self.with_store(async move |store| {
            if let Err(sentence) = store.write(&card, Some(&text)).await {
                self.keep.deleted.update(|deleted| deleted.push((card, text)));
                return Err(sentence);
            }
            self.list_projects();
            Ok(())
        });
    }

    /// Saves all projects as one file.
    pub(crate) fn export_projects(self) {
        self.flush();
        self.with_store(async move |store| {
            let mut exported = Vec::new();
            for Card { id, name, changed_ms, picture, .. } in store.list().await? {
                let Some(text) = store.read(&id).await? else { continue };
                let content = Content::from_text(&text).map_err(|problem| format!("“{name}”: {problem}"))?;
                exported.push(Exported { name, changed_ms, picture, content });
            }
            let text = Array::of1(&JsValue::from_str(&projects::to_file(&exported)));
            self.save_text(&files::file_name("projects", crate::share::ENDING), &text);
            Ok(())
        });
    }

    /// Adds the projects of a file.
    pub(crate) fn import_projects(self, imported: Vec<Exported>) {
        self.show_pane(super::Pane::Projects);
        self.with_store(async move |store| {
            let mut cards = store.list().await?;
            let count = imported.len();
            for Exported { name, changed_ms, picture, content } in imported {
                let (card, text) = self.new_card(&name, &content, picture, &cards);
                let card = Card { changed_ms, time_ms: 0.0, ..card };
                store.write(&card, Some(&text)).await?;
                cards.push(card);
            }
            self.keep.notice.set(Some(format!("{count} project{} imported.", if count == 1 { " was" } else { "s were" })));
            self.list_projects();
            Ok(())
        });
    }
}

/// Waits.
pub(super) async fn sleep(duration: Duration) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        set_timeout(move || drop(resolve.call0(&JsValue::NULL)), duration);
    });
    wasm_bindgen_futures::JsFuture::from(promise).await.ok();
}
