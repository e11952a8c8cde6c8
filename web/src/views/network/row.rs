//! An object in its list: a line that opens its inspector.

use leptos::prelude::*;
use spikelet_lang::library;
use spikelet_network::{Population, Projection, SourceKind};

use super::super::studio;
use crate::{
    equations::{Equations, written},
    network::{Kind, Object, fields},
    number, role,
    studio::turn_to,
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
    let edited = Memo::new(move |_| {
        object.kind == Kind::Population && studio.equations.with(|equations| equations.is_edited(object.place))
    });
    let style = move || match object.kind {
        Kind::Population => format!("--accent: var({})", role::variable(object.place, &name.read())),
        _ => String::new(),
    };
    view! {
        <li class="object" class:lowered=move || lowered.get() class:wrong=move || wrong.get() data-object=move || name.get()>
            <button
                class="line"
                style=style
                aria-expanded=move || lowered.get().to_string()
                aria-controls="inspector"
                on:click=move |event| {
                    studio.toggle_form(object);
                    if lowered.get_untracked() {
                        request_animation_frame(|| {
                            document().get_element_by_id("inspector").inspect(web_sys::Element::scroll_into_view);
                        });
                    }
                    if event.detail() == 0 && lowered.get_untracked() {
                        turn_to("inspector-title");
                    }
                }
            >
                <b>{move || name.get()}</b>
                <Show when=move || edited.get()>
                    <span class="edited" title="edited">
                        "•"
                        <span class="unseen">" edited"</span>
                    </span>
                </Show>
                <span class="summary">{move || summary.get()}</span>
                <Show when=move || wrong.get()>
                    <span class="flag" title="There is an error here">
                        "!"
                        <span class="unseen">" has an error"</span>
                    </span>
                </Show>
                <span class="much">{move || much.get()}</span>
            </button>
        </li>
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(in crate::views) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The description of an object in a line.
pub(in crate::views) fn summary(equations: &Equations, object: Object) -> String {
    let Some(network) = equations.network() else { return String::new() };
    match object.kind {
        Kind::Population => equations.shown_at(object.place).map(of_population).unwrap_or_default(),
        Kind::Source => network.sources.get(object.place).map(|source| of_source(&source.kind)).unwrap_or_default(),
        Kind::Projection => network.projections.get(object.place).map(of_projection).unwrap_or_default(),
    }
}

fn of_population(population: &Population) -> String {
    let model =
        population.model.as_ref().map(|name| library::library(name).map_or_else(|_| name.clone(), |model| model.title.clone()));
    match (model, &population.preset) {
        (Some(model), Some(preset)) => format!("{model}, {}", preset.replace('_', " ")),
        (Some(model), None) => model,
        (None, _) => "custom equations".into(),
    }
}

fn of_source(kind: &SourceKind) -> String {
    let rate = |rate| written(rate).unwrap_or_else(|| "rates of a list".into());
    match kind {
        SourceKind::Spikes { size, spike_times_ms } => format!("{} spikes of {size}", spike_times_ms.len()),
        SourceKind::Poisson { size, rate: of } => format!("{size} × Poisson, {}", rate(of)),
        SourceKind::PoissonInput { targets, n, rate: of, .. } => {
            format!(
                "{n} × Poisson, {}, for each neuron of {}",
                rate(of),
                listed(&targets.iter().map(ToString::to_string).collect::<Vec<_>>())
            )
        }
    }
}

fn of_projection(projection: &Projection) -> String {
    format!("{} → {}: {}", projection.pre, projection.post, fields::rule_in_short(projection))
}
