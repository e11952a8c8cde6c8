//! Synapses given one by one: in the network itself, or in a file beside it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Pairs of neurons, one synapse each. As a slice it holds them; a file that is not read yet has none.
#[derive(Debug, Clone, PartialEq)]
pub enum Pairs {
    /// `[pre, post]`, as indices in the populations.
    Listed(Vec<[u32; 2]>),
    /// A file of [edges](crate::edges), `{"file": "edges.csv"}`.
    File(EdgeFile),
}

/// A file of edges: what JSON holds of it is its name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EdgeFile {
    /// Its name, or its path as seen from the network's own file.
    pub file: String,
    /// The pairs in it, once it is read.
    #[serde(skip)]
    pub(super) edges: Option<Arc<Vec<[u32; 2]>>>,
    /// Parameters and delays of the projection that came from its columns.
    #[serde(skip)]
    pub(super) columns: Vec<String>,
}

impl Pairs {
    /// The pairs of a file that is still to be read.
    pub fn file(name: impl Into<String>) -> Pairs {
        Pairs::File(EdgeFile { file: name.into(), ..EdgeFile::default() })
    }

    /// The name of the file, where there is one that is not read yet.
    pub fn unread(&self) -> Option<&str> {
        match self {
            Pairs::File(EdgeFile { file, edges: None, .. }) => Some(file),
            Pairs::Listed(_) | Pairs::File(_) => None,
        }
    }
}

impl Deref for Pairs {
    type Target = [[u32; 2]];

    fn deref(&self) -> &[[u32; 2]] {
        match self {
            Pairs::Listed(pairs) => pairs,
            Pairs::File(file) => file.edges.as_ref().map_or(&[], |edges| edges.as_slice()),
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
        }
    }
}

/// By hand: an untagged enum would say only that no variant matched.
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
