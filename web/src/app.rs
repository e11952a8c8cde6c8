//! The page as a whole.

use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, HtmlInputElement};

use crate::{
    studio::Studio,
    views::{
        about::About,
        chooser::Chooser,
        editor::Editor,
        equations::{EquationPane, PaneSwitch},
        parameters::Parameters,
        raster::RasterView,
        rates::RatesView,
        status::{Badge, Status},
        trace::TraceView,
        transport::Transport,
        trouble::Trouble,
    },
};

/// The page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let studio = Studio::start();
    provide_context(studio);
    listen(studio);
    let pane = studio.pane;
    view! {
        <header class="top">
            <h1 class="brand">
                <svg viewBox="0 0 32 24" aria-hidden="true">
                    <path d="M1 17h9l3-14 4 20 3-8 2 2h9" />
                </svg>
                "Spikelet"
            </h1>
            <Chooser />
            <PaneSwitch />
            <Badge />
        </header>
        <Trouble />
        <main class:pane=move || pane.get()>
            <div class="stage">
                <Transport />
                <RasterView />
                <RatesView />
                <TraceView />
            </div>
            <EquationPane />
            <aside aria-label="About this network">
                <About />
                <Status />
                <Parameters />
                <Editor />
            </aside>
        </main>
    }
}

/// What comes from outside the views: the space bar, the window's size, light and dark, the address.
fn listen(studio: Studio) {
    let _ = window_event_listener(ev::keydown, move |key| {
        let modified = key.ctrl_key() || key.alt_key() || key.meta_key();
        if key.key() == " " && !modified && !key.repeat() && !takes_space(key.target()) {
            key.prevent_default();
            studio.toggle();
        }
    });
    let _ = window_event_listener(ev::resize, move |_| studio.request_frame());
    let _ = window_event_listener(ev::hashchange, move |_| studio.open_address());
    if let Ok(Some(dark)) = window().match_media("(prefers-color-scheme: dark)") {
        let changed = Closure::<dyn Fn()>::new(move || studio.read_theme());
        dark.set_onchange(Some(changed.as_ref().unchecked_ref()));
        // For as long as the page lives.
        changed.forget();
        std::mem::forget(dark);
    }
}

/// Whether the space bar means something to what has the focus.
fn takes_space(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<Element>().ok()) else {
        return false;
    };
    match element.tag_name().as_str() {
        "BUTTON" | "SELECT" | "SUMMARY" | "TEXTAREA" | "A" => true,
        "INPUT" => element.dyn_into::<HtmlInputElement>().is_ok_and(|input| input.type_() != "range"),
        _ => false,
    }
}
