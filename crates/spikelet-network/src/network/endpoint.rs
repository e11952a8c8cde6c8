//! The endpoints of a projection.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

/// A population, `"E"`, or a slice of it, `"E[0:800]"`: neurons from the first index up to, not including, the second; or those that a
/// condition on its table selects, `"brain[type == 'KC']"`.
///
/// Either index can be omitted, as in Python. Neither a slice nor a condition renumbers: indices remain those of the population.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// Name of the population.
    pub population: String,
    /// First neuron; default 0.
    pub start: Option<u32>,
    /// One past the last neuron; default: the size of the population.
    pub end: Option<u32>,
    /// A [condition](crate::selection) on the table of the population, instead of a slice.
    pub condition: Option<String>,
}

const EXPECTED: &str =
    "a population such as \"E\", a slice such as \"E[0:800]\", or a condition such as \"E[type == 'KC']\" is expected";

/// Whether a text can be a condition, as opposed to a slice or a name with a typing error.
pub(super) fn is_condition(text: &str) -> bool {
    text.contains(['=', '<', '>', '~']) || text.split_whitespace().any(|word| word == "in")
}

impl Endpoint {
    /// All neurons of a population.
    pub fn whole(population: impl Into<String>) -> Endpoint {
        Endpoint { population: population.into(), ..Endpoint::default() }
    }

    /// The range of indices in a population of `size` neurons, unchecked: see [`crate::Network::validate`]. That of a condition is the whole
    /// population.
    pub fn range(&self, size: u32) -> Range<u32> {
        self.start.unwrap_or(0)..self.end.unwrap_or(size)
    }

    fn parse(text: &str) -> Option<Endpoint> {
        let Some((population, slice)) = text.split_once('[') else {
            return (!text.is_empty()).then(|| Endpoint::whole(text));
        };
        let inner = slice.strip_suffix(']')?;
        let bound = |text: &str| match text.trim() {
            "" => Some(None),
            digits => digits.parse().ok().map(Some),
        };
        (!population.is_empty()).then_some(())?;
        let whole = Endpoint::whole(population);
        if is_condition(inner) {
            return Some(Endpoint { condition: Some(inner.to_owned()), ..whole });
        }
        let (start, end) = inner.split_once(':')?;
        Some(Endpoint { start: bound(start)?, end: bound(end)?, ..whole })
    }
}

impl FromStr for Endpoint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Endpoint, Error> {
        Endpoint::parse(text).ok_or_else(|| Error::invalid("the endpoint", format!("{text:?}"), EXPECTED, "write it so"))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.population)?;
        if let Some(condition) = &self.condition {
            return write!(f, "[{condition}]");
        }
        let bound = |b: Option<u32>| b.map(|b| b.to_string()).unwrap_or_default();
        match (self.start, self.end) {
            (None, None) => Ok(()),
            (start, end) => write!(f, "[{}:{}]", bound(start), bound(end)),
        }
    }
}

impl Serialize for Endpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Endpoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Endpoint, D::Error> {
        struct EndpointVisitor;

        impl Visitor<'_> for EndpointVisitor {
            type Value = Endpoint;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Endpoint, E> {
                Endpoint::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &EXPECTED))
            }
        }

        // An error of a visitor is at the text, not after it.
        deserializer.deserialize_str(EndpointVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_those_of_python() {
        for (text, range) in
            [("E", 0..10), ("E[2:8]", 2..8), ("E[:8]", 0..8), ("E[2:]", 2..10), ("E[:]", 0..10), ("E[ 2 : 8 ]", 2..8)]
        {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!(endpoint.population, "E");
            assert_eq!(endpoint.range(10), range, "{text}");
            assert_eq!(endpoint.to_string().parse(), Ok(endpoint));
        }
        let selected: Endpoint = "E[type in ('a', 'b[1]')]".parse().unwrap();
        assert_eq!((selected.condition.as_deref(), selected.range(10)), (Some("type in ('a', 'b[1]')"), 0..10));
        assert_eq!(selected.to_string().parse(), Ok(selected));
        for text in ["", "E[", "E[3]", "E[1:2:3]", "E[-1:]", "[1:2]", "E[1:2]x", "E[a:b]"] {
            let message = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(message.contains("\"E[0:800]\""), "{message}");
        }
    }
}
