//! Values of parameters: those that are set, and a way to set others.

use leptos::prelude::*;

use super::super::{placeholder, studio};
use super::entry::Entry;
use super::live::LiveRange;
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

/// The values of an object, under a heading.
#[component]
pub(super) fn Values<Give, TakeAway>(
    object: Object,
    /// `parameters` or `initial`.
    group: &'static str,
    title: &'static str,
    given: Memo<Vec<Given>>,
    /// Whether these are all, as of a library model; else any name can be added.
    closed: Signal<bool>,
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
        closed,
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
fn values(of: &ValueDescription, given: Memo<Vec<Given>>, closed: Signal<bool>, set: GiveValue, remove: RemoveValue) -> AnyView {
    let &ValueDescription { object, group, title } = of;
    let set = move |equations: &mut Equations, name: &str, text: &str| set.with_value(|set| set(equations, name, text));
    let remove = move |equations: &mut Equations, name: &str| remove.with_value(|remove| remove(equations, name));
    let studio = studio();
    let names = Memo::new(move |_| given.with(|given| given.iter().map(|given| given.name.clone()).collect::<Vec<_>>()));
    let add = move |name: String| {
        let field = format!("#inspector [data-field='{group}.{name}']");
        studio.draw("", |equations| set(equations, &name, ""));
        request_animation_frame(move || {
            let found = document().query_selector(&field).ok().flatten();
            if let Some(input) = found.and_then(|found| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(found).ok()) {
                input.focus().ok();
            }
        });
    };
    let new_name = RwSignal::new(String::new());
    let add_new = move || {
        let name = new_name.get_untracked().trim().to_owned();
        if !name.is_empty() && !names.read_untracked().contains(&name) {
            add(name);
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
        let removable = Memo::new(move |_| of.with(|of| of.as_ref().is_some_and(|of| of.removable)));
        let note = first.map(|of| of.note).unwrap_or_default();
        let example = placeholder(move || of.with(|of| of.as_ref().and_then(|of| of.example.clone())));
        let (typed, removed, label, label_of, live) =
            (StoredValue::new(name.clone()), name.clone(), name.clone(), name.clone(), name.clone());
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
                <button
                    class="plain"
                    class:absent=move || !removable.get()
                    aria-label=format!("Remove the value of {label_of}")
                    title="Remove"
                    on:click=move |_| {
                        studio.draw("", |equations| remove(equations, &removed));
                    }
                >
                    "×"
                </button>
            </Entry>
            <LiveRange object name=live />
        }
        .into_any()
    };
    view! {
        <fieldset class="group code" data-group=group>
            <legend>{title}</legend>
            <For each=move || names.get() key=Clone::clone children=row />
            <Show when=move || !closed.get()>
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
