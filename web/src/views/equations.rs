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
};

/// The button of the header that shows and hides the pane.
#[component]
pub(crate) fn PaneSwitch() -> impl IntoView {
    let studio = studio();
    let open = studio.pane;
    view! {
        <button
            id="pane"
            data-testid="pane"
            class="pane-switch"
            aria-expanded=move || open.get().to_string()
            aria-controls="equations"
            on:click=move |_| studio.show_pane(!open.get_untracked())
        >
            "Equations"
        </button>
    }
}

/// The pane.
#[component]
pub(crate) fn EquationPane() -> impl IntoView {
    let studio = studio();
    let open = studio.pane;
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
                    on:click=move |_| studio.show_pane(false)
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
