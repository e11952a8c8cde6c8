//! Commands of keys, and the focus.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{CanvasState, End, PendingEdge};
use crate::{
    canvas::{
        keys::{self, Command, Modifiers},
        scene::Hit,
    },
    network::Object,
    studio::turn_to,
};

impl CanvasState {
    pub(in crate::views::canvas) fn focused(self, node: Option<usize>) {
        self.has_focus.set(node.is_some());
        if let Some(node) = node {
            self.focus.set(node);
            self.edge.set(None);
        }
    }

    pub(in crate::views::canvas) fn focused_edge(self, edge: Option<usize>) {
        self.has_focus.set(edge.is_some());
        if edge.is_some() {
            self.edge.set(edge);
        }
    }

    pub(super) fn turn_to_node(self, node: usize) {
        self.focus.set(node);
        self.edge.set(None);
        Self::turn_to_element(format!("#diagram .node[data-at='{node}']"));
    }

    fn turn_to_edge(self, edge: usize) {
        self.edge.set(Some(edge));
        Self::turn_to_element(format!("#diagram .edge[data-at='{edge}']"));
    }

    fn turn_to_element(css: String) {
        request_animation_frame(move || {
            let found = document().query_selector(&css).ok().flatten();
            if let Some(element) = found.and_then(|found| found.dyn_into::<web_sys::SvgElement>().ok()) {
                element.focus().ok();
            }
        });
    }

    pub(super) fn turn_to_object(self, object: Object) {
        if let Some(node) = self.graph.with_untracked(|graph| graph.node_of(object)) {
            self.turn_to_node(node);
        }
    }

    /// Does what a key does; `false` if it does nothing here.
    pub(in crate::views::canvas) fn key(self, key: &str, held: Modifiers) -> bool {
        let Some(command) = keys::command(key, held) else { return false };
        let focus = self.focus.get_untracked();
        let edge = self.edge.get_untracked();
        let hit = edge.map_or(Hit::Node(focus), Hit::Edge);
        let here = self.object_of(hit).filter(|_| self.has_focus.get_untracked());
        let stretch = self.stretch.get_untracked();
        match command {
            Command::Go(direction) => {
                let points = self.points.get_untracked();
                match stretch {
                    Some(PendingEdge { from, to: End::Node(to) }) => {
                        let to = keys::next(&points, points[to], direction).unwrap_or(to);
                        self.stretch.set(Some(PendingEdge { from, to: End::Node(to) }));
                    }
                    _ if here.is_none() => self.turn_to_node(focus),
                    _ => {
                        let start = edge.and_then(|edge| self.middle_of(edge)).unwrap_or(points[focus]);
                        // An edge without a node in that direction leads back to the node it was reached from.
                        if let Some(next) = keys::next(&points, start, direction).or(edge.map(|_| focus)) {
                            self.turn_to_node(next);
                        }
                    }
                }
            }
            Command::Edge { is_backward } => {
                if here.is_none() || stretch.is_some() {
                    return false;
                }
                match self.graph.with_untracked(|graph| graph.edge_beside(focus, edge, is_backward)) {
                    Some(next) => self.turn_to_edge(next),
                    None => self.said.set(format!("{} has no connections; C connects", self.node_name(focus))),
                }
            }
            Command::Shift(by) => {
                if let (Some(here), true) = (here, self.selected.with_untracked(Vec::is_empty)) {
                    self.select(vec![here]);
                }
                self.view.set(Some(self.view_now()));
                self.shift("move", by);
            }
            Command::Enter => match (stretch, here) {
                (Some(PendingEdge { from, to: End::Node(to) }), _) => self.connect(from, to),
                (_, Some(here)) => {
                    self.select(vec![here]);
                    turn_to("inspector-title");
                }
                _ => return false,
            },
            Command::Toggle => match here {
                Some(here) => self.toggle(here),
                None => return false,
            },
            Command::Connect => {
                if here.is_none() || edge.is_some() {
                    return false;
                }
                self.stretch.set(Some(PendingEdge { from: focus, to: End::Node(focus) }));
            }
            Command::Cancel => {
                if stretch.is_none() && self.tool.get_untracked().is_none() && self.selected.with_untracked(Vec::is_empty) {
                    return false;
                }
                if stretch.is_none() && self.tool.get_untracked().is_none() {
                    self.select(Vec::new());
                }
                self.tool.set(None);
                self.cancel();
            }
            Command::Remove => {
                // An edge is reached by keys alone, with whatever was selected before; it is what the key is meant for.
                let is_other = edge.is_some() && here.is_some_and(|here| !untrack(|| self.is_selected(here)));
                if let (Some(here), true) = (here, is_other || self.selected.with_untracked(Vec::is_empty)) {
                    self.selected.set(vec![here]);
                }
                self.remove();
            }
            Command::Duplicate => {
                if let (Some(here), true) = (here, self.selected.with_untracked(Vec::is_empty)) {
                    self.selected.set(vec![here]);
                }
                self.duplicate();
            }
            Command::SelectAll => {
                let all = self.graph.with_untracked(|graph| graph.nodes.iter().map(|node| node.object).collect());
                self.select(all);
            }
            Command::Group => self.group(),
            Command::Ungroup => self.ungroup(),
            Command::Zoom(factor) => self.zoom_in_place(factor),
            Command::Fit => self.fit(),
        }
        true
    }
}
