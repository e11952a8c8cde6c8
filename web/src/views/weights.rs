//! Tools for learned weights: files, and switches for plasticity.

use leptos::{html, prelude::*};
use spikelet_js::protocol::ProjectionSummary;
use wasm_bindgen::JsCast;

use super::{of_current, studio};
use crate::session::OpenedNetwork;

/// The tools beside the plot of weights.
#[component]
pub(crate) fn WeightTools() -> impl IntoView {
    view! {
        <Plasticity />
        <Files />
    }
}

/// The projections with a plasticity switch.
fn learning(opened: &OpenedNetwork) -> impl Iterator<Item = &ProjectionSummary> {
    opened.network.projections.iter().filter(|projection| projection.learns)
}

/// A switch for each plastic projection.
#[component]
fn Plasticity() -> impl IntoView {
    let studio = studio();
    let names = of_current(|current| learning(&current.opened).map(|of| of.name.clone()).collect::<Vec<_>>());
    let switch = move |name: String, only: bool| {
        let path = format!("{name}.plasticity");
        let (shown, id) = (path.clone(), path.clone());
        let on = of_current(move |current| current.shown(&shown).is_some_and(|value| value != 0.0));
        let text = if only { "plasticity".to_owned() } else { format!("plasticity of {name}") };
        view! {
            <label class="switch" title="Off: weights are constant, traces continue">
                <input
                    type="checkbox"
                    role="switch"
                    id=id
                    prop:checked=move || on.get().unwrap_or(false)
                    on:change:target=move |change| {
                        studio.set(&path, f64::from(u8::from(change.target().checked())));
                    }
                />
                {text}
            </label>
        }
    };
    move || {
        let names = names.get().unwrap_or_default();
        let only = names.len() == 1;
        names.into_iter().map(|name| switch(name, only)).collect_view()
    }
}

/// Saves and loads learned weights.
#[component]
fn Files() -> impl IntoView {
    let studio = studio();
    let input = NodeRef::<html::Input>::new();
    let has_none = of_current(|current| !current.opened.has_weights);
    let has_none = move || has_none.get() != Some(false);
    view! {
        <button
            id="save-weights"
            data-testid="save-weights"
            title="Save all variables of all synapses as a NumPy file"
            disabled=has_none
            on:click=move |_| studio.save_weights()
        >
            "Save"
        </button>
        <button
            id="load-weights"
            data-testid="load-weights"
            title="Load learned weights from a file"
            disabled=has_none
            on:click=move |_| {
                if let Some(input) = input.get_untracked() {
                    input.click();
                }
            }
        >
            "Load"
        </button>
        <input
            type="file"
            id="weights-file"
            data-testid="weights-file"
            accept=".npz"
            hidden
            aria-label="Weights file"
            node_ref=input
            on:change=move |change| {
                let Some(input) = change.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok()) else {
                    return;
                };
                studio.load_weights(input.files().as_ref());
                // The same file may be chosen again.
                input.set_value("");
            }
        />
    }
}
