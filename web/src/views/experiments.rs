//! Sweeps, curves and comparisons of the open network: the custom element of the package, which is loaded when the pane is first shown.

use js_sys::{Array, Reflect};
use leptos::{ev, html, prelude::*};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use super::{of_current, pane::PaneFrame, script::load, studio};
use crate::studio::{Pane, Studio};

/// The script of the element, beside the page.
const SCRIPT: &str = "engine/js/experiments-element.js";

/// Sweeps, curves and comparisons of the open network.
#[component]
pub(crate) fn ExperimentsPane() -> impl IntoView {
    let studio = studio();
    // Once it was shown, it stays: sweeps continue, and kept runs are not lost.
    let there =
        Memo::new(move |before: Option<&bool>| before.copied().unwrap_or_default() || studio.pane.get() == Pane::Experiments);
    view! {
        <PaneFrame pane=Pane::Experiments id=Pane::Experiments.id() name="experiments" there heading=|| ()>
            <Experiments />
        </PaneFrame>
    }
}

#[component]
fn Experiments() -> impl IntoView {
    let studio = studio();
    let is_missing = RwSignal::new(false);
    load(SCRIPT, is_missing);
    let mount = NodeRef::<html::Custom<&'static str>>::new();
    let network = of_current(|current| current.opened.id);
    let listens = StoredValue::new(false);
    Effect::new(move |_| {
        network.track();
        let Some(element) = mount.get() else { return };
        if !listens.get_value() {
            listens.set_value(true);
            listen(&element, studio);
        }
        // The plots of a network are created after it is open.
        request_animation_frame(move || studio.offer_run(&element));
    });
    view! {
        <div class="experiments">
            <Show when=move || is_missing.get()>
                <p class="missing" role="alert" data-testid="experiments-missing">
                    {format!("{SCRIPT} could not be loaded; check that all files of the page are served, then reload it.")}
                </p>
            </Show>
            <spikelet-experiments node_ref=mount data-testid="experiments-element"></spikelet-experiments>
        </div>
    }
}

/// Opens a run of a sweep: the open network with the values of the run.
fn listen(element: &web_sys::Element, studio: Studio) {
    let opened = Closure::<dyn Fn(ev::CustomEvent)>::new(move |event: ev::CustomEvent| {
        let Ok(values) = Reflect::get(&event.detail(), &"values".into()) else { return };
        let pair = |pair: JsValue| {
            let pair: Array = pair.dyn_into().ok()?;
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        };
        let Some(values) = values.dyn_into::<Array>().ok().and_then(|values| values.iter().map(pair).collect()) else { return };
        event.prevent_default();
        studio.open_with_values(values);
    });
    element.add_event_listener_with_callback("open", opened.as_ref().unchecked_ref()).ok();
    // The element stays as long as the page.
    opened.forget();
}
