//! Sets of nodes: rules that choose nodes by their population, identifiers and attributes.

use std::collections::BTreeSet;

use serde_json::Value;
use spikelet_network::Error;

use super::cells::{Nodes, Part};
use super::config::Config;

/// Maximum number of sets that contain each other.
const MAX_DEPTH: usize = 32;

/// What sets are evaluated with.
pub(super) struct Sets<'a> {
    pub(super) config: &'a Config,
    /// The file of named sets.
    pub(super) named: Option<&'a Config>,
    pub(super) nodes: &'a [Nodes<'a>],
    pub(super) parts: &'a [Part],
}

impl Sets<'_> {
    /// The nodes of a set that is named or written at a path: the index of their population, and their own.
    pub(super) fn nodes_of(&self, at: &str, set: &Value) -> Result<BTreeSet<(usize, usize)>, Error> {
        self.select(at, set, 0)
    }

    fn select(&self, at: &str, set: &Value, depth: usize) -> Result<BTreeSet<(usize, usize)>, Error> {
        let wrong = |expected: String| Err(self.config.wrong(at, set, expected, "correct the set of nodes"));
        if depth > MAX_DEPTH {
            return wrong("sets must not contain each other in a cycle".to_owned());
        }
        let all = || self.nodes.iter().enumerate().flat_map(|(of, nodes)| (0..nodes.ids.len()).map(move |node| (of, node)));
        match set {
            Value::String(name) if name == "all" && self.named.is_none_or(|named| named.get(name).is_none()) => {
                Ok(all().collect())
            }
            Value::String(name) => match self.named.and_then(|named| named.get(name)) {
                Some(set) => self.select(at, set, depth + 1),
                // A population is a set of its own.
                None if self.nodes.iter().any(|nodes| nodes.name == *name) => {
                    Ok(all().filter(|(of, _)| self.nodes[*of].name == *name).collect())
                }
                None => {
                    let known: Vec<&str> = self.named.into_iter().flat_map(Config::keys).map(String::as_str).collect();
                    wrong(format!("there are the sets {}", known.join(", ")))
                }
            },
            Value::Array(list) if list.iter().all(Value::is_string) => {
                let mut union = BTreeSet::new();
                for set in list {
                    union.extend(self.select(at, set, depth + 1)?);
                }
                Ok(union)
            }
            Value::Array(ids) => {
                let is_in = |(of, node): &(usize, usize)| ids.iter().any(|id| id.as_i64() == Some(self.nodes[*of].ids[*node]));
                Ok(all().filter(is_in).collect())
            }
            Value::Object(rules) => {
                let mut found: BTreeSet<_> = all().collect();
                for (key, wanted) in rules {
                    found = self.matching(&found, key, wanted)?;
                }
                Ok(found)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                wrong("a name, a list of names, or an object with rules is expected".to_owned())
            }
        }
    }

    /// Those whose value of a rule is the wanted one, or in the wanted list.
    fn matching(&self, nodes: &BTreeSet<(usize, usize)>, key: &str, wanted: &Value) -> Result<BTreeSet<(usize, usize)>, Error> {
        let wanted: Vec<String> = match wanted {
            Value::Array(list) => list.iter().map(text).collect(),
            one => vec![text(one)],
        };
        let mut kept = BTreeSet::new();
        for (of, population) in self.nodes.iter().enumerate() {
            let members = || nodes.iter().filter(move |(own, _)| *own == of);
            if members().next().is_none() {
                continue;
            }
            let values: Vec<Option<String>> = match key {
                "population" => population.ids.iter().map(|_| Some(population.name.clone())).collect(),
                "node_id" | "node_ids" => population.ids.iter().map(|id| Some(id.to_string())).collect(),
                _ => population.objects.texts(key)?,
            };
            let same = |value: &String| {
                wanted.contains(value) || value.parse::<f64>().is_ok_and(|value| wanted.contains(&value.to_string()))
            };
            kept.extend(members().filter(|(_, node)| values[*node].as_ref().is_some_and(same)));
        }
        Ok(kept)
    }

    /// The parts of nodes, each with the indices of its nodes.
    pub(super) fn in_parts(&self, nodes: &BTreeSet<(usize, usize)>) -> Vec<(usize, Vec<u32>)> {
        let of_part = |part: &Part| {
            let members = part.members.iter().enumerate().filter(|(_, member)| nodes.contains(&(part.of, **member)));
            members.map(|(index, _)| index as u32).collect::<Vec<u32>>()
        };
        let parts = self.parts.iter().enumerate().map(|(index, part)| (index, of_part(part)));
        parts.filter(|(_, members)| !members.is_empty()).collect()
    }
}

/// A value as a text to compare with.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()), str::to_owned)
}
