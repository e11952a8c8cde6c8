//! The inspector: everything about the selected object, or what can be done with several of them.

use leptos::prelude::*;

use super::super::{canvas::CanvasState, studio};
use super::{
    super::parameters::ValuesOfNow,
    population::PopulationForm,
    projection::ProjectionForm,
    row::{listed, summary},
    source::SourceForm,
};
use crate::{
    equations::Equations,
    network::{Kind, Object, structure},
    role,
};

/// Below the diagram; empty if nothing is selected.
#[component]
pub(super) fn Inspector() -> impl IntoView {
    let studio = studio();
    let state = expect_context::<CanvasState>();
    let shown = Memo::new(move |_| {
        let form = studio.form.get()?;
        studio.equations.with(|equations| equations.network().is_some_and(|network| form.name(network).is_some())).then_some(form)
    });
    let several = Memo::new(move |_| state.selected.with(Vec::len) > 1);
    view! {
        {move || shown.get().map(|object| view! { <Inspected object /> })}
        <Show when=move || several.get()>
            <Several />
        </Show>
    }
}

/// One object.
#[component]
fn Inspected(object: Object) -> impl IntoView {
    let studio = studio();
    let name = Memo::new(move |_| {
        studio.equations.with(|equations| equations.network().and_then(|network| object.name(network)).unwrap_or("").to_owned())
    });
    let words = Memo::new(move |_| studio.equations.with(|equations| summary(equations, object)));
    let style = move || match object.kind {
        Kind::Population => format!("--accent: var({})", role::variable(object.place, &name.read())),
        _ => String::new(),
    };
    // It begins below the diagram, wherever the lists were scrolled to.
    if let Some(body) = document().query_selector("#network-pane > .body").ok().flatten() {
        body.set_scroll_top(0);
    }
    let close = move || {
        studio.form.set(None);
        crate::studio::turn_to("diagram");
    };
    view! {
        <section
            class="inspector form"
            id="inspector"
            data-testid="inspector"
            data-object=move || name.get()
            style=style
            aria-labelledby="inspector-title"
            on:keydown=move |key| {
                // A menu that is open keeps the key for itself.
                if key.key() == "Escape" && !key.default_prevented() {
                    close();
                }
            }
        >
            <div class="inspector-heading">
                <h4 id="inspector-title" tabindex="-1">
                    <b>{move || name.get()}</b>
                    <span>{object.kind.word()}</span>
                </h4>
                <Undo object />
                <button class="plain close" id="inspector-close" aria-label="Close the inspector" title="Close (Escape)" on:click=move |_| close()>
                    "×"
                </button>
                <p class="summary">{move || words.get()}</p>
            </div>
            <ValuesOfNow />
            {match object.kind {
                Kind::Population => view! { <PopulationForm object /> }.into_any(),
                Kind::Source => view! { <SourceForm object /> }.into_any(),
                Kind::Projection => view! { <ProjectionForm object /> }.into_any(),
            }}
            <Actions object name />
        </section>
    }
}

/// Takes back the edits of a population that do not run yet, or restores them.
#[component]
fn Undo(object: Object) -> impl IntoView {
    let studio = studio();
    let is_population = object.kind == Kind::Population;
    let undone = Memo::new(move |_| is_population && studio.equations.with(Equations::is_undone));
    let edited = Memo::new(move |_| is_population && studio.equations.with(|equations| equations.is_edited(object.place)));
    view! {
        <button
            id="undo"
            data-testid="undo"
            class="plain"
            class:absent=move || !edited.get() && !undone.get()
            on:click=move |_| studio.edit(Equations::undo_or_redo)
        >
            {move || if undone.get() { "Redo edits" } else { "Undo edits" }}
        </button>
    }
}

/// Actions on the object.
#[component]
fn Actions(object: Object, name: Memo<String>) -> impl IntoView {
    let studio = studio();
    let asking = RwSignal::new(false);
    let referring = move || {
        studio.equations.with_untracked(|equations| {
            let Some(network) = equations.network() else { return Vec::new() };
            let referring = structure::references(network, object).into_iter();
            referring.filter_map(|object| Some(object.name(network)?.to_owned())).collect::<Vec<_>>()
        })
    };
    let remove = move |_| {
        if referring().is_empty() {
            studio.remove(object);
        } else {
            asking.set(true);
        }
    };
    view! {
        <div class="actions">
            <Show
                when=move || asking.get()
                fallback=move || {
                    view! {
                        <button data-testid="duplicate" on:click=move |_| studio.duplicate(object)>
                            "Duplicate"
                        </button>
                        <button data-testid="remove" on:click=remove>
                            "Remove"
                        </button>
                    }
                }
            >
                <div class="question" role="alert" data-testid="question">
                    <p>{move || format!("{} is used by {}.", name.get(), listed(&referring()))}</p>
                    <button class="primary" data-testid="remove-all" on:click=move |_| studio.remove(object)>
                        {move || if referring().len() == 1 { "Remove both" } else { "Remove all of them" }}
                    </button>
                    <button data-testid="keep" on:click=move |_| asking.set(false)>
                        "Keep"
                    </button>
                </div>
            </Show>
        </div>
    }
}

/// Several objects: their group, copies, removal.
#[component]
fn Several() -> impl IntoView {
    let studio = studio();
    let state = expect_context::<CanvasState>();
    let names = Memo::new(move |_| {
        studio.equations.with(|equations| {
            let named = equations.named(&state.selected.get());
            named.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        })
    });
    let group = Memo::new(move |_| {
        studio.equations.with(|equations| {
            let group = equations.arrangement.group_of(&names.read())?;
            Some((group, equations.arrangement.groups().get(group)?.label.clone()))
        })
    });
    view! {
        <section class="inspector several" data-testid="several" aria-label="Selection">
            <p>
                <b>{move || format!("{} selected: ", names.read().len())}</b>
                {move || listed(&names.read())}
            </p>
            <Show when=move || group.read().is_some()>
                <label class="group-label">
                    "Label of the group"
                    <input
                        type="text"
                        id="group-label"
                        data-testid="group-label"
                        autocomplete="off"
                        prop:value=move || group.get().map(|(_, label)| label).unwrap_or_default()
                        on:input:target=move |change| {
                            if let Some((group, _)) = group.get_untracked() {
                                studio.arrange("label", |arrangement| arrangement.label(group, &change.target().value()));
                            }
                        }
                    />
                </label>
            </Show>
            <div class="actions">
                <button
                    data-testid="group"
                    title="G, and Shift + G to ungroup"
                    on:click=move |_| if group.read_untracked().is_some() { state.ungroup() } else { state.group() }
                >
                    {move || if group.read().is_some() { "Ungroup" } else { "Group" }}
                </button>
                <button data-testid="duplicate-all" title="Ctrl + D" on:click=move |_| state.duplicate()>
                    "Duplicate"
                </button>
                <button data-testid="remove-selected" title="Delete" on:click=move |_| state.remove()>
                    "Remove"
                </button>
            </div>
        </section>
    }
}
