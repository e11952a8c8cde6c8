//! The description of the open network.

use leptos::{html, prelude::*};
use spikelet_js::protocol::CatalogueEntry;

use super::{of_current, studio};
use crate::session::Session;

/// Title, description, and publication.
#[component]
pub(crate) fn About() -> impl IntoView {
    let studio = studio();
    let all_notices = of_current(|current| current.notices.clone());
    // In a chapter a silent cell is no mistake, but what it begins with.
    let is_chapter = Memo::new(move |_| {
        studio.lessons.course.with(|course| course.as_ref().is_some_and(|course| course.lesson.network.is_some()))
    });
    let notices = move || all_notices.get().filter(|_| !is_chapter.get());
    let words = Memo::new(move |_| studio.session.with(words));
    let text = NodeRef::<html::P>::new();
    let (open, is_long) = (RwSignal::new(false), RwSignal::new(false));
    // Whether the style sheet cuts it is known after it is laid out.
    Effect::new(move |_| {
        words.get();
        open.set(false);
        request_animation_frame(move || {
            let cut = text.get_untracked().is_some_and(|text| text.scroll_height() > text.client_height() + 1);
            is_long.set(cut);
        });
    });
    view! {
        <section class="about" aria-labelledby="title">
            <h2 id="title">{move || words.get().title}</h2>
            <p class="words" class:open=move || open.get() node_ref=text>{move || words.get().about}</p>
            <Show when=move || is_long.get() || open.get()>
                <button class="plain more" data-testid="more" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                    {move || if open.get() { "less" } else { "more" }}
                </button>
            </Show>
            <p class="citation">{move || words.get().citation}</p>
            <ul class="notices" data-testid="notices">
                {move || notices().unwrap_or_default().into_iter().map(|notice| view! { <li>{notice}</li> }).collect_view()}
            </ul>
        </section>
    }
}

/// The text about a network.
#[derive(Debug, Clone, Default, PartialEq)]
struct Words {
    title: String,
    about: String,
    citation: String,
}

/// The catalogue's text about the open network; its own description if it is not in the catalogue.
fn words(session: &Session) -> Words {
    let Some(current) = &session.current else {
        let about = match () {
            () if session.is_opening() => "Starting the engine …",
            () if session.lost.is_some() => "The engine is not running; press play to start it again.",
            () => "No network is open; choose one above.",
        };
        return Words { title: "Spikelet".into(), about: about.into(), citation: String::new() };
    };
    let listed = current.open_request.catalogue().and_then(|(name, _)| session.catalogue.iter().find(|entry| entry.name == name));
    if let Some(CatalogueEntry { title, about, citation, .. }) = listed.cloned() {
        return Words { title, about, citation };
    }
    let network = &current.opened.network;
    Words { title: network.name.clone(), about: network.description.clone(), citation: String::new() }
}
