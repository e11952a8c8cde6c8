//! Training: the custom element of the package, which is loaded when it is first shown.

use js_sys::Reflect;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};

use super::script::load;
use crate::brand::Brand;
use crate::route::Route;

/// The script of the element, beside the page.
const SCRIPT: &str = "engine/js/training-element.js";

/// The header and the element.
#[component]
pub(crate) fn Training() -> impl IntoView {
    let route = expect_context::<Route>();
    let is_missing = RwSignal::new(false);
    load(SCRIPT, is_missing);
    let place = NodeRef::<html::Custom<&'static str>>::new();
    Effect::new(move |_| {
        let Some(element) = place.get() else { return };
        offer(&element, route.open_network.get().as_deref());
    });
    let listens = StoredValue::new(false);
    Effect::new(move |_| {
        let Some(element) = place.get() else { return };
        if !listens.get_value() {
            listens.set_value(true);
            listen(&element, route);
        }
    });
    view! {
        <header class="top">
            <Brand />
            <p class="subject">"Training of networks"</p>
            <a class="elsewhere" id="to-networks-from-training" data-testid="to-networks-from-training" href=move || route.back()>
                "Networks"
            </a>
        </header>
        <main class="alone">
            <p class="lead">
                "Teach a network of spiking neurons a task: show it examples, compare its answer with the right one, and change its weights a little so that the \
                 next answer is better. Press Start, and watch it learn to tell the parts of a Yin-Yang sign apart."
            </p>
            <Show when=move || is_missing.get()>
                <p class="missing" role="alert" data-testid="training-missing">
                    {format!("{SCRIPT} could not be loaded; check that all files of the page are served, then reload it.")}
                </p>
            </Show>
            <spikelet-training node_ref=place data-testid="training"></spikelet-training>
        </main>
    }
}

/// Gives the element a network to train, as JSON.
fn offer(element: &web_sys::Element, network: Option<&str>) {
    Reflect::set(element, &"network".into(), &network.into()).ok();
}

/// Opens trained networks.
fn listen(element: &web_sys::Element, route: Route) {
    let opened = Closure::<dyn Fn(ev::CustomEvent)>::new(move |event: ev::CustomEvent| {
        let Some(json) = Reflect::get(&event.detail(), &"json".into()).ok().and_then(|json| json.as_string()) else { return };
        event.prevent_default();
        route.open_trained(json);
    });
    element.add_event_listener_with_callback("open", opened.as_ref().unchecked_ref()).ok();
    // The element stays as long as the page.
    opened.forget();
}
