//! Which features a network has, to tell differences apart.

use std::collections::BTreeSet;

use serde_json::Value;

/// A feature, where it is, and what its text contains.
type Feature = (&'static str, &'static [&'static str], &'static str);

/// Features that a text of a list of keys shows.
const IN_TEXTS: [Feature; 31] = [
    ("event-driven", &["equations"], "(event-driven"),
    ("clock-driven", &["equations"], "clock-driven)"),
    ("summed", &["equations"], "(summed)"),
    ("constant over dt", &["equations"], "constant over dt"),
    ("shared", &["equations"], "(shared)"),
    ("integer", &["equations"], ": integer"),
    ("boolean", &["equations"], ": boolean"),
    ("unless refractory", &["equations"], "unless refractory"),
    ("f16 state", &["equations"], "f16"),
    ("plastic", &["equations"], "plastic"),
    ("slow", &["equations"], "00*ms)"),
    ("ramp", &["equations"], "dz/dt"),
    ("own function", &["equations", "update", "threshold", "reset", "statements", "condition", "on_pre", "on_post"], "own("),
    ("reads the presynaptic neuron", &["equations", "on_pre", "on_post", "on_third", "statements"], "_pre"),
    ("adds to the presynaptic neuron", &["on_pre", "on_post"], "_pre +="),
    ("assigns to the postsynaptic neuron", &["on_pre", "on_post", "on_third"], "_post = "),
    ("lastspike", &["equations", "reset", "refractory", "statements", "condition", "threshold"], "lastspike"),
    ("not_refractory", &["equations", "reset", "threshold", "statements", "condition"], "not_refractory"),
    ("time of a variable", &["reset", "statements"], "last = t"),
    ("timestep", &["equations", "reset", "refractory", "statements", "condition", "on_pre"], "timestep("),
    ("floor", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], "floor("),
    ("//", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], "//"),
    ("%", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], " % "),
    ("sign", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], "sign("),
    ("int", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], "int("),
    ("exprel", &["equations", "reset", "update", "statements", "condition", "on_pre", "on_post"], "exprel("),
    ("rand", &["equations", "reset", "update", "statements", "on_pre", "on_post"], "rand"),
    ("noise", &["equations"], "xi"),
    ("counts", &["equations", "on_pre", "on_post", "statements"], "N_"),
    ("drawn values", &["expr", "initial", "parameters"], "rand()"),
    ("plasticity", &["set"], "plasticity"),
];

/// Keys that are features.
const KEYS: [&str; 33] = [
    "update",
    "winners",
    "group",
    "run_regularly",
    "events",
    "linked",
    "third",
    "on_third",
    "on_post",
    "pairs",
    "synapses_per_pair",
    "max_outdegree",
    "max_indegree",
    "storage",
    "weights",
    "order",
    "delay_post_ms",
    "delay_third_ms",
    "changes",
    "stop",
    "reduce",
    "every_ms",
    "start_ms",
    "statistics",
    "refractory",
    "timed",
    "spike_times_ms",
    "targets",
    "plasticity",
    "method",
    "condition",
    "recordings",
    "record",
];

/// The features of a network.
pub fn features(network: &Value) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    walk(network, "", &mut found);
    for projection in network["projections"].as_array().into_iter().flatten() {
        let is_stateful = projection["equations"].as_str().is_some_and(|text| text != "w : 1 (constant)");
        found.insert(if is_stateful { "stateful" } else { "stateless" });
        for (end, what) in [("pre", "slice of pre"), ("post", "slice of post")] {
            if projection[end].as_str().is_some_and(|text| text.contains('[')) {
                found.insert(what);
            }
        }
        if projection["pre"].as_str().is_some_and(|text| text.contains('.')) {
            found.insert("event as pre");
        }
        if projection["on_pre"].is_object() {
            found.insert("several pathways");
        }
        if projection["delay_ms"].is_array() || projection["delay_ms"].get("expr").is_some() {
            found.insert("delays of synapses");
        }
        match projection["connect"]["rule"].as_str() {
            Some("generator") => drop(found.insert("generator")),
            Some("one_to_one") => drop(found.insert("one_to_one")),
            Some("all") | None => {}
            Some(_) => drop(found.insert("drawn rule")),
        }
    }
    found
}

fn walk(value: &Value, key: &str, found: &mut BTreeSet<&'static str>) {
    if let Some(known) = KEYS.iter().find(|known| **known == key) {
        found.insert(known);
    }
    match value {
        Value::String(text) => {
            let fits = |of: &&Feature| of.1.contains(&key) && text.contains(of.2);
            found.extend(IN_TEXTS.iter().filter(fits).map(|(name, _, _)| *name));
        }
        Value::Array(list) => list.iter().for_each(|of| walk(of, key, found)),
        Value::Object(keys) => {
            for (inner, of) in keys {
                // Pathways have names of their own, and values those of parameters.
                let inner = if ["on_pre", "on_post", "on_third", "initial", "parameters"].contains(&key) { key } else { inner };
                walk(of, inner, found);
            }
        }
        _ => {}
    }
}
