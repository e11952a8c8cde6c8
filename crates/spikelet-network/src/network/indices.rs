//! The recorded neurons or synapses.

use std::fmt;

use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Neurons of a population or synapses of a projection: a list of indices, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indices {
    /// A list of indices.
    List(Vec<u32>),
    /// All.
    All,
}

impl Indices {
    /// The indices, for an object of `count` neurons or synapses.
    pub fn of(&self, count: u32) -> Vec<u32> {
        match self {
            Indices::List(list) => list.clone(),
            Indices::All => (0..count).collect(),
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

impl Serialize for Indices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Indices::List(list) => list.serialize(serializer),
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
                f.write_str("a list of indices such as [0, 1], or \"all\" is expected")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Indices, E> {
                if text == "all" { Ok(Indices::All) } else { Err(E::invalid_value(Unexpected::Str(text), &self)) }
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
