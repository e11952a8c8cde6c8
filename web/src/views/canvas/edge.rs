//! An edge: its curve and its head. Keys reach it from its nodes.

use leptos::prelude::*;

use super::state::CanvasState;
use crate::canvas::{graph::Edge, scene::Hit};

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
    let path = move || drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.curve.path()).unwrap_or_default());
    view! {
        <g
            class="edge"
            class:selected=is_selected
            class:lit=move || state.is_lit(edge)
            class:dashed=is(|of| of.is_probabilistic)
            data-edge=name
            data-at=edge.to_string()
            role="button"
            tabindex=move || if state.edge.get() == Some(edge) { "0" } else { "-1" }
            aria-label=move || state.edge_words(edge)
            aria-pressed=move || is_selected().to_string()
            data-sign=move || of.with(|of| of.as_ref().map_or("", |of| of.sign.word()))
            on:focus=move |_| state.focused_edge(Some(edge))
            on:blur=move |_| state.focused_edge(None)
            // A screen reader presses it without a pointer.
            on:click=move |event| {
                if event.detail() == 0 {
                    state.choose(Hit::Edge(edge));
                }
            }
        >
            <path class="halo" d=path />
            <path
                class="line"
                d=path
                stroke-width=move || drawn.with(|drawn| drawn.as_ref().map_or(1.0, |drawn| drawn.width)).to_string()
            />
            <path class="head" d=move || drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.head.clone()).unwrap_or_default()) />
        </g>
    }
}
