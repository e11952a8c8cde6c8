//! The diagram on paper: as automatic or arranged as on the page, without handles, and in its natural size.

use leptos::prelude::*;

use super::node::{LETTER, label, recorded_words};
use crate::canvas::{
    arrangement::Arrangement,
    automatic,
    geometry::{Point, Rect},
    graph::Graph,
    notation::Shape,
    scene::{Scene, Viewport},
};

/// Space around nodes for their labels and recorders, in pixels.
const MARGIN: f64 = 44.0;

/// A network as a figure with the meaning of its shapes.
pub(in crate::views) fn printed_diagram(graph: &Graph, arrangement: &Arrangement) -> Option<impl IntoView + use<>> {
    let points = automatic::positions(graph, arrangement);
    let scene = Scene::of(graph, arrangement, &points, Viewport { scale: 1.0, origin: Point::default() });
    let labels: Vec<_> = graph.nodes.iter().zip(&scene.nodes).map(|(node, drawn)| label(node, drawn.room)).collect();
    let area = area(&scene, &labels)?;
    let words: Vec<String> = (0..graph.nodes.len()).map(|node| graph.words(node)).collect();
    let edges = graph.edges.iter().zip(&scene.edges).map(|(edge, drawn)| {
        view! {
            <g class="edge" class:dashed=edge.is_probabilistic data-sign=edge.sign.word()>
                <path class="line" d=drawn.curve.path() stroke-width=drawn.width.to_string() />
                <path class="head" d=drawn.head.clone() />
            </g>
        }
    });
    let edges = edges.collect_view();
    let nodes = graph.nodes.iter().zip(&scene.nodes).zip(labels).enumerate().map(|(at, ((node, drawn), (name, size)))| {
        let recorder = scene.recorder(at) - drawn.at;
        view! {
            <g
                class="node"
                style=format!("--accent: var({})", node.colour)
                transform=format!("translate({:.1} {:.1})", drawn.at.x, drawn.at.y)
            >
                <path class="outline" d=node.shape.outline(scene.radius) />
                {node.is_many.then(|| view! { <path class="inner" d=node.shape.outline(scene.radius - 4.0) /> })}
                <g class="label">
                    {drawn
                        .is_recorded
                        .then(|| {
                            view! {
                                <g class="recorder" transform=format!("translate({:.1} {:.1})", recorder.x, recorder.y)>
                                    <path class="outline" d=Shape::Recorder.outline(8.0) />
                                    <text y="3.5">{recorded_words(&node.recorded)}</text>
                                </g>
                            }
                        })}
                    <text y=(scene.radius + 15.0).to_string()>
                        <tspan class="name">{name}</tspan>
                        <tspan class="size" dx="5">
                            {size}
                        </tspan>
                    </text>
                </g>
            </g>
        }
    });
    let nodes = nodes.collect_view();
    let view_box = format!("{:.0} {:.0} {:.0} {:.0}", area.min.x, area.min.y, area.width(), area.height());
    Some(view! {
        <figure class="labbook-diagram" data-testid="labbook-diagram">
            <svg
                class="drawing"
                role="img"
                aria-label=format!("Diagram: {}", words.join("; "))
                viewBox=view_box
                width=format!("{:.0}", area.width())
            >
                {scene.frames.into_iter().map(super::frame).collect_view()}
                <g class="edges">{edges}</g>
                <g class="nodes">{nodes}</g>
            </svg>
            <figcaption>
                "Triangle: excitatory population; circle: inhibitory; square: either; hexagon: source; parallelogram: recorded variables. A dashed connection is drawn at random."
            </figcaption>
        </figure>
    })
}

/// What the drawing covers; `None` if there is nothing to draw.
fn area(scene: &Scene, labels: &[(String, String)]) -> Option<Rect> {
    let nodes = scene.nodes.iter().zip(labels).flat_map(|(node, (name, size))| {
        let width = LETTER * (name.chars().count() + size.chars().count() + 2) as f64;
        let beside = Point::new((width / 2.0).max(MARGIN), MARGIN);
        [node.at - beside, node.at + beside]
    });
    let edges = scene.edges.iter().flat_map(|edge| (0..=8).map(|part| edge.curve.at(f64::from(part) / 8.0)));
    let frames = scene.frames.iter().flat_map(|frame| [frame.rect.min, frame.rect.max]);
    Some(Rect::around(nodes.chain(edges).chain(frames))?.grown(6.0))
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    #[test]
    fn every_network_of_the_catalogue_has_an_area_around_its_nodes() {
        for entry in catalogue::entries() {
            let graph = Graph::of(&entry.network(entry.small).expect(entry.name));
            let arrangement = Arrangement::default();
            let points = automatic::positions(&graph, &arrangement);
            let scene = Scene::of(&graph, &arrangement, &points, Viewport { scale: 1.0, origin: Point::default() });
            let labels: Vec<_> = graph.nodes.iter().zip(&scene.nodes).map(|(node, drawn)| label(node, drawn.room)).collect();
            let area = area(&scene, &labels).expect(entry.name);
            assert!(scene.nodes.iter().all(|node| area.contains(node.at)), "{}", entry.name);
            assert!(scene.edges.iter().all(|edge| area.contains(edge.curve.at(0.5))), "{}", entry.name);
        }
        assert_eq!(area(&Scene::default(), &[]), None);
    }
}
