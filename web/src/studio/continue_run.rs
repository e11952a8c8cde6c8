//! "Continue": the run is saved while it goes, and continues where it was after the tab has ended.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use leptos::{prelude::*, task::spawn_local};
use spikelet_js::protocol::BackendKind;

use super::{
    Studio,
    arrival::{Arrival, Rerun},
};
use crate::{
    continue_run::{DescribedRun, Keeper, LeftOff, RunStore, SavedRun, Saving, TakenRun, time},
    link,
    package::Error,
    projects::Content,
    session::Command,
    share::{Shared, history::ValueHistory},
};

/// A run that is shorter is not offered at an address that names no network, in ms. At t = 0 it is edits.
const WORTHWHILE_MS: f64 = 1000.0;

/// The run that is saved, and those that can be continued.
#[derive(Clone, Copy)]
pub(crate) struct Continue {
    /// The run that is offered.
    pub(crate) offer: RwSignal<Option<SavedRun>>,
    /// A sentence on the run that was continued, or could not be.
    pub(crate) notice: RwSignal<Option<String>>,
    /// What is saved of the open run.
    pub(crate) saved: RwSignal<Option<Saving>>,
    state: StoredValue<Rc<ContinueState>, LocalStorage>,
}

#[derive(Default)]
struct ContinueState {
    store: RefCell<Option<RunStore>>,
    keeper: RefCell<Option<Keeper>>,
    /// Further runs to offer.
    others: RefCell<Vec<SavedRun>>,
    /// The run to continue, with the number of its network, which is being opened.
    taken: RefCell<Option<(u32, TakenRun)>>,
    /// Whether the state of a run is being restored, and what its network had changed.
    resumes: Cell<bool>,
    scheduled: RefCell<BTreeMap<String, f64>>,
}

impl Continue {
    pub(super) fn new() -> Continue {
        Continue {
            offer: RwSignal::new(None),
            notice: RwSignal::new(None),
            saved: RwSignal::new(None),
            state: StoredValue::new_local(Rc::default()),
        }
    }

    fn state(self) -> Rc<ContinueState> {
        self.state.get_value()
    }

    /// Offers the next one.
    fn offer_next(self) {
        let state = self.state();
        let mut others = state.others.borrow_mut();
        self.offer.set(if others.is_empty() { None } else { Some(others.remove(0)) });
    }
}

impl Studio {
    /// Opens the storage, and offers a run to continue: any, if the address names no network, else one of this network.
    pub(super) fn start_continue(self) {
        let has_address = !window().location().hash().unwrap_or_default().is_empty();
        let source = self.session.with_untracked(|session| session.requested().map(|request| link::name_of(&request.source)));
        let continues = self.continues;
        spawn_local(async move {
            let Some(store) = RunStore::open().await else { return };
            let state = continues.state();
            state.store.replace(Some(store.clone()));
            self.begin_keeper();
            let mut saved = store.list().await;
            let is_worthwhile = |run: &SavedRun| run.time_ms == 0.0 || run.time_ms >= WORTHWHILE_MS;
            saved.runs.retain(|run| if has_address { Some(&run.source) == source.as_ref() } else { is_worthwhile(run) });
            if saved.damaged > 0 {
                continues.notice.set(Some("A saved run is damaged, and cannot be continued.".into()));
            }
            state.others.replace(saved.runs);
            continues.offer_next();
        });
    }

    /// The open simulation is saved from now on.
    pub(super) fn begin_keeper(self) {
        let state = self.continues.state();
        state.keeper.take();
        self.continues.saved.set(None);
        let live = self.live();
        let (store, simulation, history) = (state.store.borrow(), live.simulation.borrow(), live.history.borrow());
        let (Some(store), Some(simulation), Some(history)) = (store.as_ref(), simulation.as_ref(), history.as_ref()) else {
            return;
        };
        let (describe, saved) = (move |step| self.describe_run(step), move |saved| self.continues.saved.set(Some(saved)));
        let keeper = Keeper::new(store, simulation, history, describe, saved);
        state.keeper.replace(Some(keeper));
        self.keep_weights();
    }

    /// The learned weights with which the network starts are saved, too.
    pub(super) fn keep_weights(self) {
        let (state, live) = (self.continues.state(), self.live());
        let weights = live.weights.borrow();
        let weights = weights.as_ref().filter(|(id, _)| self.is_current(*id));
        if let Some(keeper) = &*state.keeper.borrow() {
            keeper.set_weights(weights.map_or(&[], |(_, content)| content));
        }
    }

    /// Something has changed beside the run itself.
    pub(super) fn touch_run(self) {
        if let Some(keeper) = &*self.continues.state().keeper.borrow() {
            keeper.touch();
        }
    }

    /// A network is open: its run is another one, or the one that was taken to continue.
    pub(super) fn begin_run(self, is_taken: bool) {
        match &*self.continues.state().store.borrow() {
            Some(store) if is_taken => store.adopt(),
            Some(store) => store.leave(),
            None => {}
        }
    }

    /// What is saved at a step, beside the state. Nothing at the start of a network that the user has not changed, and while a run is repeated.
    fn describe_run(self, step: u32) -> Option<DescribedRun> {
        let is_untouched = step == 0 && !self.is_touched();
        if self.lessons.plays_softly.get_untracked() || self.is_replaying() || self.is_resuming() || is_untouched {
            return None;
        }
        let shared = self.shared_at(Some(step))?;
        let edited = if step == 0 && shared.draft.is_some() { ", edited" } else { "" };
        let content = Content { shared, notes: self.keep.notes.get_untracked() };
        let project = self.keep.current.get_untracked();
        self.session.with_untracked(|session| {
            let current = session.current.as_ref()?;
            let left_off = LeftOff {
                content,
                project,
                backend: current.open_request.backend,
                device: current.opened.backend.clone(),
                scheduled: current.scheduled().clone(),
            };
            Some(DescribedRun {
                title: format!("{}{edited}", current.opened.network.name),
                source: link::name_of(&current.open_request.source),
                content: serde_json::to_string(&left_off).ok()?,
            })
        })
    }

    /// Continues the run that is offered.
    pub(crate) fn continue_run(self) {
        let continues = self.continues;
        let Some(run) = continues.offer.get_untracked() else { return };
        let Some(store) = continues.state().store.borrow().clone() else { return };
        continues.offer.set(None);
        continues.notice.set(None);
        self.end_soft_play();
        spawn_local(async move {
            let taken = match store.take(&run.id).await {
                Ok(Some(taken)) => taken,
                Ok(None) => {
                    continues.notice.set(Some(format!("“{}” is open in another tab, or was discarded there.", run.title)));
                    return continues.offer_next();
                }
                Err(sentence) => return continues.notice.set(Some(sentence)),
            };
            let Content { shared, notes } = taken.left_off.content.clone();
            let mut open_request = shared.open_request(taken.left_off.backend);
            if taken.record.is_some() {
                // They are those of its state, and the history begins without them.
                open_request.changes.clear();
            }
            let id = self.create(open_request, false);
            let rerun = if taken.record.is_some() { Rerun::Continued } else { Rerun::Offered };
            let project = taken.left_off.project.clone();
            self.expect(Arrival { project, notes, shared: Some((shared, rerun)), of_address: true, ..Arrival::plain(id) });
            continues.state().taken.replace(Some((id, taken)));
        });
    }

    /// A network is not opened. If it is that of the run to continue, the run stays saved.
    pub(super) fn give_up_run(self, id: u32) {
        let state = self.continues.state();
        if state.taken.borrow_mut().take_if(|(of, _)| *of == id).is_some()
            && let Some(store) = &*state.store.borrow()
        {
            store.put_back();
        }
    }

    /// Removes the run that is offered. Older ones wait for the next visit: a line after the other is a nuisance.
    pub(crate) fn discard_run(self) {
        let Some(run) = self.continues.offer.get_untracked() else { return };
        if let Some(store) = self.continues.state().store.borrow().clone() {
            spawn_local(async move { store.discard(&run.id).await });
        }
        self.continues.offer.set(None);
    }

    /// Whether the state of a run is about to be restored.
    pub(super) fn is_resuming(self) -> bool {
        self.continues.state().resumes.get()
    }

    /// A network is open: whether it is that of the run to continue, whose state will be restored.
    pub(super) fn takes_run(self, id: u32) -> bool {
        let state = self.continues.state();
        let taken = state.taken.borrow();
        let Some((_, taken)) = taken.as_ref().filter(|(of, _)| *of == id) else { return false };
        state.resumes.set(taken.record.is_some());
        true
    }

    /// The network of the run to continue is open, with its plots: its state is restored.
    pub(super) fn resume_run(self, id: u32) {
        let state = self.continues.state();
        let Some((_, taken)) = state.taken.borrow_mut().take_if(|(of, _)| *of == id) else { return };
        let TakenRun { left_off, record, weights, damaged, time_ms } = taken;
        let Content { shared, .. } = left_off.content;
        let weights = (!weights.is_empty()).then_some((id, weights));
        let Some(record) = record else {
            self.live().weights.replace(weights);
            self.restore_weights();
            self.keep_weights();
            if damaged > 0 {
                let sentence = format!("The state at {} is damaged; the network is at its start.", time(time_ms));
                self.continues.notice.set(Some(sentence));
            }
            return;
        };
        state.scheduled.replace(left_off.scheduled);
        self.keep.state().history.replace(ValueHistory::of(shared.values.clone(), shared.changes.clone()));
        let Some(resumed) = self.with_history(|history| history.resume(&record)) else { return state.resumes.set(false) };
        spawn_local(async move {
            let resumed = resumed.await;
            state.resumes.set(false);
            if !self.is_current(id) {
                return;
            }
            self.live().weights.replace(weights);
            self.keep_weights();
            match resumed {
                Ok(()) => {
                    let on_another = self.session.with_untracked(|session| {
                        let device = &session.current.as_ref()?.opened.backend;
                        let is_same = device.kind == left_off.device.kind
                            && (device.kind == BackendKind::Cpu || device.name == left_off.device.name);
                        (!is_same).then(|| device.name.clone())
                    });
                    let sentence = match (on_another, damaged) {
                        (Some(device), _) => Some(format!(
                            "The run was saved on {} and continues on {device}: its spikes may differ from now on.",
                            left_off.device.name
                        )),
                        (None, 0) => None,
                        (None, _) => Some(format!("The newest state is damaged: the run continues from {}.", time(time_ms))),
                    };
                    self.continues.notice.set(sentence);
                    self.refresh();
                }
                Err(error) if error.is_disposed() => {}
                Err(error) => self.begin_again(id, shared, &error),
            }
        });
    }

    /// The state cannot be restored: the network is at its start, and its run can be repeated.
    fn begin_again(self, id: u32, shared: Shared, error: &Error) {
        self.keep.state().history.take();
        self.restore_weights();
        for (path, value) in shared.values.clone() {
            self.send(Command::Set { path, value });
        }
        let sentence =
            format!("The saved state cannot be continued: {}. The network is at its start.", error.message.trim_end_matches('.'));
        self.continues.notice.set(Some(sentence));
        self.offer_replay(id, shared, Rerun::Offered);
    }

    /// The time was set by the restored state.
    pub(super) fn note_resumed(self) {
        let state = self.continues.state();
        if state.resumes.get() {
            let scheduled = state.scheduled.take();
            self.session.update(|session| session.resumed(scheduled));
        }
    }
}
