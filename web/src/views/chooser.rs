//! Which network, and how large.

use leptos::prelude::*;
use spikelet_js::protocol::Source;

use super::studio;
use crate::session::Wish;

/// Sizes on offer, relative to the published network.
const SCALES: [f64; 5] = [0.25, 1.0, 2.0, 5.0, 10.0];

/// Two selects, and a button for a network of one's own.
#[component]
pub(crate) fn Chooser() -> impl IntoView {
    let studio = studio();
    let catalogue = Memo::new(move |_| studio.session.with(|session| session.catalogue.clone()));
    let chosen = Memo::new(move |_| {
        studio.session.with(|session| {
            let wish = session.wish().and_then(Wish::catalogue);
            wish.map(|(name, scale)| (name.to_owned(), scale))
        })
    });
    // Something that is not in the list is selected: what somebody wrote, or nothing at all.
    let other = Memo::new(move |_| {
        studio.session.with(|session| match session.wish() {
            None => Some("Choose a network"),
            Some(wish) if wish.catalogue().is_none() => Some("Your own network"),
            Some(_) => None,
        })
    });
    let choose_network = move |name: String| {
        if catalogue.read_untracked().iter().any(|entry| entry.name == name) {
            studio.open_source(Source::Catalogue { name, scale: 1.0 });
        }
    };
    let choose_scale = move |text: String| {
        if let (Some((name, _)), Ok(scale)) = (chosen.get_untracked(), text.parse()) {
            studio.open_source(Source::Catalogue { name, scale });
        }
    };
    view! {
        <div class="chooser">
            <label class="field">
                <span>"Network"</span>
                <select
                    id="network"
                    data-testid="network"
                    on:change:target=move |change| choose_network(change.target().value())
                >
                    {move || {
                        catalogue
                            .get()
                            .into_iter()
                            .map(|entry| {
                                let name = entry.name.clone();
                                let selected = move || {
                                    chosen.read().as_ref().is_some_and(|(chosen, _)| *chosen == name)
                                };
                                view! {
                                    <option value=entry.name prop:selected=selected>
                                        {entry.title}
                                    </option>
                                }
                            })
                            .collect_view()
                    }}
                    {move || other.get().map(|text| view! { <option value="" prop:selected=true>{text}</option> })}
                </select>
            </label>
            <Show when=move || chosen.read().is_some()>
                <label class="field">
                    <span>"Size"</span>
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
                title="A new network: one population, with equations to type over"
                on:click=move |_| studio.open_new()
            >
                "New"
            </button>
        </div>
    }
}
