//! Selection of the network and its size.

use leptos::{ev, html, prelude::*};
use spikelet::Estimate;
use spikelet_js::protocol::{CatalogueEntry, Source};

use super::studio;
use crate::{network::estimate, number, session::OpenRequest};

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
                title="A new network: one population with equations to edit"
                on:click=move |_| studio.open_new()
            >
                "New"
            </button>
        </div>
    }
}

/// A button with the network's name, and under it a list to search.
#[component]
fn Catalogue(chosen: Memo<Option<(String, f64)>>) -> impl IntoView {
    let studio = studio();
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let title = Memo::new(move |_| {
        studio.session.with(|session| match (session.requested(), session.requested().and_then(OpenRequest::catalogue)) {
            (None, _) => "Choose a network".to_owned(),
            (Some(_), None) => "Custom network".to_owned(),
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
                <Menu chosen open shut />
            </Show>
        </div>
    }
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    entry: CatalogueEntry,
    /// Its size, as text.
    size: String,
}

/// The list and its search field.
#[component]
fn Menu(
    chosen: Memo<Option<(String, f64)>>,
    open: RwSignal<bool>,
    shut: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let studio = studio();
    let search = NodeRef::<html::Input>::new();
    let words = RwSignal::new(String::new());
    studio.ask_catalogue();
    let catalogue = Memo::new(move |_| studio.session.with(|session| session.catalogue.clone()));
    let all = Memo::new(move |_| lines(&catalogue.read()));
    let found = Memo::new(move |_| {
        let words = words.get().to_lowercase();
        let mut found: Vec<(usize, Line)> =
            all.read().iter().filter_map(|line| Some((distance(&line.entry, &words)?, line.clone()))).collect();
        // Equally good matches are in the order of the catalogue.
        found.sort_by_key(|(distance, _)| *distance);
        found.into_iter().map(|(_, line)| line).collect::<Vec<_>>()
    });
    let first =
        chosen.get_untracked().and_then(|(name, _)| found.read_untracked().iter().position(|line| line.entry.name == name));
    let at = RwSignal::new(first.unwrap_or(0));
    Effect::new(move |_| {
        if let Some(search) = search.get() {
            search.focus().ok();
        }
    });
    Effect::new(move |_| {
        let id = format!("network-{}", at.get());
        request_animation_frame(move || {
            if let Some(line) = document().get_element_by_id(&id) {
                let nearest = web_sys::ScrollIntoViewOptions::new();
                nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
                line.scroll_into_view_with_scroll_into_view_options(&nearest);
            }
        });
    });
    let choose = move |name: String| {
        shut();
        studio.open_source(Source::Catalogue { name, scale: 1.0 });
    };
    let keys = move |key: ev::KeyboardEvent| {
        let count = found.read_untracked().len();
        match key.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1).min(count.saturating_sub(1))),
            "ArrowUp" => at.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                let name = found.read_untracked().get(at.get_untracked()).map(|line| line.entry.name.clone());
                if let Some(name) = name {
                    choose(name);
                }
            }
            "Escape" => shut(),
            _ => return,
        }
        key.prevent_default();
    };
    let line = move |place: usize, line: Line| {
        let Line { entry, size } = line;
        let (name, network) = (entry.name.clone(), entry.name.clone());
        let is_open = chosen.read().as_ref().is_some_and(|(chosen, _)| *chosen == name);
        view! {
            <li
                id=format!("network-{place}")
                role="option"
                class:open=is_open
                data-network=network
                aria-selected=move || (at.get() == place).to_string()
                title=entry.about
                on:pointermove=move |_| {
                    if at.get_untracked() != place {
                        at.set(place);
                    }
                }
                // Before the field loses the focus, which closes the list.
                on:mousedown=move |press| {
                    press.prevent_default();
                    choose(name.clone());
                }
            >
                <b>{entry.title}</b>
                <span class="much">{size}</span>
                <p>{entry.citation}</p>
            </li>
        }
    };
    view! {
        <div class="menu" on:keydown=keys>
            <input
                node_ref=search
                id="search"
                data-testid="search"
                type="text"
                role="combobox"
                aria-label="Search the networks"
                aria-controls="networks"
                aria-expanded="true"
                aria-activedescendant=move || format!("network-{}", at.get())
                placeholder="Search by name, description, or author"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || words.get()
                on:input:target=move |change| {
                    words.set(change.target().value());
                    at.set(0);
                }
                on:blur=move |_| open.set(false)
            />
            <ul id="networks" role="listbox" aria-label="Networks">
                {move || found.get().into_iter().enumerate().map(|(place, of)| line(place, of)).collect_view()}
            </ul>
            <Show when=move || found.read().is_empty() && !all.read().is_empty()>
                <p class="nothing">"No network matches."</p>
            </Show>
        </div>
    }
}

/// All networks, with their published sizes.
fn lines(catalogue: &[CatalogueEntry]) -> Vec<Line> {
    let line = |entry: &CatalogueEntry| {
        let network = spikelet::catalogue::network(&entry.name, 1.0);
        let size = network.and_then(|network| Ok((estimate::neurons(&network) as f64, Estimate::of(&network)?.synapses()))).map(
            |(neurons, synapses)| {
                format!("{}, {}", number::large_count(neurons, "neuron"), number::large_count(synapses, "synapse"))
            },
        );
        Line { entry: entry.clone(), size: size.unwrap_or_default() }
    };
    catalogue.iter().map(line).collect()
}

/// Rank of a network for these words in lower case: first a prefix of its name or title, or of a word of them, then a part of them, then
/// its authors, then its description. `None` if a word does not occur.
fn distance(entry: &CatalogueEntry, words: &str) -> Option<usize> {
    let title = format!("{} {}", entry.name, entry.title).to_lowercase();
    let (citation, about) = (entry.citation.to_lowercase(), entry.about.to_lowercase());
    let begins = |word: &str| title.split(|c: char| !c.is_alphanumeric()).any(|of_title| of_title.starts_with(word));
    let of_word = |word: &str| [begins(word), title.contains(word), citation.contains(word), about.contains(word)];
    words.split_whitespace().map(|word| of_word(word).into_iter().position(|found| found)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_found_by_any_of_its_words() {
        let entry = CatalogueEntry {
            name: "cuba".into(),
            title: "Current-based balanced network".into(),
            about: "Irregular firing.".into(),
            citation: "Vogels & Abbott 2005".into(),
            scaling: String::new(),
            small: 1.0,
        };
        for words in ["", "cub", "balanced current", "abbott", "2005 irregular"] {
            assert!(distance(&entry, words).is_some(), "{words}");
        }
        assert_eq!(distance(&entry, "cuba 2006"), None);
    }

    #[test]
    fn what_is_in_a_title_is_nearer_than_what_is_said() {
        let entry = |title: &str, about: &str, citation: &str| CatalogueEntry {
            name: "x".into(),
            title: title.into(),
            about: about.into(),
            citation: citation.into(),
            scaling: String::new(),
            small: 1.0,
        };
        let near = [
            entry("Waves over a sheet", "", ""),
            entry("Brainwaves", "", ""),
            entry("Ring", "", "J Waves 3:1"),
            entry("Ring", "No waves here.", ""),
        ];
        assert_eq!(near.map(|entry| distance(&entry, "waves")), [Some(0), Some(1), Some(2), Some(3)]);
    }
}
