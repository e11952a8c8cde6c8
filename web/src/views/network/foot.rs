//! The footer of the pane: the size of the network, its state, and the button that runs it.

use leptos::prelude::*;

use super::super::{
    of_current,
    pane::{RunButton, StateWords},
    studio,
};
use crate::{
    equations::{Equations, check::Checked},
    network::estimate,
    number,
};

/// The state of the edited network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It was edited just now.
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
            State::Ready => "edited, no errors, ready to run".into(),
            State::Running => "running".into(),
            State::Paused => "no edits".into(),
        }
    }

    /// The result of a check.
    fn of_check(checked: &Checked) -> State {
        State::Wrong { mistakes: checked.mistakes.len(), missing: checked.missing.len() }
    }
}

/// Neurons, synapses, memory; the state; run.
#[component]
pub(super) fn Foot() -> impl IntoView {
    let studio = studio();
    let playing = of_current(|current| current.playing);
    let opening = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    let edited = Memo::new(move |_| studio.equations.with(Equations::is_any_edited));
    let size = Memo::new(move |_| {
        studio.checked.with(|checked| {
            let of = checked.estimate.as_ref()?;
            let neurons = studio.equations.with(Equations::candidate).as_ref().map(estimate::neurons)?;
            let synapses = of.projections.iter().map(|of| of.synapses).sum();
            let on_gpu = of.gpu.as_ref().map(|gpu| match gpu.bytes {
                Some(bytes) => format!("{} on the GPU", number::bytes(bytes)),
                None => "too large for the GPU".into(),
            });
            let samples = of.sample_bytes_per_second;
            let sizes = [
                number::large_count(neurons as f64, "neuron"),
                number::large_count(synapses, "synapse"),
                number::bytes(of.bytes),
            ];
            let recorded = (samples > 0.0).then(|| format!("{} recorded per second", number::bytes(samples as u64)));
            Some(sizes.into_iter().chain(on_gpu).chain(recorded).collect::<Vec<_>>())
        })
    });
    let state = Memo::new(move |_| match () {
        () if studio.checking.get() => State::Checking,
        () if studio.checked.with(|checked| !checked.is_fine()) => studio.checked.with(State::of_check),
        () if opening.get() => State::Building,
        () if edited.get() => State::Ready,
        () if playing.get() == Some(true) => State::Running,
        () => State::Paused,
    });
    // The text for screen readers, without every change while typing.
    let spoken = Memo::new(move |before: Option<&String>| match (state.get(), before) {
        (State::Checking, Some(before)) => before.clone(),
        (state, _) => state.sentence(),
    });
    let idle = Signal::derive(move || matches!(state.get(), State::Running | State::Building));
    let wrong = Signal::derive(move || matches!(state.get(), State::Wrong { .. }));
    view! {
        <div class="foot">
            <p class="unseen" role="status" aria-live="polite">
                {move || spoken.get()}
            </p>
            <div class="state-of">
                <p class="size" data-testid="estimate">
                    {move || {
                        size.get().map(|size| size.join(", "))
                    }}
                </p>
                <p class="state" data-testid="state" data-state=move || state.get().word()>
                    <StateWords words=Signal::derive(move || state.get().sentence()) wrong />
                    <Show when=move || studio.forgetful.get() && edited.get()>
                        <small>"This browser stores nothing between visits: run the edits to store them in the address."</small>
                    </Show>
                </p>
            </div>
            <RunButton id="run" idle wrong />
        </div>
    }
}
