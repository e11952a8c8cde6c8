//! The foot of the pane: how large the network will be, and the button that runs it.

use leptos::prelude::*;

use super::super::{of_current, pane::RunButton, studio};
use crate::{equations::Equations, number};

/// Neurons, synapses, memory; how it stands; run.
#[component]
pub(super) fn Foot() -> impl IntoView {
    let studio = studio();
    let playing = of_current(|current| current.playing);
    let opening = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    let edited = Memo::new(move |_| studio.equations.with(Equations::is_any_edited));
    let flaws = Memo::new(move |_| studio.checked.with(|checked| checked.flaws.len()));
    let size = Memo::new(move |_| {
        studio.checked.with(|checked| {
            let of = checked.estimate.as_ref()?;
            Some((number::large(of.neurons as f64), number::large(of.synapses()), number::bytes(of.bytes)))
        })
    });
    let state = Memo::new(move |_| match () {
        () if studio.checking.get() => ("checking", "checking …".to_owned()),
        () if flaws.get() == 1 => ("wrong", "1 mistake".to_owned()),
        () if flaws.get() > 0 => ("wrong", format!("{} mistakes", flaws.get())),
        () if opening.get() => ("building", "building …".to_owned()),
        () if edited.get() => ("ready", "edited, ready to run".to_owned()),
        () if playing.get() == Some(true) => ("running", "running".to_owned()),
        () => ("paused", "as it runs".to_owned()),
    });
    view! {
        <div class="foot">
            <div class="state-of">
                <p class="size" data-testid="estimate">
                    {move || {
                        size.get()
                            .map(|(neurons, synapses, bytes)| {
                                view! {
                                    <b>{neurons}</b>
                                    " neurons, "
                                    <b>{synapses}</b>
                                    " synapses, "
                                    <b>{bytes}</b>
                                }
                            })
                    }}
                </p>
                <p class="state" data-testid="network-state" data-state=move || state.get().0>
                    {move || state.get().1}
                </p>
            </div>
            <RunButton
                id="run-network"
                idle=Signal::derive(move || matches!(state.get().0, "running" | "building"))
                wrong=Signal::derive(move || state.get().0 == "wrong")
            />
        </div>
    }
}
