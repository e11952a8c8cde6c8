//! The footer of the pane: the state of the equations, and the button that runs them.

use leptos::prelude::*;

use super::super::{
    of_current,
    pane::{RunButton, StateWords},
    studio,
};
use super::mistakes::Mistakes;
use crate::equations::{
    Equations,
    check::{Checked, PopulationPath},
};

/// The state of the equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// They were edited just now.
    Checking,
    /// Number of errors and missing values.
    Wrong { mistakes: usize, missing: usize },
    /// The engine builds a network.
    Building,
    /// Without errors, and different from the running network.
    Ready,
    /// The running network.
    Running,
    /// The network that `play` would run.
    Paused,
}

impl State {
    /// The attribute for the style sheet.
    fn word(self) -> &'static str {
        match self {
            State::Checking => "checking",
            State::Wrong { mistakes: 0, .. } => "missing",
            State::Wrong { .. } => "wrong",
            State::Building => "building",
            State::Ready => "ready",
            State::Running => "running",
            State::Paused => "paused",
        }
    }

    /// The text.
    fn sentence(self) -> String {
        let count = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{count} {many}")),
        };
        match self {
            State::Checking => "checking …".into(),
            State::Wrong { mistakes, missing } => {
                let parts = [count(mistakes, "error", "errors"), count(missing, "value missing", "values missing")];
                parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
            State::Building => "building …".into(),
            State::Ready => "no errors, ready to run".into(),
            State::Running => "running".into(),
            State::Paused => "ready".into(),
        }
    }
}

fn of_check(checked: &Checked) -> State {
    State::Wrong { mistakes: checked.mistakes.len(), missing: checked.missing.len() }
}

/// Errors without a field, the state, the buttons.
#[component]
pub(super) fn Foot() -> impl IntoView {
    let studio = studio();
    let playing = of_current(|current| current.playing);
    let opening = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    let edited = Memo::new(move |_| studio.equations.with(Equations::is_any_edited));
    let undone = Memo::new(move |_| studio.equations.with(Equations::is_undone));
    let is_here = Memo::new(move |_| studio.equations.with(|equations| equations.is_edited(equations.selected())));
    let state = Memo::new(move |_| match () {
        () if studio.checking.get() => State::Checking,
        () if studio.checked.with(|checked| !checked.is_fine()) => studio.checked.with(of_check),
        () if opening.get() => State::Building,
        () if edited.get() => State::Ready,
        () if playing.get() == Some(true) => State::Running,
        () => State::Paused,
    });
    let elsewhere = Memo::new(move |_| {
        edited.get()
            && state.get() == State::Ready
            && !is_here.get()
            && studio.equations.with(|equations| equations.names().len() > 1)
    });
    // The text for screen readers, without every change while typing.
    let spoken = Memo::new(move |before: Option<&String>| match (state.get(), before) {
        (State::Checking, Some(before)) => before.clone(),
        (state, _) => state.sentence(),
    });
    let idle = Signal::derive(move || matches!(state.get(), State::Running | State::Building));
    let wrong = Signal::derive(move || matches!(state.get(), State::Wrong { .. }));
    view! {
        <Mistakes place=PopulationPath::Elsewhere id="mistakes-elsewhere".to_owned() />
        <div class="foot">
            <p class="unseen" role="status" aria-live="polite">
                {move || spoken.get()}
            </p>
            <p class="state" data-testid="state" data-state=move || state.get().word()>
                <StateWords words=Signal::derive(move || state.get().sentence()) wrong />
                <Show when=move || elsewhere.get()>" (edits of another population)"</Show>
                <Show when=move || studio.forgetful.get() && edited.get()>
                    <small>"This browser stores nothing between visits: run the edits to store them in the address."</small>
                </Show>
            </p>
            <button
                id="undo"
                data-testid="undo"
                class:absent=move || !is_here.get() && !undone.get()
                on:click=move |_| studio.edit(Equations::undo_or_redo)
            >
                {move || if undone.get() { "Redo edits" } else { "Undo edits" }}
            </button>
            <RunButton id="run" idle wrong />
        </div>
    }
}
