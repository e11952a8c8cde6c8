//! The open network for other tools: scripts and files, in the dialog to share.

use leptos::prelude::*;

use super::studio;

/// Formats of the package's `exportNetwork`, with the names of their tools.
const FORMATS: [(&str, &str); 6] =
    [("brian2", "Brian 2"), ("nest", "NEST"), ("pynn", "PyNN"), ("neuroml", "NeuroML"), ("sonata", "SONATA"), ("nir", "NIR")];

/// What became of a file.
#[derive(Clone, PartialEq)]
enum Outcome {
    Nothing,
    Writing(&'static str),
    Saved(&'static str, Vec<String>),
    Refused(String),
}

/// The section of the dialog.
#[component]
pub(super) fn OtherTools() -> impl IntoView {
    let studio = studio();
    let outcome = RwSignal::new(Outcome::Nothing);
    let button = move |(format, tool): (&'static str, &'static str)| {
        view! {
            <button
                data-testid=format!("export-{format}")
                disabled=move || matches!(outcome.get(), Outcome::Writing(_))
                on:click=move |_| {
                    outcome.set(Outcome::Writing(tool));
                    studio.save_foreign(format, move |written| {
                        outcome.try_set(written.map_or_else(Outcome::Refused, |notices| Outcome::Saved(tool, notices)));
                    });
                }
            >
                {tool}
            </button>
        }
    };
    let said = move || match outcome.get() {
        Outcome::Nothing => ().into_any(),
        Outcome::Writing(tool) => view! { <p class="fine">{format!("Writes the files for {tool} …")}</p> }.into_any(),
        Outcome::Refused(why) => view! { <p class="long">{why}</p> }.into_any(),
        Outcome::Saved(tool, notices) => {
            let notices = notices.into_iter().map(|notice| view! { <li>{notice}</li> }).collect_view();
            view! {
                <p class="fine">{format!("Saved for {tool}.")}</p>
                <ul class="fine">{notices}</ul>
            }
            .into_any()
        }
    };
    view! {
        <section>
            <h4>"Other simulators"</h4>
            <p>"The same network, with all its neurons and synapses: a script, or files to open there, in an archive."</p>
            <div class="actions">{FORMATS.map(button).collect_view()}</div>
            <div role="status" data-testid="export-said">{said}</div>
        </section>
    }
}
