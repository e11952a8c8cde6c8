//! The diagram of the network: what is drawn, the palette, and the controls of the view.

mod edge;
mod node;
mod palette;
mod printed;
mod state;

use leptos::{ev, html, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};

use self::{
    edge::EdgeView,
    node::NodeView,
    palette::{Palette, Zoom},
    state::{End, Press},
};
pub(super) use self::{printed::printed_diagram, state::CanvasState};
use crate::canvas::{geometry::Point, keys::Modifiers};

/// The diagram.
#[component]
pub(super) fn Canvas() -> impl IntoView {
    let state = expect_context::<CanvasState>();
    let area = NodeRef::<html::Div>::new();
    observe(state, area);
    let nodes = Memo::new(move |_| state.graph.with(|graph| graph.nodes.len()));
    let edges = Memo::new(move |_| state.graph.with(|graph| graph.edges.len()));
    let at = move |event: &ev::MouseEvent| {
        let corner = area.get_untracked().map(|area| area.get_bounding_client_rect());
        let corner = corner.map_or(Point::default(), |rect| Point::new(rect.left(), rect.top()));
        Point::new(f64::from(event.client_x()), f64::from(event.client_y())) - corner
    };
    let press = move |event: ev::PointerEvent| {
        if event.button() > 1 {
            return;
        }
        let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if let Some(target) = target {
            // Without it a drag ends at the border; that is all that is lost.
            target.set_pointer_capture(event.pointer_id()).ok();
        }
        event.prevent_default();
        state.press(Press { at: at(&event), shift: event.shift_key(), middle: event.button() == 1 });
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let held = Modifiers { shift: event.shift_key(), alt: event.alt_key(), control: event.ctrl_key() || event.meta_key() };
        if state.key(&event.key(), held) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let wheel = move |event: ev::WheelEvent| {
        // Where the page scrolls, the diagram does not hold the wheel, except of a pinch, which comes as a wheel with Ctrl.
        let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(0.0);
        if width < 1200.0 && !event.ctrl_key() {
            return;
        }
        event.prevent_default();
        // Lines count as sixteen pixels.
        let lines = if event.delta_mode() == 0 { 1.0 } else { 16.0 };
        state.zoom((-event.delta_y() * lines / 400.0).clamp(-0.5, 0.5).exp(), at(&event));
    };
    // Released anywhere else, what was taken from the palette is not added.
    let released = window_event_listener(ev::pointerup, move |_| state.carried.set(None));
    on_cleanup(move || released.remove());
    view! {
        <section class="diagram" id="canvas" data-testid="canvas" aria-label="Diagram of the network">
            <div class="canvas-tools">
                <Palette />
                <Zoom />
            </div>
            <div class="canvas-area" node_ref=area>
                <svg
                    id="diagram"
                    class="drawing"
                    data-testid="diagram"
                    role="group"
                    aria-label="Diagram: arrow keys go from node to node, E to a node’s connections, Enter opens the inspector, C connects, Delete deletes"
                    tabindex="-1"
                    class:adding=move || state.adds()
                    class:connecting=move || state.stretch.with(Option::is_some)
                    class:dense=move || { edges.get() > 14 }
                    on:pointerdown=press
                    on:pointermove=move |event| state.moved(at(&event))
                    on:pointerup=move |event| state.release(at(&event))
                    on:pointercancel=move |_| state.cancel()
                    on:pointerleave=move |_| state.leave()
                    on:dblclick=move |event| state.double(at(&event))
                    on:wheel=wheel
                    on:keydown=on_key
                >
                    {move || state.frames().into_iter().map(frame).collect_view()}
                    <g class="edges">
                        <For each=move || 0..edges.get() key=|edge| *edge let(edge)>
                            <EdgeView edge />
                        </For>
                    </g>
                    <path class="stretch" d=move || stretch(state) />
                    <g class="nodes">
                        <For each=move || 0..nodes.get() key=|node| *node let(node)>
                            <NodeView node />
                        </For>
                    </g>
                    <path class="band" d=move || state.band_path() />
                    <path class="ghost" transform=move || state.ghost_place() d=move || state.ghost_outline() />
                </svg>
                <Show when=move || nodes.get() == 0>
                    <p class="canvas-empty">
                        {move || {
                            state
                                .too_large
                                .get()
                                .unwrap_or_else(|| "No neurons yet: drag a shape from above onto this area, or double-click here.".to_owned())
                        }}
                    </p>
                </Show>
            </div>
            <p class="canvas-words" data-testid="canvas-words" role="status" aria-live="polite">
                {move || state.words()}
            </p>
        </section>
    }
}

/// Follows the size of the area.
fn observe(state: CanvasState, area: NodeRef<html::Div>) {
    Effect::new(move |_| {
        let Some(area) = area.get() else { return };
        let measured = area.clone();
        let measure = Closure::<dyn FnMut()>::new(move || {
            let rect = measured.get_bounding_client_rect();
            let size = Point::new(rect.width(), rect.height());
            // While the pane is hidden it has no size.
            if size.x > 0.0 && state.size.get_untracked() != size {
                state.size.set(size);
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(measure.as_ref().unchecked_ref()) {
            observer.observe(&area);
            let kept = StoredValue::new_local((observer, measure));
            on_cleanup(move || kept.with_value(|(observer, _)| observer.disconnect()));
        }
    });
}

fn frame(frame: crate::canvas::scene::Frame) -> impl IntoView {
    let (rect, name) = (frame.rect, frame.label.clone());
    view! {
        <g class="frame-group" data-group=name>
            <rect x=rect.min.x y=rect.min.y width=rect.width() height=rect.height() rx="10" />
            <text x=rect.min.x + 10.0 y=rect.min.y + 16.0>
                {frame.label}
            </text>
        </g>
    }
}

/// The line of a connection that is being drawn.
fn stretch(state: CanvasState) -> String {
    let Some(stretch) = state.stretch.get() else { return String::new() };
    state.scene.with(|scene| {
        let from = scene.nodes.get(stretch.from).map_or(Point::default(), |node| node.at);
        let to = match stretch.to {
            End::Pixel(at) => at,
            End::Node(node) if node == stretch.from => from + Point::new(0.0, -2.2 * scene.radius),
            End::Node(node) => scene.nodes.get(node).map_or(from, |node| node.at),
        };
        format!("M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y)
    })
}
