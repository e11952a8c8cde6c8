//! Values of parameters, values at t = 0, what is recorded, how many neurons.

use leptos::prelude::*;

use super::super::{placeholder, studio};
use super::mistakes::Mistakes;
use crate::equations::{
    Equations,
    check::PopulationPath,
    rows::{self, Row, State},
};

/// All rows below the texts.
#[component]
pub(super) fn Values() -> impl IntoView {
    let studio = studio();
    let look = move |rows: fn(&Equations, &crate::equations::check::Checked) -> Vec<Row>| {
        Memo::new(move |_| studio.checked.with(|checked| studio.equations.with(|equations| rows(equations, checked))))
    };
    let (parameters, variables) = (look(rows::parameters), look(rows::variables));
    let names = move |rows: Memo<Vec<Row>>| {
        Memo::new(move |_| rows.with(|rows| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>()))
    };
    let (parameter_names, variable_names) = (names(parameters), names(variables));
    let asked = Memo::new(move |_| parameters.with(|rows| rows.iter().filter(|row| row.state == State::Missing).count()));
    // The values of a library model have sliders; custom equations show the numbers.
    let own = Memo::new(move |_| studio.equations.with(|equations| equations.shown().is_some_and(|shown| shown.model.is_none())));
    let lowered = Memo::new(move |_| own.get() || asked.get() > 0);
    let count = move || match asked.get() {
        0 => parameters.with(Vec::len).to_string(),
        1 => "1 missing".into(),
        asked => format!("{asked} missing"),
    };
    view! {
        <details class="values" class:own=move || own.get() id="values" open=move || lowered.get()>
            <summary>
                <b>"Values"</b>
                <span class:asked=move || { asked.get() > 0 }>{count}</span>
            </summary>
            <For each=move || parameter_names.get() key=Clone::clone let(name)>
                <Value name rows=parameters />
            </For>
        </details>
        <details class="values own" open=move || lowered.get()>
            <summary>
                <b>"At t = 0"</b>
                <span>"and recordings"</span>
            </summary>
            <For each=move || variable_names.get() key=Clone::clone let(name)>
                <Initial name rows=variables />
            </For>
            <Size />
        </details>
    }
}

/// The row of a name.
fn row_of(rows: Memo<Vec<Row>>, name: &str) -> Memo<Option<Row>> {
    let name = name.to_owned();
    Memo::new(move |_| rows.with(|rows| rows.iter().find(|row| row.name == name).cloned()))
}

#[component]
fn Value(name: String, rows: Memo<Vec<Row>>) -> impl IntoView {
    let studio = studio();
    let row = row_of(rows, &name);
    let state = Memo::new(move |_| row.with(|row| row.as_ref().map(|row| row.state)));
    let list = Memo::new(move |_| row.with(|row| row.as_ref().is_some_and(|row| row.text.is_none())));
    let place = PopulationPath::Value(name.clone());
    let wrong = {
        let place = place.clone();
        Memo::new(move |_| studio.checked.with(|checked| !checked.at(&place).is_empty()))
    };
    let text =
        move || row.with(|row| row.as_ref().and_then(|row| row.text.clone()).unwrap_or_else(|| "one for each neuron".into()));
    let (id, described) = (format!("value-{name}"), format!("mistakes-value-{name}"));
    let (typed, removed, shown) = (name.clone(), name.clone(), name.clone());
    view! {
        <div class="value" class:asked=move || state.get() == Some(State::Missing) class:unused=move || state.get() == Some(State::Unused)>
            <label for=id.clone()>
                <code>{shown}</code>
            </label>
            <input
                id=id
                type="text"
                data-value=name.clone()
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                disabled=move || list.get()
                placeholder=placeholder(move || row.with(|row| row.as_ref().and_then(|row| row.example.clone())))
                aria-describedby=format!("note-{name} {described}")
                aria-invalid=move || (wrong.get() || state.get() == Some(State::Missing)).to_string()
                prop:value=text
                on:input:target=move |change| studio.edit(|equations| equations.set(&typed, &change.target().value()))
            />
            <span class="note" id=format!("note-{name}")>
                {move || row.with(|row| row.as_ref().map(|row| row.note.clone()))}
            </span>
            <Show when=move || state.get() == Some(State::Unused)>
                <button
                    class="plain"
                    aria-label=format!("Remove {name}")
                    title="Remove"
                    on:click={
                        let removed = removed.clone();
                        move |_| studio.edit(|equations| equations.remove(&removed))
                    }
                >
                    "×"
                </button>
            </Show>
            <Mistakes place=place.clone() id=described />
        </div>
    }
}

#[component]
fn Initial(name: String, rows: Memo<Vec<Row>>) -> impl IntoView {
    let studio = studio();
    let row = row_of(rows, &name);
    let list = Memo::new(move |_| row.with(|row| row.as_ref().is_some_and(|row| row.text.is_none())));
    let recorded = {
        let name = name.clone();
        Memo::new(move |_| studio.equations.with(|equations| equations.recorded().contains(&name)))
    };
    let place = PopulationPath::Initial(name.clone());
    let wrong = {
        let place = place.clone();
        Memo::new(move |_| studio.checked.with(|checked| !checked.at(&place).is_empty()))
    };
    let text =
        move || row.with(|row| row.as_ref().and_then(|row| row.text.clone()).unwrap_or_else(|| "one for each neuron".into()));
    let (id, described) = (format!("initial-{name}"), format!("mistakes-initial-{name}"));
    let (typed, ticked, shown) = (name.clone(), name.clone(), name.clone());
    view! {
        <div class="value">
            <label for=id.clone()>
                <code class="variable">{shown}</code>
            </label>
            <input
                id=id
                type="text"
                data-initial=name.clone()
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                disabled=move || list.get()
                placeholder=placeholder(move || row.with(|row| row.as_ref().and_then(|row| row.example.clone())))
                aria-label=format!("{name} at t = 0")
                aria-describedby=described.clone()
                aria-invalid=move || wrong.get().to_string()
                prop:value=text
                on:input:target=move |change| studio.edit(|equations| equations.begin(&typed, &change.target().value()))
            />
            <label class="record">
                <input
                    type="checkbox"
                    data-record=name
                    prop:checked=move || recorded.get()
                    on:change:target=move |change| {
                        let wanted = change.target().checked();
                        studio.edit(|equations| equations.record(&ticked, wanted));
                    }
                />
                "record"
            </label>
            <Mistakes place id=described />
        </div>
    }
}

#[component]
fn Size() -> impl IntoView {
    let studio = studio();
    let size = Memo::new(move |_| studio.equations.with(Equations::size));
    let wrong = Memo::new(move |_| studio.checked.with(|checked| !checked.at(&PopulationPath::Size).is_empty()));
    view! {
        <div class="value">
            <label for="size">
                <code>"N"</code>
            </label>
            <input
                id="size"
                data-testid="size"
                type="text"
                inputmode="numeric"
                autocomplete="off"
                aria-describedby="note-size mistakes-size"
                aria-invalid=move || wrong.get().to_string()
                prop:value=move || size.get()
                on:input:target=move |change| studio.edit(|equations| equations.resize(&change.target().value()))
            />
            <span class="note" id="note-size">
                "neurons"
            </span>
            <Mistakes place=PopulationPath::Size id="mistakes-size".to_owned() />
        </div>
    }
}
