//! The device with the reason for it, and the size of the network.

use leptos::prelude::*;
use spikelet_js::protocol::{BackendChoice, BackendKind, BackendSummary};

use super::{of_current, studio};
use crate::{backend, number, session::OpenedNetwork};

/// The device in short form, in the header. It opens the panel with the reason and the choice.
#[component]
pub(crate) fn Badge() -> impl IntoView {
    let backend = of_current(|current| current.opened.backend.clone());
    let kind = move || backend.get().map(|backend| kind(&backend));
    view! {
        <button
            class="badge"
            id="backend"
            data-testid="backend"
            data-kind=kind
            popovertarget="device-panel"
            title=move || backend.get().map(|backend| backend.reason)
        >
            <span>{move || backend.get().map_or_else(|| "no network open".into(), |backend| device(&backend))}</span>
        </button>
        <DevicePanel />
    }
}

/// The reason for the device, and the choice of another one.
#[component]
fn DevicePanel() -> impl IntoView {
    let studio = studio();
    let backend = of_current(|current| current.opened.backend.clone());
    let choice = Memo::new(move |_| {
        studio.session.with(|session| session.requested().map(|open_request| open_request.backend).unwrap_or_default())
    });
    let choose = move |word: String| {
        if let Some(choice) = backend::of_word(&word) {
            studio.choose_backend(choice);
        }
    };
    let option = move |offered: BackendChoice, text: &'static str| {
        let word = backend::word(offered);
        view! {
            <option value=word prop:selected=move || choice.get() == offered>
                {text}
            </option>
        }
    };
    view! {
        <div class="device-panel" id="device-panel" popover="auto" role="dialog" aria-labelledby="device-title">
            <div class="heading">
                <h2 id="device-title">"Runs on"</h2>
                <label class="field small">
                    <span class="unseen">"Device"</span>
                    <select
                        id="device"
                        data-testid="device"
                        on:change:target=move |change| choose(change.target().value())
                    >
                        {option(BackendChoice::Auto, "Automatic")}
                        {option(BackendChoice::Gpu, "GPU")}
                        {option(BackendChoice::Cpu, "CPU")}
                    </select>
                </label>
            </div>
            <p id="reason" data-testid="reason">
                {move || backend.get().map(|backend| sentence(&backend))}
            </p>
            <p>
                <a href="#hardware" on:click=move |event| {
                    // The address names the network.
                    event.prevent_default();
                    show_hardware();
                }>
                    "Facts about the device, and its memory"
                </a>
            </p>
            <p>
                <a id="to-gpu" data-testid="to-gpu" href="#gpu" on:click=move |_| shut_panel()>
                    "Test and measure the GPU of this browser"
                </a>
            </p>
        </div>
    }
}

/// Shuts the panel, which would be open when the visitor comes back from another part of the page.
fn shut_panel() {
    let panel = document().get_element_by_id("device-panel");
    if let Some(panel) = panel.and_then(|panel| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(panel).ok()) {
        panel.hide_popover().ok();
    }
}

/// Unfolds the panel of facts, and brings it in sight.
fn show_hardware() {
    let by_id = |id: &str| document().get_element_by_id(id);
    if let Some(hardware) = by_id("hardware") {
        hardware.set_attribute("open", "").ok();
        hardware.scroll_into_view();
    }
    if let Some(summary) = document().query_selector("#hardware > summary").ok().flatten()
        && let Ok(summary) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(summary)
    {
        // The panel shuts when the focus is elsewhere and it is not pinned by its button.
        summary.focus().ok();
    }
}

/// The size of the network.
#[component]
pub(crate) fn Status() -> impl IntoView {
    let opened = of_current(|current| current.opened.clone());
    view! {
        <section class="status" id="status" aria-label="Size of the network">
            <dl class="facts">
                {move || {
                    opened
                        .get()
                        .map(|opened| {
                            facts(&opened)
                                .into_iter()
                                .map(|(what, much)| view! { <div><dt>{what}</dt><dd>{much}</dd></div> })
                                .collect_view()
                        })
                }}
            </dl>
        </section>
    }
}

/// The word for the style sheet.
fn kind(backend: &BackendSummary) -> &'static str {
    match backend.kind {
        BackendKind::Gpu => "gpu",
        BackendKind::Cpu => "cpu",
    }
}

fn device(backend: &BackendSummary) -> String {
    match (backend.kind, backend.threads) {
        (BackendKind::Gpu, _) if backend.name.is_empty() => "GPU".into(),
        (BackendKind::Gpu, _) => format!("GPU: {}", backend.name),
        (_, 1) => "CPU, one thread".into(),
        (_, threads) => format!("CPU, {threads} threads"),
    }
}

fn sentence(backend: &BackendSummary) -> String {
    format!("{}: {}.", device(backend), backend.reason)
}

fn facts(opened: &OpenedNetwork) -> Vec<(&'static str, String)> {
    let (neurons, inputs) = (opened.count(false), opened.count(true));
    let inputs = (inputs > 0).then(|| ("Inputs", number::grouped(inputs)));
    let others = [
        ("Synapses", number::grouped(opened.synapses)),
        ("Memory", number::bytes(opened.memory_bytes())),
        ("Step", number::quantity(opened.dt_ms, "ms")),
        ("Built in", number::quantity((opened.build.total * 1000.0).round(), "ms")),
    ];
    std::iter::once(("Neurons", number::grouped(neurons))).chain(inputs).chain(others).collect()
}
