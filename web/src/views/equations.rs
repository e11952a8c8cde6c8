//! The equations of a population: a model of the library or one's own, checked as they are typed, and run.

mod field;
mod mistakes;
mod model;
mod state;
mod values;

use leptos::{ev, prelude::*};

use self::{
    field::TextField,
    model::{MethodChooser, ModelChooser},
    state::Foot,
    values::Values,
};
use super::studio;
use crate::{
    equations::{Equations, Field},
    plot::theme,
    studio::Pane,
};
pub(super) use mistakes::words;

/// The buttons of the header that show and hide the panes.
#[component]
pub(crate) fn PaneSwitch() -> impl IntoView {
    let studio = studio();
    let switch = move |pane: Pane, id: &'static str, controls: &'static str, text: &'static str| {
        let open = move || studio.pane.get() == pane;
        view! {
            <button
                id=id
                data-testid=id
                class="pane-switch"
                aria-expanded=move || open().to_string()
                aria-controls=controls
                on:click=move |_| studio.show_pane(if studio.pane.get_untracked() == pane { Pane::Shut } else { pane })
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="panes" role="group" aria-label="Panes">
            {switch(Pane::Network, "pane-network", "network-pane", "Network")}
            {switch(Pane::Equations, "pane", "equations", "Equations")}
        </div>
    }
}

/// The pane.
#[component]
pub(crate) fn EquationPane() -> impl IntoView {
    let studio = studio();
    let open = Memo::new(move |_| studio.pane.get() == Pane::Equations);
    let keys = move |key: ev::KeyboardEvent| {
        if key.key() == "Enter" && (key.ctrl_key() || key.meta_key()) {
            key.prevent_default();
            studio.run();
        }
    };
    let there = Memo::new(move |_| studio.equations.with(|equations| equations.shown().is_some()));
    view! {
        <section
            class="equations"
            id="equations"
            data-testid="equations"
            aria-labelledby="equations-title"
            class:shut=move || !open.get()
            on:keydown=keys
        >
            <div class="heading">
                <h3 id="equations-title">"Equations"</h3>
                <Populations />
                <button
                    class="plain close"
                    aria-label="Hide the equations"
                    title="Hide the equations"
                    on:click=move |_| studio.show_pane(Pane::Shut)
                >
                    "×"
                </button>
            </div>
            <Show when=move || there.get()>
                <div class="body">
                    <ModelChooser />
                    {Field::ALL.map(|field| view! { <TextField field /> })}
                    <MethodChooser />
                    <Values />
                </div>
                <Foot />
            </Show>
        </section>
    }
}

/// Which population; nothing to choose where there is one.
#[component]
fn Populations() -> impl IntoView {
    let studio = studio();
    let names = Memo::new(move |_| studio.equations.with(Equations::names));
    let selected = Memo::new(move |_| studio.equations.with(Equations::selected));
    view! {
        <div class="populations" role="group" aria-label="Population">
            {move || {
                let names = names.get();
                if names.len() < 2 {
                    return None;
                }
                let buttons = names.into_iter().enumerate().map(|(place, name)| {
                    let style = format!("--accent: var({})", theme::variable(place, &name));
                    let edited = Memo::new(move |_| studio.equations.with(|equations| equations.is_edited(place)));
                    view! {
                        <button
                            style=style
                            data-population=name.clone()
                            aria-pressed=move || (selected.get() == place).to_string()
                            on:click=move |_| studio.select(place)
                        >
                            {name.clone()}
                            <Show when=move || edited.get()>
                                <span class="edited" title="edited">
                                    "•"
                                    <span class="unseen">" edited"</span>
                                </span>
                            </Show>
                        </button>
                    }
                });
                Some(buttons.collect_view())
            }}
        </div>
    }
}
