//! The name of the product, in the header of every view.

use leptos::prelude::*;

/// The sign and the name.
#[component]
pub(crate) fn Brand() -> impl IntoView {
    view! {
        <h1 class="brand">
            <svg viewBox="0 0 32 24" aria-hidden="true">
                <path d="M1 17h9l3-14 4 20 3-8 2 2h9" />
            </svg>
            "Spikelet"
        </h1>
    }
}
