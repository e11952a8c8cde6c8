//! Networks that the browser keeps.

use leptos::{html, prelude::*};

use super::{pane::PaneFrame, studio};
use crate::{number, projects::Card, studio::Pane};

/// The list of projects.
#[component]
pub(crate) fn ProjectsPane() -> impl IntoView {
    let studio = studio();
    let there = Memo::new(move |_| studio.pane.get() == Pane::Projects);
    view! {
        <PaneFrame pane=Pane::Projects id=Pane::Projects.id() name="projects" there heading=|| view! { <Files /> }>
            <div class="projects">
                <Messages />
                <Open />
                <List />
            </div>
        </PaneFrame>
    }
}

/// Export and import.
#[component]
fn Files() -> impl IntoView {
    let studio = studio();
    let chooser = NodeRef::<html::Input>::new();
    let choose = move |_| {
        if let Some(chooser) = chooser.get_untracked() {
            chooser.click();
        }
    };
    let empty = Memo::new(move |_| studio.keep.cards.with(|cards| cards.as_ref().is_none_or(Vec::is_empty)));
    view! {
        <div class="files">
            <button class="plain" data-testid="import-projects" title="Open a file of projects or of one network" on:click=choose>
                "Import …"
            </button>
            <input
                node_ref=chooser
                hidden
                data-testid="projects-file"
                type="file"
                accept=".json,application/json"
                aria-label="File of projects"
                on:change:target=move |change| {
                    studio.open_files(change.target().files().as_ref());
                    // The same file can be chosen again.
                    change.target().set_value("");
                }
            />
            <button
                class="plain"
                data-testid="export-projects"
                title="Save all projects as one file"
                disabled=move || empty.get()
                on:click=move |_| studio.export_projects()
            >
                "Export all"
            </button>
        </div>
    }
}

/// Errors, notices, and what can be undone.
#[component]
fn Messages() -> impl IntoView {
    let studio = studio();
    let keep = studio.keep;
    let deleted = Memo::new(move |_| keep.deleted.with(|deleted| deleted.last().map(|(card, _)| card.name.clone())));
    view! {
        {move || {
            keep.problem
                .get()
                .map(|sentence| {
                    view! {
                        <p class="problem" role="alert" data-testid="projects-problem">
                            <span>{sentence}</span>
                            <button
                                on:click=move |_| {
                                    if let Some(shared) = studio.shared() {
                                        studio.save_shared(&shared);
                                    }
                                }
                            >
                                "Save file"
                            </button>
                        </p>
                    }
                })
        }}
        {move || keep.notice.get().map(|notice| view! { <p class="notice" role="status" data-testid="projects-notice">{notice}</p> })}
        {move || {
            deleted
                .get()
                .map(|name| {
                    view! {
                        <p class="notice" role="status" data-testid="projects-deleted">
                            <span>{format!("“{name}” was deleted.")}</span>
                            <button data-testid="restore-project" on:click=move |_| studio.restore_project()>
                                "Undo"
                            </button>
                        </p>
                    }
                })
        }}
    }
}

/// The open project with its notes.
#[component]
fn Open() -> impl IntoView {
    let studio = studio();
    let keep = studio.keep;
    let is_saved = Memo::new(move |_| keep.current.get().is_some());
    let network = Memo::new(move |_| {
        studio.session.with(|session| session.current.as_ref().map(|current| current.opened.network.name.clone()))
    });
    view! {
        <section class="open-project" aria-label="Open project">
            <Show
                when=move || is_saved.get()
                fallback=move || {
                    view! {
                        <p class="fine" data-testid="unsaved">
                            {move || {
                                network
                                    .get()
                                    .map(|name| format!("“{name}” is not a project yet: the first change makes it one, and saves it."))
                            }}
                        </p>
                        <button
                            data-testid="save-project"
                            disabled=move || network.get().is_none() || keep.problem.get().is_some()
                            on:click=move |_| studio.save_project()
                        >
                            "Save as a project"
                        </button>
                    }
                }
            >
                <p class="fine">
                    <b data-testid="project-name">{move || keep.card().map(|card| card.name)}</b>
                    " is saved as it changes."
                </p>
            </Show>
            <label class="notes">
                <span>"Notes"</span>
                <textarea
                    id="notes"
                    data-testid="notes"
                    rows="3"
                    placeholder="For the lab book"
                    prop:value=move || keep.notes.get()
                    on:input:target=move |input| studio.set_notes(input.target().value())
                ></textarea>
            </label>
        </section>
    }
}

#[component]
fn List() -> impl IntoView {
    let studio = studio();
    let keep = studio.keep;
    let cards = move || keep.cards.get().unwrap_or_default();
    let nothing = Memo::new(move |_| keep.cards.with(|cards| cards.as_ref().is_some_and(Vec::is_empty)));
    view! {
        <Show when=move || nothing.get()>
            <p class="nothing">"No projects yet."</p>
        </Show>
        <ul class="cards" data-testid="cards">
            // A card is drawn again when a part of it changes.
            <For each=cards key=|card| (card.id.clone(), card.name.clone(), card.changed_ms.to_bits(), card.picture.len()) let(card)>
                <Project card />
            </For>
        </ul>
    }
}

/// A project: open, rename, duplicate, delete.
#[component]
fn Project(card: Card) -> impl IntoView {
    let studio = studio();
    let id = StoredValue::new(card.id.clone());
    let is_open = Memo::new(move |_| studio.keep.current.with(|current| current.as_deref() == Some(&*id.read_value())));
    let [opened, copied, deleted] = [card.clone(), card.clone(), card.clone()];
    let name = RwSignal::new(card.name.clone());
    let facts = facts(&card);
    view! {
        <li class="card" class:current=move || is_open.get() data-project=card.name.clone()>
            {(!card.picture.is_empty())
                .then(|| view! { <img src=card.picture.clone() alt="" width="96" height="36" /> })}
            <div class="card-text">
                <input
                    type="text"
                    aria-label="Name of the project"
                    data-testid="project-rename"
                    prop:value=move || name.get()
                    on:change:target=move |change| {
                        studio.rename_project(&id.read_value(), &change.target().value());
                        // An invalid name is replaced by the previous one.
                        name.notify();
                    }
                />
                <span class="facts">
                    {facts} {move || is_open.get().then_some(" · open")}
                </span>
            </div>
            <div class="card-actions">
                <button
                    data-testid="open-project"
                    aria-label=format!("Open {}", card.name)
                    disabled=move || is_open.get()
                    on:click=move |_| studio.open_project(opened.clone())
                >
                    "Open"
                </button>
                <button
                    class="icon"
                    data-testid="duplicate-project"
                    aria-label=format!("Duplicate {}", card.name)
                    title="Duplicate"
                    on:click=move |_| studio.duplicate_project(copied.clone())
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                        <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
                    </svg>
                </button>
                <button
                    class="icon"
                    data-testid="delete-project"
                    aria-label=format!("Delete {}", card.name)
                    title="Delete"
                    on:click=move |_| studio.delete_project(deleted.clone())
                >
                    <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                        <path d="M2.5 4.5h11M6 4.5V2.8h4v1.7M4 4.5l.6 9h6.8l.6-9M6.8 7v4M9.2 7v4" />
                    </svg>
                </button>
            </div>
        </li>
    }
}

/// Date, time of the run, and size.
fn facts(card: &Card) -> String {
    let date = js_sys::Date::new(&card.changed_ms.into());
    let date = String::from(date.to_locale_string("default", &js_sys::Object::new().into()));
    let time =
        if card.time_ms > 0.0 { format!(" · {} ms", number::grouped(card.time_ms.floor() as u64)) } else { String::new() };
    format!("{date}{time} · {}", number::bytes(card.bytes as u64))
}
