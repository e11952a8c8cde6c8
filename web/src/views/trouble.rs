//! Errors, in one sentence.

use leptos::prelude::*;

use super::studio;

/// A banner over the page if there is an error.
#[component]
pub(crate) fn Trouble() -> impl IntoView {
    let studio = studio();
    let error = Memo::new(move |_| studio.session.with(|session| session.error.clone()));
    let dismiss = move |_| studio.session.update(|session| session.error = None);
    let shown = move || error.read().is_some();
    view! {
        <div class="trouble" class:shown=shown>
            <div
                role="alert"
                id="error"
                data-testid="error"
                class:listing=move || error.read().as_ref().is_some_and(|error| error.contains('\n'))
            >
                {move || error.get()}
            </div>
            <button class="plain" aria-label="Dismiss" disabled=move || !shown() on:click=dismiss>
                "×"
            </button>
        </div>
    }
}
