//! All results of a class in one picture: what was measured over what differs.

use std::sync::Arc;

use leptos::prelude::*;

use super::super::studio;
use crate::{
    class::{Task, Vary},
    number,
};

/// Size of the drawing, and the space around its area: left, top, right, bottom.
const SIZE: [f64; 2] = [560.0, 300.0];
const SPACE: [f64; 4] = [62.0, 14.0, 18.0, 44.0];

/// The place of a result: both parts from 0 to 1.
fn place(across: f64, up: f64) -> [f64; 2] {
    let [left, top, right, bottom] = SPACE;
    [left + across * (SIZE[0] - left - right), SIZE[1] - bottom - up * (SIZE[1] - top - bottom)]
}

/// The largest value of the vertical axis.
fn most(values: &[(u32, f64)]) -> f64 {
    let most = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    if most > 0.0 { number::nice_above(most) } else { 1.0 }
}

/// The picture, with a dot for each result and their mean.
#[component]
pub(super) fn Picture(task: Arc<Task>) -> impl IntoView {
    let collection = studio().class.collection;
    let values = Memo::new(move |_| collection.with(crate::class::Collection::values));
    let last = f64::from(task.points.saturating_sub(1).max(1));
    let quantity = task.measure.quantity;
    let x_name = match &task.vary {
        Vary::Seed => "seed".to_owned(),
        Vary::Parameter { path, unit, .. } if unit.is_empty() => path.clone(),
        Vary::Parameter { path, unit, .. } => format!("{path} in {unit}"),
    };
    let y_name = match quantity.unit() {
        "" => format!("{} of {}", quantity.name(), task.measure.of),
        unit => format!("{} of {} in {unit}", quantity.name(), task.measure.of),
    };
    let ends = [0, task.points.saturating_sub(1)].map(|point| number::short(task.at(point), 4));
    let titles = StoredValue::new(task);
    let dots = move || {
        let values = values.get();
        let most = most(&values);
        let dot = |(point, value): (u32, f64)| {
            let [x, y] = place(f64::from(point) / last, (value / most).clamp(0.0, 1.0));
            let title = format!("{}: {}", titles.with_value(|task| task.words(point)), number::quantity(value, quantity.unit()));
            view! {
                <circle cx=format!("{x:.1}") cy=format!("{y:.1}") r="5">
                    <title>{title}</title>
                </circle>
            }
        };
        values.into_iter().map(dot).collect_view()
    };
    let mean = move || {
        let values = values.get();
        let (count, most) = (values.len() as f64, most(&values));
        (count > 0.0).then(|| {
            let mean = values.iter().map(|(_, value)| value).sum::<f64>() / count;
            let ([left, y], [right, _]) = (place(0.0, (mean / most).clamp(0.0, 1.0)), place(1.0, 0.0));
            view! {
                <path class="mean" d=format!("M{left} {y:.1}H{right}") />
                <text x=right y=y - 5.0 text-anchor="end">{format!("mean {} {}", number::short(mean, 3), quantity.unit())}</text>
            }
        })
    };
    let ([left, bottom], [right, top]) = (place(0.0, 0.0), place(1.0, 1.0));
    let label = {
        let (x, y) = (x_name.clone(), y_name.clone());
        move || format!("{y} over {x}: {}", number::count(values.read().len() as u64, "result"))
    };
    let [first, end] = ends;
    view! {
        <svg class="class-picture" data-testid="class-picture" viewBox=format!("0 0 {} {}", SIZE[0], SIZE[1]) role="img" aria-label=label>
            <path class="axes" d=format!("M{left} {top}V{bottom}H{right}") />
            <text x=left - 8.0 y=bottom + 4.0 text-anchor="end">"0"</text>
            <text x=left - 8.0 y=top + 5.0 text-anchor="end">{move || number::short(most(&values.read()), 4)}</text>
            <text x=left y=bottom + 17.0 text-anchor="middle">{first}</text>
            <text x=right y=bottom + 17.0 text-anchor="middle">{end}</text>
            <text x=f64::midpoint(left, right) y=bottom + 34.0 text-anchor="middle">{x_name}</text>
            <text transform=format!("translate(14 {}) rotate(-90)", f64::midpoint(top, bottom)) text-anchor="middle">{y_name}</text>
            {mean}
            <g class="results">{dots}</g>
        </svg>
    }
}
