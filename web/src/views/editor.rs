//! The network as JSON, to look at and to change.

use leptos::{html, prelude::*};
use spikelet_js::protocol::Source;

use super::{of_current, studio};
use crate::equations::Equations;

/// A text area, asked for when it is unfolded: a large network is a long text.
#[component]
pub(crate) fn Editor() -> impl IntoView {
    let studio = studio();
    let area = NodeRef::<html::Textarea>::new();
    let unfolded = RwSignal::new(false);
    // What somebody has begun to write is not overwritten.
    let edited = RwSignal::new(false);
    let id = of_current(|current| current.opened.id);
    Effect::new(move |_| {
        id.get();
        edited.set(false);
    });
    // The same network that equations and forms edit.
    let json = Memo::new(move |_| {
        let candidate = unfolded.get().then(|| studio.equations.with(Equations::candidate)).flatten();
        candidate.map(|network| network.to_json())
    });
    Effect::new(move |_| {
        if let (Some(area), Some(json), false) = (area.get(), json.get(), edited.get()) {
            area.set_value(&json);
            area.set_scroll_left(0);
        }
    });
    let apply = move |_| {
        if let Some(area) = area.get_untracked() {
            studio.open_source(Source::Json { text: area.value() });
        }
    };
    let reread = move |_| edited.set(false);
    view! {
        <details class="editor" id="editor" on:toggle:target=move |toggle| unfolded.set(toggle.target().open())>
            <summary>
                <b>"Network JSON"</b>
                <span>"to read and edit"</span>
            </summary>
            <label class="unseen" for="json">"The network as JSON"</label>
            <textarea
                id="json"
                data-testid="json"
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                rows="18"
                node_ref=area
                on:input=move |_| edited.set(true)
            ></textarea>
            <div class="actions">
                <button id="apply" data-testid="apply" class="primary" on:click=apply>
                    "Apply"
                </button>
                <button id="reread" on:click=reread>
                    "Undo edits"
                </button>
            </div>
        </details>
    }
}
