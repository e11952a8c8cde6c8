//! What the open network is.

use leptos::prelude::*;
use spikelet_js::protocol::CatalogueEntry;

use super::studio;
use crate::session::Session;

/// Title, a sentence or two, and where it comes from.
#[component]
pub(crate) fn About() -> impl IntoView {
    let studio = studio();
    let entry = Memo::new(move |_| studio.session.with(entry));
    view! {
        <section class="about" aria-labelledby="title">
            <h2 id="title">{move || entry.get().title}</h2>
            <p>{move || entry.get().about}</p>
            <p class="citation">{move || entry.get().citation}</p>
        </section>
    }
}

/// The catalogue's words about the open network; its own where it is not from there.
fn entry(session: &Session) -> CatalogueEntry {
    let Some(current) = &session.current else {
        let about = match () {
            () if session.stopped => "The engine is not running; press play to start it again.",
            () if session.is_opening() => "Starting the engine …",
            () => "No network is open; choose one above.",
        };
        return CatalogueEntry { name: String::new(), title: "Spikelet".into(), about: about.into(), citation: String::new() };
    };
    let listed = current.wish.catalogue().and_then(|(name, _)| session.catalogue.iter().find(|entry| entry.name == name));
    listed.cloned().unwrap_or_else(|| {
        let network = &current.opened.network;
        CatalogueEntry {
            name: network.name.clone(),
            title: network.name.clone(),
            about: network.description.clone(),
            citation: String::new(),
        }
    })
}
