//! An edge: its curve and its head.

use leptos::prelude::*;

use super::state::CanvasState;
use crate::canvas::graph::Edge;

/// A projection, or a target of a source.
#[component]
pub(super) fn EdgeView(edge: usize) -> impl IntoView {
    let state = expect_context::<CanvasState>();
    let of = Memo::new(move |_| state.graph.with(|graph| graph.edges.get(edge).cloned()));
    let drawn = Memo::new(move |_| state.scene.with(|scene| scene.edges.get(edge).cloned()));
    let is = move |what: fn(&Edge) -> bool| move || of.with(|of| of.as_ref().is_some_and(what));
    let is_selected = move || of.with(|of| of.as_ref().is_some_and(|of| state.is_selected(of.object)));
    let name = move || {
        let object = of.with(|of| of.as_ref().map(|of| of.object));
        object.map(|object| state.name_of(object)).unwrap_or_default()
    };
    view! {
        <g
            class="edge"
            class:selected=is_selected
            class:lit=move || state.is_lit(edge)
            class:dashed=is(|of| of.is_probabilistic)
            data-edge=name
            data-sign=move || of.with(|of| of.as_ref().map_or("", |of| of.sign.word()))
        >
            <path
                class="line"
                d=move || drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.curve.path()).unwrap_or_default())
                stroke-width=move || drawn.with(|drawn| drawn.as_ref().map_or(1.0, |drawn| drawn.width)).to_string()
            />
            <path class="head" d=move || drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.head.clone()).unwrap_or_default()) />
        </g>
    }
}
