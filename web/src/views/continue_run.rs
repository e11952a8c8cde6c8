//! "Continue": the run that was saved before the tab ended, and what is saved of the open one.

use leptos::prelude::*;

use super::studio;
use crate::continue_run::{Saving, ago, time};

/// A line with the run that can be continued.
#[component]
pub(crate) fn ContinueLine() -> impl IntoView {
    let studio = studio();
    let continues = studio.continues;
    view! {
        {move || {
            continues
                .offer
                .get()
                .map(|run| {
                    let facts = format!(", {}, {}.", time(run.time_ms), ago(js_sys::Date::now() - run.saved_ms));
                    view! {
                        <p class="continue" role="status" data-testid="continue">
                            <span>"Continue where you were: " <b>{run.title}</b> {facts}</span>
                            <button class="primary" data-testid="continue-run" on:click=move |_| studio.continue_run()>
                                "Continue"
                            </button>
                            <button data-testid="continue-discard" on:click=move |_| studio.discard_run()>
                                "Discard"
                            </button>
                        </p>
                    }
                })
        }}
        {move || {
            continues
                .notice
                .get()
                .map(|sentence| {
                    view! {
                        <p class="continue" role="status" data-testid="continue-notice">
                            <span>{sentence}</span>
                            <button class="plain close" aria-label="Dismiss" on:click=move |_| continues.notice.set(None)>
                                "×"
                            </button>
                        </p>
                    }
                })
        }}
    }
}

/// What is saved of the open run, in a sentence.
#[component]
pub(crate) fn SavedLine() -> impl IntoView {
    let saved = studio().continues.saved;
    // What is saved every few seconds is not read aloud; that it is not, is.
    let role =
        move || saved.with(|saved| matches!(saved, Some(Saving::Failed { .. } | Saving::Large { .. })).then_some("status"));
    let time_ms = move || {
        saved.with(|saved| match saved {
            Some(Saving::Saved { time_ms }) => Some(time_ms.to_string()),
            _ => None,
        })
    };
    view! {
        <p class="timeline-kept" id="saved" data-testid="saved" role=role data-value=time_ms>
            {move || saved.with(|saved| saved.as_ref().map(Saving::sentence))}
        </p>
    }
}
