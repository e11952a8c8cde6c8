//! `spikelet bench` as a user meets it. Nothing here depends on how long anything takes.

use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet")).arg("bench").args(arguments).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let output = bench(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON array")
}

#[test]
fn cases_are_listed_by_name() {
    let names = json(&["--list"]);
    for name in ["pd14/full/gpu", "cuba/published/cpu", "lif/1e5/gpu", "lattice/100/cpu", "fly/2hz/gpu"] {
        assert!(names.contains(&name.into()), "{name} is not listed");
    }
    let trials = json(&["--list", "cuba", "--backend", "gpu", "--trials", "64"]);
    let of = |name: &str| [format!("{name}/gpu"), format!("{name}/gpu/x64")];
    assert_eq!(trials, ["cuba/published", "plastic_cuba/small", "plastic_cuba/published"].map(of).concat());
    let families = json(&["--list", "--scaling", "--backend", "cpu"]);
    assert_eq!((families.len(), &families[9]), (10, &"lattice/200/cpu".into()));
}

const KEYS: &str = "name, network, size, backend, neurons, synapses, dt_ms, trials, build_seconds, first_spike_seconds, steps_per_second, \
                    spread, repetitions, real_time_factor, synaptic_events_per_second, neuron_updates_per_second, plan_bytes, \
                    resident_bytes, operations, gpu, compared_ms, spikes, spikes_hash, baseline, ratio, conditions";

fn keys(value: &Value) -> String {
    value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

#[test]
fn a_measurement_has_exactly_its_keys() {
    let arguments = [
        "lif/1e2",
        "lif/1e3",
        "--backend",
        "cpu",
        "--threads",
        "2",
        "--trials",
        "3",
        "--quick",
        "--seconds",
        "0.2",
        "--date",
        "today",
    ];
    let measured = json(&arguments);
    let names: Vec<&str> = measured.iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["lif/1e2/cpu", "lif/1e2/cpu/x3", "lif/1e3/cpu", "lif/1e3/cpu/x3"]);
    for of in &measured {
        assert_eq!(keys(of), KEYS);
        assert_eq!(keys(&of["backend"]), "kind, threads");
        assert_eq!(keys(&of["conditions"]), "date, version, system, cores, vectors, load, adapter");
        assert_eq!((&of["conditions"]["date"], &of["backend"]["threads"]), (&"today".into(), &2.into()));
        assert!(of["repetitions"].as_array().is_some_and(|repetitions| repetitions.len() >= 3), "{of}");
        let number = |key: &str| of[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"));
        assert!(number("steps_per_second") > 0.0 && number("plan_bytes") > 0.0);
        assert!((number("real_time_factor") * number("steps_per_second") - 10_000.0).abs() < 1e-6);
        assert!((number("neuron_updates_per_second") / number("steps_per_second") - number("neurons")).abs() < 1e-6);
    }
    // The first of several trials is the one that runs alone, and they are compared with it.
    assert_eq!(measured[2]["spikes_hash"], measured[3]["spikes_hash"]);
    assert!(measured[2]["spikes"].as_u64() > Some(0), "{}", measured[2]);
    assert_eq!((&measured[3]["baseline"], &measured[2]["baseline"]), (&"lif/1e3/cpu".into(), &Value::Null));
    assert!(measured[3]["ratio"].as_f64() > Some(0.0));
}

/// A fast wrong answer would have other spikes.
#[test]
fn the_spikes_of_a_case_are_those_of_a_run() {
    let arguments = ["cuba", "--backend", "cpu", "--quick", "--seconds", "0.1"];
    let measured = json(&arguments);
    let run = ["run", "cuba", "--time", "10", "--backend", "cpu", "--json"];
    let run = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(run).output().expect("the program starts");
    let run: Value = serde_json::from_slice(&run.stdout).expect("stdout is one JSON value");
    assert_eq!(measured[0]["compared_ms"].as_f64(), Some(10.0));
    assert_eq!((&measured[0]["spikes"], &measured[0]["spikes_hash"]), (&run["spikes"], &run["spikes_hash"]));
}

/// A network of one's own is measured by its file, alone or beside cases, and says which operations take the time.
#[test]
fn a_file_is_a_case() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/networks/plastic.json");
    let quick = ["--backend", "cpu", "--quick", "--seconds", "0.1"];
    let measured = json(&[&[file, "--time", "50"], quick.as_slice()].concat());
    let run = ["run", file, "--time", "5", "--backend", "cpu", "--json"];
    let run = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(run).output().expect("the program starts");
    let run: Value = serde_json::from_slice(&run.stdout).expect("stdout is one JSON value");
    assert_eq!((measured.len(), &measured[0]["name"]), (1, &"plastic/file/cpu".into()));
    assert_eq!((&measured[0]["spikes"], &measured[0]["spikes_hash"]), (&run["spikes"], &run["spikes_hash"]));
    let operations: Vec<&str> =
        measured[0]["operations"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
    assert!(["update", "learn"].iter().all(|name| operations.contains(name)), "{operations:?}");
    let both = json(&[&["lif/1e2", file], quick.as_slice()].concat());
    let names: Vec<&str> = both.iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["plastic/file/cpu", "lif/1e2/cpu"]);
    let wrong = bench(&["no-such.json"]);
    assert!(wrong.status.code() == Some(2) && String::from_utf8_lossy(&wrong.stderr).contains("there is no file no-such.json"));
}

#[test]
fn the_table_has_a_line_for_each_case() {
    let output = bench(&["lif/1e2", "--backend", "cpu", "--quick", "--seconds", "0.1", "--date", "today"]);
    let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    assert!(text.starts_with("today, spikelet ") && text.contains("hardware threads"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("lif/1e2/cpu ")), "{text}");
}

#[test]
fn what_is_not_there_is_named() {
    for (arguments, expected) in [
        (vec!["cubba"], "there is no case with cubba in its name"),
        (vec!["cuba", "--backend", "cpu", "--baseline", "coba/published/cpu"], "the baseline coba/published/cpu is not among"),
        (vec!["--scaling", "--baseline", "lif/1e2/cpu"], "--scaling compares GPUs with the CPU; remove --baseline lif/1e2/cpu"),
        (vec!["--seconds", "0"], "a time must be a number of seconds above 0 and up to a day, such as 3 or 0.5"),
    ] {
        let output = bench(&arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
    let named = bench(&["pd14", "--list", "--backend", "cpu"]);
    assert!(String::from_utf8_lossy(&named.stdout).contains("pd14/full/cpu"));
}
