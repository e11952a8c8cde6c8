//! A node: its shape, label, recorder, and the handle where connections begin.

use leptos::prelude::*;

use super::{End, state::CanvasState};
use crate::canvas::{geometry::Point, graph::Node, notation::Shape, scene::Hit};
use crate::number;

/// Width of a letter of labels, in pixels.
pub(super) const LETTER: f64 = 7.0;

/// A population or source.
#[component]
pub(super) fn NodeView(node: usize) -> impl IntoView {
    let state = expect_context::<CanvasState>();
    let of = Memo::new(move |_| state.graph.with(|graph| graph.nodes.get(node).cloned()));
    let look = move |what: fn(&Node) -> String| move || of.with(|of| of.as_ref().map(what).unwrap_or_default());
    let at = Memo::new(move |_| state.scene.with(|scene| scene.nodes.get(node).map_or(Point::default(), |node| node.at)));
    let radius = Memo::new(move |_| state.scene.with(|scene| scene.radius));
    let outline = move |by: f64| of.with(|of| of.as_ref().map_or_else(String::new, |of| of.shape.outline(radius.get() + by)));
    let inner = move || if of.with(|of| of.as_ref().is_some_and(|of| of.is_many)) { outline(-4.0) } else { String::new() };
    let is_selected = Memo::new(move |_| of.with(|of| of.as_ref().is_some_and(|of| state.is_selected(of.object))));
    let is_focus = Memo::new(move |_| state.focus.get() == node && state.edge.get().is_none());
    let is_target =
        Memo::new(move |_| state.stretch.with(|stretch| stretch.is_some_and(|stretch| stretch.to == End::Node(node))));
    let shows_handle = Memo::new(move |_| state.armed().contains(&node));
    let room = Memo::new(move |_| state.scene.with(|scene| scene.nodes.get(node).map_or(f64::INFINITY, |node| node.room)));
    let label = Memo::new(move |_| of.with(|of| of.as_ref().map(|of| label(of, room.get())).unwrap_or_default()));
    let recorded = Memo::new(move |_| of.with(|of| of.as_ref().map(|of| of.recorded.clone()).unwrap_or_default()));
    let offset = move |point: Point| {
        let at = at.get();
        format!("translate({:.1} {:.1})", point.x - at.x, point.y - at.y)
    };
    let transform = move || {
        let at = at.get();
        format!("translate({:.1} {:.1})", at.x, at.y)
    };
    view! {
        <g
            class="node"
            class:selected=move || is_selected.get()
            class:target=move || is_target.get()
            class:hot=move || shows_handle.get()
            data-node=look(|of| of.name.clone())
            data-shape=look(|of| of.shape.word().to_owned())
            data-at=node.to_string()
            role="button"
            tabindex=move || if is_focus.get() { "0" } else { "-1" }
            aria-label=move || state.graph.with(|graph| graph.words(node))
            aria-pressed=move || is_selected.get().to_string()
            style=look(|of| format!("--accent: var({})", of.colour))
            transform=transform
            on:focus=move |_| state.focused(Some(node))
            on:blur=move |_| state.focused(None)
            // A screen reader presses it without a pointer.
            on:click=move |event| {
                if event.detail() == 0 {
                    state.choose(Hit::Node(node));
                }
            }
        >
            <path class="halo" d=move || outline(6.0) />
            <path class="outline" d=move || outline(0.0) />
            <path class="inner" d=inner />
            <g class="handle" transform=move || offset(state.scene.with(|scene| scene.handle(node)))>
                <circle r="6.5" />
                <path d="M-3 0H3M0.5 -2.5L3 0L0.5 2.5" />
            </g>
        </g>
        // Beside the button, whose label has all of it in words.
        <g class="label" aria-hidden="true" style=look(|of| format!("--accent: var({})", of.colour)) transform=transform>
            <Show when=move || !recorded.read().is_empty()>
                <g class="recorder" transform=move || offset(state.scene.with(|scene| scene.recorder(node)))>
                    <path class="outline" d=Shape::Recorder.outline(8.0) />
                    <text y="3.5">{move || recorded_words(&recorded.read())}</text>
                </g>
            </Show>
            <text y=move || (radius.get() + 15.0).to_string()>
                <tspan class="name">{move || label.read().0.clone()}</tspan>
                <tspan class="size" dx="5">
                    {move || label.read().1.clone()}
                </tspan>
            </text>
        </g>
    }
}

pub(super) fn recorded_words(variables: &[String]) -> String {
    match variables {
        [one] if one.chars().count() <= 2 => one.clone(),
        _ => variables.len().to_string(),
    }
}

/// The name and the size as far as there is room; both are shown in full below the diagram.
pub(super) fn label(node: &Node, room: f64) -> (String, String) {
    let letters = if room.is_finite() { (room / LETTER) as usize } else { usize::MAX };
    let size = number::large(f64::from(node.size));
    let length = node.name.chars().count();
    // A source without neurons has processes for each neuron of its targets.
    let has_size = node.has_neurons && length + size.chars().count() < letters;
    let name = if length <= letters {
        node.name.clone()
    } else {
        node.name.chars().take(letters.saturating_sub(1).max(1)).chain(['…']).collect()
    };
    (name, if has_size { size } else { String::new() })
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;
    use crate::canvas::graph::Graph;

    #[test]
    fn labels_fit_between_nodes() {
        let graph = Graph::of(&catalogue::network("pd14", 0.02).expect("pd14"));
        let find = |name: &str| &graph.nodes[graph.node(name).expect(name)];
        assert_eq!(label(find("L23E"), f64::INFINITY), ("L23E".into(), "414".into()));
        assert_eq!(label(find("L23E"), 40.0), ("L23E".into(), String::new()));
        assert_eq!(label(find("L23E_background"), 80.0), ("L23E_backg…".into(), String::new()));
        assert_eq!(label(find("L23E_background"), 1.0).0, "L…");
    }
}
