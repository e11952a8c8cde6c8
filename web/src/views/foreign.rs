//! The open network for other tools: scripts and files, in the dialog to share.

mod python;

use std::time::Duration;

use leptos::{html, prelude::*, task::spawn_local};

use self::python::pieces;
use super::{copy::copied, studio};

/// Formats of the package's `exportNetwork`, with the names of their tools, and whether they are a script to read.
const FORMATS: [(&str, &str, bool); 6] = [
    ("brian2", "Brian 2", true),
    ("nest", "NEST", true),
    ("pynn", "PyNN", true),
    ("neuroml", "NeuroML", false),
    ("sonata", "SONATA", false),
    ("nir", "NIR", false),
];

/// Duration of the message of a copy button.
const SAID: Duration = Duration::from_millis(1600);

/// The most characters of a script that are shown: the rest is in its file.
const MAX_SHOWN: usize = 60_000;

/// What became of a file.
#[derive(Clone, PartialEq)]
enum Outcome {
    Nothing,
    Writing(&'static str),
    Written { format: &'static str, tool: &'static str, script: String, notices: Vec<String> },
    Saved(&'static str, Vec<String>),
    Refused(String),
}

/// The section of the dialog.
#[component]
pub(super) fn OtherTools() -> impl IntoView {
    let studio = studio();
    let outcome = RwSignal::new(Outcome::Nothing);
    let save = move |format: &'static str, tool: &'static str| {
        outcome.set(Outcome::Writing(tool));
        studio.save_foreign(format, move |written| {
            outcome.try_set(written.map_or_else(Outcome::Refused, |notices| Outcome::Saved(tool, notices)));
        });
    };
    let show = move |format: &'static str, tool: &'static str| {
        outcome.set(Outcome::Writing(tool));
        studio.foreign_script(format, move |written| {
            let shown = |(script, notices)| Outcome::Written { format, tool, script, notices };
            outcome.try_set(written.map_or_else(Outcome::Refused, shown));
        });
    };
    let button = move |(format, tool, is_script): (&'static str, &'static str, bool)| {
        view! {
            <button
                data-testid=format!("export-{format}")
                disabled=move || matches!(outcome.get(), Outcome::Writing(_))
                on:click=move |_| if is_script { show(format, tool) } else { save(format, tool) }
            >
                {tool}
            </button>
        }
    };
    let said = move || match outcome.get() {
        Outcome::Nothing => ().into_any(),
        Outcome::Writing(tool) => view! { <p class="fine">{format!("Writes the files for {tool} …")}</p> }.into_any(),
        Outcome::Refused(why) => view! { <p class="long">{why}</p> }.into_any(),
        Outcome::Written { tool, notices, .. } => view! {
            <p class="fine">{format!("The script for {tool}:")}</p>
            <Notices notices />
        }
        .into_any(),
        Outcome::Saved(tool, notices) => view! {
            <p class="fine">{format!("Saved for {tool}.")}</p>
            <Notices notices />
        }
        .into_any(),
    };
    let script = move || match outcome.get() {
        Outcome::Written { format, tool, script, .. } => Some(view! { <Script script save=move || save(format, tool) /> }),
        _ => None,
    };
    view! {
        <section>
            <h4>"Other simulators"</h4>
            <p>"The same network, with all its neurons and synapses: a script to read and copy, or files to open there, in an archive."</p>
            <div class="actions">{FORMATS.map(button).collect_view()}</div>
            <div role="status" data-testid="export-said">{said}</div>
            {script}
        </section>
    }
}

#[component]
fn Notices(notices: Vec<String>) -> impl IntoView {
    let notices = notices.into_iter().map(|notice| view! { <li>{notice}</li> }).collect_view();
    view! { <ul class="fine">{notices}</ul> }
}

/// A script to read and copy; what it reads from files comes with the archive.
#[component]
fn Script(script: String, save: impl Fn() + Copy + 'static) -> impl IntoView {
    let code = NodeRef::<html::Pre>::new();
    let said = RwSignal::new("Copy");
    let reads_files = script.contains(".npz");
    let end = script.char_indices().nth(MAX_SHOWN).map(|(at, _)| at);
    let shown = &script[..end.unwrap_or(script.len())];
    let lines = pieces(shown).map(|(class, text)| view! { <span class=class>{text.to_owned()}</span> }).collect_view();
    let script = StoredValue::new(script);
    let copy = move |_| {
        let Some(code) = code.get_untracked() else { return };
        spawn_local(async move {
            said.set(copied(&script.get_value(), &code).await);
            set_timeout(move || said.set("Copy"), SAID);
        });
    };
    view! {
        <div class="embed script">
            <pre tabindex="0" role="region" aria-label="Script" data-testid="export-script" node_ref=code>
                <code>{lines}</code>
            </pre>
            {end.map(|_| view! { <p class="fine">"The rest is copied and saved, too."</p> })}
            <div class="actions">
                <button class="primary" data-testid="copy-script" on:click=copy>
                    <span aria-live="polite">{move || said.get()}</span>
                </button>
                <button data-testid="save-script" on:click=move |_| save()>
                    {if reads_files { "Save with the files that it reads" } else { "Save" }}
                </button>
            </div>
        </div>
    }
}
