//! The recorded neurons or synapses.

use std::fmt;
use std::ops::Range;

use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Neurons of a population or synapses of a projection: a list of indices, a slice, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indices {
    /// A list of indices.
    List(Vec<u32>),
    /// From the first index to before the second.
    Slice(Range<u32>),
    /// All.
    All,
    /// Those of a population with a table that a condition [selects](crate::selection), such as `type == 'KC'`.
    Selected {
        /// The condition.
        condition: String,
        /// The neurons, after the table was read.
        neurons: Option<Vec<u32>>,
    },
}

impl Indices {
    /// The indices, for an object of `count` neurons or synapses.
    pub fn of(&self, count: u32) -> Vec<u32> {
        match self {
            Indices::List(list) => list.clone(),
            Indices::Slice(slice) => slice.clone().collect(),
            Indices::All => (0..count).collect(),
            Indices::Selected { neurons, .. } => neurons.clone().unwrap_or_default(),
        }
    }

    /// Whether it is a list without any.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Indices::List(list) | Indices::Selected { neurons: Some(list), .. } => list.is_empty(),
            _ => false,
        }
    }

    /// Their number, for an object of `count` neurons or synapses.
    pub fn count(&self, count: u64) -> u64 {
        match self {
            Indices::List(list) => list.len() as u64,
            Indices::Slice(slice) => slice.len() as u64,
            Indices::All => count,
            Indices::Selected { neurons, .. } => neurons.as_ref().map_or(count, |neurons| neurons.len() as u64),
        }
    }
}

impl Default for Indices {
    fn default() -> Indices {
        Indices::List(Vec::new())
    }
}

impl From<Vec<u32>> for Indices {
    fn from(list: Vec<u32>) -> Indices {
        Indices::List(list)
    }
}

/// As in brackets after a variable: `0:100`, `0,5,7`, or `:` for all.
impl fmt::Display for Indices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Indices::List(list) => f.write_str(&list.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
            Indices::Slice(slice) => write!(f, "{}:{}", slice.start, slice.end),
            Indices::All => f.write_str(":"),
            Indices::Selected { condition, .. } => f.write_str(condition),
        }
    }
}

impl Serialize for Indices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Indices::List(list) => list.serialize(serializer),
            Indices::Slice(_) | Indices::Selected { .. } => serializer.collect_str(self),
            Indices::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for Indices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Indices, D::Error> {
        struct IndicesVisitor;

        impl<'de> Visitor<'de> for IndicesVisitor {
            type Value = Indices;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of indices such as [0, 1], a slice such as \"0:100\", a condition on the table of the population such as \"type == 'KC'\", or \"all\" is expected")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Indices, E> {
                if text == "all" {
                    return Ok(Indices::All);
                }
                let ends =
                    text.split_once(':').and_then(|(start, end)| Some(start.trim().parse().ok()?..end.trim().parse().ok()?));
                let slice = ends.filter(|slice: &Range<u32>| !slice.is_empty());
                let condition = || {
                    super::endpoint::is_condition(text).then(|| Indices::Selected { condition: text.to_owned(), neurons: None })
                };
                slice.map(Indices::Slice).or_else(condition).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Indices, A::Error> {
                let mut indices = Vec::new();
                while let Some(index) = list.next_element()? {
                    indices.push(index);
                }
                Ok(Indices::List(indices))
            }
        }

        deserializer.deserialize_any(IndicesVisitor)
    }
}
