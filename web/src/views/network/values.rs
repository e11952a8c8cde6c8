//! Values of parameters: those that are set, and a way to set others.

use leptos::prelude::*;

use super::super::{placeholder, studio};
use super::entry::Entry;
use crate::{equations::Equations, network::Object};

/// A value in the form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Given {
    pub(super) name: String,
    /// As written; `None` for a list.
    pub(super) text: Option<String>,
    /// Its description.
    pub(super) note: String,
    /// An example value, if its dimension is known.
    pub(super) example: Option<String>,
    /// Whether it can be removed.
    pub(super) removable: bool,
}

/// A value that can be set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    pub(super) name: String,
    pub(super) default: String,
    pub(super) about: String,
}

/// The values of an object, under a heading.
#[component]
pub(super) fn Values<Give, TakeAway>(
    object: Object,
    /// `parameters` or `initial`.
    group: &'static str,
    title: &'static str,
    given: Memo<Vec<Given>>,
    /// The parameters of a library model; without one, any name.
    offers: Memo<Option<Vec<Offer>>>,
    set: Give,
    remove: TakeAway,
) -> impl IntoView
where
    Give: Fn(&mut Equations, &str, &str) + Send + Sync + 'static,
    TakeAway: Fn(&mut Equations, &str) + Send + Sync + 'static,
{
    values(
        &ValueDescription { object, group, title },
        given,
        offers,
        StoredValue::new(Box::new(set)),
        StoredValue::new(Box::new(remove)),
    )
}

/// The object and group of the values.
struct ValueDescription {
    object: Object,
    group: &'static str,
    title: &'static str,
}

type GiveValue = StoredValue<Box<dyn Fn(&mut Equations, &str, &str) + Send + Sync>>;
type RemoveValue = StoredValue<Box<dyn Fn(&mut Equations, &str) + Send + Sync>>;

/// The group itself, not generic, so that it is compiled once.
fn values(
    of: &ValueDescription,
    given: Memo<Vec<Given>>,
    offers: Memo<Option<Vec<Offer>>>,
    set: GiveValue,
    remove: RemoveValue,
) -> AnyView {
    let &ValueDescription { object, group, title } = of;
    let set = move |equations: &mut Equations, name: &str, text: &str| set.with_value(|set| set(equations, name, text));
    let remove = move |equations: &mut Equations, name: &str| remove.with_value(|remove| remove(equations, name));
    let studio = studio();
    let names = Memo::new(move |_| given.with(|given| given.iter().map(|given| given.name.clone()).collect::<Vec<_>>()));
    let add = move |name: String, default: &str| {
        let field = format!("#network-pane .form [data-field='{group}.{name}']");
        studio.draw("", |equations| set(equations, &name, default));
        request_animation_frame(move || {
            let found = document().query_selector(&field).ok().flatten();
            if let Some(input) = found.and_then(|found| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(found).ok()) {
                input.focus().ok();
            }
        });
    };
    let offered = move || {
        let names = names.get();
        let offers = offers.get().unwrap_or_default();
        offers.into_iter().filter(|offer| !names.contains(&offer.name)).collect::<Vec<_>>()
    };
    let choose = move |name: String| {
        let default = offered().into_iter().find(|offer| offer.name == name).map(|offer| offer.default);
        add(name, &default.unwrap_or_default());
    };
    let new_name = RwSignal::new(String::new());
    let add_new = move || {
        let name = new_name.get_untracked().trim().to_owned();
        if !name.is_empty() && !names.read_untracked().contains(&name) {
            add(name, "");
            new_name.set(String::new());
        }
    };
    let row = move |name: String| {
        let key = format!("{group}.{name}");
        let of = {
            let name = name.clone();
            Memo::new(move |_| given.with(|given| given.iter().find(|given| given.name == name).cloned()))
        };
        let first = of.get_untracked();
        let is_list = first.as_ref().is_some_and(|of| of.text.is_none());
        let removable = first.as_ref().is_some_and(|of| of.removable);
        let note = first.map(|of| of.note).unwrap_or_default();
        let example = placeholder(move || of.with(|of| of.as_ref().and_then(|of| of.example.clone())));
        let (typed, removed, label) = (StoredValue::new(name.clone()), name.clone(), name.clone());
        if is_list {
            return view! {
                <p class="entry listed">
                    <code>{name}</code>
                    <span class="note">"a list with one value each: see the JSON"</span>
                </p>
            }
            .into_any();
        }
        view! {
            <Entry
                object=Some(object)
                key
                label
                note
                placeholder=example
                text=Signal::derive(move || of.get().and_then(|of| of.text).unwrap_or_default())
                take=move |equations, text| {
                    set(equations, &typed.get_value(), text);
                    Ok(())
                }
            >
                {removable
                    .then(|| {
                        view! {
                            <button
                                class="plain"
                                aria-label=format!("Remove {removed}")
                                title="Remove"
                                on:click=move |_| {
                                    studio.draw("", |equations| remove(equations, &removed));
                                }
                            >
                                "×"
                            </button>
                        }
                    })}
            </Entry>
        }
        .into_any()
    };
    view! {
        <fieldset class="group code" data-group=group>
            <legend>{title}</legend>
            <For each=move || names.get() key=Clone::clone children=row />
            <Show when=move || offers.read().is_some() && !offered().is_empty()>
                <span class="field add">
                    <select
                        aria-label=format!("Set another of the {}", title.to_lowercase())
                        data-testid=format!("add-{group}")
                        on:change:target=move |change| {
                            choose(change.target().value());
                            change.target().set_value("");
                        }
                    >
                        <option value="">"Another value …"</option>
                        {move || {
                            offered()
                                .into_iter()
                                .map(|offer| {
                                    let text = format!("{} = {}  {}", offer.name, offer.default, offer.about);
                                    view! { <option value=offer.name>{text}</option> }
                                })
                                .collect_view()
                        }}
                    </select>
                </span>
            </Show>
            <Show when=move || offers.read().is_none()>
                <div class="entry new">
                    <input
                        type="text"
                        spellcheck="false"
                        autocapitalize="off"
                        autocomplete="off"
                        placeholder="name"
                        aria-label=format!("Name of another of the {}", title.to_lowercase())
                        data-testid=format!("new-{group}")
                        prop:value=move || new_name.get()
                        on:input:target=move |change| new_name.set(change.target().value())
                        on:keydown=move |key| {
                            if key.key() == "Enter" && !key.ctrl_key() && !key.meta_key() {
                                key.prevent_default();
                                add_new();
                            }
                        }
                    />
                    <button data-testid=format!("add-{group}") disabled=move || new_name.read().trim().is_empty() on:click=move |_| add_new()>
                        "Add"
                    </button>
                </div>
            </Show>
        </fieldset>
    }    .into_any()
}
