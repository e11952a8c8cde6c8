//! The statements and delays of pathways.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::quantity::QuantityVisitor;
use super::{Quantity, json};

/// Statements executed when a spike arrives: one text, or several named texts with a delay each.
///
/// Pathways of the same step are executed in the alphabetical order of their names, as listed here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pathways(BTreeMap<String, String>);

impl Pathways {
    /// Name of the pathway of a single text.
    pub const SINGLE: &'static str = "pre";

    /// Names and statements, in the alphabetical order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The statements of a pathway.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Number of pathways.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no pathways.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, if it is a single one.
    pub fn single(&self) -> Option<&str> {
        if self.len() == 1 { self.get(Pathways::SINGLE) } else { None }
    }
}

impl From<String> for Pathways {
    fn from(text: String) -> Pathways {
        Pathways([(Pathways::SINGLE.to_owned(), text)].into())
    }
}

impl From<&str> for Pathways {
    fn from(text: &str) -> Pathways {
        text.to_owned().into()
    }
}

impl FromIterator<(String, String)> for Pathways {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pathways: I) -> Pathways {
        Pathways(pathways.into_iter().collect())
    }
}

impl Serialize for Pathways {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.single() {
            Some(text) => serializer.serialize_str(text),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Pathways {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pathways, D::Error> {
        struct PathwaysVisitor;

        impl<'de> Visitor<'de> for PathwaysVisitor {
            type Value = Pathways;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or an object of named texts such as {\"fast\": \"v_post += w\"} is expected")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Pathways, E> {
                Ok(text.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pathways, A::Error> {
                let texts: IndexMap<String, String> = json::ordered(MapAccessDeserializer::new(map))?;
                Ok(texts.into_iter().collect())
            }
        }

        deserializer.deserialize_any(PathwaysVisitor)
    }
}

/// Delays: one [`Quantity`] for all pathways, or one per pathway.
#[derive(Debug, Clone, PartialEq)]
pub enum Delays {
    /// The same for all pathways.
    Same(Quantity),
    /// By the names of pathways; the default is no delay.
    Each(IndexMap<String, Quantity>),
}

static NONE: Quantity = Quantity::Number(0.0);

impl Delays {
    /// The delay of a pathway; default 0.
    pub fn of(&self, pathway: &str) -> &Quantity {
        match self {
            Delays::Same(delay) => delay,
            Delays::Each(delays) => delays.get(pathway).unwrap_or(&NONE),
        }
    }
}

impl Delays {
    /// The delay of each pathway, or the one of all.
    pub fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        let (same, each) = match self {
            Delays::Same(delay) => (Some(delay), None),
            Delays::Each(delays) => (None, Some(delays.values())),
        };
        same.into_iter().chain(each.into_iter().flatten())
    }

    /// The delays given as numbers or times, in ms.
    pub fn constants(&self) -> impl Iterator<Item = f64> + '_ {
        self.quantities().flat_map(|quantity| {
            let text = match quantity {
                Quantity::Text(text) => spikelet_lang::quantity::constant("delay_ms", text).ok().map(|(delay, _)| delay),
                _ => None,
            };
            quantity.numbers().chain(text)
        })
    }
}

impl Default for Delays {
    fn default() -> Delays {
        Delays::Same(Quantity::default())
    }
}

impl<T: Into<Quantity>> From<T> for Delays {
    fn from(delay: T) -> Delays {
        Delays::Same(delay.into())
    }
}

impl Serialize for Delays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Delays::Same(delay) => delay.serialize(serializer),
            Delays::Each(delays) => delays.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Delays {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Delays, D::Error> {
        deserializer.deserialize_any(DelaysVisitor)
    }
}

struct DelaysVisitor;

impl<'de> Visitor<'de> for DelaysVisitor {
    type Value = Delays;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of ms, a text such as \"2 ms\", a list of such, {\"expr\": \"…\"}, ")?;
        f.write_str("or an object of pathways such as {\"fast\": 1, \"slow\": 5} is expected")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Delays, E> {
        Ok(number.into())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Delays, E> {
        Ok((number as f64).into())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Delays, E> {
        Ok((number as f64).into())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Delays, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Delays, A::Error> {
        QuantityVisitor.visit_seq(list).map(Delays::Same)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Delays, A::Error> {
        let first: Option<String> = map.next_key()?;
        let of_quantity = first.as_deref().is_some_and(|key| Quantity::KEYS.contains(&key));
        let object = MapAccessDeserializer::new(FromFirst { first, rest: map });
        if of_quantity { Quantity::deserialize(object).map(Delays::Same) } else { json::ordered(object).map(Delays::Each) }
    }
}

/// An object whose first key was already read.
struct FromFirst<A> {
    first: Option<String>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for FromFirst<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(StrDeserializer::new(&key)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}
