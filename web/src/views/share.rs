//! The dialog to share the open network: a link, a file, code to embed it, the lab book. And the run of a link, while it is repeated.

use std::time::Duration;

use leptos::{html, prelude::*, task::spawn_local};
use web_sys::HtmlElement;

use super::{class::ClassForm, copy::copied, embed::Embed, foreign::OtherTools, qr::Qr, studio};
use crate::{
    keep::call,
    number,
    share::{LONGEST, Shared},
};

/// Duration of the message of a copy button.
const SAID: Duration = Duration::from_millis(1600);

/// The button of the header, and its dialog.
#[component]
pub(crate) fn Share() -> impl IntoView {
    let studio = studio();
    let dialog = NodeRef::<html::Dialog>::new();
    let open = RwSignal::new(false);
    let there = Memo::new(move |_| studio.session.with(|session| session.current.is_some()));
    let show = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            open.set(true);
            call(&dialog, "showModal").ok();
        }
    };
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            call(&dialog, "close").ok();
        }
    };
    view! {
        <button
            id="share"
            data-testid="share"
            class="share-button"
            aria-haspopup="dialog"
            title="Link, file, code to embed, lab book"
            disabled=move || !there.get()
            on:click=show
        >
            <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                <path d="M8 10V1.8M4.8 4.6 8 1.6l3.2 3M3.2 7.6v6h9.6v-6" />
            </svg>
            <span>{move || studio.say("Share")}</span>
        </button>
        <dialog
            class="share"
            id="share-dialog"
            aria-labelledby="share-title"
            node_ref=dialog
            on:close=move |_| open.set(false)
            on:click=move |click| {
                // Beside the dialog.
                if click.target() == click.current_target() {
                    close();
                }
            }
        >
            <div class="share-body">
                <div class="heading">
                    <h3 id="share-title">"Share"</h3>
                    <button class="plain close" aria-label="Close" title="Close" on:click=move |_| close()>
                        "×"
                    </button>
                </div>
                <Show when=move || open.get()>
                    <LinkAndFile />
                    <OtherTools />
                    <section>
                        <h4>"Lab book"</h4>
                        <p>"A page to print or save as PDF: the network with its diagram and values, plots, measures and your notes."</p>
                        <div class="actions">
                            <button
                                id="open-lab-book"
                                data-testid="open-lab-book"
                                on:click=move |_| {
                                    close();
                                    studio.open_lab_book();
                                }
                            >
                                "Open the lab book"
                            </button>
                        </div>
                    </section>
                    <ClassForm close />
                    <Embed />
                </Show>
            </div>
        </dialog>
    }
}

/// The link and the file: the same content.
#[component]
fn LinkAndFile() -> impl IntoView {
    let studio = studio();
    let whole = StoredValue::new(studio.shared());
    let has_run = whole.with_value(|shared| shared.as_ref().is_some_and(|shared| shared.step > 0));
    let with_run = RwSignal::new(has_run);
    let chosen = move || -> Option<Shared> {
        let shared = whole.get_value()?;
        Some(if with_run.get() { shared } else { shared.at_start() })
    };
    let link = Memo::new(move |_| chosen().map(|shared| studio.link_to(&shared)));
    let address = Memo::new(move |_| link.get().and_then(Result::ok));
    let field = NodeRef::<html::Input>::new();
    let said = RwSignal::new("Copy link");
    let copy = move |_| {
        let (Some(field), Some(address)) = (field.get_untracked(), address.get_untracked()) else { return };
        spawn_local(async move {
            let element: &HtmlElement = &field;
            let done = copied(&address, element).await;
            if done != "Copied" {
                field.select();
            }
            said.set(done);
            set_timeout(move || said.set("Copy link"), SAID);
        });
    };
    let time_ms = studio.readings.get_untracked().time_ms;
    view! {
        <section>
            <h4>"Link"</h4>
            <p class="contents" data-testid="share-contents">
                {move || chosen().map(|shared| contents(&shared, time_ms))}
            </p>
            <Show when=move || has_run>
                <label class="tick">
                    <input
                        type="checkbox"
                        id="share-run"
                        data-testid="share-run"
                        prop:checked=move || with_run.get()
                        on:change:target=move |change| with_run.set(change.target().checked())
                    />
                    {format!("Run to {} ms, as here", number::grouped(time_ms.floor() as u64))}
                </label>
            </Show>
            {move || match link.get() {
                Some(Err(length)) => {
                    view! {
                        <p class="long" data-testid="share-long">
                            {format!(
                                "The link would have {} characters. Mail programs and chats cut links above {}: share the file instead.",
                                number::grouped(length as u64),
                                number::grouped(LONGEST as u64),
                            )}
                        </p>
                    }
                        .into_any()
                }
                _ => {
                    view! {
                        <div class="link-row">
                            <input
                                type="text"
                                readonly
                                id="share-link"
                                data-testid="share-link"
                                aria-label="Link"
                                node_ref=field
                                prop:value=move || address.get().unwrap_or_default()
                                on:focus:target=move |focus| focus.target().select()
                            />
                            <button id="copy-link" data-testid="copy-link" class="primary" on:click=copy>
                                <span aria-live="polite">{move || said.get()}</span>
                            </button>
                        </div>
                        <Qr text=Signal::derive(move || address.get().unwrap_or_default()) />
                        <p class="fine">
                            "The link itself contains everything. Browsers do not send the part after # to any server."
                        </p>
                    }
                        .into_any()
                }
            }}
        </section>
        <section>
            <h4>"File"</h4>
            <p>"The same content as JSON. Drop it onto the page to open it."</p>
            <div class="actions">
                <button
                    id="save-shared"
                    data-testid="save-shared"
                    on:click=move |_| {
                        if let Some(shared) = chosen() {
                            studio.save_shared(&shared);
                        }
                    }
                >
                    "Save file"
                </button>
            </div>
        </section>
    }
}

/// What a link contains, in words.
fn contents(shared: &Shared, time_ms: f64) -> String {
    let count = |number: usize, one: &str| number::count(number as u64, one);
    let mut parts = vec!["the network".to_owned()];
    if !shared.values.is_empty() {
        parts.push(count(shared.values.len(), "changed value"));
    }
    if shared.step > 0 {
        let changes = &shared.changes;
        let on_the_way =
            if changes.is_empty() { String::new() } else { format!(" with {} on the way", count(changes.len(), "change")) };
        parts.push(format!("its run to {} ms{on_the_way}", number::grouped(time_ms.floor() as u64)));
    }
    if shared.draft.is_some() {
        parts.push("edits that were not run".to_owned());
    }
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() { format!("Contains {last}.") } else { format!("Contains {} and {last}.", parts.join(", ")) }
}

/// A bar over the plots while a run is repeated, or with the offer to repeat it.
#[component]
pub(crate) fn ReplayBar() -> impl IntoView {
    let studio = studio();
    let replay = studio.keep.replay;
    let state = Memo::new(move |_| replay.with(|replay| replay.as_ref().map(|replay| (replay.to_ms, replay.runs))));
    move || {
        if let Some(said) = studio.keep.said.get() {
            return Some(view! { <p class="replay said" role="status" data-testid="said">{said}</p> }.into_any());
        }
        let (to_ms, runs) = state.get()?;
        // Its state is offered, which needs no repetition.
        if !runs && studio.continues.offer.with(Option::is_some) {
            return None;
        }
        let time = format!("{} ms", number::grouped(to_ms.floor() as u64));
        let bar = if runs {
            view! {
                <p class="replay" role="status" data-testid="replay">
                    <span>{format!("Repeating the run to {time} …")}</span>
                    <button data-testid="replay-stop" on:click=move |_| studio.rest()>
                        "Stop"
                    </button>
                </p>
            }
            .into_any()
        } else {
            view! {
                <p class="replay" role="status" data-testid="replay">
                    <span>{format!("Saved at {time}.")}</span>
                    <button data-testid="replay-run" on:click=move |_| studio.replay()>
                        {format!("Run to {time}")}
                    </button>
                    <button class="plain close" aria-label="Dismiss" on:click=move |_| replay.set(None)>
                        "×"
                    </button>
                </p>
            }
            .into_any()
        };
        Some(bar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::OpenRequest;

    #[test]
    fn the_contents_are_named() {
        let shared = Shared::of(&OpenRequest::first()).unwrap();
        assert_eq!(contents(&shared, 0.0), "Contains the network.");
        let changed = (5, "E.taum".to_owned(), "1 ms".to_owned());
        let values = [("E.taum".to_owned(), "2 ms".to_owned())].into_iter().collect();
        let shared = Shared { values, changes: vec![changed], step: 12_000, ..shared };
        assert_eq!(
            contents(&shared, 1200.5),
            "Contains the network, 1 changed value and its run to 1\u{202f}200 ms with 1 change on the way."
        );
    }
}
