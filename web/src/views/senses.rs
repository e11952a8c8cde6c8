//! Live input from camera, microphone, text and mouse: the custom element of the package, which is loaded when the pane is first opened.

use js_sys::Reflect;
use leptos::{ev, html, prelude::*};
use spikelet_js::protocol::Source;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{pane::PaneFrame, script::load, studio};
use crate::studio::{Pane, Studio};

/// The script of the element, beside the page.
const SCRIPT: &str = "engine/js/senses-element.js";

/// Live input from camera, microphone, text and mouse. The element stays when the pane is closed, which stops its sources.
#[component]
pub(crate) fn SensesPane() -> impl IntoView {
    let studio = studio();
    let there = Memo::new(move |before: Option<&bool>| before == Some(&true) || studio.pane.get() == Pane::Senses);
    view! {
        <PaneFrame pane=Pane::Senses id=Pane::Senses.id() name="senses" there heading=|| ()>
            <Senses />
        </PaneFrame>
    }
}

/// The element, with the open simulation.
#[component]
fn Senses() -> impl IntoView {
    let studio = studio();
    let is_missing = RwSignal::new(false);
    load(SCRIPT, is_missing);
    let place = NodeRef::<html::Custom<&'static str>>::new();
    Effect::new(move |listens: Option<bool>| {
        let Some(element) = place.get() else { return false };
        studio.openings.track();
        Reflect::set(&element, &"simulation".into(), &studio.simulation_handle()).ok();
        if listens != Some(true) {
            open_examples(&element, studio);
            keep_real_time(&element, studio);
        }
        true
    });
    view! {
        <div class="senses">
            <Show when=move || is_missing.get()>
                <p class="missing" role="alert" data-testid="senses-missing">
                    {format!("{SCRIPT} could not be loaded; check that all files of the page are served, then reload it.")}
                </p>
            </Show>
            <spikelet-senses node_ref=place data-testid="senses-element"></spikelet-senses>
        </div>
    }
}

/// What is sensed is as fast as the world: without a limit of the speed, a network would live half a minute in each second of it.
fn keep_real_time(element: &web_sys::Element, studio: Studio) {
    let began = Closure::<dyn Fn()>::new(move || {
        if studio.speed.get_untracked().is_infinite() {
            studio.set_speed(1.0);
        }
    });
    element.add_event_listener_with_callback("start", began.as_ref().unchecked_ref()).ok();
    // The element stays as long as the page.
    began.forget();
}

/// Opens the example network of the element.
fn open_examples(element: &web_sys::Element, studio: Studio) {
    let opened = Closure::<dyn Fn(ev::CustomEvent)>::new(move |event: ev::CustomEvent| {
        let Some(text) = Reflect::get(&event.detail(), &"json".into()).ok().and_then(|json| json.as_string()) else { return };
        event.prevent_default();
        studio.open_source(Source::Json { text });
    });
    element.add_event_listener_with_callback("open", opened.as_ref().unchecked_ref()).ok();
    // The element stays as long as the page.
    opened.forget();
}
