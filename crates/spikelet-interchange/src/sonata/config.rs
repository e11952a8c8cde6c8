//! Configurations: JSON with a manifest of variables.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::{Map, Value};
use spikelet_network::{Error, Notice, parse_json};

use crate::paths::{Open, beside};

/// Maximum number of characters of a text in which variables were replaced.
const MAX_TEXT: usize = 4096;

/// The keys of a configuration. `output` says where others write; results are written with --out.
const SECTIONS: [&str; 13] = [
    "manifest",
    "network",
    "simulation",
    "networks",
    "components",
    "run",
    "node_sets_file",
    "inputs",
    "reports",
    "conditions",
    "output",
    "target_simulator",
    "version",
];
/// The keys of its sections.
const KEYS: [(&str, &[&str]); 3] = [
    ("run", &["tstop", "dt", "tstart"]),
    ("networks", &["nodes", "edges"]),
    ("components", &["point_neuron_models_dir", "point_neuron_models"]),
];
/// The keys of entries of lists.
const ENTRIES: [(&str, &[&str]); 2] = [
    ("networks.nodes", &["nodes_file", "node_types_file", "enabled"]),
    ("networks.edges", &["edges_file", "edge_types_file", "enabled"]),
];

/// A configuration file; the variables of its manifest are replaced.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// Its path.
    pub(super) file: String,
    values: Map<String, Value>,
}

impl Config {
    /// Reads a file.
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Config, Error> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Error::invalid("the file", file, "it is not text in UTF-8", "export it again"))?;
        let mut values: Map<String, Value> = parse_json(text, "").map_err(|error| error.within(file, ""))?;
        let variables = manifest(file, &values)?;
        for (key, value) in &mut values {
            if key != "manifest" {
                replace(file, key, value, &variables)?;
            }
        }
        Ok(Config { file: file.to_owned(), values })
    }

    /// The value at a path of keys.
    pub(super) fn get(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let first = self.values.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key))
    }

    /// The text at a path of keys, if there is one.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(Value::as_str)
    }

    /// The entries of an object; none if it is not there.
    pub(super) fn entries(&self, path: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.get(path).and_then(Value::as_object).into_iter().flatten()
    }

    /// The names of its values.
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.values.keys()
    }

    /// Adds a notice about the keys of an object that are not among the known ones.
    pub(super) fn unused(&self, at: &str, object: &Value, known: &[&str], notices: &mut Vec<Notice>) {
        let keys = object.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        let keys: Vec<&str> = keys.filter(|key| !known.contains(key)).collect();
        if !keys.is_empty() {
            let place = if at.is_empty() { self.file.clone() } else { format!("{}: {at}", self.file) };
            notices.push(Notice::new(place, format!("not used: {}", keys.join(", "))));
        }
    }

    /// The same of all keys of the file, and of the sections that have known ones.
    pub(super) fn check_keys(&self, notices: &mut Vec<Notice>) {
        let keys: Map<String, Value> = self.values.clone();
        self.unused("", &Value::Object(keys), &SECTIONS, notices);
        for (section, known) in KEYS {
            if let Some(object) = self.get(section) {
                self.unused(section, object, known, notices);
            }
        }
        for (list, known) in ENTRIES {
            for (index, entry) in self.get(list).and_then(Value::as_array).into_iter().flatten().enumerate() {
                self.unused(&format!("{list}[{index}]"), entry, known, notices);
            }
        }
    }

    /// The number at a path of keys.
    pub(super) fn number(&self, path: &str) -> Result<f64, Error> {
        let found = self.get(path);
        found.and_then(Value::as_f64).ok_or_else(|| {
            let value = found.map_or_else(|| "missing".to_owned(), Value::to_string);
            self.wrong(path, value, "a number in ms is expected", "add it")
        })
    }

    /// The path of a file that the configuration names.
    pub(super) fn path(&self, at: &str, named: &str) -> Result<String, Error> {
        beside(&self.file, named, format_args!("{}: {at}", self.file))
    }

    /// Reads a file that the configuration names.
    pub(super) fn open(&self, at: &str, named: &str, open: &mut Open<'_>) -> Result<(String, Vec<u8>), Error> {
        let path = self.path(at, named)?;
        let content = open(&path).map_err(|why| {
            let expected = format!("the file {path} cannot be read: {why}");
            self.wrong(at, format_args!("`{named}`"), expected, "give this file, too")
        })?;
        Ok((path, content))
    }

    /// An error about a value.
    pub(super) fn wrong(&self, at: &str, value: impl Display, expected: impl Display, way_out: impl Display) -> Error {
        Error::invalid(format_args!("{}: {at}", self.file), value, expected, way_out)
    }
}

/// The values of all variables, which may contain others.
fn manifest(file: &str, values: &Map<String, Value>) -> Result<BTreeMap<String, String>, Error> {
    let mut variables: BTreeMap<String, String> =
        ["configdir", "workingdir"].map(|name| (name.to_owned(), ".".to_owned())).into();
    let given = values.get("manifest").and_then(Value::as_object).into_iter().flatten();
    let given: Vec<(&str, &str)> = given.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
    variables.extend(given.iter().map(|(name, value)| (name.trim_start_matches('$').to_owned(), (*value).to_owned())));
    // Each round replaces the variables in the values by theirs; without a cycle there are as many rounds as variables.
    for _ in 0..=variables.len() {
        let known = variables.clone();
        let mut changed = false;
        for (name, value) in &mut variables {
            if let Some(new) = replaced(value, &known) {
                *value = new;
                changed = true;
            }
            if value.len() > MAX_TEXT {
                return Err(too_long(file, &format!("manifest.{name}")));
            }
        }
        if !changed {
            return Ok(variables);
        }
    }
    let cyclic = variables.iter().find(|(_, value)| replaced(value, &variables).is_some());
    let name = cyclic.map_or("", |(name, _)| name.as_str());
    let expected = "variables of a manifest must not contain each other in a cycle";
    Err(Error::invalid(format_args!("{file}: manifest"), format_args!("`${name}`"), expected, "write the path out"))
}

/// A text with its variables replaced, `$NAME` or `${NAME}`; `None` if it has none that are known.
fn replaced(text: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    let (mut out, mut rest, mut changed) = (String::new(), text, false);
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        let in_braces = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
        let (name, left) = in_braces.unwrap_or_else(|| after.split_at(end));
        out += &rest[..at];
        match variables.get(name) {
            Some(value) => {
                out += value;
                changed = true;
            }
            None => out += &rest[at..rest.len() - left.len()],
        }
        rest = left;
    }
    changed.then(|| out + rest)
}

/// Replaces variables in all texts of a value.
fn replace(file: &str, at: &str, value: &mut Value, variables: &BTreeMap<String, String>) -> Result<(), Error> {
    match value {
        Value::String(text) => {
            if let Some(new) = replaced(text, variables) {
                *text = new;
            }
            if text.len() > MAX_TEXT { Err(too_long(file, at)) } else { Ok(()) }
        }
        Value::Array(list) => list.iter_mut().try_for_each(|value| replace(file, at, value, variables)),
        Value::Object(object) => {
            object.iter_mut().try_for_each(|(key, value)| replace(file, &format!("{at}.{key}"), value, variables))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn too_long(file: &str, at: &str) -> Error {
    let expected = format!("a text of at most {MAX_TEXT} characters is expected");
    Error::invalid(format_args!("{file}: {at}"), "a very long text", expected, "write a short path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_contain_others() {
        let text = r#"{"manifest": {"$BASE": "${configdir}/a", "$NET": "$BASE/net", "B": "x"},
            "networks": {"nodes": ["$NET/n.h5", "${B}y", "$UNKNOWN/z"]}}"#;
        let config = Config::parse("c.json", text.as_bytes()).unwrap();
        assert_eq!(config.get("networks.nodes").unwrap().to_string(), r#"["./a/net/n.h5","xy","$UNKNOWN/z"]"#);
        assert_eq!(config.path("", "../n.h5").unwrap_err().path(), Some("c.json: "));
    }

    #[test]
    fn malformed_manifests_have_a_sentence() {
        let doubled: Vec<String> = (0..40).map(|k| format!(r#""$V{k}": "$V{0}$V{0}""#, k + 1)).collect();
        for (manifest, said) in [
            (r#""$A": "$B", "$B": "$A""#.to_owned(), "in a cycle"),
            (format!(r#"{}, "$V40": "aa""#, doubled.join(",")), "at most 4096 characters"),
        ] {
            let text = format!(r#"{{"manifest": {{{manifest}}}, "network": "c"}}"#);
            let error = Config::parse("c.json", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
