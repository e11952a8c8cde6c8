//! The state of the diagram in the page. It turns actions of the pointer and commands of keys into edits.

mod edits;
mod keyboard;
mod pointing;

use leptos::prelude::*;

use crate::{
    canvas::{
        arrangement::Arrangement,
        automatic,
        geometry::{Point, Rect},
        graph::{Graph, too_large as why_too_large},
        notation::Shape,
        pointer::Pointer,
        scene::{Frame, Hit, Scene, Viewport},
    },
    equations::{EDITED, Equations},
    network::Object,
    studio::Studio,
};

/// The end of a connection that is being drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// The pointer.
    Pixel(Point),
    /// The node selected by keys.
    Node(usize),
}

/// A connection that is being drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PendingEdge {
    pub(super) from: usize,
    pub(super) to: End,
}

/// A press of the pointer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Press {
    pub(super) at: Point,
    pub(super) shift: bool,
    pub(super) middle: bool,
}

/// The handle shared by the parts of the diagram.
#[derive(Clone, Copy)]
pub(in crate::views) struct CanvasState {
    studio: Studio,
    pub(super) graph: Memo<Graph>,
    /// Why there is no diagram.
    pub(super) too_large: Memo<Option<String>>,
    points: Memo<Vec<Point>>,
    pub(super) scene: Memo<Scene>,
    pub(super) size: RwSignal<Point>,
    /// `None` fits the network.
    view: RwSignal<Option<Viewport>>,
    /// The selected objects.
    pub(in crate::views) selected: RwSignal<Vec<Object>>,
    /// The node that the tabulator key reaches.
    pub(super) focus: RwSignal<usize>,
    /// The edge that the tabulator key reaches instead.
    pub(super) edge: RwSignal<Option<usize>>,
    /// Whether that node or edge has the focus.
    has_focus: RwSignal<bool>,
    hover: RwSignal<Option<Hit>>,
    /// How far the selected nodes are dragged, in pixels.
    dragged: RwSignal<Point>,
    band: RwSignal<Option<Rect>>,
    pub(super) stretch: RwSignal<Option<PendingEdge>>,
    /// The shape that the next click adds.
    pub(super) tool: RwSignal<Option<Shape>>,
    /// The shape that is dragged from the palette.
    pub(super) carried: RwSignal<Option<Shape>>,
    ghost: RwSignal<Option<Point>>,
    /// What was done last, or why it was not.
    said: RwSignal<String>,
    pointer: StoredValue<Pointer>,
}

impl CanvasState {
    pub(in crate::views) fn new(studio: Studio) -> CanvasState {
        let graph = Memo::new(move |_| {
            studio.equations.with(|equations| equations.candidate().as_ref().map(Graph::of)).unwrap_or_default()
        });
        let too_large =
            Memo::new(move |_| studio.equations.with(|equations| equations.candidate().as_ref().and_then(why_too_large)));
        let arrangement = Memo::new(move |_| studio.equations.with(|equations| equations.arrangement.clone()));
        let points =
            Memo::new(move |_| graph.with(|graph| arrangement.with(|arrangement| automatic::positions(graph, arrangement))));
        let size = RwSignal::new(Point::default());
        let view = RwSignal::new(None::<Viewport>);
        let selected = RwSignal::new(Vec::<Object>::new());
        let dragged = RwSignal::new(Point::default());
        let scene = Memo::new(move |_| {
            let mut points = points.get();
            let view = view.get().unwrap_or_else(|| Viewport::fit(&points, size.get()));
            let by = dragged.get() * (1.0 / view.scale);
            graph.with(|graph| {
                if by != Point::default() {
                    let moved =
                        selected.with(|selected| selected.iter().filter_map(|object| graph.node_of(*object)).collect::<Vec<_>>());
                    moved.into_iter().for_each(|node| points[node] = points[node] + by);
                }
                arrangement.with(|arrangement| Scene::of(graph, arrangement, &points, view))
            })
        });
        let state = CanvasState {
            studio,
            graph,
            too_large,
            points,
            scene,
            size,
            view,
            selected,
            focus: RwSignal::new(0),
            edge: RwSignal::new(None),
            has_focus: RwSignal::new(false),
            hover: RwSignal::new(None),
            dragged,
            band: RwSignal::new(None),
            stretch: RwSignal::new(None),
            tool: RwSignal::new(None),
            carried: RwSignal::new(None),
            ghost: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            pointer: StoredValue::new(Pointer::Free),
        };
        state.follow();
        state
    }

    /// Follows the inspector, which lists open as well, and other networks.
    fn follow(self) {
        let studio = self.studio;
        Effect::new(move |_| {
            let form = studio.form.get();
            let selected = self.selected.get_untracked();
            match form {
                Some(object) if selected != [object] => self.selected.set(vec![object]),
                None if selected.len() == 1 => self.selected.set(Vec::new()),
                _ => {}
            }
        });
        let id = super::super::of_current(|current| current.opened.network.name.trim_end_matches(EDITED).to_owned());
        Effect::new(move |before: Option<Option<String>>| {
            let id = id.get();
            if before.as_ref().is_some_and(|before| *before != id) {
                self.view.set(None);
                self.focus.set(0);
                self.edge.set(None);
                self.said.set(String::new());
            }
            id
        });
        // What has the focus may be gone.
        Effect::new(move |_| {
            let count = self.graph.with(|graph| graph.edges.len());
            if self.edge.get_untracked().is_some_and(|edge| edge >= count) {
                self.edge.set(None);
            }
        });
        // What was added out of sight is shown.
        Effect::new(move |before: Option<usize>| {
            let count = self.graph.with(|graph| graph.nodes.len());
            if before.is_some_and(|before| count > before) && self.view.with_untracked(Option::is_some) {
                let area = Rect { min: Point::default(), max: self.size.get_untracked() };
                if self.scene.with_untracked(|scene| scene.nodes.iter().any(|node| !area.contains(node.at))) {
                    self.view.set(None);
                }
            }
            self.focus.update(|focus| *focus = (*focus).min(count.saturating_sub(1)));
            count
        });
    }

    // What is shown

    pub(super) fn name_of(self, object: Object) -> String {
        let name = |equations: &Equations| Some(object.name(equations.network()?)?.to_owned());
        self.studio.equations.with(name).unwrap_or_default()
    }

    pub(super) fn is_selected(self, object: Object) -> bool {
        self.selected.with(|selected| selected.contains(&object))
    }

    pub(super) fn frames(self) -> Vec<Frame> {
        self.scene.with(|scene| scene.frames.clone())
    }

    /// The nodes that show their handles.
    pub(super) fn armed(self) -> Vec<usize> {
        let hovered = match self.hover.get() {
            Some(Hit::Node(node) | Hit::Handle(node) | Hit::Recorder(node)) => Some(node),
            _ => None,
        };
        let selected = self.selected.with(|selected| match selected.as_slice() {
            [one] => self.graph.with(|graph| graph.node_of(*one)),
            _ => None,
        });
        let focused = (self.has_focus.get() && self.edge.get().is_none()).then(|| self.focus.get());
        hovered.into_iter().chain(selected).chain(focused).collect()
    }

    /// Whether an edge is shown in full in a network with many of them.
    pub(super) fn is_lit(self, edge: usize) -> bool {
        if self.hover.get() == Some(Hit::Edge(edge)) || self.focused_edge_now() == Some(edge) {
            return true;
        }
        let ends = self.graph.with(|graph| graph.edges.get(edge).map(|edge| (edge.object, [edge.from, edge.to])));
        ends.is_some_and(|(object, ends)| self.is_selected(object) || self.armed().iter().any(|node| ends.contains(node)))
    }

    pub(super) fn adds(self) -> bool {
        self.tool.get().or(self.carried.get()).is_some()
    }

    pub(super) fn band_path(self) -> String {
        let path = |band: Rect| {
            format!("M{:.1} {:.1}h{:.1}v{:.1}h{:.1}Z", band.min.x, band.min.y, band.width(), band.height(), -band.width())
        };
        self.band.get().map(path).unwrap_or_default()
    }

    pub(super) fn ghost_place(self) -> String {
        self.ghost.get().map(|at| format!("translate({:.1} {:.1})", at.x, at.y)).unwrap_or_default()
    }

    pub(super) fn ghost_outline(self) -> String {
        let shape = self.tool.get().or(self.carried.get()).filter(|_| self.ghost.with(Option::is_some));
        shape.map(|shape| shape.outline(self.scene.with(|scene| scene.radius))).unwrap_or_default()
    }

    /// The line below the diagram.
    pub(super) fn words(self) -> String {
        let of_node = |node: usize| self.graph.with(|graph| graph.words(node));
        if let Some(PendingEdge { from, to }) = self.stretch.get() {
            let name =
                |node: usize| self.graph.with(|graph| graph.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default());
            return match to {
                End::Pixel(_) => format!("From {}: release over a population to connect", name(from)),
                End::Node(to) => {
                    format!("From {} to {}: arrow keys choose, Enter connects, Escape cancels", name(from), name(to))
                }
            };
        }
        if let Some(shape) = self.tool.get() {
            return format!("Click where the {} goes; Escape cancels", shape.name());
        }
        match self.hover.get() {
            Some(Hit::Node(node)) => return of_node(node),
            Some(Hit::Handle(node)) => return format!("Drag to a population to connect {} with it", self.node_name(node)),
            Some(Hit::Recorder(node)) => {
                let recorded = self.graph.with(|graph| graph.nodes.get(node).map(|node| node.recorded.join(", ")));
                return format!("{} of {}, recorded", recorded.unwrap_or_default(), self.node_name(node));
            }
            Some(Hit::Edge(edge)) => return self.edge_words(edge),
            Some(Hit::Frame(_) | Hit::Ground) | None => {}
        }
        if let Some(edge) = self.focused_edge_now() {
            return self.edge_words(edge);
        }
        let said = self.said.get();
        if !said.is_empty() {
            return said;
        }
        if self.graph.with(|graph| graph.nodes.is_empty()) {
            return String::new();
        }
        "Shift + drag selects several; drag a node’s arrow to connect".into()
    }

    /// An edge in words, with its name.
    pub(super) fn edge_words(self, edge: usize) -> String {
        let object = self.graph.with(|graph| graph.edges.get(edge).map(|edge| edge.object));
        let name = object.map(|object| self.name_of(object)).unwrap_or_default();
        format!("{name}, {}", self.graph.with(|graph| graph.edge_words(edge)))
    }

    fn focused_edge_now(self) -> Option<usize> {
        self.edge.get().filter(|_| self.has_focus.get())
    }

    /// The middle of an edge, as a position.
    fn middle_of(self, edge: usize) -> Option<Point> {
        let middle = self.scene.with_untracked(|scene| scene.edges.get(edge).map(|edge| edge.curve.at(0.5)))?;
        Some(self.view_now().position(middle))
    }

    fn node_name(self, node: usize) -> String {
        self.graph.with(|graph| graph.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default())
    }

    // The view

    fn view_now(self) -> Viewport {
        let fitted = || Viewport::fit(&self.points.get_untracked(), self.size.get_untracked());
        self.view.get_untracked().unwrap_or_else(fitted)
    }

    pub(super) fn fit(self) {
        self.view.set(None);
    }

    pub(super) fn zoom(self, factor: f64, around: Point) {
        self.view.set(Some(self.view_now().zoomed(factor, around)));
    }

    pub(super) fn zoom_in_place(self, factor: f64) {
        self.zoom(factor, self.size.get_untracked() * 0.5);
    }

    /// Places all nodes automatically.
    pub(super) fn rearrange(self) {
        self.studio.arrange("", Arrangement::forget_positions);
        self.view.set(None);
    }
}
