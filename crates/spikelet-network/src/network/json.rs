//! From JSON text to values, with errors that a user can act on.
//!
//! serde describes errors only in English; only this file parses these sentences, and its tests pin them.

mod position;

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use spikelet_lang::diagnostic::suggestion;

use crate::Error;
use position::path_at;

/// Reads a value from JSON strictly by its type; `root` is the path of the outermost value, empty for a whole file.
///
/// # Errors
/// Malformed JSON (line, column), an unknown key (path, suggestion), or a value of the wrong type (path, line).
pub fn parse<T: DeserializeOwned>(text: &str, root: &str) -> Result<T, Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(&mut reader)
        .map_err(|error| translate(text, &join(root, &path_at(text, error.line(), error.column())), &error))?;
    reader.end().map_err(|error| translate(text, root, &error))?;
    Ok(value)
}

/// A path inside another.
fn join(root: &str, path: &str) -> String {
    match (root, path) {
        (root, "") => root.to_owned(),
        ("", path) => path.to_owned(),
        // An entry of a list.
        (root, path) if path.starts_with('[') => format!("{root}{path}"),
        (root, path) => format!("{root}.{path}"),
    }
}

/// A map that keeps its order and rejects duplicate keys, which JSON would accept.
pub(super) fn ordered<'de, D, V>(deserializer: D) -> Result<IndexMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Ordered<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Ordered<V> {
        type Value = IndexMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut map = IndexMap::new();
            while let Some(key) = entries.next_key::<String>()? {
                let value = entries.next_value()?;
                match map.entry(key) {
                    Entry::Vacant(place) => place.insert(value),
                    Entry::Occupied(taken) => {
                        return Err(serde::de::Error::custom(format_args!("duplicate field `{}`", taken.key())));
                    }
                };
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Ordered(PhantomData))
}

fn translate(text: &str, path: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    if error.classify() != Category::Data {
        return malformed(text, line, column, message);
    }

    let correct = format!("correct it at line {line}, column {column}");
    if let Some((key, known)) = unknown("unknown field ", message) {
        // The path may or may not include the key itself.
        let parent = path.strip_suffix(&key).map_or(path, |parent| parent.strip_suffix('.').unwrap_or(parent));
        let of_brian = brian_name(&key).filter(|name| known.iter().any(|known| known == name));
        let suggestion = of_brian.or_else(|| suggestion(&key, known.iter().map(String::as_str))).map(str::to_owned);
        Error::UnknownKey { path: parent.to_owned(), line, key, suggestion, known }
    } else if let Some((variant, known)) = unknown("unknown variant ", message) {
        let expected = format!("it must be one of {}", known.join(", "));
        let way_out = match suggestion(&variant, known.iter().map(String::as_str)) {
            Some(name) => format!("did you mean {name:?} (line {line}, column {column})?"),
            None => correct,
        };
        Error::invalid(path, format!("{variant:?}"), expected, way_out)
    } else if let Some(key) = quoted("missing field ", message) {
        Error::MissingKey { path: path.to_owned(), line: Some(line), example: example(&key), key }
    } else if let Some(key) = quoted("duplicate field ", message) {
        let path = if path.ends_with(&key) { path.to_owned() } else { join(path, &key) };
        let way_out = format!("remove one (line {line}, column {column})");
        Error::invalid(path, "given twice", "a key must be unique", way_out)
    } else if let Some((found, expected)) = mismatch(message) {
        if path.ends_with(".refractory") {
            let time = if found.parse::<f64>().is_ok() { &found } else { "5" };
            let way_out = format!("write \"{time} ms\" (line {line}, column {column})");
            return Error::invalid(path, found.as_str(), "a time or a condition in quotes is expected", way_out);
        }
        Error::invalid(path, found, expected, correct)
    } else {
        Error::invalid(path, "invalid", message, correct)
    }
}

/// Malformed JSON; the most frequent errors have their own sentences.
fn malformed(text: &str, line: usize, column: usize, message: &str) -> Error {
    let rest = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    // serde_json reports the first invalid byte, sometimes after the first letter of the token.
    let start = rest.floor_char_boundary(column.saturating_sub(1));
    let word_start = rest[..start].char_indices().rfind(|(_, c)| !c.is_alphanumeric()).map_or(0, |(at, c)| at + c.len_utf8());
    let word: String = rest[word_start..].chars().take_while(|c| c.is_alphanumeric()).collect();
    let message = match word.to_lowercase().as_str() {
        "nan" | "inf" | "infinity" => format!("{word} is not a finite number; write a finite one"),
        "none" | "undefined" => format!("{word} is not JSON; write null"),
        "true" | "false" if !matches!(word.as_str(), "true" | "false") => {
            format!("{word} is not JSON; write {}", word.to_lowercase())
        }
        _ if message == "number out of range" => "the number is too large; write a smaller one".to_owned(),
        _ if rest.trim_start().starts_with(['#', '/']) => format!("{message}; JSON has no comments, remove this one"),
        _ => message.to_owned(),
    };
    Error::Json { line, column, message }
}

/// The key here for an argument of Brian 2.
fn brian_name(argument: &str) -> Option<&'static str> {
    Some(match argument {
        "N" => "size",
        "namespace" => "parameters",
        "source" => "pre",
        "target" => "post",
        "delay" => "delay_ms",
        "rates" => "rate",
        "record" => "indices",
        _ => return None,
    })
}

/// "unknown field `a`, expected one of `b`, `c`" → (a, [b, c]).
fn unknown(start: &str, message: &str) -> Option<(String, Vec<String>)> {
    // The name may contain any character; known names contain none of these.
    let whole = message.strip_prefix(start)?.strip_prefix('`')?;
    let (name, rest) = whole.rsplit_once("`, expected ").or_else(|| whole.rsplit_once("`, there are no "))?;
    Some((name.to_owned(), rest.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
}

/// "missing field `a`" → a.
fn quoted(start: &str, message: &str) -> Option<String> {
    message.strip_prefix(start)?.strip_prefix('`')?.strip_suffix('`').map(str::to_owned)
}

/// "invalid type: string \"x\", expected u32" → ("x", a whole number … is expected).
fn mismatch(message: &str) -> Option<(String, String)> {
    let rest = ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|s| message.strip_prefix(s))?;
    let (found, expected) = rest.rsplit_once(", expected ").or_else(|| rest.split_once(", expected "))?;
    let found = match found {
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        length if message.starts_with("invalid length") => format!("a list of {length}"),
        // "integer `-1`", "floating point `0.5`", "boolean `true`", "string \"x\"", "null".
        scalar => match scalar.find(['`', '"']) {
            Some(at) => scalar[at..].trim_matches('`').to_owned(),
            None => scalar.to_owned(),
        },
    };
    let expected = match expected {
        "u32" => "a whole number from 0 to 4294967295 is expected",
        "u64" => "a whole number, 0 or more, is expected",
        "f64" => "a number is expected",
        "a string" => "a text in quotes is expected",
        "a boolean" => "true or false is expected",
        "a sequence" => "a list is expected",
        "a tuple of size 2" => "a list of two, a neuron and a time in ms, is expected",
        "an array of length 2" => "a list of two whole numbers is expected",
        "internally tagged enum Connector" => {
            "a rule such as {\"rule\": \"all\"} or {\"rule\": \"condition\", \"condition\": \"i != j\"} is expected"
        }
        other if other == "a map" || other.starts_with("struct ") => "an object in braces is expected",
        sentence => sentence,
    };
    Some((found, expected.to_owned()))
}

/// An example value for a missing key.
fn example(key: &str) -> String {
    let value = match key {
        "size" => "1000",
        "dt_ms" => "0.1",
        "duration_ms" => "1000",
        "pre" | "post" | "object" | "name" => "\"E\"",
        "dt" => "\"1 ms\"",
        "at_ms" => "500",
        "set" => "{\"E.I\": \"200 pA\"}",
        "var" | "of" => "\"v\"",
        "indices" => "[0, 1]",
        "rule" => "\"bernoulli\"; synapses that are listed are \"pairs\": [[0, 2], [1, 2]] instead of \"connect\"",
        "populations" => "[…]",
        _ => "…",
    };
    format!("\"{key}\": {value}")
}
