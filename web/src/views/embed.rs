//! The code to embed the open network in another page.

use std::time::Duration;

use leptos::{html, prelude::*, task::spawn_local};

use super::{copy::copied, studio};
use crate::{
    embed::Embedded,
    equations::Equations,
    studio::{Studio, file_name},
};

/// Duration of the message of a copy button.
const SAID: Duration = Duration::from_millis(1600);

/// A card, closed at first.
#[component]
pub(crate) fn Embed() -> impl IntoView {
    let studio = studio();
    let lowered = RwSignal::new(false);
    let as_script = RwSignal::new(false);
    let file = Memo::new(move |_| lowered.get().then(|| file(studio)).flatten());
    let embedded = Memo::new(move |_| {
        let file = file.get()?;
        studio.session.with(|session| Some(Embedded::of(session.current.as_ref()?, &file)))
    });
    let lines = move || {
        let text = |of: Embedded| if as_script.get() { of.script() } else { of.element() };
        embedded.get().map(text).unwrap_or_default()
    };
    let to_save = move || embedded.get().filter(|of| of.is_file).and_then(|_| file.get());
    let code = NodeRef::<html::Pre>::new();
    let said = RwSignal::new("Copy");
    let copy = move |_| {
        let Some(code) = code.get_untracked() else { return };
        spawn_local(async move {
            said.set(copied(&code.text_content().unwrap_or_default(), &code).await);
            set_timeout(move || said.set("Copy"), SAID);
        });
    };
    let choice = move |text: &'static str, script: bool| {
        view! {
            <button
                data-embed=if script { "script" } else { "element" }
                aria-pressed=move || (as_script.get() == script).to_string()
                on:click=move |_| as_script.set(script)
            >
                {text}
            </button>
        }
    };
    view! {
        <details
            class="embed"
            id="embed"
            data-testid="embed"
            on:toggle:target=move |toggle| lowered.set(toggle.target().open())
        >
            <summary>
                <b>"Embed"</b>
                <span>"this network in a page of yours"</span>
            </summary>
            <div class="choice" role="group" aria-label="How">
                {choice("Element", false)}
                {choice("Script", true)}
            </div>
            <pre tabindex="0" aria-label="Code to copy" data-testid="embed-code" node_ref=code>
                <code>{lines}</code>
            </pre>
            <div class="actions">
                <button id="copy" data-testid="copy" class="primary" on:click=copy>
                    <span aria-live="polite">{move || said.get()}</span>
                </button>
                {move || {
                    to_save()
                        .map(|name| {
                            view! {
                                <button data-testid="embed-save" on:click=move |_| studio.save_file()>
                                    {format!("Save {name}")}
                                </button>
                            }
                        })
                }}
            </div>
            <p>
                "The package: " <code>"npm install spikelet"</code> ", or the folder " <code>"engine"</code> " of this page."
            </p>
        </details>
    }
}

/// The file name of the network.
fn file(studio: Studio) -> Option<String> {
    let candidate = studio.equations.with(Equations::candidate)?;
    Some(file_name(&candidate.name, "json"))
}
