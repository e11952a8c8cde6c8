//! `docs/network.schema.json`: it is what the types say, it takes all networks there are, and it refuses what serde refuses.
//! `UPDATE_EXPECT=1 cargo test -p spikelet-network --features schema --test schema` writes it anew.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use jsonschema::Validator;
use serde_json::{Value, json};
use spikelet_network::{Network, RULES, catalogue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Value {
    serde_json::from_str(&Network::json_schema()).unwrap()
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

fn files(folder: &str) -> Vec<(String, Value)> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let json = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    json.map(|path| (path.display().to_string(), serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap())).collect()
}

fn check(validator: &Validator, name: &str, network: &Value) {
    let wrong: Vec<String> = validator.iter_errors(network).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
}

#[test]
fn the_file_is_what_the_types_say() {
    expect_file![root().join("docs/network.schema.json")].assert_eq(&Network::json_schema());
}

#[test]
fn it_is_a_schema_and_describes_every_key() {
    jsonschema::meta::validate(&schema()).unwrap();
    let mut bare = Vec::new();
    undescribed(&schema(), "", &mut bare);
    assert!(bare.is_empty(), "without a description: {bare:?}");
    let text = Network::json_schema();
    assert!(!text.contains("](") && !text.contains("[`"), "a link is left in a description");
}

/// Paths of keys of the format that nobody explains: neither where they stand nor where their type does.
fn undescribed(schema: &Value, path: &str, bare: &mut Vec<String>) {
    let Value::Object(keys) = schema else {
        for (index, part) in schema.as_array().into_iter().flatten().enumerate() {
            undescribed(part, &format!("{path}/{index}"), bare);
        }
        return;
    };
    for (key, value) in keys {
        let path = format!("{path}/{key}");
        if key == "properties" {
            // What a key means whose value names the kind, or that belongs to a quantity, is said of the object.
            let of_object = |name: &str| keys.contains_key("description") && ["rule", "layout", "type"].contains(&name);
            let of_quantity = |name: &str| ["values", "expr", "timed", "dt"].contains(&name);
            for (name, property) in value.as_object().unwrap() {
                if property.get("description").is_none() && !of_object(name) && !of_quantity(name) {
                    bare.push(format!("{path}/{name}"));
                }
                undescribed(property, &format!("{path}/{name}"), bare);
            }
        } else {
            undescribed(value, &path, bare);
        }
    }
}

#[test]
fn networks_of_the_catalogue_have_its_shape() {
    let validator = validator();
    for entry in catalogue::entries() {
        let network = entry.network(entry.small).unwrap();
        check(&validator, entry.name, &serde_json::from_str(&network.to_json()).unwrap());
    }
}

#[test]
fn networks_in_files_have_its_shape() {
    let validator = validator();
    for (name, network) in files("tests/networks") {
        check(&validator, &name, &network);
    }
    let cases = files("tests/conformance");
    assert!(cases.len() >= 80, "{} cases", cases.len());
    for (name, case) in cases {
        let keys = ["name", "dt_ms", "duration_ms", "populations", "sources", "projections", "recordings"];
        let part = keys.into_iter().filter_map(|key| Some((key.to_owned(), case.get(key)?.clone())));
        let mut network = Value::Object(part.collect());
        // A key of the corpus: whether spikes of a source were kept.
        for source in network.get_mut("sources").and_then(Value::as_array_mut).into_iter().flatten() {
            source.as_object_mut().unwrap().remove("record");
        }
        check(&validator, &name, &network);
    }
}

#[test]
fn it_has_the_rules_of_the_menu() {
    let schema = schema();
    let variants = schema["$defs"]["Connector"]["oneOf"].as_array().unwrap();
    let known: BTreeSet<&str> = variants.iter().map(|rule| rule["properties"]["rule"]["const"].as_str().unwrap()).collect();
    let menu: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(known, menu);
    let validator = validator();
    for rule in RULES {
        let connect = serde_json::to_value((rule.example)()).unwrap();
        check(&validator, rule.name, &with("/projections/0/connect", connect));
    }
}

/// A network that uses a little of everything, with another value at a place.
fn with(place: &str, value: Value) -> Value {
    let mut network = json!({
        "name": "small", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{
            "name": "E", "size": 4, "model": "lif_exp", "parameters": {"El": "-60 mV"},
            "positions": {"layout": "grid", "shape": [2, 2]}
        }],
        "sources": [{"name": "S", "size": 1, "spike_times_ms": [[0, 1.5]]}],
        "projections": [{
            "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "ge_post += w", "parameters": {"w": 1}, "delay_ms": 1
        }],
        "recordings": [{"object": "E", "var": "v", "indices": [0]}],
        "statistics": [{"object": "S_E", "var": "w", "every_ms": 1}],
        "changes": [{"at_ms": 5, "set": {"E.El": "-55 mV"}}],
        "stop": ["spikes > 100"]
    });
    let (parent, key) = place.rsplit_once('/').unwrap();
    match network.pointer_mut(parent).unwrap() {
        Value::Array(values) => values[key.parse::<usize>().unwrap()] = value,
        object => object[key] = value,
    }
    network
}

/// What serde takes, the schema takes; what it refuses, the schema refuses.
#[test]
fn it_agrees_with_the_reader() {
    let list = |values: &[Value]| values.to_vec();
    let quantities = list(&[
        json!(1),
        json!(0.5),
        json!("20 ms"),
        json!([1, 2.5]),
        json!([]),
        json!({"values": [1], "unit": "mV"}),
        json!({"values": [1]}),
        json!({"expr": "i*mV"}),
        json!({"timed": [1, 2], "dt": "1 ms"}),
        json!({"timed": [[1, 2], [3, 4]], "dt": "1 ms", "unit": "nA"}),
        json!(true),
        json!(null),
        json!(["10 mV", "20 mV"]),
        json!(["10 mV", 3]),
        json!({"unit": "mV"}),
        json!({"expr": 3}),
        json!({"timed": [1]}),
        json!({"expr": "i", "values": [1]}),
        json!({"vlaues": [1]}),
        json!({"values": [1], "unit": 3}),
        json!({"timed": [["a"]], "dt": "1 ms"}),
    ]);
    let mut pathways = quantities.clone();
    pathways.extend([json!({"fast": 1, "slow": "5 ms"}), json!({"fast": true}), json!({})]);
    let places = [
        ("/populations/0/parameters/El", quantities.clone()),
        ("/populations/0/initial", list(&[json!({"v": 1}), json!({"v": null}), json!([1]), json!(null)])),
        ("/projections/0/delay_ms", pathways),
        ("/projections/0/on_pre", list(&[json!("a"), json!({"a": "b"}), json!({"a": 1}), json!(3), json!(["a"]), json!(null)])),
        (
            "/projections/0/pre",
            list(&[
                json!("E"),
                json!("E[0:2]"),
                json!("E[:]"),
                json!("E[ 1 : ]"),
                json!("E[3]"),
                json!("E["),
                json!(""),
                json!("[1:2]"),
                json!("E[-1:]"),
                json!("E[1:2]x"),
                json!(3),
                json!(null),
            ]),
        ),
        (
            "/projections/0/pairs",
            list(&[
                json!([[0, 1]]),
                json!([]),
                json!({"file": "edges.csv"}),
                json!("edges.csv"),
                json!([[0]]),
                json!([[0, 1, 2]]),
                json!([[0, -1]]),
                json!([[0, 0.5]]),
                json!({"path": "edges.csv"}),
                json!({"file": 3}),
                json!(null),
            ]),
        ),
        (
            "/projections/0/connect",
            list(&[
                json!({"rule": "bernoulli", "p": 0.1}),
                json!({"rule": "bernoulli", "p": {"expr": "0.1"}}),
                json!({"rule": "bernoulli"}),
                json!({"rule": "bernoulli", "p": 0.1, "n": 3}),
                json!({"rule": "one_to_one"}),
                json!({"rule": "one_to_one", "autapses": false}),
                json!({"rule": "fixed_indegree", "n": 2, "pre_range": [0, 2]}),
                json!({"rule": "fixed_indegree", "n": 2, "pre_range": [0]}),
                json!({"rule": "fixed_total", "n": -1}),
                json!({"rule": "fixed_total", "n": 5_000_000_000_u64}),
                json!({"rule": "fixed_outdegree", "n": 5_000_000_000_u64}),
                json!({"rule": "fixed_outdegree", "n": 2, "autapses": "no"}),
                json!({"rule": "gaussian", "sigma": "1 um", "cutoff": null}),
                json!({"rule": "gaussian", "p": "0.1", "sigma": 1}),
                json!({"rule": "box", "half_widths": [1, "2 um"]}),
                json!({"rule": "nearest"}),
                json!({"p": 0.1}),
                json!("all"),
                json!(null),
            ]),
        ),
        (
            "/projections/0/learned",
            list(&[
                json!({"file": "w.npz"}),
                json!("w.npz"),
                json!({"file": 3}),
                json!({"path": "w.npz"}),
                json!({}),
                json!(null),
            ]),
        ),
        ("/projections/0/storage", list(&[json!("stored"), json!("procedural"), json!("sparse"), json!(null)])),
        ("/projections/0/weights", list(&[json!("i32"), json!("f16"), json!("f32"), json!("F16"), json!(null)])),
        ("/projections/0/max_indegree", list(&[json!(3), json!(-3), json!(null)])),
        ("/projections/0/wieght", list(&[json!(3)])),
        (
            "/populations/0/positions",
            list(&[
                json!({"layout": "random", "box": [1, "2 mm"], "periodic": true}),
                json!({"layout": "random"}),
                json!({"layout": "list", "points": [[0, 1]], "unit": "mm", "box": null}),
                json!({"layout": "list", "points": [0, 1]}),
                json!({"layout": "grid", "shape": [2, 2], "spacing": "10 um", "tile": 2}),
                json!({"layout": "grid", "shape": [2, -2]}),
                json!({"layout": "ring"}),
                json!({"layout": "grid", "shape": [2, 2], "box": [1]}),
                json!(null),
            ]),
        ),
        ("/populations/0/size", list(&[json!(3), json!(-1), json!(0.5), json!("3"), json!(5_000_000_000_u64)])),
        ("/populations/0/equation", list(&[json!("dv/dt = 1*volt/second : volt")])),
        (
            "/sources/0",
            list(&[
                json!({"name": "S", "size": 1, "spike_times_ms": [], "type": null}),
                json!({"name": "S", "size": 1}),
                json!({"name": "S", "type": "poisson", "size": 1, "rate": "5 Hz"}),
                json!({"name": "S", "type": "poisson", "size": 1}),
                json!({"name": "S", "type": "poisson", "size": 1, "rate": 1, "N": 2}),
                json!({"name": "S", "type": "noise"}),
                json!({"name": "S", "type": "poisson_input", "targets": ["E"], "var": "v", "N": 2, "rate": 1, "weight": "1 mV"}),
                json!({"name": "S", "type": "poisson_input", "targets": "E", "var": "v", "N": 2, "rate": 1, "weight": "1 mV"}),
                json!({"name": "S", "size": 1, "spike_times_ms": [[0]]}),
                json!({"name": "S", "size": 1, "spike_times_ms": [[0.5, 1]]}),
            ]),
        ),
        ("/recordings/0/indices", list(&[json!("all"), json!([0, 1]), json!("some"), json!([-1]), json!(0)])),
        (
            "/statistics/0",
            list(&[
                json!({"object": "S_E", "var": "w", "every_ms": 1, "range": [0, "1 mV"], "bins": 3, "unit": "mV"}),
                json!({"object": "S_E", "var": "w", "every_ms": 1, "range": null, "bins": null}),
                json!({"object": "S_E", "var": "w", "every_ms": 1, "range": [0]}),
                json!({"object": "S_E", "var": "w", "every_ms": 1, "bins": -3}),
                json!({"object": "S_E", "var": "w", "every_ms": "1 ms"}),
                json!({"object": "S_E", "var": "w"}),
                json!({"object": "S_E", "every_ms": 1}),
            ]),
        ),
        (
            "/changes/0",
            list(&[
                json!({"at_ms": 1, "set": {}}),
                json!({"at_ms": 1}),
                json!({"at_ms": "1 ms", "set": {}}),
                json!({"at_ms": 1, "set": {"a": true}}),
            ]),
        ),
        ("/stop", list(&[json!([]), json!("spikes > 3"), json!([3])])),
        ("/seed", list(&[json!(u64::MAX), json!(-1), json!("1")])),
        ("/format", list(&[json!(1), json!(1.5)])),
        ("/dt_ms", list(&[json!(1), json!("0.1 ms"), json!(null)])),
        ("/author", list(&[json!("me")])),
    ];
    let validator = validator();
    let mut counts = [0, 0];
    for (place, values) in places {
        for value in values {
            let network = with(place, value.clone());
            let read = serde_json::from_value::<Network>(network.clone());
            let valid = validator.is_valid(&network);
            assert_eq!(valid, read.is_ok(), "{place} = {value}: the reader says {:?}", read.err());
            counts[usize::from(valid)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 40), "refused and taken: {counts:?}");
    for key in ["name", "dt_ms", "duration_ms"] {
        let mut network = with("/seed", json!(2));
        network.as_object_mut().unwrap().remove(key);
        assert!(!validator.is_valid(&network) && serde_json::from_value::<Network>(network).is_err(), "without {key}");
    }
}
