//! Where the user has put the nodes of a diagram, and how they are grouped. It is no part of the network.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::geometry::Point;

/// Positions by the names of populations and sources, and frames around some of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Arrangement {
    #[serde(default)]
    positions: BTreeMap<String, Point>,
    #[serde(default)]
    groups: Vec<Group>,
}

/// A labelled frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Group {
    /// Its text.
    pub(crate) label: String,
    /// The names of the nodes in it.
    pub(crate) members: Vec<String>,
}

impl Arrangement {
    /// Reads the result of [`Arrangement::to_text`]; an empty one if the text is not one.
    pub(crate) fn of_text(text: &str) -> Arrangement {
        let read: Arrangement = serde_json::from_str(text).unwrap_or_default();
        let is_finite = |point: &Point| point.x.is_finite() && point.y.is_finite();
        if read.positions.values().all(is_finite) { read } else { Arrangement::default() }
    }

    /// As text for storage; `None` if there is nothing to store.
    pub(crate) fn to_text(&self) -> Option<String> {
        if *self == Arrangement::default() { None } else { serde_json::to_string(self).ok() }
    }

    /// Whether no node was put anywhere.
    pub(crate) fn is_automatic(&self) -> bool {
        self.positions.is_empty()
    }

    /// The position of a node, if it was put somewhere.
    pub(crate) fn position(&self, name: &str) -> Option<Point> {
        self.positions.get(name).copied()
    }

    /// Puts a node somewhere.
    pub(crate) fn put(&mut self, name: &str, at: Point) {
        self.positions.insert(name.to_owned(), at);
    }

    /// Lets all nodes be placed automatically; groups stay.
    pub(crate) fn forget_positions(&mut self) {
        self.positions.clear();
    }

    /// A node has another name.
    pub(crate) fn rename(&mut self, before: &str, after: &str) {
        if let Some(at) = self.positions.remove(before) {
            self.positions.insert(after.to_owned(), at);
        }
        for member in self.groups.iter_mut().flat_map(|group| &mut group.members) {
            if member == before {
                after.clone_into(member);
            }
        }
    }

    /// Nodes are gone.
    pub(crate) fn forget(&mut self, names: &[String]) {
        self.positions.retain(|name, _| !names.contains(name));
        self.leave_groups(names);
    }

    /// The groups, each with at least one member.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Frames nodes together; they leave other groups. Returns the label, which is unique.
    pub(crate) fn group(&mut self, members: Vec<String>) -> String {
        self.leave_groups(&members);
        let is_free = |label: &String| !self.groups.iter().any(|group| group.label == *label);
        let label = (1..).map(|number| format!("Group {number}")).find(is_free).unwrap_or_default();
        if !members.is_empty() {
            self.groups.push(Group { label: label.clone(), members });
        }
        label
    }

    /// Removes the frames of these nodes.
    pub(crate) fn ungroup(&mut self, members: &[String]) {
        self.groups.retain(|group| !group.members.iter().any(|member| members.contains(member)));
    }

    /// The index of the group that holds exactly these nodes.
    pub(crate) fn group_of(&self, members: &[String]) -> Option<usize> {
        let is_same =
            |group: &Group| group.members.len() == members.len() && group.members.iter().all(|member| members.contains(member));
        self.groups.iter().position(is_same)
    }

    /// Labels a group.
    pub(crate) fn label(&mut self, group: usize, label: &str) {
        if let Some(group) = self.groups.get_mut(group) {
            label.clone_into(&mut group.label);
        }
    }

    fn leave_groups(&mut self, names: &[String]) {
        for group in &mut self.groups {
            group.members.retain(|member| !names.contains(member));
        }
        self.groups.retain(|group| !group.members.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn positions_and_groups_follow_names_and_come_back() {
        let mut arrangement = Arrangement::default();
        assert_eq!(arrangement.to_text(), None);
        arrangement.put("E", Point::new(1.0, 2.0));
        assert_eq!(arrangement.group(names(&["E", "I"])), "Group 1");
        arrangement.rename("E", "cells");
        assert_eq!(arrangement.position("cells"), Some(Point::new(1.0, 2.0)));
        assert_eq!(arrangement.groups()[0].members, ["cells", "I"]);
        assert_eq!(arrangement.group_of(&names(&["I", "cells"])), Some(0));
        assert_eq!(arrangement.group_of(&names(&["I"])), None);
        let text = arrangement.to_text().expect("something");
        assert_eq!(Arrangement::of_text(&text), arrangement);
        assert_eq!(Arrangement::of_text("{\"positions\": 7}"), Arrangement::default());
    }

    #[test]
    fn a_node_is_in_one_group_at_most() {
        let mut arrangement = Arrangement::default();
        arrangement.group(names(&["a", "b"]));
        assert_eq!(arrangement.group(names(&["b", "c"])), "Group 2");
        assert_eq!(arrangement.groups()[0].members, ["a"]);
        arrangement.forget(&names(&["a"]));
        assert_eq!(arrangement.groups().len(), 1);
        arrangement.ungroup(&names(&["c"]));
        assert_eq!(arrangement.groups(), []);
    }
}
