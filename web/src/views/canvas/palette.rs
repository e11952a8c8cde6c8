//! The shapes that can be added, and the controls of the view.

use leptos::prelude::*;

use super::state::CanvasState;
use crate::canvas::notation::Shape;

/// The shapes: each is dragged onto the diagram, or clicked and then put there by another click.
#[component]
pub(super) fn Palette() -> impl IntoView {
    let state = expect_context::<CanvasState>();
    let button = move |shape: Shape| {
        let name = format!(
            "Add a{} {}",
            if shape.name().starts_with('e') || shape.name().starts_with('i') { "n" } else { "" },
            shape.name()
        );
        view! {
            <button
                class="shape"
                data-shape=shape.word()
                data-testid=format!("add-{}", shape.word())
                title=format!("{name}: drag it onto the diagram, or click here and then there")
                aria-label=name.clone()
                aria-pressed=move || (state.tool.get() == Some(shape)).to_string()
                on:pointerdown=move |event| {
                    // A finger would hold the pointer on the button.
                    let target = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
                    if let Some(target) = target {
                        target.release_pointer_capture(event.pointer_id()).ok();
                    }
                    state.carried.set(Some(shape));
                }
                on:click=move |event| state.take(shape, event.detail() == 0)
            >
                <svg viewBox="-12 -12 24 24" aria-hidden="true">
                    <path d=shape.outline(8.5) />
                </svg>
            </button>
        }
    };
    view! {
        <div class="palette" role="group" aria-label="Add">
            {Shape::ALL.map(button)}
        </div>
    }
}

/// Smaller, larger, all of it; and placed again.
#[component]
pub(super) fn Zoom() -> impl IntoView {
    let state = expect_context::<CanvasState>();
    let icon = |path: &'static str| {
        view! {
            <svg viewBox="0 0 16 16" aria-hidden="true" class="stroked">
                <path d=path />
            </svg>
        }
    };
    view! {
        <div class="zoom" role="group" aria-label="View of the diagram">
            <button class="icon" id="canvas-arrange" aria-label="Arrange automatically" title="Arrange automatically" on:click=move |_| state.rearrange()>
                {icon("M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z")}
            </button>
            <button class="icon" id="canvas-out" aria-label="Zoom out" title="Zoom out (−)" on:click=move |_| state.zoom_in_place(0.8)>
                {icon("M3.5 8h9")}
            </button>
            <button class="icon" id="canvas-in" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| state.zoom_in_place(1.25)>
                {icon("M3.5 8h9M8 3.5v9")}
            </button>
            <button class="icon" id="canvas-fit" aria-label="Show all" title="Show all (0)" on:click=move |_| state.fit()>
                {icon("M2.5 6v-3.5h3.5M10 2.5h3.5v3.5M13.5 10v3.5h-3.5M6 13.5h-3.5v-3.5")}
            </button>
        </div>
    }
}
