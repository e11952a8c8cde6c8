//! What went wrong, in one sentence.

use leptos::prelude::*;

use super::studio;

/// A banner over the page, and nothing when all is well.
#[component]
pub(crate) fn Trouble() -> impl IntoView {
    let studio = studio();
    let error = Memo::new(move |_| studio.session.with(|session| session.error.clone()));
    let notice = Memo::new(move |_| studio.session.with(|session| session.notice.clone()));
    let dismiss = move |_| {
        studio.session.update(|session| {
            session.error = None;
            session.notice = None;
        });
    };
    let shown = move || error.read().is_some() || notice.read().is_some();
    view! {
        <div class="trouble" class:shown=shown class:mild=move || error.read().is_none()>
            <div role="alert" id="error" data-testid="error">{move || error.get()}</div>
            <div role="status" id="notice">{move || notice.get()}</div>
            <button class="plain" aria-label="Dismiss" disabled=move || !shown() on:click=dismiss>
                "×"
            </button>
        </div>
    }
}
