//! Synapses as a list: in the network, or in a file.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::json;
use crate::Connector;

/// Pairs of neurons, one synapse each. As a slice it is the list of pairs, which is empty for a file that has not been read.
#[derive(Debug, Clone, PartialEq)]
pub enum Pairs {
    /// `[pre, post]`, as indices in the populations.
    Listed(Vec<[u32; 2]>),
    /// A file of [edges](crate::edges), `{"file": "edges.csv"}`.
    File(EdgeFile),
    /// The pairs of a rule between selected neurons; its JSON is `connect`.
    Selected {
        /// The rule.
        connect: Connector,
        /// Its pairs.
        edges: Arc<Vec<[u32; 2]>>,
    },
}

/// A file of edges: its JSON is the name of the file, and what its columns mean.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EdgeFile {
    /// Its name, or its path relative to the network file.
    pub file: String,
    /// The columns of the file, by what they are for: `{"pre": "from_id", "post": "to_id", "w": "syn_count"}`. All others are left out then.
    /// Default: the usual names of `pre` and `post`, and all other columns by their own names.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty", deserialize_with = "json::ordered")]
    pub columns: IndexMap<String, String>,
    /// Whether rows are left out whose neurons are not in the table of their population; otherwise they are errors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_unknown: bool,
    /// Columns of values that are added up where several rows have the same pair of neurons, which become one synapse then: `["w"]`. The
    /// rows of a pair must have the same values in all other columns. Default: each row is a synapse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sum: Vec<String>,
    /// The pairs, after the file was read.
    #[serde(skip)]
    pub(super) edges: Option<Arc<Vec<[u32; 2]>>>,
    /// Parameters and delays of the projection from the columns of the file.
    #[serde(skip)]
    pub(super) taken: Vec<String>,
    /// Rows that have the pair of another one: of the row before, unless they were added up.
    #[serde(skip)]
    pub(super) repeated: usize,
}

impl Pairs {
    /// The pairs of a file that has not been read.
    pub fn file(name: impl Into<String>) -> Pairs {
        Pairs::File(EdgeFile { file: name.into(), ..EdgeFile::default() })
    }

    /// The name of the file, if there is one that has not been read.
    pub fn unread(&self) -> Option<&str> {
        match self {
            Pairs::File(EdgeFile { file, edges: None, .. }) => Some(file),
            Pairs::Listed(_) | Pairs::File(_) | Pairs::Selected { .. } => None,
        }
    }
}

impl Deref for Pairs {
    type Target = [[u32; 2]];

    fn deref(&self) -> &[[u32; 2]] {
        match self {
            Pairs::Listed(pairs) => pairs,
            Pairs::File(file) => file.edges.as_ref().map_or(&[], |edges| edges.as_slice()),
            Pairs::Selected { edges, .. } => edges,
        }
    }
}

impl From<Vec<[u32; 2]>> for Pairs {
    fn from(pairs: Vec<[u32; 2]>) -> Pairs {
        Pairs::Listed(pairs)
    }
}

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Pairs::Listed(pairs) => pairs.serialize(serializer),
            Pairs::File(file) => file.serialize(serializer),
            Pairs::Selected { edges, .. } => edges.serialize(serializer),
        }
    }
}

/// Written by hand: an untagged enum would only report that no variant matched.
impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct PairsVisitor;

        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list such as [[0, 1], [0, 2]], or a file such as {\"file\": \"edges.csv\"} is expected")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = list.next_element()? {
                    pairs.push(pair);
                }
                Ok(Pairs::Listed(pairs))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pairs, A::Error> {
                EdgeFile::deserialize(MapAccessDeserializer::new(map)).map(Pairs::File)
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Pairs, E> {
                Err(E::invalid_type(de::Unexpected::Str(name), &self))
            }
        }

        deserializer.deserialize_any(PairsVisitor)
    }
}
