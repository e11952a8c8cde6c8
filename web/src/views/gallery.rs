//! The gallery: networks as cards with pictures, found by words and tags.

use leptos::{ev, html, prelude::*};
use spikelet_js::protocol::{CatalogueEntry, Source};
use wasm_bindgen::JsCast;

use super::studio;
use crate::{
    lessons::{
        gallery::{self, Card},
        thumbnail::{COLUMNS, ROWS},
    },
    network::estimate,
    number, role,
    studio::Studio,
};

/// The cards, and the field to search them.
#[component]
pub(super) fn Gallery(
    chosen: Memo<Option<(String, f64)>>,
    open: RwSignal<bool>,
    shut: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let studio = studio();
    let search = NodeRef::<html::Input>::new();
    let list = NodeRef::<html::Ul>::new();
    let words = RwSignal::new(String::new());
    let tag = RwSignal::new(None::<String>);
    studio.ask_catalogue();
    studio.ask_lessons();
    studio.ask_pictures();
    let catalogue = Memo::new(move |_| studio.session.with(|session| session.catalogue.clone()));
    let cards = Memo::new(move |_| {
        let library = studio.lessons.library.get().and_then(Result::ok);
        let pictures = studio.lessons.pictures.get().and_then(Result::ok);
        let synapses = |name: &str| Some(pictures.as_ref()?.get(name)?.synapses);
        gallery::cards(&catalogue.read(), library.as_deref(), |entry| size(entry, synapses(&entry.name)))
    });
    let found = Memo::new(move |_| gallery::found(&cards.read(), &words.read(), tag.read().as_deref()));
    let at = RwSignal::new(0);
    // The open network, until a key is pressed.
    let is_untouched = RwSignal::new(true);
    Effect::new(move |_| {
        if is_untouched.get() {
            let open = chosen.read().as_ref().map(|(name, _)| name.clone());
            let place = open.and_then(|open| found.read().iter().position(|card| card.name == open));
            at.set(place.unwrap_or(0));
        }
    });
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
    let choose = move |card: &Card| {
        shut();
        choose(studio, card);
    };
    let keys = move |key: ev::KeyboardEvent| {
        let is_in_search = search.get_untracked().is_some_and(|search| {
            let target = key.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            target.is_some_and(|target| target.is_same_node(Some(&search)))
        });
        // In the field these keys move the cursor while there is text.
        let is_of_text = ["ArrowLeft", "ArrowRight", "Home", "End"].contains(&key.key().as_str())
            && (!is_in_search || !words.read_untracked().is_empty());
        match key.key().as_str() {
            "Enter" if is_in_search => {
                let card = found.read_untracked().get(at.get_untracked()).cloned();
                if let Some(card) = card {
                    choose(&card);
                }
            }
            "Escape" => shut(),
            other if !is_of_text => {
                let count = found.read_untracked().len();
                let Some(next) = gallery::next(other, at.get_untracked(), count, columns(list)) else { return };
                is_untouched.set(false);
                at.set(next);
            }
            _ => return,
        }
        key.prevent_default();
    };
    let is_open = move |name: &str| chosen.read().as_ref().is_some_and(|(chosen, _)| *chosen == name);
    let tile = move |place: usize, card: Card| {
        let (open_name, network, picture) = (card.name.clone(), card.name.clone(), card.name.clone());
        let pressed = card.clone();
        view! {
            <li
                id=format!("network-{place}")
                role="option"
                class:open=move || is_open(&open_name)
                class:chapter=card.is_chapter
                data-network=network
                aria-selected=move || (at.get() == place).to_string()
                title=card.about
                on:pointermove=move |_| {
                    if at.get_untracked() != place {
                        is_untouched.set(false);
                        at.set(place);
                    }
                }
                // Before the field loses the focus, which closes the list.
                on:mousedown=move |press| {
                    press.prevent_default();
                    choose(&pressed);
                }
            >
                <Picture name=picture />
                <b>{card.title}</b>
                <p>{card.line}</p>
                <p class="facts">
                    <span class="much">{card.size}</span>
                    {card.tags.into_iter().map(|tag| view! { <span class="tag">{tag}</span> }).collect_view()}
                </p>
            </li>
        }
    };
    let chip = move |name: String| {
        let (pressed, chosen) = (name.clone(), name.clone());
        view! {
            <button
                class="chip"
                aria-pressed=move || (tag.read().as_ref() == Some(&pressed)).to_string()
                on:mousedown=|press| press.prevent_default()
                on:click=move |_| {
                    is_untouched.set(false);
                    at.set(0);
                    tag.update(|tag| *tag = (tag.as_ref() != Some(&chosen)).then(|| chosen.clone()));
                }
            >
                {name}
            </button>
        }
    };
    let menu = NodeRef::<html::Div>::new();
    let leave = move |focus: ev::FocusEvent| {
        let to = focus.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        // The button beside it shuts it by itself.
        let around = menu.get_untracked().and_then(|menu| menu.parent_element());
        if !around.is_some_and(|around| around.contains(to.as_ref())) {
            open.set(false);
        }
    };
    view! {
        <div class="menu gallery" node_ref=menu on:keydown=keys on:focusout=leave>
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
                placeholder="Search by name, topic, or author"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || words.get()
                on:input:target=move |change| {
                    is_untouched.set(false);
                    words.set(change.target().value());
                    at.set(0);
                }
            />
            <div class="chips" role="group" aria-label="Topics">
                {move || gallery::tags(&cards.read()).into_iter().map(chip).collect_view()}
            </div>
            <ul id="networks" role="listbox" aria-label="Networks" node_ref=list tabindex="-1">
                {move || found.get().into_iter().enumerate().map(|(place, card)| tile(place, card)).collect_view()}
            </ul>
            <Show when=move || found.read().is_empty() && !cards.read().is_empty()>
                <p class="nothing">"No network matches."</p>
            </Show>
        </div>
    }
}

fn choose(studio: Studio, card: &Card) {
    if card.is_chapter {
        studio.open_lesson(&card.name);
    } else {
        studio.open_source(Source::Catalogue { name: card.name.clone(), scale: 1.0 });
    }
}

/// The recorded spikes of a network.
#[component]
fn Picture(name: String) -> impl IntoView {
    let studio = studio();
    let paths = move || {
        let pictures = studio.lessons.pictures.get()?.ok()?;
        let picture = pictures.get(&name)?;
        let path = |(at, (of, path)): (usize, (&str, String))| {
            view! { <path d=path style=format!("stroke: var({})", role::variable(at, of)) /> }
        };
        Some(picture.paths().into_iter().enumerate().map(path).collect_view())
    };
    view! {
        <svg class="picture" viewBox=format!("0 0 {COLUMNS} {ROWS}") preserveAspectRatio="none" aria-hidden="true">
            {paths}
        </svg>
    }
}

/// The published size of a network; its synapses are known with its picture.
fn size(entry: &CatalogueEntry, synapses: Option<f64>) -> String {
    let Ok(network) = spikelet_network::catalogue::network(&entry.name, 1.0) else { return String::new() };
    let neurons = number::large_count(estimate::neurons(&network) as f64, "neuron");
    synapses.map_or(neurons.clone(), |synapses| format!("{neurons}, {}", number::large_count(synapses, "synapse")))
}

/// The number of cards in a row.
fn columns(list: NodeRef<html::Ul>) -> usize {
    let Some(list) = list.get_untracked() else { return 1 };
    let cards = list.children();
    let top = |place: u32| cards.item(place).map(|card| card.get_bounding_client_rect().top());
    let first = top(0);
    (0..cards.length()).take_while(|place| top(*place) == first).count()
}
