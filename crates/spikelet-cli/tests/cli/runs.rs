//! What a run says of itself.

use std::process::{Command, Output};

use serde_json::Value;

use super::{code, folder, json, spikelet, text};

#[test]
fn the_report_has_exactly_its_keys() {
    let report = json(&["run", "cuba", "--backend", "cpu", "--time", "100", "--seed", "3", "--threads", "2", "--json"]);
    let keys: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = "network, neurons, synapses, dt_ms, time_ms, seed, trials, completed, interrupted, resumed, backend, build_seconds, first_spike_seconds, \
                    simulate_seconds, real_time_factor, trial_steps_per_second, spikes, synaptic_events, synaptic_events_per_second, \
                    neuron_updates_per_second, memory_bytes, resident_bytes, buffers, device_bytes, \
                    populations, spikes_hash, changes, stopped, notices, results";
    assert_eq!(keys.join(", "), expected);
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>().join(", "));
    assert_eq!(keys(&report["backend"]).as_deref(), Some("kind, name, threads, reason"));
    assert_eq!(keys(&report["populations"][0]).as_deref(), Some("name, size, rate_hz, cv_isi"));

    let bytes = |buffers: &Value| buffers.as_array().map(|list| list.iter().filter_map(|of| of["bytes"].as_u64()).sum::<u64>());
    assert_eq!((bytes(&report["buffers"]), &report["device_bytes"]), (report["memory_bytes"].as_u64(), &report["memory_bytes"]));
    assert_eq!(report["network"], "cuba");
    assert_eq!((&report["neurons"], &report["seed"], &report["trials"]), (&4000.into(), &3.into(), &1.into()));
    assert_eq!((report["dt_ms"].as_f64(), report["time_ms"].as_f64()), (Some(0.1), Some(100.0)));
    assert_eq!((&report["backend"]["kind"], &report["backend"]["threads"]), (&"cpu".into(), &2.into()));
    assert!(report["spikes"].as_u64() > Some(0) && report["synaptic_events"].as_u64() > report["spikes"].as_u64());
    let seconds = |key: &str| report[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"));
    assert!(seconds("build_seconds") < seconds("first_spike_seconds"));
    assert!((seconds("real_time_factor") - seconds("simulate_seconds") * 10.0).abs() < 1e-9);
    let hash = report["spikes_hash"].as_str().expect("one trial has one hash");
    assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
}

#[test]
fn the_same_seed_gives_the_same_spikes_with_any_number_of_threads() {
    for network in ["cuba", "coba", "izhikevich"] {
        let hash = |more: &[&str]| {
            let base = ["run", network, "--backend", "cpu", "--time", "50", "--json"];
            json(&[&base[..], more].concat())["spikes_hash"].clone()
        };
        let one = hash(&["--threads", "1"]);
        assert_eq!(one, hash(&["--threads", "1"]));
        assert_eq!(one, hash(&["--threads", "3"]));
        assert_ne!(one, hash(&["--seed", "2"]));
    }
}

/// Excitation from outside, an array of times, and what it does to a cell, said on the command line and in the file.
#[test]
fn a_protocol_changes_values_and_ends_the_run() {
    let base = ["run", "cuba", "--scale", "0.1", "--backend", "cpu", "--time", "60", "--json"];
    let run = |more: &[&str]| json(&[&base[..], more].concat());
    let plain = run(&[]);
    assert_eq!((&plain["changes"], &plain["stopped"]), (&Value::Array(Vec::new()), &Value::Null));

    let changed = run(&["--at", "20 ms: E.El=-60 mV", "--at", "10: EE.we=1 mV"]);
    assert_ne!(changed["spikes_hash"], plain["spikes_hash"]);
    let change = |index: usize| {
        let change = &changed["changes"][index];
        (change["time_ms"].as_f64(), change["path"].as_str(), change["value"].as_str())
    };
    assert_eq!(change(0), (Some(10.0), Some("EE.we"), Some("1 mV")));
    assert_eq!(change(1), (Some(20.0), Some("E.El"), Some("-60 mV")));

    let stopped = run(&["--stop", "spikes > 80", "--stop", "rate(E, 10 ms) > 10000 Hz"]);
    assert_eq!(stopped["stopped"]["condition"], "spikes > 80");
    assert!(stopped["stopped"]["time_ms"] == stopped["time_ms"] && stopped["time_ms"].as_f64() < Some(60.0), "{stopped}");
    assert!((81..200).contains(&stopped["spikes"].as_u64().unwrap_or(0)), "{stopped}");
    let trials = run(&["--stop", "spikes > 80", "--trials", "2"]);
    assert_eq!(trials["stopped"].as_array().map(Vec::len), Some(2), "{trials}");

    let out = folder("protocol");
    let write = ["--stop", "spikes > 80", "--at", "5 ms: E.El=-49 mV", "--out", &out.display().to_string()];
    let first = run(&write);
    let again = json(&["run", &out.join("network.json").display().to_string(), "--backend", "cpu", "--json"]);
    assert_eq!((&again["spikes_hash"], &again["stopped"]), (&first["spikes_hash"], &first["stopped"]));

    let table = spikelet(&[
        "run",
        "cuba",
        "--scale",
        "0.1",
        "--backend",
        "cpu",
        "--time",
        "60",
        "--at",
        "5.04 ms: E.El=-49 mV",
        "--at",
        "70 ms: E.El=-49 mV",
        "--stop",
        "spikes > 80",
    ]);
    for line in ["changed      E.El = -49 mV at 5 ms", "stopped      spikes > 80 at "] {
        assert!(text(&table.stdout).contains(line), "{line} in {}", text(&table.stdout));
    }
    assert_eq!(text(&table.stderr).matches("notice: changes[").count(), 2, "{}", text(&table.stderr));
}

#[test]
fn trials_have_a_hash_each() {
    let run = |trials| json(&["run", "izhikevich", "--backend", "cpu", "--time", "50", "--trials", trials, "--json"]);
    let report = run("3");
    let hashes = report["spikes_hash"].as_array().expect("a list");
    assert_eq!((hashes.len(), &report["trials"]), (3, &3.into()));
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2], "noise differs between trials");
    assert_eq!(run("1")["spikes_hash"], hashes[0]);
}

#[test]
fn a_table_is_printed_unless_quiet() {
    let output = spikelet(&["run", "cuba", "--backend", "cpu", "--time", "20"]);
    assert_eq!(code(&output), 0);
    let table = text(&output.stdout);
    for word in ["network", "cuba", "real-time factor", "spikes hash", "population", "rate Hz", "requested"] {
        assert!(table.contains(word), "{word} in:\n{table}");
    }
    assert_eq!(text(&output.stderr), "", "no progress bar in a pipe");
    let output = spikelet(&["run", "cuba", "--backend", "cpu", "--time", "20", "--quiet"]);
    assert_eq!((code(&output), text(&output.stdout)), (0, String::new()));
}

#[test]
fn the_vectors_of_the_cpu_can_be_limited() {
    let level = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
        let arguments = ["run", "cuba", "--time", "20", "--backend", "cpu", "--threads", "1", "--json", "--quiet"];
        command.args(arguments).env("SPIKELET_LEVEL", name).output().expect("the program starts")
    };
    let hash = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).expect("a report")["spikes_hash"].clone();
    let narrow = level("plain");
    assert_eq!(code(&narrow), 0, "{}", text(&narrow.stderr));
    let widest = spikelet(&["run", "cuba", "--time", "20", "--backend", "cpu", "--threads", "1", "--json", "--quiet"]);
    assert!(hash(&narrow).is_string() && hash(&narrow) == hash(&widest), "{} {}", hash(&narrow), hash(&widest));
    let unknown = level("sse9");
    assert_eq!(code(&unknown), 2);
    assert!(text(&unknown.stderr).contains("SPIKELET_LEVEL: found `sse9`, expected one of plain"), "{}", text(&unknown.stderr));
}
