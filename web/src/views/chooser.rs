//! Selection of the network and its size.

use leptos::{html, prelude::*};
use spikelet_js::protocol::Source;

use super::{gallery::Gallery, studio};
use crate::session::OpenRequest;

/// Available sizes, relative to the published network.
const SCALES: [f64; 5] = [0.25, 1.0, 2.0, 5.0, 10.0];

/// The catalogue, the size, and a button for a custom network.
#[component]
pub(crate) fn Chooser() -> impl IntoView {
    let studio = studio();
    let chosen = Memo::new(move |_| {
        studio.session.with(|session| {
            let open_request = session.requested().and_then(OpenRequest::catalogue);
            open_request.map(|(name, scale)| (name.to_owned(), scale))
        })
    });
    let choose_scale = move |text: String| {
        if let (Some((name, _)), Ok(scale)) = (chosen.get_untracked(), text.parse()) {
            studio.open_source(Source::Catalogue { name, scale });
        }
    };
    view! {
        <div class="chooser">
            <Catalogue chosen />
            <Show when=move || chosen.read().is_some()>
                <label class="field">
                    <span>{move || studio.say("Size")}</span>
                    <select
                        id="scale"
                        data-testid="scale"
                        on:change:target=move |change| choose_scale(change.target().value())
                    >
                        {move || {
                            let scale = chosen.get().map_or(1.0, |(_, scale)| scale);
                            let mut scales = SCALES.to_vec();
                            if !scales.contains(&scale) {
                                scales.push(scale);
                            }
                            scales
                                .into_iter()
                                .map(|offered| {
                                    view! {
                                        <option value=offered.to_string() prop:selected=offered == scale>
                                            {format!("{offered}×")}
                                        </option>
                                    }
                                })
                                .collect_view()
                        }}
                    </select>
                </label>
            </Show>
            <button
                id="new"
                data-testid="new"
                title="A new network: one population with equations to edit"
                on:click=move |_| studio.open_new()
            >
                {move || studio.say("New")}
            </button>
        </div>
    }
}

/// A button with the network's name, and under it the gallery.
#[component]
fn Catalogue(chosen: Memo<Option<(String, f64)>>) -> impl IntoView {
    let studio = studio();
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let chapter = Memo::new(move |_| {
        studio
            .lessons
            .course
            .with(|course| Some(course.as_ref().filter(|course| course.lesson.network.is_some())?.lesson.name.clone()))
    });
    let title = Memo::new(move |_| {
        studio.session.with(|session| match (session.requested(), session.requested().and_then(OpenRequest::catalogue)) {
            (None, _) => "Choose a network".to_owned(),
            (Some(_), None) => chapter.get().map_or_else(|| "Custom network".to_owned(), |name| studio.say(&name)),
            (Some(_), Some((name, _))) => {
                let entry = session.catalogue.iter().find(|entry| entry.name == name);
                entry.map_or_else(|| name.to_owned(), |entry| entry.title.clone())
            }
        })
    });
    let shut = move || {
        open.set(false);
        if let Some(button) = button.get_untracked() {
            button.focus().ok();
        }
    };
    view! {
        <div class="catalogue field">
            <button
                node_ref=button
                id="network"
                data-testid="network"
                aria-haspopup="listbox"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <span>
                    <span class="unseen">"Network: "</span>
                    {move || title.get()}
                </span>
            </button>
            <Show when=move || open.get()>
                <Gallery chosen open shut />
            </Show>
        </div>
    }
}
