//! The progress of a build, with a button to cancel it.

use std::time::Duration;

use leptos::prelude::*;

use super::studio;
use crate::number;

/// Shorter builds show no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// A progress bar over the page while a network is being built.
#[component]
pub(crate) fn Building() -> impl IntoView {
    let studio = studio();
    let opening = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    let shown = RwSignal::new(false);
    Effect::new(move |_| {
        if opening.get() {
            set_timeout(move || shown.set(opening.get_untracked()), PATIENCE);
        } else {
            shown.set(false);
        }
    });
    let progress = Memo::new(move |_| studio.session.with(|session| session.progress.clone()));
    let done = move || progress.read().as_ref().map_or(0.0, |progress| progress.done.clamp(0.0, 1.0));
    let stage = move || progress.read().as_ref().map_or_else(|| "preparing".into(), |progress| progress.stage.clone());
    let synapses = move || {
        let drawn = progress.read().as_ref().map_or(0, |progress| progress.synapses);
        (drawn > 0).then(|| format!("{} synapses", number::grouped(drawn)))
    };
    view! {
        <div class="building" class:shown=move || shown.get() data-testid="building">
            <Show when=move || shown.get()>
                <p>
                    <b>"Building: "</b>
                    <span data-testid="stage">{stage}</span>
                </p>
                <progress
                    max="1"
                    value=move || done().to_string()
                    aria-label="Progress of the build"
                    class:waiting=move || progress.read().is_none()
                ></progress>
                <span class="count">{synapses}</span>
                <button id="cancel" data-testid="cancel" on:click=move |_| studio.cancel_opening()>
                    "Cancel"
                </button>
            </Show>
        </div>
    }
}
