//! Predictions for many ranks, the measurement of a machine, and energy.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{code, folder, json, spikelet, text};

/// The rows of the table of docs/scaling.md: neurons, synapses of each, storage and ranks.
const SCALES: [(u64, u32, &str, u32); 12] = [
    (10_000_000, 1_000, "stored", 16),
    (10_000_000, 1_000, "procedural", 16),
    (10_000_000, 10_000, "stored", 64),
    (10_000_000, 10_000, "procedural", 64),
    (100_000_000, 1_000, "stored", 128),
    (100_000_000, 1_000, "procedural", 128),
    (100_000_000, 10_000, "stored", 512),
    (100_000_000, 10_000, "procedural", 512),
    (1_000_000_000, 1_000, "stored", 1024),
    (1_000_000_000, 1_000, "procedural", 1024),
    (1_000_000_000, 10_000, "stored", 4096),
    (1_000_000_000, 10_000, "procedural", 4096),
];

fn docs(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name).display().to_string()
}

fn predicted(neurons: u64, outdegree: u32, storage: &str, ranks: u32) -> Value {
    let (size, degree, ranks) = (format!("n.size={neurons}"), format!("nn.n={outdegree}"), ranks.to_string());
    let network = docs("scaling.json");
    let arguments = ["run", &network, "--set", &size, "--set", &degree, "--storage", storage, "--rate", "5"];
    json(&[&arguments[..], &["--dry-run", "--ranks", &ranks, "--machine", "hdr", "--json"]].concat())
}

/// Three significant digits, as in the document.
fn rounded(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - number.abs().max(1e-9).log10().floor() as i32).max(0) as usize;
    format!("{number:.digits$}")
}

#[test]
fn the_numbers_of_the_document_are_those_of_the_command() {
    let document = fs::read_to_string(docs("scaling.md")).expect("the document is there");
    let mut missing = String::new();
    for (neurons, outdegree, storage, ranks) in SCALES {
        let found = predicted(neurons, outdegree, storage, ranks);
        let number = |key: &str| found[key].as_f64().expect(key);
        let gib = |key: &str| rounded(number(key) / f64::from(1 << 30));
        let parts = ["updates", "events", "rows", "exchange", "wait", "results"];
        let parts = parts.map(|part| rounded(found["parts"][part].as_f64().expect(part))).join(" | ");
        let (seconds, fits) = (rounded(number("seconds_per_second")), if found["fits"] == true { "yes" } else { "no" });
        let (memory, start) = (gib("memory_bytes_per_rank"), gib("memory_bytes_at_start"));
        let row = format!(
            "| {neurons:.0e} | {outdegree} | {storage} | {ranks} | {seconds} | {parts} | {memory} | {start} | {fits} |",
            neurons = neurons as f64
        );
        if !document.lines().any(|line| line == row) {
            _ = writeln!(missing, "{row}");
        }
    }
    assert!(missing.is_empty(), "docs/scaling.md lacks these rows:\n{missing}");
}

#[test]
fn a_prediction_states_what_it_assumes() {
    let found = predicted(1_000_000_000, 10_000, "stored", 4096);
    assert_eq!(found["kind"], "prediction");
    assert_eq!((found["neurons"].as_f64(), found["synapses"].as_f64()), (Some(1e9), Some(1e13)));
    assert_eq!(found["synaptic_events_per_second"].as_f64(), Some(5e13));
    assert!(found["assumptions"].as_array().is_some_and(|list| list.len() > 5), "{found}");
    assert!(found["machine"]["assumed"].as_array().is_some_and(|list| list.contains(&"latency_us".into())), "{found}");
    let parts: f64 = found["parts"].as_object().expect("an object").values().filter_map(Value::as_f64).sum();
    assert!((parts / found["seconds_per_second"].as_f64().expect("a number") - 1.0).abs() < 1e-9);
    let output = spikelet(&["run", "pd14", "--dry-run", "--ranks", "64"]);
    let table = text(&output.stdout);
    for part in [
        "pd14 on 64 ranks of hdr: a prediction",
        "those that the catalogue expects",
        "exchange",
        "memory of a rank",
        "assumptions",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn a_machine_is_measured_written_and_used() {
    let path = folder("machine").join("machine.json").display().to_string();
    let measured = json(&["machine", "--quick", "--threads", "1", "--out", &path, "--json"]);
    assert!(measured["update_ns"].as_f64() > Some(0.0) && measured["latency_us"].as_f64() > Some(0.0), "{measured}");
    assert_eq!(measured["threads_per_rank"], 1);
    let dry = |options: &[&str]| spikelet(&[&["run", "cuba", "--dry-run"], options].concat());
    let found: Value = serde_json::from_slice(&dry(&["--ranks", "8", "--machine", &path, "--json"]).stdout).expect("JSON");
    assert_eq!(found["machine"], measured);
    let file = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, file.replace("\"ranks_per_node\": 1", "\"ranks_per_node\": 0")).expect("it can be written");
    for (options, part) in [
        (&["--ranks", "8", "--machine", &path][..], "ranks_per_node is 0, but it is at least 1"),
        (&["--ranks", "8", "--machine", "nowhere.json"], "--machine nowhere.json is neither a class (hdr) nor a file"),
        (&["--ranks", "8", "--rate", "-1"], "a rate must be a number of Hz"),
        (&["--ranks", "100000"], "a network of 4000 neurons can have 1 to 4000 ranks"),
        (&["--machine", &path], "--ranks"),
    ] {
        let output = dry(options);
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains(part), "{options:?}: {message}");
    }
}

#[test]
fn energy_is_estimated_from_a_power() {
    let run = ["run", "cuba", "--time", "50", "--backend", "cpu", "--threads", "1"];
    let found = json(&[&run[..], &["--energy", "--watts", "65", "--json"]].concat());
    let energy = &found["energy"];
    let number = |value: &Value| value.as_f64().expect("a number");
    assert_eq!((energy["kind"].as_str(), energy["watts"].as_f64()), (Some("estimated"), Some(65.0)));
    assert!((number(&energy["joules"]) - 65.0 * number(&found["simulate_seconds"])).abs() < 1e-9, "{energy}");
    let events = number(&found["synaptic_events"]);
    assert!((number(&energy["joules_per_event"]) * events / number(&energy["joules"]) - 1.0).abs() < 1e-9);
    let other = &energy["others"][0];
    assert!((number(&other["joules"]) - 5.9e-6 * events).abs() < 1e-9 && other["source"].is_string(), "{other}");
    let output = spikelet(&[&run[..], &["--energy", "--watts", "65"]].concat());
    let table = text(&output.stdout);
    assert!(table.contains("J estimated") && table.contains("at an assumed 65 W"), "{table}");
    // Without the option there is no word of it.
    assert!(json(&[&run[..], &["--json"]].concat()).get("energy").is_none());
    let nowhere = folder("energy").join("none.json").display().to_string();
    for (options, part) in [
        (&["--energy", "--watts", "-3"][..], "a power must be a number of W above 0"),
        (&["--watts", "65"], "--energy"),
        (&["--energy", &nowhere], "cannot be read"),
    ] {
        let output = spikelet(&[&run[..], options].concat());
        let message = text(&output.stderr);
        assert!(code(&output) == 2 && message.contains(part), "{options:?}: {message}");
    }
}
