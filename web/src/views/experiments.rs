//! Sweeps, curves and comparisons of the open network: the custom element of the package, which is loaded when the pane is first shown.

use js_sys::{Array, Reflect};
use leptos::{ev, html, prelude::*};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use super::{of_current, pane::PaneFrame, script::load, studio};
use crate::{
    number,
    studio::{Pane, PointRun, Studio},
};

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
    let asked = RwSignal::new(None::<PointRun>);
    Effect::new(move |_| {
        network.get();
        let Some(element) = mount.get() else { return };
        if !listens.get_value() {
            listens.set_value(true);
            listen(&element, studio, asked);
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
            <Ask asked />
            <spikelet-experiments node_ref=mount data-testid="experiments-element"></spikelet-experiments>
        </div>
    }
}

/// A question before a run of a sweep replaces the present run.
#[component]
fn Ask(asked: RwSignal<Option<PointRun>>) -> impl IntoView {
    let studio = studio();
    let values = move || asked.with(|asked| asked.as_ref().map(PointRun::words).unwrap_or_default());
    let present = move || number::quantity(studio.readings.with(|readings| readings.time_ms).round(), "ms");
    view! {
        <Show when=move || asked.with(Option::is_some)>
            <div class="ask" role="alertdialog" aria-label="Open a run of the sweep" data-testid="ask-run">
                <p>
                    "Open the run with " <b>{values}</b> "? The present run of " {present} " ends, with its changes."
                </p>
                <div class="actions">
                    <button
                        class="primary"
                        data-testid="ask-open"
                        on:click=move |_| {
                            if let Some(run) = asked.try_update(Option::take).flatten() {
                                studio.open_point(run);
                            }
                        }
                    >
                        "Open it"
                    </button>
                    <button data-testid="ask-keep" on:click=move |_| asked.set(None)>
                        "Keep the present run"
                    </button>
                </div>
            </div>
        </Show>
    }
}

/// Opens a run of a sweep: the open network with the values of the run. If there is a run already, it asks before.
fn listen(element: &web_sys::Element, studio: Studio, asked: RwSignal<Option<PointRun>>) {
    let opened = Closure::<dyn Fn(ev::CustomEvent)>::new(move |event: ev::CustomEvent| {
        let Ok(values) = Reflect::get(&event.detail(), &"values".into()) else { return };
        let pair = |pair: JsValue| {
            let pair: Array = pair.dyn_into().ok()?;
            Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
        };
        let Some(values) = values.dyn_into::<Array>().ok().and_then(|values| values.iter().map(pair).collect()) else { return };
        let ms = Reflect::get(&event.detail(), &"ms".into()).ok().and_then(|ms| ms.as_f64()).unwrap_or_default();
        event.prevent_default();
        let run = PointRun { values, ms };
        if studio.has_run() {
            asked.set(Some(run));
            turn_to_ask();
        } else {
            studio.open_point(run);
        }
    });
    element.add_event_listener_with_callback("open", opened.as_ref().unchecked_ref()).ok();
    // The element stays as long as the page.
    opened.forget();
}

/// The question is at the top of the pane, and gets the focus.
fn turn_to_ask() {
    request_animation_frame(|| {
        let button = document().query_selector("[data-testid='ask-keep']").ok().flatten();
        if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
            button.focus().ok();
        }
    });
}
