//! Assemblies: the custom element of the package, which is loaded when they are first shown.

use leptos::prelude::*;

use super::script::load;
use crate::brand::Brand;
use crate::route::Route;

/// The script of the element, beside the page.
const SCRIPT: &str = "engine/js/assemblies-element.js";

/// The header and the element.
#[component]
pub(crate) fn Assemblies() -> impl IntoView {
    let route = expect_context::<Route>();
    let is_missing = RwSignal::new(false);
    load(SCRIPT, is_missing);
    view! {
        <header class="top">
            <Brand />
            <p class="subject">"Assemblies of neurons"</p>
            <a class="elsewhere" id="to-networks" data-testid="to-networks" href=move || route.back()>
                "Networks"
            </a>
        </header>
        <main class="alone">
            <p class="lead">
                "A memory as a set of neurons that fire together: in an area only the most excited neurons fire, synapses between neurons that fire in turn \
                 grow, and stable sets form, called assemblies. Watch them form, associate and merge, or let them parse a sentence."
            </p>
            <Show when=move || is_missing.get()>
                <p class="missing" role="alert" data-testid="assemblies-missing">
                    {format!("{SCRIPT} could not be loaded; check that all files of the page are served, then reload it.")}
                </p>
            </Show>
            <spikelet-assemblies data-testid="assemblies"></spikelet-assemblies>
        </main>
    }
}
