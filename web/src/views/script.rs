//! Scripts of the package that are loaded when they are first needed.

use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};

/// Adds a script to the page; notes it if it cannot be loaded.
pub(super) fn load(source: &str, is_missing: RwSignal<bool>) {
    let (Ok(script), Some(head)) = (document().create_element("script"), document().head()) else { return };
    let failed = Closure::<dyn Fn(ev::ErrorEvent)>::new(move |_| is_missing.set(true));
    script.add_event_listener_with_callback("error", failed.as_ref().unchecked_ref()).ok();
    // The script is added once and stays as long as the page.
    failed.forget();
    for (name, value) in [("type", "module"), ("src", source)] {
        script.set_attribute(name, value).ok();
    }
    head.append_child(&script).ok();
}
