//! `docs/training.schema.json`: it is what the types say, and it accepts all trainings that have a name.
//! `UPDATE_EXPECT=1 cargo test -p spikelet-train --features schema --test schema` writes it again.

use std::path::Path;

use expect_test::expect_file;
use jsonschema::Validator;
use serde_json::{Value, json};
use spikelet_train::{PRESETS, Training};

fn validator() -> Validator {
    jsonschema::draft202012::new(&serde_json::from_str(&Training::json_schema()).unwrap()).unwrap()
}

/// The first training, with another value at a place.
fn with(place: &str, value: Value) -> Value {
    let mut training: Value = serde_json::from_str(PRESETS[0].text(None)).unwrap();
    *training.pointer_mut(place).unwrap() = value;
    training
}

#[test]
fn the_file_is_what_the_types_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/training.schema.json");
    expect_file![file].assert_eq(&Training::json_schema());
}

#[test]
fn it_is_a_schema_and_describes_every_key() {
    let schema: Value = serde_json::from_str(&Training::json_schema()).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let described = property.get("description").or_else(|| property.get("$ref")).is_some();
        assert!(described, "{name} is not described");
    }
}

#[test]
fn named_trainings_have_its_shape() {
    let validator = validator();
    for preset in PRESETS {
        for method in preset.methods() {
            let training: Value = serde_json::from_str(preset.text(Some(method))).unwrap();
            let wrong: Vec<String> =
                validator.iter_errors(&training).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(wrong.is_empty(), "{}: {}", preset.name, wrong.join("\n"));
        }
    }
}

/// What serde accepts, the schema accepts; what it rejects, the schema rejects.
#[test]
fn it_agrees_with_the_reader() {
    let network = |_: &str| Ok::<_, spikelet_network::Error>(PRESETS[0].training(None)?.network);
    let validator = validator();
    for (place, value, expected) in [
        ("/network", json!({"file": "network.json"}), true),
        ("/network", json!({"file": "network.json", "name": "a"}), false),
        ("/network", json!("network.json"), false),
        ("/method", json!("bptt"), true),
        ("/method", json!("BPTT"), false),
        ("/batch", json!(-1), false),
        ("/epochs", json!(1.5), false),
        ("/train", json!([{"path": "hidden.tau_m", "bounds": [1, 50], "tied": true}]), true),
        ("/train", json!([{"bounds": [1, 50]}]), false),
        ("/loss/0/population", json!(3), false),
        ("/optimiser", json!({"type": "sgd", "rate": 0.1}), true),
        ("/optimiser", json!({"type": "sgd", "rates": 0.1}), false),
    ] {
        let training = with(place, value.clone());
        let read = Training::from_files(&training.to_string(), network);
        assert_eq!(read.is_ok(), expected, "{place} = {value}: {read:?}");
        assert_eq!(validator.is_valid(&training), expected, "{place} = {value}");
    }
}
