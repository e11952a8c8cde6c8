//! Objects of a configuration, read key by key: errors have the path, and keys without effect are found.

use std::cell::RefCell;

use serde_json::{Map, Value};

use crate::Error;
use crate::network::Notice;

/// An object, and its keys that were read.
pub(super) struct Section<'a> {
    path: String,
    object: &'a Map<String, Value>,
    read: RefCell<Vec<&'static str>>,
}

/// What a value must be.
#[derive(Clone, Copy)]
pub(super) enum NumberRange {
    Any,
    /// 0 or more.
    NotNegative,
    /// Above 0.
    Positive,
    /// From 0 to 1.
    Fraction,
}

impl NumberRange {
    fn allows(self, value: f64) -> bool {
        match self {
            NumberRange::Any => true,
            NumberRange::NotNegative => value >= 0.0,
            NumberRange::Positive => value > 0.0,
            NumberRange::Fraction => (0.0..=1.0).contains(&value),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            NumberRange::Any => "a number is expected",
            NumberRange::NotNegative => "a number that is 0 or more is expected",
            NumberRange::Positive => "a number above 0 is expected",
            NumberRange::Fraction => "a number from 0 to 1 is expected",
        }
    }
}

impl<'a> Section<'a> {
    /// The object `value` at a path; empty for the whole configuration.
    pub(super) fn new(path: String, value: &'a Value) -> Result<Section<'a>, Error> {
        let expected = "an object in braces is expected";
        let object = value.as_object().ok_or_else(|| Error::invalid(&path, shown(value), expected, "correct it"))?;
        Ok(Section { path, object, read: RefCell::default() })
    }

    /// The path of a key.
    pub(super) fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.read.borrow_mut().push(key);
        self.object.get(key)
    }

    /// The value of a required key; its example is part of the error.
    pub(super) fn required(&self, key: &'static str, example: &str) -> Result<&'a Value, Error> {
        self.get(key).ok_or_else(|| Error::MissingKey {
            path: self.path.clone(),
            line: None,
            key: key.to_owned(),
            example: format!("\"{key}\": {example}"),
        })
    }

    /// The object of a key, if it is there.
    pub(super) fn section(&self, key: &'static str) -> Result<Option<Section<'a>>, Error> {
        self.get(key).map(|value| Section::new(self.at(key), value)).transpose()
    }

    /// A number, or its default.
    pub(super) fn number(&self, key: &'static str, default: f64, bound: NumberRange) -> Result<f64, Error> {
        let Some(value) = self.get(key) else { return Ok(default) };
        value
            .as_f64()
            .filter(|number| bound.allows(*number))
            .ok_or_else(|| Error::invalid(self.at(key), shown(value), bound.expected(), format!("for example {default}")))
    }

    /// True or false, or the default.
    pub(super) fn flag(&self, key: &'static str, default: bool) -> Result<bool, Error> {
        let Some(value) = self.get(key) else { return Ok(default) };
        let expected = "true or false is expected";
        value.as_bool().ok_or_else(|| Error::invalid(self.at(key), shown(value), expected, format!("for example {default}")))
    }

    /// A text, if it is there.
    pub(super) fn text(&self, key: &'static str) -> Result<Option<&'a str>, Error> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let expected = "a text in quotes is expected";
        value.as_str().map(Some).ok_or_else(|| Error::invalid(self.at(key), shown(value), expected, "write one"))
    }

    /// A list of `N` whole numbers, each at least `least`.
    pub(super) fn whole<const N: usize>(&self, key: &'static str, least: u32, example: &str) -> Result<[u32; N], Error> {
        let value = self.required(key, example)?;
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok().filter(|number| *number >= least);
        let list = value.as_array().map(|list| list.iter().map_while(number).collect::<Vec<u32>>());
        let count = value.as_array().map_or(0, Vec::len);
        list.filter(|_| count == N).and_then(|list| list.try_into().ok()).ok_or_else(|| {
            let expected = format!("a list of {N} whole numbers from {least} on is expected");
            Error::invalid(self.at(key), shown(value), expected, format!("for example {example}"))
        })
    }

    /// All keys with their values, of an object whose keys are names.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.object.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The keys that were not read and so have no effect.
    pub(super) fn unused(&self) -> Vec<Notice> {
        let read = self.read.borrow();
        let unused = self.object.keys().filter(|key| !read.contains(&key.as_str()));
        unused.map(|key| Notice::new(self.at(key), "this key has no effect".to_owned())).collect()
    }
}

/// A value as part of a sentence.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(list) if list.len() > 8 => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}
