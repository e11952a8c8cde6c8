//! The geometry of a diagram on the screen, in pixels: outlines, curves, and what lies at a point.

use std::collections::BTreeMap;

use super::arrangement::Arrangement;
use super::geometry::{Curve, Point, Rect};
use super::graph::Graph;
use super::notation;

/// Half the height of a node at scale 1.
const RADIUS: f64 = 19.0;
/// Space around the nodes of a fitted view: their labels and loops need it.
const MARGIN: Point = Point::new(60.0, 44.0);
/// A pointer hits an edge within this distance.
const REACH: f64 = 7.0;
/// Half the width of what a finger must hit.
const TOUCH: f64 = 12.0;

/// The mapping from the positions of nodes to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewport {
    pub(crate) scale: f64,
    /// The pixel of position (0, 0).
    pub(crate) origin: Point,
}

impl Viewport {
    /// Shows all positions in an area of this size.
    pub(crate) fn fit(points: &[Point], size: Point) -> Viewport {
        let Some(extent) = Rect::around(points.iter().copied()) else { return Viewport { scale: 1.0, origin: size * 0.5 } };
        let room = |room: f64, margin: f64, needed: f64| (room - 2.0 * margin).max(1.0) / needed.max(1.0);
        let scale = room(size.x, MARGIN.x, extent.width()).min(room(size.y, MARGIN.y, extent.height()));
        let scale = scale.clamp(0.2, 1.2);
        // Labels are below the nodes, loops above.
        Viewport { scale, origin: size * 0.5 - extent.centre() * scale }
    }

    /// Enlarged by a factor around a pixel, within limits.
    pub(crate) fn zoomed(self, factor: f64, around: Point) -> Viewport {
        let scale = (self.scale * factor).clamp(0.1, 4.0);
        Viewport { scale, origin: around - (around - self.origin) * (scale / self.scale) }
    }

    /// Moved by pixels.
    pub(crate) fn moved(self, by: Point) -> Viewport {
        Viewport { origin: self.origin + by, ..self }
    }

    /// The pixel of a position.
    pub(crate) fn pixel(self, position: Point) -> Point {
        position * self.scale + self.origin
    }

    /// The position of a pixel.
    pub(crate) fn position(self, pixel: Point) -> Point {
        (pixel - self.origin) * (1.0 / self.scale)
    }
}

/// A diagram on the screen.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scene {
    /// In the order of the graph.
    pub(crate) nodes: Vec<SceneNode>,
    /// In the order of the graph.
    pub(crate) edges: Vec<SceneEdge>,
    pub(crate) frames: Vec<Frame>,
    /// The radius of nodes.
    pub(crate) radius: f64,
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneNode {
    pub(crate) at: Point,
    /// Whether it has a recorder beside it.
    pub(crate) is_recorded: bool,
    /// On which side the recorder is: 1 for the right, -1 for the left.
    side: f64,
    /// The space for its label, to the nodes beside it.
    pub(crate) room: f64,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SceneEdge {
    pub(crate) curve: Curve,
    /// The path of its head.
    pub(crate) head: String,
    pub(crate) width: f64,
}

/// The frame of a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    pub(crate) label: String,
    /// The indices of its nodes.
    pub(crate) nodes: Vec<usize>,
    pub(crate) rect: Rect,
}

/// What lies at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hit {
    /// The handle of a node, where a connection begins.
    Handle(usize),
    Node(usize),
    /// The recorder of a node.
    Recorder(usize),
    Edge(usize),
    /// The label of a frame.
    Frame(usize),
    Ground,
}

impl Scene {
    /// A graph with its nodes at these positions.
    pub(crate) fn of(graph: &Graph, arrangement: &Arrangement, points: &[Point], view: Viewport) -> Scene {
        let radius = RADIUS * view.scale.clamp(0.72, 1.6);
        let at: Vec<Point> = points.iter().map(|point| view.pixel(*point)).collect();
        let nodes = graph.nodes.iter().enumerate().map(|(node, of)| {
            // Away from those it is connected with.
            let others = graph.edges.iter().flat_map(|edge| match (edge.from == node, edge.to == node) {
                (true, _) => Some(edge.to),
                (_, true) => Some(edge.from),
                _ => None,
            });
            let pull: f64 = others.map(|other| at[other].x - at[node].x).sum();
            let beside = at.iter().enumerate().filter(|(other, place)| *other != node && (place.y - at[node].y).abs() < 30.0);
            let room = beside.map(|(_, place)| (place.x - at[node].x).abs()).fold(f64::INFINITY, f64::min);
            SceneNode { at: at[node], is_recorded: !of.recorded.is_empty(), side: if pull > 0.0 { -1.0 } else { 1.0 }, room }
        });
        let nodes = nodes.collect();
        let frame = |group: &super::arrangement::Group| {
            let nodes: Vec<usize> = group.members.iter().filter_map(|member| graph.node(member)).collect();
            let rect = Rect::around(nodes.iter().map(|node| at[*node]))?.grown(radius + 26.0);
            Some(Frame { label: group.label.clone(), nodes, rect })
        };
        let frames = arrangement.groups().iter().filter_map(frame).collect();
        Scene { nodes, edges: edges(graph, &at, radius), frames, radius }
    }

    /// Where the handle of a node is.
    pub(crate) fn handle(&self, node: usize) -> Point {
        let offset = (self.radius + 9.0) * std::f64::consts::FRAC_1_SQRT_2;
        self.nodes.get(node).map_or(Point::default(), |node| node.at + Point::new(offset, -offset))
    }

    /// Where the recorder of a node is.
    pub(crate) fn recorder(&self, node: usize) -> Point {
        let offset = |side: f64| Point::new(side * (self.radius + 15.0), self.radius * 0.85);
        self.nodes.get(node).map_or(Point::default(), |node| node.at + offset(node.side))
    }

    /// What lies at a pixel; `armed` is the node that shows its handle.
    pub(crate) fn hit(&self, at: Point, armed: Option<usize>) -> Hit {
        if let Some(node) = armed.filter(|node| *node < self.nodes.len() && self.handle(*node).distance(at) <= TOUCH) {
            return Hit::Handle(node);
        }
        let nearest = |distances: &mut dyn Iterator<Item = (usize, f64)>, reach: f64| {
            let near = distances.filter(|(_, distance)| *distance <= reach);
            near.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at)
        };
        let nodes = &mut self.nodes.iter().map(|node| node.at.distance(at)).enumerate();
        if let Some(node) = nearest(nodes, (self.radius + 3.0).max(TOUCH)) {
            return Hit::Node(node);
        }
        let recorders = self.nodes.iter().enumerate().filter(|(_, node)| node.is_recorded);
        let recorders = &mut recorders.map(|(node, _)| (node, self.recorder(node).distance(at)));
        if let Some(node) = nearest(recorders, TOUCH) {
            return Hit::Recorder(node);
        }
        let edges = &mut self.edges.iter().map(|edge| edge.curve.distance(at)).enumerate();
        if let Some(edge) = nearest(edges, REACH) {
            return Hit::Edge(edge);
        }
        let is_label =
            |frame: &Frame| Rect::between(frame.rect.min, Point::new(frame.rect.max.x, frame.rect.min.y + 24.0)).contains(at);
        self.frames.iter().position(is_label).map_or(Hit::Ground, Hit::Frame)
    }

    /// The nodes in a rectangle.
    pub(crate) fn within(&self, rect: Rect) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| rect.contains(self.nodes[*node].at)).collect()
    }
}

/// The curves. Edges between the same two nodes lie beside each other; an edge bends around nodes on its way.
fn edges(graph: &Graph, at: &[Point], radius: f64) -> Vec<SceneEdge> {
    let mut lanes: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (edge, of) in graph.edges.iter().enumerate() {
        lanes.entry((of.from, of.to)).or_default().push(edge);
    }
    let centre = Rect::around(at.iter().copied()).map_or(Point::default(), Rect::centre);
    let curve = |edge: usize| {
        let of = &graph.edges[edge];
        let (from, to) = (of.from, of.to);
        let same = &lanes[&(from, to)];
        let lane = same.iter().position(|other| *other == edge).unwrap_or(0) as f64;
        let width = notation::width(of.relative);
        let head = notation::head_length(of.sign, width);
        let curve = if from == to {
            own_loop(graph, at, from, centre, (radius, head), lane)
        } else {
            let is_mutual = lanes.contains_key(&(to, from));
            let bend = bend(at, (from, to), radius, same.len(), lane, is_mutual);
            let control = (at[from] + at[to]) * 0.5 + (at[to] - at[from]).unit().turned() * (2.0 * bend);
            let border = |node: usize| {
                let direction = (control - at[node]).unit();
                (at[node], direction, graph.nodes[node].shape.reach(direction, radius) + 3.0)
            };
            let ((start, out, gap), (end, back, end_gap)) = (border(from), border(to));
            Curve::quadratic(start + out * gap, control, end + back * (end_gap + head))
        };
        let direction = curve.end_direction();
        let tip = curve.0[3] + direction * head;
        SceneEdge { curve, head: notation::head(of.sign, tip, direction, width), width }
    };
    (0..graph.edges.len()).map(curve).collect()
}

/// How far the middle of an edge lies beside the straight line, to the right of its direction: as little as possible without touching
/// other nodes.
fn bend(at: &[Point], (from, to): (usize, usize), radius: f64, count: usize, lane: f64, is_mutual: bool) -> f64 {
    const STEP: f64 = 15.0;
    let base = if is_mutual { 9.0 + STEP * lane } else { STEP * (lane - (count - 1) as f64 / 2.0) };
    let others: Vec<Point> = (0..at.len()).filter(|node| *node != from && *node != to).map(|node| at[node]).collect();
    let is_clear = |bend: f64| {
        let control = (at[from] + at[to]) * 0.5 + (at[to] - at[from]).unit().turned() * (2.0 * bend);
        let curve = Curve::quadratic(at[from], control, at[to]);
        others.iter().all(|other| curve.distance(*other) > radius + 6.0)
    };
    let further = [0.0, 18.0, 32.0, 46.0, 62.0, 80.0, 100.0];
    let candidates = further.iter().flat_map(|more| {
        let other_side = if is_mutual { base + more } else { base - more };
        [base + more, other_side]
    });
    candidates.into_iter().find(|bend| is_clear(*bend)).unwrap_or(base)
}

/// A loop on the side of a node that is away from its neighbours.
fn own_loop(graph: &Graph, at: &[Point], node: usize, centre: Point, (radius, head): (f64, f64), lane: f64) -> Curve {
    let own = at[node];
    let neighbours = graph.edges.iter().filter_map(|edge| match (edge.from == node, edge.to == node) {
        (true, false) => Some(edge.to),
        (false, true) => Some(edge.from),
        _ => None,
    });
    let mut away = neighbours.fold(Point::default(), |sum, other| sum + (own - at[other]).unit());
    if away.length() < 0.2 {
        away = own - centre;
    }
    // Labels and recorders are below.
    let up = Point::new(0.0, -1.0);
    let away = if away.length() < 0.2 { up } else { away.unit() };
    let direction = if away.y > 0.35 { Point::new(away.x * 0.6, -0.8).unit() } else { (away + up * 0.55).unit() };
    let size = 2.0 * radius + 4.0 + 12.0 * lane;
    let side = direction.turned() * (size * 0.52);
    let [leaves, returns] = [0.5, -0.5].map(|turn: f64| {
        let (sin, cos) = turn.sin_cos();
        Point::new(direction.x * cos - direction.y * sin, direction.x * sin + direction.y * cos)
    });
    let shape = graph.nodes[node].shape;
    let start = own + leaves * (shape.reach(leaves, radius) + 3.0);
    let end = own + returns * (shape.reach(returns, radius) + 3.0 + head);
    Curve([start, own + direction * (size * 1.25) + side, own + direction * (size * 1.35) - side, end])
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::super::automatic;
    use super::*;

    const SIZE: Point = Point::new(460.0, 320.0);

    fn scene(name: &str) -> (Graph, Scene) {
        let entry = catalogue::entry(name).expect(name);
        let graph = Graph::of(&entry.network(entry.small).expect(name));
        let arrangement = Arrangement::default();
        let points = automatic::positions(&graph, &arrangement);
        let scene = Scene::of(&graph, &arrangement, &points, Viewport::fit(&points, SIZE));
        (graph, scene)
    }

    #[test]
    fn a_fitted_view_shows_all_nodes() {
        for entry in catalogue::entries() {
            let (graph, scene) = scene(entry.name);
            let area = Rect { min: Point::default(), max: SIZE };
            for (node, of) in scene.nodes.iter().zip(&graph.nodes) {
                assert!(area.contains(node.at), "{}: {} is at {:?}", entry.name, of.name, node.at);
            }
        }
    }

    #[test]
    fn what_is_drawn_is_hit() {
        let (_, scene) = scene("pd14");
        for at in 0..scene.nodes.len() {
            assert_eq!(scene.hit(scene.nodes[at].at, None), Hit::Node(at));
            assert_eq!(scene.hit(scene.handle(at), Some(at)), Hit::Handle(at));
        }
        let (_, scene) = self::scene("cuba");
        for (at, edge) in scene.edges.iter().enumerate() {
            assert_eq!(scene.hit(edge.curve.at(0.5), None), Hit::Edge(at));
        }
        assert_eq!(scene.hit(Point::new(2.0, 2.0), None), Hit::Ground);
    }

    #[test]
    fn edges_between_the_same_nodes_lie_apart() {
        for name in ["cuba", "stdp_cuba", "ping"] {
            let Ok(entry) = catalogue::entry(name) else { continue };
            let (_, scene) = scene(entry.name);
            for (at, edge) in scene.edges.iter().enumerate() {
                for other in &scene.edges[..at] {
                    let distance = edge.curve.at(0.5).distance(other.curve.at(0.5));
                    assert!(distance > 10.0, "{name}: two edges are {distance} pixels apart");
                }
            }
        }
    }

    #[test]
    fn zooming_keeps_the_pixel_under_the_pointer() {
        let view = Viewport { scale: 0.8, origin: Point::new(30.0, -20.0) };
        let pixel = Point::new(200.0, 100.0);
        let zoomed = view.zoomed(1.5, pixel);
        assert!(zoomed.pixel(view.position(pixel)).distance(pixel) < 1e-9);
        assert_eq!(zoomed.scale, 0.8 * 1.5);
        assert_eq!(view.zoomed(1e9, pixel).scale, 4.0);
    }

    #[test]
    fn a_band_holds_nodes_and_a_group_has_a_frame() {
        let (graph, scene) = scene("cuba");
        let everything = Rect { min: Point::default(), max: SIZE };
        assert_eq!(scene.within(everything), [0, 1]);
        assert_eq!(scene.within(Rect::between(scene.nodes[0].at, Point::default())), [0]);
        let mut arrangement = Arrangement::default();
        arrangement.group(vec!["E".into(), "I".into()]);
        let points = automatic::positions(&graph, &arrangement);
        let framed = Scene::of(&graph, &arrangement, &points, Viewport::fit(&points, SIZE));
        let [frame] = framed.frames.as_slice() else { panic!("{:?}", framed.frames) };
        assert!(framed.nodes.iter().all(|node| frame.rect.contains(node.at)));
        assert_eq!(framed.hit(frame.rect.min + Point::new(4.0, 4.0), None), Hit::Frame(0));
    }
}
