//! The network of a file: written there, or in a file of its own.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use spikelet_network::Network;

/// A network, or the name of its file, `{"file": "network.json"}`.
#[derive(Debug, Clone, PartialEq)]
pub enum NetworkReference {
    /// The network.
    Given(Box<Network>),
    /// The name of its file, or its path relative to the file that names it.
    File(String),
}

/// Written by hand: an untagged enum would only report that no variant matched.
impl<'de> Deserialize<'de> for NetworkReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NetworkReference, D::Error> {
        struct ReferenceVisitor;

        impl<'de> Visitor<'de> for ReferenceVisitor {
            type Value = NetworkReference;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a network, or a file such as {\"file\": \"network.json\"} is expected")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NetworkReference, A::Error> {
                let first: Option<String> = map.next_key()?;
                if first.as_deref() != Some("file") {
                    let whole = MapAccessDeserializer::new(WithFirst { first, map });
                    return Network::deserialize(whole).map(|network| NetworkReference::Given(Box::new(network)));
                }
                let file = map.next_value()?;
                match map.next_key::<String>()? {
                    None => Ok(NetworkReference::File(file)),
                    Some(key) => Err(de::Error::unknown_field(&key, &["file"])),
                }
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<NetworkReference, E> {
                Err(E::invalid_type(de::Unexpected::Str(name), &self))
            }
        }

        deserializer.deserialize_any(ReferenceVisitor)
    }
}

/// A map whose first key has been read.
struct WithFirst<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithFirst<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(de::value::StringDeserializer::new(key)).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NetworkReference {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NetworkReference".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A network, or the name of its file.",
            "anyOf": [
                generator.subschema_for::<Network>(),
                {
                    "description": "The name of its file, or its path relative to the training.",
                    "type": "object",
                    "properties": {"file": {"description": "The file.", "type": "string"}},
                    "required": ["file"],
                    "additionalProperties": false
                }
            ]
        })
    }
}
