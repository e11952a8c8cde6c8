//! Links to the documentation.

use leptos::prelude::*;

/// Documents served with the page: those of `docs`, and the reference of the package.
const HELP: [(&str, &str); 6] = [
    ("help/documents/language.html", "Equations"),
    ("help/documents/networks.html", "Networks as JSON"),
    ("engine/network.schema.json", "JSON Schema"),
    ("help/documents/plasticity.html", "Plasticity"),
    ("help/documents/browser.html", "Use in other pages"),
    ("help/index.html", "API reference"),
];

/// Links at the end of the page.
#[component]
pub(crate) fn Help() -> impl IntoView {
    let studio = super::studio();
    view! {
        <nav class="help" aria-labelledby="help-title" data-testid="help">
            <h3 id="help-title">"Help"</h3>
            <ul>
                <li>
                    <button class="plain" id="help-keys-button" on:click=move |_| studio.open_help()>
                        "Keys and help"
                    </button>
                </li>
                {HELP
                    .map(|(address, text)| {
                        view! {
                            <li>
                                <a href=address target="_blank">
                                    {text}
                                </a>
                            </li>
                        }
                    })}
            </ul>
        </nav>
    }
}
