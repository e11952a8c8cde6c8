//! Values of parameters.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value, or one value for each neuron or synapse.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// A number in the inner units (mV, ms, pA, nS, pF …; see the design's coherent system).
    Number(f64),
    /// A number with its unit, `"20 ms"` or `"20*ms"`, or a distribution, `"normal(-65 mV, 5 mV)"`.
    Text(String),
    /// One value for each neuron, or for each synapse in the order of `pairs`; a plain list is in the inner units.
    Values {
        /// The values.
        values: Vec<f64>,
        /// Their unit.
        unit: Option<String>,
    },
    /// An expression evaluated for each neuron or synapse, with `i`, `j`, `N`, `rand()` and `randn()`.
    Expr(String),
}

const EXPECTED: &str = "a number, a text such as \"20 ms\", a list of numbers, {\"values\": […], \"unit\": \"mV\"} \
                        or {\"expr\": \"…\"} is expected";

impl Default for Quantity {
    fn default() -> Quantity {
        Quantity::Number(0.0)
    }
}

impl From<f64> for Quantity {
    fn from(number: f64) -> Quantity {
        Quantity::Number(number)
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Quantity {
        Quantity::Text(text.to_owned())
    }
}

impl Quantity {
    /// An expression evaluated for each neuron or synapse.
    pub fn expr(text: impl Into<String>) -> Quantity {
        Quantity::Expr(text.into())
    }

    /// The numbers in it, and whether there is one per element.
    pub(crate) fn numbers(&self) -> &[f64] {
        match self {
            Quantity::Number(number) => std::slice::from_ref(number),
            Quantity::Values { values, .. } => values,
            Quantity::Text(_) | Quantity::Expr(_) => &[],
        }
    }
}

/// As a user would write it in JSON.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Number(number) => write!(f, "{number}"),
            Quantity::Text(text) => write!(f, "{text:?}"),
            Quantity::Expr(text) => write!(f, "{{\"expr\": {text:?}}}"),
            Quantity::Values { values, unit } => {
                write!(f, "a list of {} numbers", values.len())?;
                unit.as_ref().map_or(Ok(()), |unit| write!(f, " in {unit}"))
            }
        }
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Quantity::Number(number) => serializer.serialize_f64(*number),
            Quantity::Text(text) => serializer.serialize_str(text),
            Quantity::Values { values, unit: None } => values.serialize(serializer),
            Quantity::Values { values, unit: Some(unit) } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("values", values)?;
                map.serialize_entry("unit", unit)?;
                map.end()
            }
            Quantity::Expr(text) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("expr", text)?;
                map.end()
            }
        }
    }
}

/// By hand: an untagged enum would say only that no variant matched.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

struct QuantityVisitor;

impl<'de> Visitor<'de> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number as f64))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Quantity, E> {
        Ok(Quantity::Number(number as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
        Ok(Quantity::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Quantity, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Quantity::Values { values, unit: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Quantity, A::Error> {
        let object = Object::deserialize(MapAccessDeserializer::new(map))?;
        match object {
            Object { values: Some(values), unit, expr: None } => Ok(Quantity::Values { values, unit }),
            Object { values: None, unit: None, expr: Some(expr) } => Ok(Quantity::Expr(expr)),
            _ => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
        }
    }
}

/// The two objects a quantity can be, before it is known which.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    values: Option<Vec<f64>>,
    unit: Option<String>,
    expr: Option<String>,
}
