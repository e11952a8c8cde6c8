//! The device and why it was chosen, and the size of the network.

use leptos::prelude::*;
use spikelet_js::protocol::{BackendChoice, BackendKind, BackendSummary};

use super::{of_current, studio};
use crate::{link, number, session::OpenedNetwork};

/// The device in short form, for the header.
#[component]
pub(crate) fn Badge() -> impl IntoView {
    let backend = of_current(|current| current.opened.backend.clone());
    let kind = move || backend.get().map(|backend| kind(&backend));
    view! {
        <a class="badge" href="#status" data-kind=kind title=move || backend.get().map(|backend| backend.reason)>
            {move || backend.get().map_or_else(|| "no network open".into(), |backend| device(&backend))}
        </a>
    }
}

/// Device, reason, sizes.
#[component]
pub(crate) fn Status() -> impl IntoView {
    let studio = studio();
    let opened = of_current(|current| current.opened.clone());
    let choice = Memo::new(move |_| {
        studio.session.with(|session| session.requested().map(|open_request| open_request.backend).unwrap_or_default())
    });
    let choose = move |word: String| {
        if let Some(choice) = link::backend(&word) {
            studio.choose_backend(choice);
        }
    };
    let option = move |offered: BackendChoice, text: &'static str| {
        let word = link::backend_word(offered);
        view! {
            <option value=word prop:selected=move || choice.get() == offered>
                {text}
            </option>
        }
    };
    view! {
        <section class="status" id="status" aria-labelledby="status-title">
            <div class="heading">
                <h3 id="status-title">"Runs on"</h3>
                <label class="field small">
                    <span class="unseen">"Device"</span>
                    <select
                        id="device"
                        data-testid="device"
                        on:change:target=move |change| choose(change.target().value())
                    >
                        {option(BackendChoice::Auto, "best device")}
                        {option(BackendChoice::Gpu, "GPU")}
                        {option(BackendChoice::Cpu, "CPU")}
                    </select>
                </label>
            </div>
            <p
                id="backend"
                data-testid="backend"
                data-kind=move || opened.get().map(|opened| kind(&opened.backend))
            >
                {move || opened.get().map(|opened| sentence(&opened.backend))}
            </p>
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
        (BackendKind::Gpu, _) => "GPU".into(),
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
