//! Edits: selection, positions, and the objects of the network.

use leptos::prelude::*;

use super::CanvasState;
use crate::{
    canvas::{automatic, geometry::Point, notation::Shape, scene::Hit},
    network::{Kind, Object},
    studio::turn_to,
};

impl CanvasState {
    /// Selects objects; the inspector shows a single one.
    pub(in crate::views) fn select(self, objects: Vec<Object>) {
        let single = if let [one] = objects.as_slice() { Some(*one) } else { None };
        self.selected.set(objects);
        self.studio.inspect(single);
    }

    pub(super) fn toggle(self, object: Object) {
        let mut objects = self.selected.get_untracked();
        match objects.iter().position(|other| *other == object) {
            Some(at) => drop(objects.remove(at)),
            None => objects.push(object),
        }
        self.select(objects);
    }

    /// Selects a node or an edge as a screen reader does.
    pub(in crate::views::canvas) fn choose(self, hit: Hit) {
        if let Some(object) = self.object_of(hit) {
            self.select(vec![object]);
        }
    }

    /// The positions of all nodes by name.
    pub(super) fn positions(self) -> Vec<(String, Point)> {
        let points = self.points.get_untracked();
        self.graph.with_untracked(|graph| graph.nodes.iter().map(|node| node.name.clone()).zip(points).collect())
    }

    /// Moves the selected nodes; all others stay where they are.
    pub(super) fn shift(self, field: &str, by: Point) {
        let mut positions = self.positions();
        let selected = self.selected.get_untracked();
        let moved: Vec<usize> =
            self.graph.with_untracked(|graph| selected.iter().filter_map(|object| graph.node_of(*object)).collect());
        for node in &moved {
            positions[*node].1 = positions[*node].1 + by;
        }
        if !moved.is_empty() {
            self.studio.arrange(field, |arrangement| positions.iter().for_each(|(name, at)| arrangement.put(name, *at)));
        }
    }

    /// A shape was clicked: the next click adds it; by a key, it is added at once.
    pub(in crate::views::canvas) fn take(self, shape: Shape, by_key: bool) {
        if !by_key {
            return self.tool.update(|tool| *tool = Some(shape).filter(|shape| *tool != Some(*shape)));
        }
        let at = automatic::free(&self.points.get_untracked());
        self.add_at(shape, at, None);
    }

    pub(super) fn add(self, shape: Shape, pixel: Point) {
        self.tool.set(None);
        self.ghost.set(None);
        let target = match self.hit(pixel) {
            Hit::Node(node) => Some(node),
            _ => None,
        };
        // A fitted view would move what was just put somewhere.
        let view = self.view_now();
        self.view.set(Some(view));
        self.add_at(shape, view.position(pixel), target);
    }

    fn add_at(self, shape: Shape, at: Point, target: Option<usize>) {
        if shape == Shape::Recorder {
            return self.record(target);
        }
        if let Some(added) = self.studio.add_shape(shape, at, &self.positions()) {
            self.select(vec![added]);
            self.turn_to_object(added);
            self.said.set(format!("{} added; drag its arrow to connect it", untrack(|| self.name_of(added))));
        }
    }

    /// Records a population: that under the pointer, else the selected one.
    fn record(self, target: Option<usize>) {
        let target = target.and_then(|node| self.object_of(Hit::Node(node)));
        let selected = || self.selected.with_untracked(|selected| selected.first().copied());
        let population = target.or_else(selected).filter(|object| object.kind == Kind::Population);
        let Some(population) = population else {
            return self.said.set("A recorder belongs to a population: drop it onto one.".into());
        };
        self.select(vec![population]);
        if let Some(variable) = self.studio.record_first(population.place) {
            self.said
                .set(format!("{variable} of {} is recorded; choose more in the inspector", untrack(|| self.name_of(population))));
        }
    }

    pub(super) fn connect(self, from: usize, to: usize) {
        self.stretch.set(None);
        let [Some(pre), Some(post)] = [from, to].map(|node| self.object_of(Hit::Node(node))) else { return };
        match self.studio.connect(pre, post) {
            Ok(object) => {
                self.select(vec![object]);
                self.said.set(format!(
                    "{} connects {} with {}",
                    untrack(|| self.name_of(object)),
                    self.node_name(from),
                    self.node_name(to)
                ));
            }
            Err(why) => self.said.set(why),
        }
    }

    /// The selected objects that there are.
    pub(super) fn chosen(self) -> Vec<Object> {
        let is_there = |object: &Object| untrack(|| !self.name_of(*object).is_empty());
        self.selected.get_untracked().into_iter().filter(is_there).collect()
    }

    pub(in crate::views) fn remove(self) {
        let objects = self.chosen();
        let gone = if objects.is_empty() { Vec::new() } else { self.studio.remove_objects(&objects) };
        self.selected.set(Vec::new());
        let text = match gone.as_slice() {
            [] => return,
            [one] => format!("{one} removed; Ctrl + Z brings it back"),
            [first, rest @ ..] => format!("{first} and {} more removed; Ctrl + Z brings them back", rest.len()),
        };
        self.said.set(text);
        turn_to("diagram");
    }

    pub(in crate::views) fn duplicate(self) {
        let objects = self.chosen();
        if !objects.is_empty() {
            let copies = self.studio.duplicate_objects(&objects, &self.positions());
            self.select(copies);
        }
    }

    fn chosen_names(self) -> Vec<String> {
        let objects = self.chosen().into_iter().filter(|object| object.kind != Kind::Projection);
        objects.map(|object| untrack(|| self.name_of(object))).collect()
    }

    pub(in crate::views) fn group(self) {
        let names = self.chosen_names();
        if !names.is_empty() {
            self.studio.arrange("", |arrangement| drop(arrangement.group(names)));
        }
    }

    pub(in crate::views) fn ungroup(self) {
        let names = self.chosen_names();
        self.studio.arrange("", |arrangement| arrangement.ungroup(&names));
    }
}
