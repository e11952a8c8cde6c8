//! The network as JSON, to read and edit.

use leptos::{html, prelude::*};
use spikelet_js::protocol::Source;

use super::{of_current, studio};
use crate::{equations::Equations, network::place, package::Error};

/// A text area, created when it is opened: a large network is a long text.
#[component]
pub(crate) fn Editor() -> impl IntoView {
    let studio = studio();
    let area = NodeRef::<html::Textarea>::new();
    let lowered = RwSignal::new(false);
    // Text that the user has begun to edit is not overwritten.
    let edited = RwSignal::new(false);
    let id = of_current(|current| current.opened.id);
    Effect::new(move |_| {
        id.get();
        edited.set(false);
    });
    // The same network as in equations and forms.
    let json = Memo::new(move |_| {
        let candidate = lowered.get().then(|| studio.equations.with(Equations::candidate)).flatten();
        candidate.map(|network| network.to_json())
    });
    Effect::new(move |_| {
        if let (Some(area), Some(json), false) = (area.get(), json.get(), edited.get()) {
            area.set_value(&json);
            area.set_scroll_left(0);
        }
    });
    let applied = RwSignal::new(None::<u32>);
    let apply = move |_| {
        if let Some(area) = area.get_untracked() {
            applied.set(Some(studio.apply_source(Source::Json { text: area.value() })));
        }
    };
    let rejected = Memo::new(move |_| studio.session.with(|session| session.rejected.clone()));
    Effect::new(move |_| {
        if let (Some(area), Some((id, error))) = (area.get_untracked(), rejected.get())
            && applied.get_untracked() == Some(id)
        {
            show(&area, &error);
        }
    });
    let reread = move |_| edited.set(false);
    view! {
        <details class="editor" id="editor" on:toggle:target=move |toggle| lowered.set(toggle.target().open())>
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

/// Lines above the error, and characters before it, that stay visible.
const CONTEXT: usize = 3;

/// Scrolls to the part of an error, and selects it.
fn show(area: &web_sys::HtmlTextAreaElement, error: &Error) {
    let text = area.value();
    let Some(range) = place::of(&text, &error.message, error.path.as_deref().unwrap_or_default()) else { return };
    // The browser counts units of UTF-16.
    let [start, end] = [range.start, range.end].map(|at| text.get(..at).map_or(0, |before| before.encode_utf16().count()) as u32);
    area.focus().ok();
    area.set_selection_range(start, end).ok();
    let before = text.get(..range.start).unwrap_or_default();
    let above = before.matches('\n').count().saturating_sub(CONTEXT);
    let left = before.rsplit('\n').next().unwrap_or_default().chars().count().saturating_sub(CONTEXT);
    let (lines, columns) = (text.split('\n').count(), text.split('\n').map(|line| line.chars().count()).max().unwrap_or(0));
    let part = |whole: i32, of: usize, all: usize| (f64::from(whole) * of as f64 / all.max(1) as f64) as i32;
    area.set_scroll_top(part(area.scroll_height(), above, lines));
    area.set_scroll_left(part(area.scroll_width(), left, columns));
}
