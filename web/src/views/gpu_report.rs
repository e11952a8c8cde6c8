//! The report on the GPU: the custom element of the package, which is loaded when it is first shown.

use leptos::prelude::*;

use super::script::load;
use crate::brand::Brand;
use crate::route::{self, Route};

/// The script of the element, beside the page.
const SCRIPT: &str = "engine/js/gpu-report-element.js";

/// The header and the element.
#[component]
pub(crate) fn GpuReport() -> impl IntoView {
    let route = expect_context::<Route>();
    let is_missing = RwSignal::new(false);
    load(SCRIPT, is_missing);
    let rehearsal = route::is_rehearsal().then_some("");
    view! {
        <header class="top">
            <Brand />
            <p class="subject">"Your GPU"</p>
            <a class="elsewhere" id="to-networks-from-gpu" data-testid="to-networks-from-gpu" href=move || route.back()>
                "Networks"
            </a>
        </header>
        <main class="alone">
            <p class="lead">
                "What the GPU of this browser is, whether networks have the same spikes on it as on the CPU, and how fast they are on both. The results \
                 are a file with a line for each. We have few graphics cards: a file from yours helps."
            </p>
            <Show when=move || is_missing.get()>
                <p class="missing" role="alert" data-testid="gpu-report-missing">
                    {format!("{SCRIPT} could not be loaded; check that all files of the page are served, then reload it.")}
                </p>
            </Show>
            <spikelet-gpu-report rehearsal=rehearsal data-testid="gpu-report"></spikelet-gpu-report>
        </main>
    }
}
