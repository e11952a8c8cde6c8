//! The equations of a population: a library model or custom equations, checked while the user types.

mod field;
mod mistakes;
mod model;
mod state;
mod values;

use leptos::prelude::*;

use self::{
    field::TextField,
    model::{MethodChooser, ModelChooser},
    state::Foot,
    values::Values,
};
use super::{pane::PaneFrame, studio};
use crate::{
    equations::{Equations, Field},
    role,
    studio::Pane,
};
pub(super) use mistakes::words;

/// The pane.
#[component]
pub(crate) fn EquationPane() -> impl IntoView {
    let studio = studio();
    let there = Memo::new(move |_| studio.equations.with(|equations| equations.shown().is_some()));
    view! {
        <PaneFrame pane=Pane::Equations id="equations" name="equations" there heading=|| view! { <Populations /> }>
            <div class="body">
                <ModelChooser />
                {Field::ALL.map(|field| view! { <TextField field /> })}
                <MethodChooser />
                <Values />
            </div>
            <Foot />
        </PaneFrame>
    }
}

/// The population; without a menu if there is only one.
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
                    let style = format!("--accent: var({})", role::variable(place, &name));
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
