//! The footer of the pane: the size of the network, and the button that runs it.

use leptos::prelude::*;

use super::super::{
    of_current,
    pane::{RunButton, StateWords},
    studio,
};
use crate::{equations::Equations, network::estimate, number};

/// Neurons, synapses, memory; the state; run.
#[component]
pub(super) fn Foot() -> impl IntoView {
    let studio = studio();
    let playing = of_current(|current| current.playing);
    let opening = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    let edited = Memo::new(move |_| studio.equations.with(Equations::is_any_edited));
    let field_errors = Memo::new(move |_| studio.checked.with(|checked| checked.field_errors.len()));
    let size = Memo::new(move |_| {
        studio.checked.with(|checked| {
            let of = checked.estimate.as_ref()?;
            let neurons = studio.equations.with(Equations::candidate).as_ref().map(estimate::neurons)?;
            Some([
                number::large_count(neurons as f64, "neuron"),
                number::large_count(of.projections.iter().map(|of| of.synapses).sum(), "synapse"),
                number::bytes(of.bytes),
            ])
        })
    });
    let state = Memo::new(move |_| match () {
        () if studio.checking.get() => ("checking", "checking …".to_owned()),
        () if field_errors.get() == 1 => ("wrong", "1 error".to_owned()),
        () if field_errors.get() > 0 => ("wrong", format!("{} errors", field_errors.get())),
        () if opening.get() => ("building", "building …".to_owned()),
        () if edited.get() => ("ready", "edited, ready to run".to_owned()),
        () if playing.get() == Some(true) => ("running", "running".to_owned()),
        () => ("paused", "no edits".to_owned()),
    });
    let wrong = Signal::derive(move || state.get().0 == "wrong");
    view! {
        <div class="foot">
            <div class="state-of">
                <p class="size" data-testid="estimate">
                    {move || {
                        size.get().map(|size| size.join(", "))
                    }}
                </p>
                <p class="state" data-testid="network-state" data-state=move || state.get().0>
                    <StateWords words=Signal::derive(move || state.get().1) wrong />
                </p>
            </div>
            <RunButton
                id="run-network"
                idle=Signal::derive(move || matches!(state.get().0, "running" | "building"))
                wrong
            />
        </div>
    }
}
