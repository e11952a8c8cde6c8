//! The QR code of a link, drawn by a script of the package that is loaded when the first one is shown.

use leptos::prelude::*;

use super::script;

/// The element of the package, and its script.
const ELEMENT: &str = "engine/js/qr/element.js";

/// A code, folded at first.
#[component]
pub(super) fn Qr(#[prop(into)] text: Signal<String>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let is_missing = RwSignal::new(false);
    Effect::new(move |was_open: Option<bool>| {
        let open = is_open.get();
        if open && was_open != Some(true) {
            script::load(ELEMENT, is_missing);
        }
        open || was_open == Some(true)
    });
    view! {
        <details class="qr" on:toggle:target=move |toggle| is_open.set(toggle.target().open())>
            <summary>"QR code, for phones"</summary>
            <Show when=move || is_open.get()>
                {move || {
                    if is_missing.get() {
                        view! { <p class="missing">"The code cannot be drawn: its script could not be loaded."</p> }.into_any()
                    } else {
                        view! { <spikelet-qr text=move || text.get()></spikelet-qr> }.into_any()
                    }
                }}
            </Show>
        </details>
    }
}
