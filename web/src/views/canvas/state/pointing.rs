//! Actions of the pointer.

use leptos::prelude::*;

use super::{CanvasState, End, PendingEdge, Press};
use crate::{
    canvas::{
        geometry::Point,
        notation::Shape,
        pointer::{self, Action, Pointer},
        scene::Hit,
    },
    network::Object,
    studio::turn_to,
};

impl CanvasState {
    pub(super) fn hit(self, at: Point) -> Hit {
        let armed = untrack(|| self.armed());
        self.scene.with_untracked(|scene| {
            let handles = armed.iter().map(|node| scene.hit(at, Some(*node)));
            handles.into_iter().find(|hit| matches!(hit, Hit::Handle(_))).unwrap_or_else(|| scene.hit(at, None))
        })
    }

    pub(super) fn object_of(self, hit: Hit) -> Option<Object> {
        self.graph.with_untracked(|graph| match hit {
            Hit::Node(node) | Hit::Handle(node) | Hit::Recorder(node) => graph.nodes.get(node).map(|node| node.object),
            Hit::Edge(edge) => graph.edges.get(edge).map(|edge| edge.object),
            Hit::Frame(_) | Hit::Ground => None,
        })
    }

    pub(in crate::views::canvas) fn press(self, press: Press) {
        let Press { at, shift, middle } = press;
        if let Some(shape) = self.tool.get_untracked() {
            return self.add(shape, at);
        }
        let hit = self.hit(at);
        let is_selected = self.object_of(hit).is_some_and(|object| untrack(|| self.is_selected(object)));
        match hit {
            Hit::Node(node) | Hit::Handle(node) => self.turn_to_node(node),
            _ => turn_to("diagram"),
        }
        self.said.set(String::new());
        let press = pointer::Press { hit, at, shift, pans: middle, is_selected };
        let action = self.pointer.try_update_value(|pointer| pointer.press(press));
        self.act(action.unwrap_or(Action::Nothing));
    }

    pub(in crate::views::canvas) fn moved(self, at: Point) {
        if untrack(|| self.adds()) {
            self.ghost.set(Some(at));
            return;
        }
        let action = self.pointer.try_update_value(|pointer| pointer.drag(at)).unwrap_or(Action::Nothing);
        if action == Action::Nothing {
            let hit = Some(self.hit(at)).filter(|hit| *hit != Hit::Ground);
            if self.hover.get_untracked() != hit {
                self.hover.set(hit);
            }
        }
        self.act(action);
    }

    pub(in crate::views::canvas) fn release(self, at: Point) {
        if let Some(shape) = self.carried.get_untracked() {
            self.carried.set(None);
            return self.add(shape, at);
        }
        // Nodes that are dragged are under the pointer.
        let hit = self.scene.with_untracked(|scene| scene.hit(at, None));
        let action = self.pointer.try_update_value(|pointer| pointer.release(hit, at));
        self.act(action.unwrap_or(Action::Nothing));
    }

    pub(in crate::views::canvas) fn cancel(self) {
        let action = self.pointer.try_update_value(Pointer::cancel);
        self.act(action.unwrap_or(Action::Nothing));
    }

    pub(in crate::views::canvas) fn leave(self) {
        self.hover.set(None);
        self.ghost.set(None);
    }

    pub(in crate::views::canvas) fn double(self, at: Point) {
        if self.hit(at) == Hit::Ground {
            let has = |shape: Shape| self.graph.with_untracked(|graph| graph.nodes.iter().any(|node| node.shape == shape));
            let first = [Shape::Excitatory, Shape::Inhibitory].into_iter().find(|shape| !has(*shape));
            self.add(first.unwrap_or(Shape::Generic), at);
        }
    }

    fn act(self, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Pan(by) => self.view.set(Some(self.view_now().moved(by))),
            Action::Select { hit: Hit::Frame(frame), .. } => {
                let members = self.scene.with_untracked(|scene| scene.frames.get(frame).map(|frame| frame.nodes.clone()));
                let members = members.unwrap_or_default().into_iter().filter_map(|node| self.object_of(Hit::Node(node)));
                self.select(members.collect());
            }
            Action::Select { hit, adds } => match self.object_of(hit) {
                Some(object) if adds => self.toggle(object),
                Some(object) => self.select(vec![object]),
                None if adds => {}
                None => self.select(Vec::new()),
            },
            Action::Drag(by) => {
                // A fitted view would follow.
                self.view.set(Some(self.view_now()));
                self.dragged.set(by);
            }
            Action::Drop(by) => {
                self.dragged.set(Point::default());
                self.shift("", by * (1.0 / self.view_now().scale));
            }
            Action::Band(rect) => self.band.set(Some(rect)),
            Action::Pick { rect, adds } => {
                self.band.set(None);
                let mut objects = if adds { self.selected.get_untracked() } else { Vec::new() };
                let within = self.scene.with_untracked(|scene| scene.within(rect));
                for object in within.into_iter().filter_map(|node| self.object_of(Hit::Node(node))) {
                    if !objects.contains(&object) {
                        objects.push(object);
                    }
                }
                self.select(objects);
            }
            Action::Stretch { from, to } => self.stretch.set(Some(PendingEdge { from, to: End::Pixel(to) })),
            Action::Connect { from, to } => self.connect(from, to),
            Action::Cancel => {
                self.stretch.set(None);
                self.band.set(None);
                self.dragged.set(Point::default());
            }
        }
    }
}
