//! A curve that the learner draws, and the measured one over it.

use leptos::{ev, prelude::*, svg};
use wasm_bindgen::JsCast;

use super::super::studio;
use crate::{
    lessons::predict::{Axes, Guess},
    number,
};

/// Size of the drawing, and the space around its area: left, top, right, bottom.
const SIZE: [f64; 2] = [320.0, 184.0];
const SPACE: [f64; 4] = [40.0, 10.0, 14.0, 34.0];

/// The place of a point of the area: both parts from 0 to 1.
fn place(across: f64, up: f64) -> [f64; 2] {
    let [left, top, right, bottom] = SPACE;
    [left + across * (SIZE[0] - left - right), SIZE[1] - bottom - up * (SIZE[1] - top - bottom)]
}

/// The path of a curve with evenly spaced values.
fn path(values: &[f64], most: f64) -> String {
    let last = values.len().saturating_sub(1).max(1) as f64;
    let point = |(number, value): (usize, &f64)| {
        let [x, y] = place(number as f64 / last, (value / most).min(1.0));
        format!("{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" })
    };
    values.iter().enumerate().map(point).collect()
}

/// The point that is nearest to a position across the drawing, and the value at a height of it; both as parts of the drawing.
fn under(across: f64, down: f64, axes: &Axes) -> (usize, f64) {
    let [left, top, right, bottom] = SPACE;
    let x = (across * SIZE[0] - left) / (SIZE[0] - left - right);
    let y = (SIZE[1] - bottom - down * SIZE[1]) / (SIZE[1] - top - bottom);
    let last = axes.points.saturating_sub(1);
    ((x.clamp(0.0, 1.0) * last as f64).round() as usize, (y.clamp(0.0, 1.0) * axes.most).round())
}

/// Sets the points from the last one that was drawn to this one, so that a quick stroke leaves none out.
fn draw(values: &mut [f64], from: Option<usize>, to: usize, value: f64) {
    let (from, before) = from.map_or((to, value), |from| (from, values[from]));
    let count = from.abs_diff(to);
    for way in 1..=count {
        let point = if to > from { from + way } else { from - way };
        values[point] = before + (value - before) * way as f64 / count as f64;
    }
    values[to] = value;
}

/// Axes with their names and largest values.
#[component]
fn Frame(axes: Axes) -> impl IntoView {
    let ([left, bottom], [right, top]) = (place(0.0, 0.0), place(1.0, 1.0));
    let number = |value: f64| number::short(value, 4);
    view! {
        <path class="axes" d=format!("M{left} {top}V{bottom}H{right}") />
        <text class="value" x=left - 6.0 y=bottom + 4.0 text-anchor="end">"0"</text>
        <text class="value" x=left - 6.0 y=top + 4.0 text-anchor="end">{number(axes.most)}</text>
        <text class="value" x=left y=bottom + 15.0 text-anchor="middle">{number(axes.range[0])}</text>
        <text class="value" x=right y=bottom + 15.0 text-anchor="middle">{number(axes.range[1])}</text>
        <text x=f64::midpoint(left, right) y=bottom + 28.0 text-anchor="middle">{axes.x}</text>
        <text transform=format!("translate(12 {}) rotate(-90)", f64::midpoint(top, bottom)) text-anchor="middle">{axes.y}</text>
    }
}

/// The drawing: a pointer draws, keys move its points.
#[component]
pub(super) fn CurvePad(axes: Axes) -> impl IntoView {
    let studio = studio();
    let values = RwSignal::new(vec![0.0; axes.points]);
    let is_drawn = RwSignal::new(false);
    let last = StoredValue::new(None::<usize>);
    let pad = NodeRef::<svg::Svg>::new();
    let axes = StoredValue::new(axes);
    let at = move |event: &ev::PointerEvent| {
        let rect = pad.get_untracked()?.get_bounding_client_rect();
        let (across, down) = (
            (f64::from(event.client_x()) - rect.left()) / rect.width(),
            (f64::from(event.client_y()) - rect.top()) / rect.height(),
        );
        Some(axes.with_value(|axes| under(across, down, axes)))
    };
    let stroke = move |event: &ev::PointerEvent| {
        let Some((point, value)) = at(event) else { return };
        values.update(|values| draw(values, last.get_value(), point, value));
        last.set_value(Some(point));
        is_drawn.set(true);
    };
    let press = move |event: ev::PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if let Some(target) = target {
            // Without it a stroke ends at the border; that is all that is lost.
            target.set_pointer_capture(event.pointer_id()).ok();
        }
        last.set_value(None);
        stroke(&event);
        // Not into the selection of texts.
        event.prevent_default();
    };
    let drag = move |event: ev::PointerEvent| {
        if event.buttons() & 1 == 1 {
            stroke(&event);
        }
    };
    let points = axes.with_value(|axes| axes.points);
    let handles = (0..points).map(|point| view! { <Handle point axes values is_drawn /> }).collect_view();
    view! {
        <svg
            class="curve"
            id="curve"
            viewBox=format!("0 0 {} {}", SIZE[0], SIZE[1])
            role="group"
            aria-label="Your curve: a point for each of some values; arrow keys move it up and down"
            node_ref=pad
            on:pointerdown=press
            on:pointermove=drag
        >
            <Frame axes=axes.get_value() />
            <path class="drawn" d=move || path(&values.read(), axes.with_value(|axes| axes.most)) />
            {handles}
        </svg>
        <button class="act" id="run-curve" disabled=move || !is_drawn.get() on:click=move |_| studio.predict(Guess::Curve(values.get_untracked()))>
            {move || studio.say("Run, and compare")}
        </button>
    }
}

/// A point of the curve.
#[component]
fn Handle(point: usize, axes: StoredValue<Axes>, values: RwSignal<Vec<f64>>, is_drawn: RwSignal<bool>) -> impl IntoView {
    let element = NodeRef::<svg::G>::new();
    let (most, points) = axes.with_value(|axes| (axes.most, axes.points));
    let value = move || values.read().get(point).copied().unwrap_or_default();
    let label = axes.with_value(|axes| format!("{} at {}: {}", axes.y, axes.x, number::short(axes.at(point), 4)));
    let on_key = move |event: ev::KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowUp" => most / 40.0,
            "ArrowDown" => -most / 40.0,
            "PageUp" => most / 8.0,
            "PageDown" => -most / 8.0,
            "Home" => -most,
            "End" => most,
            side @ ("ArrowLeft" | "ArrowRight") => {
                let beside = element.get_untracked().and_then(|element| {
                    if side == "ArrowLeft" { element.previous_element_sibling() } else { element.next_element_sibling() }
                });
                let beside = beside.filter(|beside| beside.get_attribute("role").as_deref() == Some("slider"));
                if let Some(beside) = beside.and_then(|beside| beside.dyn_into::<web_sys::SvgElement>().ok()) {
                    beside.focus().ok();
                }
                event.prevent_default();
                return;
            }
            _ => return,
        };
        values.update(|values| values[point] = (values[point] + by).clamp(0.0, most));
        is_drawn.set(true);
        event.prevent_default();
    };
    let transform = move || {
        let [x, y] = place(point as f64 / points.saturating_sub(1).max(1) as f64, value() / most);
        format!("translate({x:.1} {y:.1})")
    };
    view! {
        <g
            class="knob"
            node_ref=element
            transform=transform
            role="slider"
            tabindex="0"
            aria-label=label
            aria-orientation="vertical"
            aria-valuemin="0"
            aria-valuemax=most.to_string()
            aria-valuenow=move || number::short(value(), 4)
            on:keydown=on_key
        >
            <circle class="reach" r="13" />
            <circle r="5" />
        </g>
    }
}

/// The curve that was drawn, and when the step is done the measured one.
#[component]
pub(super) fn CurveResult(place: usize, axes: Axes, drawn: Vec<f64>) -> impl IntoView {
    let studio = studio();
    let measured = Memo::new(move |_| studio.lessons.course.with(|course| Some(course.as_ref()?.curve_of(place)?.to_vec())));
    let most = axes.most;
    let outline = path(&drawn, most);
    let words = {
        let axes = axes.clone();
        move || {
            let rates = measured.get()?;
            let (off, silent) = (axes.distance(&drawn, &rates), rates.iter().take_while(|rate| **rate == 0.0).count());
            let begins =
                axes.range[0] + (axes.range[1] - axes.range[0]) * silent as f64 / rates.len().saturating_sub(1).max(1) as f64;
            let first = match silent == rates.len() {
                true => "No cell fired".to_owned(),
                false => format!("The first cell that fired is at {} ({})", number::short(begins, 3), axes.x),
            };
            let last = rates.last().copied().unwrap_or_default();
            Some(format!("{first}, the last one fired at {}. Your curve is {} away on average.", whole(last), whole(off)))
        }
    };
    view! {
        <div class="prediction told" data-prediction=move || measured.read().as_ref().map(|_| "told")>
            <svg class="curve" viewBox=format!("0 0 {} {}", SIZE[0], SIZE[1]) role="img" aria-label="Your curve, dashed, and the measured one">
                <Frame axes=axes />
                <path class="drawn" d=outline />
                <path class="measured" d=move || measured.read().as_ref().map(|rates| path(rates, most)) />
            </svg>
            <Show when=move || measured.read().is_some()>
                <p class="key">
                    <span class="drawn">{studio.say("yours")}</span>
                    <span class="measured">{studio.say("measured")}</span>
                </p>
            </Show>
            <p class="verdict" role="status">{words}</p>
        </div>
    }
}

/// A rate without digits that a short run does not have.
fn whole(rate: f64) -> String {
    number::quantity(rate.round(), "Hz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_draws_what_is_under_it_and_leaves_no_point_out() {
        let axes = Axes { of: String::new(), x: String::new(), range: [0.0, 390.0], y: String::new(), most: 100.0, points: 5 };
        let of = |across: f64, up: f64| {
            let [x, y] = place(across, up);
            under(x / SIZE[0], y / SIZE[1], &axes)
        };
        assert_eq!((of(0.0, 0.0), of(0.5, 0.25), of(1.0, 1.0)), ((0, 0.0), (2, 25.0), (4, 100.0)));
        // Beside the area: its border.
        assert_eq!((under(-1.0, 9.0, &axes), under(9.0, -1.0, &axes)), ((0, 0.0), (4, 100.0)));
        let mut values = [0.0; 5];
        draw(&mut values, None, 0, 10.0);
        draw(&mut values, Some(0), 4, 50.0);
        assert_eq!(values, [10.0, 20.0, 30.0, 40.0, 50.0]);
        draw(&mut values, Some(4), 2, 0.0);
        assert_eq!(values, [10.0, 20.0, 0.0, 25.0, 50.0]);
        assert_eq!(path(&[0.0, 200.0], 100.0), "M40.0 150.0L306.0 10.0");
    }
}
