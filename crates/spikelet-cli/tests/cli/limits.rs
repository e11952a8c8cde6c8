//! What a network takes, and how much there is.

use std::fs;

use serde_json::Value;

use super::{code, file, folder, json, spikelet, text};

#[test]
fn a_dry_run_says_what_a_network_takes_and_runs_nothing() {
    let output = spikelet(&["run", "guide_ei", "--dry-run", "--storage", "stored"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let stored = text(&output.stdout);
    for part in [
        "guide_ei: 10000 neurons",
        "stored",
        "in-degree",
        "GPU that binds 128.0 MiB at once",
        "dispatches per",
        "synaptic events per",
    ] {
        assert!(stored.contains(part), "{part}: {stored}");
    }
    // Spikes do not depend on how synapses are kept, memory does.
    let run = |storage: &str| json(&["run", "guide_ei", "--backend", "cpu", "--time", "20", "--storage", storage, "--json"]);
    let (stored, drawn) = (run("stored"), run("procedural"));
    assert_eq!(stored["spikes_hash"], drawn["spikes_hash"]);
    assert!(stored["memory_bytes"].as_u64() > drawn["memory_bytes"].as_u64().map(|bytes| 4 * bytes));
    // With less memory than it would take, some of what can be drawn anew is.
    let small = json(&["run", "guide_ei", "--backend", "cpu", "--time", "20", "--memory", "2MiB", "--json"]);
    assert!(small["memory_bytes"].as_u64() < Some(2 << 20), "{small}");
    assert_eq!(small["spikes_hash"], drawn["spikes_hash"]);

    let output = spikelet(&["run", "guide_ei", "--memory", "2MiB", "--storage", "stored"]);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2, "{message}");
    assert!(message.contains("there are 2.0 MiB of memory for it") && message.contains("\"procedural\""), "{message}");
}

#[test]
fn weights_are_kept_in_two_bytes() {
    let path = file(
        "halves",
        r#"{"name": "halves", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 1000, "model": "lif_exp"}], "projections": [
            {"name": "same", "pre": "n", "post": "n", "connect": {"rule": "one_to_one"}, "on_pre": "ge_post += 1*mV"},
            {"name": "differ", "pre": "n", "post": "n", "connect": {"rule": "all"}, "on_pre": "ge_post += w", "parameters": {"w": "uniform(0 mV, 1 mV)"}},
            {"name": "state", "pre": "n", "post": "n", "connect": {"rule": "one_to_one"}, "equations": "u : 1", "on_pre": "u += 1"}]}"#,
    );
    let dry = |options: &[&str]| {
        let output = spikelet(&[&["run", &path, "--dry-run"], options].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let weights = text(&output.stdout).lines().find(|line| line.trim_start().starts_with("weights ")).map(str::to_owned);
        (weights.unwrap_or_default(), text(&output.stdout), text(&output.stderr))
    };
    let (weights, report, _) = dry(&[]);
    assert!(weights.contains(" 4000004 ") && !report.contains("f16"), "{report}");
    let (weights, report, notices) = dry(&["--weights", "f16"]);
    assert!(weights.contains(" 2000004 "), "{report}");
    let kept = |name: &str| report.lines().find(|line| line.starts_with(name)).is_some_and(|line| line.contains("stored f16"));
    assert_eq!(["same", "differ", "state"].map(kept), [false, true, false], "{report}");
    assert!(notices.contains("notice: --weights f16 changes nothing in state: their synapses have a state"), "{notices}");
    // The network that is written says so where it is so.
    let out = folder("halves_out");
    let output =
        spikelet(&["run", &path, "--backend", "cpu", "--weights", "f16", "--quiet", "--out", &out.display().to_string()]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let written: Value = serde_json::from_slice(&fs::read(out.join("network.json")).expect("it was written")).expect("JSON");
    let weights = |projection: usize| written["projections"][projection]["weights"].as_str();
    assert_eq!([0, 1, 2].map(weights), [Some("f16"), Some("f16"), None]);
}
