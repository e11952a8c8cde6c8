//! Weights and networks of all sizes, by the command itself.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// Runs the command on a network that is written to a file of that name.
fn spikelet(arguments: &[&str], name: &str, network: &Value) -> Output {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("json");
    fs::write(&path, network.to_string()).unwrap();
    let path = path.to_string_lossy().into_owned();
    let (verb, rest) = arguments.split_first().unwrap();
    Command::new(env!("CARGO_BIN_EXE_spikelet")).arg(verb).arg(path).args(rest).output().unwrap()
}

fn refused(output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    parts.iter().for_each(|part| assert!(said.contains(part), "{part} is not in: {said}"));
}

/// A source that fires four times through a synapse of 6 mV, and one that never fires, through another.
fn beside(weight: f64) -> Value {
    json!({"name": "beside", "dt_ms": 0.1, "duration_ms": 20,
        "populations": [{"name": "E", "size": 1, "equations": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 5*mV", "reset": "v = 0*mV"}],
        "sources": [{"name": "S", "size": 2, "spike_times_ms": [[1, 1], [1, 2], [1, 3], [1, 4]]}],
        "projections": [{"name": "SE", "pre": "S", "post": "E", "pairs": [[0, 0], [1, 0]], "on_pre": "v_post += w",
            "parameters": {"w": {"values": [weight, 6.0], "unit": "mV"}}}]})
}

#[test]
fn a_weight_beside_a_huge_one_is_kept_or_refused() {
    let output = spikelet(&["run", "--backend", "cpu", "--json"], "kept", &beside(1e10));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["populations"][0]["rate_hz"], 200.0, "{report}");
    let parts = ["projections[0]", "a weight of 6 mV in `SE`, from neuron 1 to neuron 0", "100 %"];
    refused(&spikelet(&["run", "--backend", "cpu"], "lost", &beside(1e30)), &parts);
}

/// Nobody waits for it: none of it is drawn.
#[test]
fn what_there_is_no_room_for_is_refused_before_it_is_drawn() {
    let network = |size: u32, connect: &Value| {
        json!({"name": "huge", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{"name": "E", "size": size, "equations": "dv/dt = -v/(10*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
                "initial": {"v": {"expr": "rand()"}}}],
            "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": connect, "on_pre": "v_post += 0.001"}]})
    };
    let run = |name: &str, size: u32, connect: Value| {
        spikelet(&["run", "--backend", "cpu", "--memory", "1GiB"], name, &network(size, &connect))
    };
    let total = run("total", 10, json!({"rule": "fixed_total", "n": 1_000_000_000_000_u64}));
    refused(&total, &["projections[0].connect.n is 1000000000000", "fixed_outdegree"]);
    let kept = run("kept_all", 1_000_000, json!({"rule": "fixed_indegree", "n": 10_000}));
    refused(&kept, &["1.000e10 synapses of `EE`", "1.0 GiB"]);
    let neurons = run("neurons", 2_147_483_647, json!({"rule": "one_to_one"}));
    refused(&neurons, &["about 128.0 GiB", "use fewer neurons"]);
}
