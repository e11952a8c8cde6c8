//! Values of parameters.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spikelet_lang::Dimension;
use spikelet_lang::quantity::constant;
use spikelet_lang::syntax::{Expr, parse_quantity, parse_unit};

use crate::Error;

/// A value, or one value per neuron or synapse.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// A number in inner units (mV, ms, pA, nS, pF …).
    Number(f64),
    /// A number with a unit, `"20 ms"` or `"20*ms"`, a distribution, `"normal(-65 mV, 5 mV)"`, or any expression.
    Text(String),
    /// One value per neuron, or per synapse in the order of `pairs`. A plain list is in inner units; a list of texts with units,
    /// `["10 ms", "20 ms"]`, is converted to the unit of the first one.
    Values {
        /// The values.
        values: Vec<f64>,
        /// Their unit.
        unit: Option<String>,
    },
    /// An expression evaluated for each neuron or synapse, with `i`, `j`, `N`, random functions and distributions.
    Expr(String),
    /// A function of time given by its values, each held for `dt`; the last one is held for ever.
    Timed {
        /// One row per step of `dt`: one value for all neurons, or one per neuron.
        values: Vec<Vec<f64>>,
        /// Duration of a row, `"1 ms"`.
        dt: String,
        /// Unit of the values; default: the inner unit.
        unit: Option<String>,
    },
}

const EXPECTED: &str = "a number, a text such as \"20 ms\", a list of numbers or of such texts, {\"values\": […], \"unit\": \"mV\"}, \
                        {\"expr\": \"…\"} or {\"timed\": […], \"dt\": \"1 ms\", \"unit\": \"nA\"} is expected";

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

    /// As an expression, if it is one: a plain number is in the inner unit.
    pub fn text(&self) -> Option<String> {
        match self {
            Quantity::Number(number) => Some(number.to_string()),
            Quantity::Text(text) | Quantity::Expr(text) => Some(text.clone()),
            Quantity::Values { .. } | Quantity::Timed { .. } => None,
        }
    }

    /// Whether it has a value for each of these rows, as a column of a file gives it and a value that is set does not.
    pub(super) fn is_column(&self, rows: usize) -> bool {
        matches!(self, Quantity::Values { values, .. } if values.len() == rows)
    }

    /// As text for [`Network::set`](super::Network::set), which reads it back exactly.
    pub(crate) fn to_setting(&self) -> String {
        match self {
            Quantity::Number(number) => number.to_string(),
            Quantity::Text(text) if is_plain(text) => text.clone(),
            other => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// The expression, if it depends on the time `t`.
    pub fn function_of_time(&self) -> Option<&str> {
        let (Quantity::Text(text) | Quantity::Expr(text)) = self else { return None };
        self.expression()?.mentions("t").then_some(text)
    }

    /// Its tree, if it is an expression.
    pub fn expression(&self) -> Option<Expr> {
        let (Quantity::Text(text) | Quantity::Expr(text)) = self else { return None };
        parse_quantity("", text).ok()
    }

    /// The keys of the objects a quantity can be.
    pub(super) const KEYS: [&str; 5] = ["values", "unit", "expr", "timed", "dt"];

    /// All numbers, row by row.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let (single, rows): (&[f64], &[Vec<f64>]) = match self {
            Quantity::Number(number) => (std::slice::from_ref(number), &[]),
            Quantity::Values { values, .. } => (values, &[]),
            Quantity::Timed { values, .. } => (&[], values),
            Quantity::Text(_) | Quantity::Expr(_) => (&[], &[]),
        };
        single.iter().chain(rows.iter().flatten()).copied()
    }

    /// A length in µm; a plain number is in µm.
    ///
    /// # Errors
    /// It is not a length, or not above 0.
    pub fn length(&self, path: &str) -> Result<f64, Error> {
        let refused = |expected: &str| Err(Error::invalid(path, self, expected, "for example \"100 um\""));
        let value = match self {
            Quantity::Number(value) => *value,
            Quantity::Text(text) | Quantity::Expr(text) => match constant(path, text) {
                Ok((value, Dimension::LENGTH)) => value,
                Ok((_, dimension)) => return refused(&format!("a length is expected, and this is {dimension}")),
                Err(diagnostic) => return Err(Error::model(path, vec![diagnostic])),
            },
            Quantity::Values { .. } | Quantity::Timed { .. } => return refused("one length is expected"),
        };
        if value > 0.0 && value.is_finite() { Ok(value) } else { refused("a length must be above 0") }
    }

    /// Checks that numbers are finite, and that a list has one value per element (neuron or pair).
    pub(crate) fn check_shape(&self, path: impl fmt::Display, elements: Option<(usize, &str)>) -> Result<(), Error> {
        if let Some(value) = self.numbers().find(|number| !number.is_finite()) {
            return Err(Error::invalid(path, value, "a finite number is expected", "write one"));
        }
        match (self, elements) {
            (Quantity::Values { values, .. }, Some((count, what))) if count != values.len() => {
                let expected = format!("there are {count} {what}");
                Err(Error::invalid(path, self, expected, "give one value for each, or a single one for all"))
            }
            (Quantity::Values { .. }, None) => {
                let expected = "a list of values needs `pairs`, because a rule determines the synapses itself";
                Err(Error::invalid(path, self, expected, "use a single value or an expression, or list the pairs"))
            }
            (Quantity::Timed { values, .. }, _) => check_rows(path, values),
            _ => Ok(()),
        }
    }
}

/// Rows of the same number of values.
fn check_rows(path: impl fmt::Display, rows: &[Vec<f64>]) -> Result<(), Error> {
    if rows.is_empty() {
        let expected = "a timed array needs at least one row";
        return Err(Error::invalid(format!("{path}.timed"), "empty", expected, "add one, or use a single value"));
    }
    let width = rows[0].len();
    for (index, row) in rows.iter().enumerate() {
        let place = format!("{path}.timed[{index}]");
        let found = format!("a row of {}", row.len());
        if row.len() != width {
            let expected = format!("the rows before it have {width}");
            return Err(Error::invalid(place, found, expected, "make all rows equally long"));
        }
    }
    Ok(())
}

/// Whether a text needs no quotes: it is neither a number nor JSON, and has no blanks at its ends.
fn is_plain(text: &str) -> bool {
    text.trim() == text && text.parse::<f64>().is_err() && !text.starts_with(['{', '[', '"'])
}

/// As written in JSON.
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
            Quantity::Timed { values, dt, .. } => write!(f, "a timed array of {} rows of {dt}", values.len()),
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
            Quantity::Timed { values, dt, unit } => {
                let mut map = serializer.serialize_map(None)?;
                match values.iter().map(|row| <[f64; 1]>::try_from(row.as_slice()).map(|[value]| value)).collect() {
                    Ok(single) => map.serialize_entry::<_, Vec<f64>>("timed", &single)?,
                    Err(_) => map.serialize_entry("timed", values)?,
                }
                map.serialize_entry("dt", dt)?;
                if let Some(unit) = unit {
                    map.serialize_entry("unit", unit)?;
                }
                map.end()
            }
        }
    }
}

/// Written by hand: an untagged enum would only report that no variant matched.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

pub(super) struct QuantityVisitor;

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
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        while let Some(entry) = list.next_element()? {
            match entry {
                ListEntry::Number(value) => values.push(value),
                ListEntry::Text(text) => texts.push(text),
            }
        }
        match (values.is_empty(), texts.is_empty()) {
            (_, true) => Ok(Quantity::Values { values, unit: None }),
            (true, false) => listed(&texts).map_err(de::Error::custom),
            (false, false) => Err(de::Error::custom(format_args!(
                "either all numbers of a list have a unit, as in [\"10 ms\", \"20 ms\"], or none, and here {} of them have one",
                texts.len()
            ))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Quantity, A::Error> {
        let object = Object::deserialize(MapAccessDeserializer::new(map))?;
        match object {
            Object { values: Some(values), unit, expr: None, timed: None, dt: None } => Ok(Quantity::Values { values, unit }),
            Object { values: None, unit: None, expr: Some(expr), timed: None, dt: None } => Ok(Quantity::Expr(expr)),
            Object { values: None, unit, expr: None, timed: Some(rows), dt: Some(dt) } => {
                Ok(Quantity::Timed { values: rows.into_iter().map(|Row(values)| values).collect(), dt, unit })
            }
            Object { timed: Some(_), dt: None, .. } => Err(de::Error::missing_field("dt")),
            _ => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
        }
    }
}

/// A list of values with units, in the unit of the first one.
fn listed(texts: &[String]) -> Result<Quantity, String> {
    let constant = |index: usize, text: &String| {
        let why = |found: spikelet_lang::Diagnostic| found.message.trim_end_matches('.').to_owned();
        constant("a list", text).map_err(|found| format!("its element {index}, {text:?}, is not a value: {}", why(found)))
    };
    let first = texts.first().ok_or("the list is empty")?;
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let unit = first.trim().trim_start_matches(number).trim_start_matches(['*', ' ']);
    let unit = match parse_unit(unit) {
        Ok(_) => unit.to_owned(),
        Err(_) => constant(0, first)?.1.inner_unit(),
    };
    let of = parse_unit(&unit).map_err(|_| "for example {\"values\": […], \"unit\": \"…\"} with these values")?;
    let value = |(index, text): (usize, &String)| match constant(index, text)? {
        (value, dimension) if dimension == of.dimension => Ok(value / of.factor),
        (_, dimension) => {
            Err(format!("its element {index}, {text:?}, is {dimension}, and element 0, {first:?}, is {}", of.dimension))
        }
    };
    Ok(Quantity::Values { values: texts.iter().enumerate().map(value).collect::<Result<_, _>>()?, unit: Some(unit) })
}

/// An entry of a list.
enum ListEntry {
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for ListEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ListEntry, D::Error> {
        struct EntryVisitor;

        impl Visitor<'_> for EntryVisitor {
            type Value = ListEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a text such as \"20 ms\", is expected")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<ListEntry, E> {
                Ok(ListEntry::Number(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<ListEntry, E> {
                Ok(ListEntry::Number(number as f64))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<ListEntry, E> {
                Ok(ListEntry::Number(number as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ListEntry, E> {
                Ok(ListEntry::Text(text.to_owned()))
            }
        }

        deserializer.deserialize_any(EntryVisitor)
    }
}

/// The possible objects of a quantity, before their kind is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    values: Option<Vec<f64>>,
    unit: Option<String>,
    expr: Option<String>,
    timed: Option<Vec<Row>>,
    dt: Option<String>,
}

/// A row of a timed array: a number is a row of one value.
struct Row(Vec<f64>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Row, D::Error> {
        struct RowVisitor;

        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a list with one for each neuron is expected")
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Row, E> {
                Ok(Row(vec![number]))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Row, E> {
                Ok(Row(vec![number as f64]))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Row, E> {
                Ok(Row(vec![number as f64]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Row, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Row(values))
            }
        }

        deserializer.deserialize_any(RowVisitor)
    }
}
