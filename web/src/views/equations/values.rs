//! Values of parameters, values at t = 0, and what is recorded.

use leptos::prelude::*;

use super::super::network::live::{LiveRange, apply};
use super::super::{placeholder, studio};
use super::mistakes::Mistakes;
use crate::{
    equations::{
        Equations,
        check::PopulationPath,
        rows::{self, Row, State},
    },
    network::Object,
};

/// The parameters of the selected population, with sliders for those that can be changed during a run.
#[component]
pub(in crate::views) fn Values(object: Object) -> impl IntoView {
    let parameters = look(rows::parameters);
    let names = names(parameters);
    let asked = Memo::new(move |_| parameters.with(|rows| rows.iter().filter(|row| row.state == State::Missing).count()));
    let count = move || match asked.get() {
        0 => String::new(),
        1 => "1 missing".into(),
        asked => format!("{asked} missing"),
    };
    view! {
        <section class="values" id="values" aria-label="Values of the parameters">
            <h5 id="values-title">
                "Parameters"
                <span class:asked=move || { asked.get() > 0 }>{count}</span>
            </h5>
            <Show when=move || names.with(Vec::is_empty)>
                <p class="nothing">"None: the equations use no names without a definition."</p>
            </Show>
            <For each=move || names.get() key=Clone::clone let(name)>
                <Value object name rows=parameters />
            </For>
        </section>
    }
}

/// The values of its variables at t = 0, and whether they are recorded.
#[component]
pub(in crate::views) fn Initials() -> impl IntoView {
    let variables = look(rows::variables);
    let names = names(variables);
    view! {
        <section class="values own" id="initials" aria-labelledby="initials-title">
            <h5 id="initials-title">"Initial values and recording"</h5>
            <For each=move || names.get() key=Clone::clone let(name)>
                <Initial name rows=variables />
            </For>
        </section>
    }
}

fn look(rows: fn(&Equations, &crate::equations::check::Checked) -> Vec<Row>) -> Memo<Vec<Row>> {
    let studio = studio();
    Memo::new(move |_| studio.checked.with(|checked| studio.equations.with(|equations| rows(equations, checked))))
}

fn names(rows: Memo<Vec<Row>>) -> Memo<Vec<String>> {
    Memo::new(move |_| rows.with(|rows| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>()))
}

/// The row of a name.
fn row_of(rows: Memo<Vec<Row>>, name: &str) -> Memo<Option<Row>> {
    let name = name.to_owned();
    Memo::new(move |_| rows.with(|rows| rows.iter().find(|row| row.name == name).cloned()))
}

#[component]
fn Value(object: Object, name: String, rows: Memo<Vec<Row>>) -> impl IntoView {
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
    let (typed, removed, shown, live) = (name.clone(), name.clone(), name.clone(), name.clone());
    let applied = StoredValue::new(name.clone());
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
                aria-describedby=format!("note-value-{name} {described}")
                aria-invalid=move || (wrong.get() || state.get() == Some(State::Missing)).to_string()
                prop:value=text
                on:input:target=move |change| studio.edit(|equations| equations.set(&typed, &change.target().value()))
                on:change:target=move |change| applied.with_value(|name| apply(studio, object, name, &change.target().value()))
            />
            <span class="note" id=format!("note-value-{name}")>
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
            <LiveRange object name=live />
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
