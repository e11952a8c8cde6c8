//! The JSON Schema of a network, for editors that complete keys and mark errors.
//!
//! Types with a derived serde implementation have a derived schema. Types that parse JSON by hand define their schema here by hand; the
//! test `schema` compares both.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};
use spikelet_lang::gradient::Shape;

use super::{Delays, EdgeFile, Endpoint, Indices, Network, Pairs, Pathways, Quantity, Source, SurrogateChoice};

impl Network {
    /// The JSON Schema (draft 2020-12) of what [`Network::from_json`] reads, as text.
    ///
    /// It describes keys, types, and rules with their parameters. Names, lengths of lists and equations are checked by
    /// [`Network::validate`] and `Plan::new`.
    pub fn json_schema() -> String {
        json_schema_of::<Network>()
    }
}

/// The JSON Schema (draft 2020-12) of a type, as text.
pub fn json_schema_of<T: JsonSchema>() -> String {
    let mut schema = Value::from(SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>());
    tidy(&mut schema);
    // A schema can always be represented in JSON.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Converts documentation to plain text, and expresses the ranges of integers in JSON Schema.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            if let Some(Value::String(text)) = keys.get_mut("description") {
                *text = plain(text);
            }
            tidy_number(keys);
            keys.values_mut().for_each(tidy);
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_number(keys: &mut Map<String, Value>) {
    let largest = match keys.get("format").and_then(Value::as_str) {
        Some("uint32") => Some(u64::from(u32::MAX)),
        Some("uint64") => Some(u64::MAX),
        Some("double" | "float") => None,
        _ => return,
    };
    keys.shift_remove("format");
    if let Some(largest) = largest {
        keys.insert("maximum".into(), largest.into());
    }
}

/// One line without links: `[a](b)` and `[a]` become `a`, except in code.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_code = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let link = (letter == '[' && !in_code).then(|| rest[1..].split_once(']')).flatten();
        if let Some((name, after)) = link {
            plain.push_str(name);
            let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
            rest = target.map_or(after, |(_, after)| after);
            continue;
        }
        in_code ^= letter == '`';
        match letter {
            '\n' if plain.ends_with(' ') => {}
            '\n' => plain.push(' '),
            letter => plain.push(letter),
        }
        rest = &rest[letter.len_utf8()..];
    }
    plain
}

/// An object with these keys and no others.
fn object(description: &str, required: &[&str], properties: &Value) -> Value {
    serde_json::json!({
        "description": description, "type": "object", "properties": properties, "required": required, "additionalProperties": false
    })
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let unit =
            serde_json::json!({"description": "The unit of the values; default: the inner unit.", "type": ["string", "null"]});
        let list = |of: Value| serde_json::json!({"type": "array", "items": of});
        let number = || serde_json::json!({"type": "number"});
        let text = || serde_json::json!({"type": "string"});
        let values = serde_json::json!({"values": list(number()), "unit": unit});
        let expr = serde_json::json!({"expr": text()});
        let timed = serde_json::json!({"timed": list(serde_json::json!({"anyOf": [number(), list(number())]})), "dt": text(), "unit": unit});
        json_schema!({
            "description": "A value, or one value per neuron or synapse.",
            "anyOf": [
                {"description": "A number in inner units: mV, ms, pA, nS, pF, GΩ, kHz, µm.", "type": "number"},
                {
                    "description": "A number with a unit, \"20 ms\", a distribution, \"normal(-65 mV, 5 mV)\", or any \
                                    expression.",
                    "type": "string"
                },
                {"description": "One value per neuron or synapse, in inner units.", "type": "array", "items": {"type": "number"}},
                {"description": "One value per neuron or synapse, with a unit.", "type": "array", "items": {"type": "string"}, "minItems": 1},
                object("One value per neuron, or per synapse in the order of `pairs`.", &["values"], &values),
                object("An expression, evaluated for each neuron or synapse.", &["expr"], &expr),
                object("A function of time given by its values, each held for `dt`; the last one is held for ever. A row \
                        contains one value for all neurons, or one per neuron.", &["timed", "dt"], &timed)
            ]
        })
    }
}

impl JsonSchema for Delays {
    fn schema_name() -> Cow<'static, str> {
        "Delays".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let quantity = generator.subschema_for::<Quantity>();
        json_schema!({
            "description": "Delays: the same for all pathways, or by name.",
            "anyOf": [
                quantity,
                {
                    "description": "Delays by the names of pathways; the default is no delay.",
                    "type": "object",
                    "propertyNames": {"not": {"enum": Quantity::KEYS}},
                    "additionalProperties": quantity
                }
            ]
        })
    }
}

impl JsonSchema for Pathways {
    fn schema_name() -> Cow<'static, str> {
        "Pathways".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Statements executed when a spike arrives: one text, or several named pathways. Pathways of the same \
                            step are executed in the alphabetical order of their names.",
            "anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}]
        })
    }
}

impl JsonSchema for Pairs {
    fn schema_name() -> Cow<'static, str> {
        "Pairs".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Synapses as a list or in a file.",
            "anyOf": [generator.subschema_for::<Vec<[u32; 2]>>(), generator.subschema_for::<EdgeFile>()]
        })
    }
}

impl JsonSchema for Endpoint {
    fn schema_name() -> Cow<'static, str> {
        "Endpoint".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A population, \"E\", or a slice of it, \"E[0:800]\": neurons from the first index up to, not \
                            including, the second. Either can be omitted, as in Python. Or those that a condition on its table selects, \
                            \"E[type == 'KC']\". Indices remain those of the population.",
            "type": "string",
            "pattern": r"^[^\[]+(\[(\s*[0-9]*\s*:\s*[0-9]*\s*|.*([=<>~]|\sin\s).*)\])?$",
            "examples": ["E", "E[0:800]", "E[type == 'KC']"]
        })
    }
}

impl JsonSchema for SurrogateChoice {
    fn schema_name() -> Cow<'static, str> {
        "SurrogateChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let shapes: Vec<&str> = Shape::ALL.iter().map(|(name, _)| *name).collect();
        let shape = serde_json::json!({"description": "The name of a surrogate.", "enum": shapes});
        let slope = serde_json::json!({
            "description": "The slope: \"10/mV\", or a number in 1 over the inner unit of what the threshold compares. Default: that of \
                            the shape, if the threshold compares numbers without unit.",
            "type": ["number", "string"]
        });
        let factor = serde_json::json!({"description": "A factor; default: that of the shape.", "type": "number"});
        let properties = serde_json::json!({"shape": shape, "slope": slope, "factor": factor});
        json_schema!({
            "description": "The derivative of a threshold in training.",
            "anyOf": [shape, object("A surrogate with its numbers.", &["shape"], &properties)]
        })
    }
}

impl JsonSchema for Indices {
    fn schema_name() -> Cow<'static, str> {
        "Indices".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Neurons of a population or synapses of a projection: a list of indices, a slice (the first, and one past the last), a condition on the table of the population, or all.",
            "anyOf": [
                generator.subschema_for::<Vec<u32>>(),
                {"type": "string", "pattern": r"^\s*[0-9]+\s*:\s*[0-9]+\s*$", "examples": ["0:100"]},
                {"type": "string", "pattern": r"([=<>~]|\sin\s)", "examples": ["type == 'KC'"]},
                {"const": "all"}
            ]
        })
    }
}

impl JsonSchema for Source {
    fn schema_name() -> Cow<'static, str> {
        "Source".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let quantity = |generator: &mut SchemaGenerator, about: &str| {
            let mut schema = generator.subschema_for::<Quantity>();
            schema.insert("description".into(), about.into());
            schema
        };
        let rate = quantity(generator, "Mean number of spikes per time.");
        let rate_of_each = quantity(generator, "Rate of each process.");
        let weight = quantity(generator, "Increment of the variable per spike.");
        let whole = |about: &str| serde_json::json!({"description": about, "type": "integer", "minimum": 0, "maximum": u32::MAX});
        let name = serde_json::json!({"description": "Unique among populations, sources and projections.", "type": "string"});
        let size = whole("Number of neurons.");
        let spikes = serde_json::json!({
            "name": name,
            "type": {"type": "null"},
            "size": size,
            "spike_times_ms": {
                "description": "`[neuron, time in ms]`, in any order.",
                "type": "array",
                "items": {
                    "type": "array",
                    "prefixItems": [{"type": "integer", "minimum": 0, "maximum": u32::MAX}, {"type": "number"}],
                    "minItems": 2,
                    "maxItems": 2
                }
            }
        });
        let poisson = serde_json::json!({"name": name, "type": {"const": "poisson"}, "size": size, "rate": rate});
        let input = serde_json::json!({
            "name": name,
            "type": {"const": "poisson_input"},
            "targets": {"description": "Populations, or slices of them such as `E[0:100]`.", "type": "array", "items": {"type": "string"}},
            "var": {"description": "The variable of the targets to which each spike adds.", "type": "string"},
            "N": whole("Number of processes per neuron."),
            "rate": rate_of_each,
            "weight": weight
        });
        let inputs = "Many Poisson processes for each neuron of the targets, drawn as one number per step. It has no neurons.";
        json_schema!({
            "description": "External spikes: lists of times, Poisson processes, or the sum of many Poisson processes. The \
                            neurons of sources are numbered after those of all populations.",
            "oneOf": [
                object("Neurons that fire at given times.", &["name", "size", "spike_times_ms"], &spikes),
                object("Neurons that fire as independent Poisson processes.",
                       &["name", "type", "size", "rate"], &poisson),
                object(inputs, &["name", "type", "targets", "var", "N", "rate", "weight"], &input)
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn descriptions_have_no_links() {
        let text = "Of [positions](crate::Positions), as [`All`]:\n\n`E[0:800]` and `[pre, post]`.";
        assert_eq!(plain(text), "Of positions, as `All`: `E[0:800]` and `[pre, post]`.");
    }
}
