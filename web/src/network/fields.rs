//! Fields of connectors, positions and sources, derived from their JSON objects, so that new rules have fields automatically.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use spikelet_network::{Connector, Positions, Projection, Quantity, RULES, Source};

use crate::equations;

/// One field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// The key in JSON.
    pub(crate) key: String,
    /// Its value.
    pub(crate) content: Content,
    /// Whether it may be empty.
    pub(crate) optional: bool,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// A text.
    Text(String),
    /// A checkbox.
    Flag(bool),
}

/// The label of a key.
pub(crate) fn label(key: &str) -> &str {
    match key {
        "p" => "Probability",
        "n" => "Synapses",
        "k" => "Neighbours",
        "rewire" => "Moved",
        "sigma" => "Width σ",
        "lambda" => "Length λ",
        "radius" => "Radius",
        "half_widths" => "Half widths",
        "tile" => "Tile",
        "reach" => "Reach",
        "gamma_out" => "γ, out",
        "gamma_in" => "γ, in",
        "condition" => "Condition",
        "cutoff" => "No connections beyond",
        "pre_range" => "Pre range",
        "shape" => "Neurons",
        "spacing" => "Spacing",
        "periodic" => "closed (periodic)",
        "box" => "Extent",
        "size" => "Size",
        "rate" => "Rate",
        "spike_times_ms" => "Spikes",
        "targets" => "Onto",
        "var" => "Variable",
        "N" => "Processes",
        "weight" => "Weight",
        other => other,
    }
}

/// A unit or hint after the field.
pub(crate) fn note(key: &str) -> &'static str {
    match key {
        "p" => "0 to 1, or of i, j, d",
        "rewire" => "probability, 0 to 1",
        "condition" => "such as i != j",
        "pre_range" => "first, end",
        "shape" => "along x, y, …",
        "box" | "half_widths" => "along x, y, …",
        "tile" => "neurons along an edge",
        "reach" => "tiles away",
        "targets" => "populations",
        "N" => "for each neuron",
        "spike_times_ms" => "[neuron, ms], …",
        _ => "",
    }
}

/// Optional keys, with an example value that shows whether an object has the key.
fn probes() -> [(&'static str, Value); 11] {
    [
        ("i", json!("j")),
        ("p", json!(1)),
        ("reach", json!(1)),
        ("cutoff", json!("1 um")),
        ("condition", json!("i != j")),
        ("pre_range", json!([0, 1])),
        ("tile", json!(1)),
        ("spacing", json!("1 um")),
        ("periodic", json!(false)),
        ("autapses", json!(false)),
        ("multapses", json!(false)),
    ]
}

/// Common keys of all objects of a kind, which are not fields.
const NOT_HERE: [&str; 4] = ["rule", "layout", "name", "type"];

/// The fields of a rule.
pub(crate) fn of_connector(connector: &Connector) -> Vec<Field> {
    let example = RULES.iter().find(|rule| rule.name == connector.name()).map(|rule| (rule.example)());
    of(connector, example.as_ref())
}

/// The fields of positions; none for a list of points, which is too long.
pub(crate) fn of_positions(positions: &Positions) -> Vec<Field> {
    if matches!(positions, Positions::List { .. }) { Vec::new() } else { of(positions, None) }
}

/// The fields of a source.
pub(crate) fn of_source(source: &Source) -> Vec<Field> {
    of(source, None)
}

fn of<T: Serialize + DeserializeOwned>(value: &T, example: Option<&T>) -> Vec<Field> {
    let (keys, example) = (object(value), example.map(object).unwrap_or_default());
    let is_here = |key: &str| !NOT_HERE.contains(&key);
    let mut fields: Vec<Field> = Vec::new();
    let needed = |key: &str| {
        let mut without = keys.clone();
        without.shift_remove(key);
        serde_json::from_value::<T>(Value::Object(without)).is_err()
    };
    for key in example.keys().chain(keys.keys()).filter(|key| is_here(key)) {
        if !fields.iter().any(|field| field.key == *key) {
            let content = content::<T>(&keys, key, example.get(key));
            fields.push(Field { key: key.clone(), content, optional: !needed(key) });
        }
    }
    for (key, probe) in probes() {
        if fields.iter().any(|field| field.key == key) {
            continue;
        }
        let mut with = keys.clone();
        with.insert(key.to_owned(), probe.clone());
        if serde_json::from_value::<T>(Value::Object(with)).is_ok() {
            fields.push(Field { key: key.to_owned(), content: content::<T>(&keys, key, Some(&probe)), optional: true });
        }
    }
    // Checkboxes are last.
    fields.sort_by_key(|field| matches!(field.content, Content::Flag(_)));
    fields
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// The value of a key, or its default. `like` is an example of its type.
fn content<T: Serialize + DeserializeOwned>(keys: &Map<String, Value>, key: &str, like: Option<&Value>) -> Content {
    match (keys.get(key), like) {
        (Some(Value::Bool(flag)), _) => Content::Flag(*flag),
        (None, Some(Value::Bool(_))) => {
            // Default values are not written.
            let mut off = keys.clone();
            off.insert(key.to_owned(), Value::Bool(false));
            let written = serde_json::from_value::<T>(Value::Object(off)).map(|off| object(&off).contains_key(key));
            Content::Flag(written.unwrap_or(false))
        }
        (Some(value), _) => Content::Text(text(value)),
        (None, _) => Content::Text(String::new()),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Array(list) if list.iter().all(|each| each.is_string() || each.is_number()) => {
            list.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// A text as JSON: a number, a list with commas, JSON, else a text.
fn value(key: &str, typed: &str) -> Value {
    let single = |typed: &str| match typed.trim().parse::<u64>() {
        Ok(whole) => json!(whole),
        Err(_) => match typed.trim().parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => Value::Number(number),
            None => Value::String(typed.trim().to_owned()),
        },
    };
    let list = || typed.split(',').map(str::trim).filter(|each| !each.is_empty());
    match key {
        "targets" => list().map(|name| Value::String(name.to_owned())).collect(),
        "shape" | "box" | "half_widths" | "pre_range" => list().map(single).collect(),
        "spike_times_ms" if typed.trim().is_empty() => json!([]),
        _ if typed.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(typed).unwrap_or_else(|_| Value::String(typed.to_owned()))
        }
        _ => single(typed),
    }
}

/// The same object with one field changed.
///
/// # Errors
/// The text is invalid for the field; with the valid values.
pub(crate) fn typed<T: Serialize + DeserializeOwned>(of: &T, key: &str, text: &str) -> Result<T, String> {
    let mut keys = object(of);
    if text.trim().is_empty() && key != "spike_times_ms" {
        keys.shift_remove(key);
        return serde_json::from_value(Value::Object(keys)).map_err(|_| "Enter a value.".into());
    }
    keys.insert(key.to_owned(), value(key, text));
    serde_json::from_value(Value::Object(keys)).map_err(|error| sentence(text, &error.to_string()))
}

/// The same object with a checkbox changed.
pub(crate) fn ticked<T: Serialize + DeserializeOwned + Clone>(of: &T, key: &str, flag: bool) -> T {
    let mut keys = object(of);
    keys.insert(key.to_owned(), Value::Bool(flag));
    serde_json::from_value(Value::Object(keys)).unwrap_or_else(|_| of.clone())
}

/// The error of a text, for the form.
fn sentence(text: &str, error: &str) -> String {
    let expected = error.rsplit_once("expected ").map_or("", |(_, expected)| expected);
    let expected = match expected {
        "u32" | "u64" => "a whole number, 0 or more",
        "f64" => "a number",
        "a sequence" => "a list such as [[0, 10], [1, 12.5]]",
        "a tuple of size 2" | "an array of length 2" => "two numbers",
        _ => return error.to_owned(),
    };
    format!("`{}` is invalid; expected {expected}.", text.trim())
}

/// A delay: a number is in ms.
pub(crate) fn delay(text: &str) -> Quantity {
    text.trim().parse().map_or_else(|_| equations::quantity(text.trim()), Quantity::Number)
}

/// The text of a delay in its field; `None` for a list.
pub(crate) fn delay_text(delay: &Quantity) -> Option<String> {
    match delay {
        Quantity::Number(number) => Some(format!("{number} ms")),
        other => equations::written(other),
    }
}

/// A rule as a line: `bernoulli, p 0.02`.
fn in_short(connector: &Connector) -> String {
    let name = connector.name().replace('_', "-");
    let shown = of_connector(connector).into_iter().filter(|field| !field.optional || field.key == "p").take(2);
    let values = shown.filter_map(|field| match field.content {
        Content::Text(text) if !text.is_empty() => Some(format!("{} {text}", field.key.replace('_', " "))),
        _ => None,
    });
    std::iter::once(name).chain(values).collect::<Vec<_>>().join(", ")
}

/// The rule of a projection as a line.
pub(crate) fn rule_in_short(projection: &Projection) -> String {
    match (&projection.connect, &projection.pairs) {
        (Some(connector), _) => in_short(connector),
        (None, Some(_)) => "listed pairs".into(),
        (None, None) => "not connected".into(),
    }
}

#[cfg(test)]
mod tests {
    use spikelet_network::SourceKind;
    use spikelet_network::connectors::Bernoulli;

    use super::*;

    fn brief(fields: &[Field]) -> Vec<(&str, &Content)> {
        fields.iter().map(|field| (field.key.as_str(), &field.content)).collect()
    }

    fn text(text: &str) -> Content {
        Content::Text(text.into())
    }

    #[test]
    fn a_rule_has_a_field_for_each_key() {
        let fields = of_connector(&Connector::fixed_indegree(80));
        let expected = [
            ("n", &text("80")),
            ("pre_range", &text("")),
            ("autapses", &Content::Flag(true)),
            ("multapses", &Content::Flag(true)),
        ];
        assert_eq!(brief(&fields), expected);
        assert_eq!(fields.iter().map(|field| field.optional).collect::<Vec<_>>(), [false, true, true, true]);
        assert_eq!(of_connector(&Connector::one_to_one()), []);
    }

    #[test]
    fn every_field_of_every_rule_takes_its_own_text() {
        for rule in RULES {
            let connector = (rule.example)();
            for field in of_connector(&connector) {
                let same = match &field.content {
                    Content::Text(text) => typed(&connector, &field.key, text).unwrap_or_else(|error| panic!("{error}")),
                    Content::Flag(flag) => {
                        assert_ne!(ticked(&connector, &field.key, !flag), connector, "{} {}", rule.name, field.key);
                        ticked(&connector, &field.key, *flag)
                    }
                };
                assert_eq!(same, connector, "{} {}", rule.name, field.key);
            }
            assert!(in_short(&connector).starts_with(&rule.name.replace('_', "-")));
        }
    }

    #[test]
    fn what_does_not_do_is_said_with_what_does() {
        let rule = Connector::fixed_indegree(80);
        assert_eq!(typed(&rule, "n", "81"), Ok(Connector::fixed_indegree(81)));
        assert_eq!(typed(&rule, "n", "x").unwrap_err(), "`x` is invalid; expected a whole number, 0 or more.");
        assert_eq!(typed(&rule, "n", "-1").unwrap_err(), "`-1` is invalid; expected a whole number, 0 or more.");
        assert_eq!(typed(&rule, "n", " ").unwrap_err(), "Enter a value.");
        let ranged = typed(&rule, "pre_range", "0, 40").expect("a range");
        assert_eq!(typed(&ranged, "pre_range", ""), Ok(rule));
        let p = typed(&Connector::bernoulli(0.1), "p", "0.3*exp(-d/(100*um))").expect("an expression");
        assert_eq!(p, Connector::Bernoulli(Bernoulli { p: "0.3*exp(-d/(100*um))".into(), condition: None, autapses: true }));
        assert_eq!(in_short(&Connector::bernoulli(0.02)), "bernoulli, p 0.02");
    }

    #[test]
    fn positions_and_sources_have_fields_alike() {
        let grid =
            Positions::Grid { shape: vec![20, 40], spacing: "10 um".into(), tile: None, periodic: false, origin: Vec::new() };
        let expected =
            [("shape", &text("20, 40")), ("spacing", &text("10 um")), ("tile", &text("")), ("periodic", &Content::Flag(false))];
        assert_eq!(brief(&of_positions(&grid)), expected);
        let Ok(Positions::Grid { shape, .. }) = typed(&grid, "shape", "10, 80") else { panic!() };
        assert_eq!(shape, [10, 80]);
        let poisson = Source { name: "input".into(), kind: SourceKind::Poisson { size: 10, rate: "20 Hz".into() } };
        assert_eq!(brief(&of_source(&poisson)), [("size", &text("10")), ("rate", &text("20 Hz"))]);
        let spikes = Source { name: "input".into(), kind: SourceKind::Spikes { size: 2, spike_times_ms: vec![(0, 1.5)] } };
        let longer = typed(&spikes, "spike_times_ms", "[[0, 1.5], [1, 3]]").expect("a list");
        let SourceKind::Spikes { spike_times_ms, .. } = longer.kind else { panic!() };
        assert_eq!(spike_times_ms, [(0, 1.5), (1, 3.0)]);
        assert!(typed(&spikes, "spike_times_ms", "soon").is_err());
    }

    #[test]
    fn a_plain_number_is_a_delay_in_ms() {
        assert_eq!(delay("1.5"), Quantity::Number(1.5));
        assert_eq!(delay_text(&Quantity::Number(1.5)).as_deref(), Some("1.5 ms"));
        assert_eq!(delay("1.5 ms"), "1.5 ms".into());
    }
}
