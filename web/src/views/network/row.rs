//! An object in its list: a line that opens its form.

use leptos::prelude::*;
use spikelet::{Population, Projection, SourceKind};
use spikelet_lang::library;

use super::super::studio;
use super::{population::PopulationForm, projection::ProjectionForm, source::SourceForm};
use crate::{
    equations::{Equations, written},
    network::{Kind, Object, fields, structure},
    number, role,
};

/// One line of a list.
#[component]
pub(super) fn Row(object: Object) -> impl IntoView {
    let studio = studio();
    let lowered = Memo::new(move |_| studio.form.get() == Some(object));
    let name = Memo::new(move |_| {
        studio.equations.with(|equations| equations.network().and_then(|network| object.name(network)).unwrap_or("").to_owned())
    });
    let summary = Memo::new(move |_| studio.equations.with(|equations| summary(equations, object)));
    let much = Memo::new(move |_| match object.kind {
        Kind::Projection => studio
            .checked
            .with(|checked| checked.estimate.as_ref()?.projections.get(object.place).map(|of| number::large(of.synapses))),
        Kind::Population => Some(studio.equations.with(|equations| equations.size_at(object.place))),
        Kind::Source => None,
    });
    let wrong = Memo::new(move |_| {
        studio.checked.with(|checked| checked.field_errors.iter().any(|field_error| field_error.object == Some(object)))
    });
    let style = move || match object.kind {
        Kind::Population => format!("--accent: var({})", role::variable(object.place, &name.read())),
        _ => String::new(),
    };
    let id = format!("form-{}-{}", object.kind.list(), object.place);
    view! {
        <li class="object" class:lowered=move || lowered.get() class:wrong=move || wrong.get() data-object=move || name.get()>
            <button
                class="line"
                style=style
                aria-expanded=move || lowered.get().to_string()
                aria-controls=id.clone()
                on:click=move |_| studio.toggle_form(object)
            >
                <b>{move || name.get()}</b>
                <span class="summary">{move || summary.get()}</span>
                <Show when=move || wrong.get()>
                    <span class="flag" title="There is an error here">
                        "!"
                        <span class="unseen">" has an error"</span>
                    </span>
                </Show>
                <span class="much">{move || much.get()}</span>
            </button>
            <Show when=move || lowered.get()>
                <div class="form" id=id.clone()>
                    {match object.kind {
                        Kind::Population => view! { <PopulationForm object /> }.into_any(),
                        Kind::Source => view! { <SourceForm object /> }.into_any(),
                        Kind::Projection => view! { <ProjectionForm object /> }.into_any(),
                    }}
                    <Actions object name />
                </div>
            </Show>
        </li>
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

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The description of an object in a line.
fn summary(equations: &Equations, object: Object) -> String {
    let Some(network) = equations.network() else { return String::new() };
    match object.kind {
        Kind::Population => equations.shown_at(object.place).map(of_population).unwrap_or_default(),
        Kind::Source => network.sources.get(object.place).map(|source| of_source(&source.kind)).unwrap_or_default(),
        Kind::Projection => network.projections.get(object.place).map(of_projection).unwrap_or_default(),
    }
}

fn of_population(population: &Population) -> String {
    let model = population.model.as_ref().map(|name| library::library(name).map_or_else(|_| name.clone(), |model| model.title));
    match (model, &population.preset) {
        (Some(model), Some(preset)) => format!("{model}, {}", preset.replace('_', " ")),
        (Some(model), None) => model,
        (None, _) => "own equations".into(),
    }
}

fn of_source(kind: &SourceKind) -> String {
    let rate = |rate| written(rate).unwrap_or_else(|| "rates of a list".into());
    match kind {
        SourceKind::Spikes { size, spike_times_ms } => format!("{} spikes of {size}", spike_times_ms.len()),
        SourceKind::Poisson { size, rate: of } => format!("{size} × Poisson, {}", rate(of)),
        SourceKind::PoissonInput { targets, n, rate: of, .. } => {
            format!("{n} × Poisson, {}, for each neuron of {}", rate(of), listed(targets))
        }
    }
}

fn of_projection(projection: &Projection) -> String {
    let rule = match (&projection.connect, &projection.pairs) {
        (Some(connector), _) => fields::in_short(connector),
        (None, Some(_)) => "listed pairs".into(),
        (None, None) => "not connected".into(),
    };
    format!("{} → {}: {rule}", projection.pre, projection.post)
}
