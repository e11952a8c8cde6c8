//! What was measured: for a step, and for the figures of a lesson.

use leptos::prelude::*;

use super::{super::studio, Tick};
use crate::{
    lessons::{
        Check, Figure, Goal,
        course::{Found, Reading},
        measure::Measure,
    },
    number,
};

/// The measures of a step as text.
pub(super) fn measured(goal: &Goal, reading: &Reading, is_done: bool) -> Vec<String> {
    let Goal::Measure { checks, .. } = goal else { return Vec::new() };
    let values = match reading {
        Reading::None => return Vec::new(),
        Reading::Changed => return vec!["A value was changed during the run: run it from the start.".into()],
        Reading::Values(values) => values,
    };
    let line = |(check, value): (&Check, &Option<f64>)| {
        let name = named(&check.measure);
        let shown =
            value.map_or_else(|| "too few spikes".to_owned(), |value| number::quantity(value, check.measure.quantity.unit()));
        let holds = is_done || value.is_some_and(|value| check.holds(value));
        if holds { format!("{name}: {shown}") } else { format!("{name}: {shown}, should be {}", check.wanted()) }
    };
    checks.iter().zip(values).map(line).collect()
}

/// A measure with what it is of.
fn named(measure: &Measure) -> String {
    let of = measure.of.replace(' ', " and ");
    match measure.neurons {
        Some([from, to]) if to == from + 1 => format!("{} of {of} {from}", measure.quantity.name()),
        Some([from, to]) => format!("{} of {of} {from} to {}", measure.quantity.name(), to - 1),
        None => format!("{} of {of}", measure.quantity.name()),
    }
}

/// Published figures, and what was measured.
#[component]
pub(super) fn PublishedFigures() -> impl IntoView {
    let studio = studio();
    let figures = Memo::new(move |_| studio.lessons.course.with(|course| course.as_ref().map(|course| course.figures.clone())));
    let row = |(figure, found): (Figure, Found)| {
        let remark = figure.remark();
        let Figure { measure, span_ms: [_, end], expected, within, source, .. } = figure;
        let unit = measure.quantity.unit();
        let expected = format!("expected {} ± {}", number::short(expected, 4), number::quantity(within, unit));
        let (state, value) = match found {
            Found::Measured { value, holds } => (if holds { "holds" } else { "differs" }, number::quantity(value, unit)),
            Found::Waiting => ("waiting", format!("measured at {} of a run", number::quantity(end, "ms"))),
            Found::Not(why) => ("not", format!("not measured: {why}")),
        };
        view! {
            <li data-figure=state>
                <span class="figure-name">{named(&measure)}</span>
                <span class="figure-value">{value}</span>
                {match state {
                    "holds" => view! { <Tick /> }.into_any(),
                    "differs" => view! { <span class="differs">"✗ outside"</span> }.into_any(),
                    _ => ().into_any(),
                }}
                <span class="figure-expected">{expected} " " <small>{format!("({source})")}</small></span>
                {remark.map(|remark| view! { <small class="figure-remark">{remark}</small> })}
            </li>
        }
    };
    move || {
        figures.get().filter(|figures| !figures.is_empty()).map(|figures| {
            view! {
                <section class="figures" aria-labelledby="figures-title">
                    <h4 id="figures-title">{studio.say("Expected and measured")}</h4>
                    <ul>{figures.into_iter().map(row).collect_view()}</ul>
                </section>
            }
        })
    }
}
