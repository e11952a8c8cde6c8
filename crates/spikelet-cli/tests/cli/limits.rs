//! What a network takes, and how much there is.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{SMALL, code, file, folder, json, spikelet, text};

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
    assert!(message.contains("2.0 MiB of memory are available for it") && message.contains("\"procedural\""), "{message}");
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
    assert!(notices.contains("notice: --weights f16 has no effect on state: their synapses have state"), "{notices}");
    // The network that is written says so where it is so.
    let out = folder("halves_out");
    let output =
        spikelet(&["run", &path, "--backend", "cpu", "--weights", "f16", "--quiet", "--out", &out.display().to_string()]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let written: Value = serde_json::from_slice(&fs::read(out.join("network.json")).expect("it was written")).expect("JSON");
    let weights = |projection: usize| written["projections"][projection]["weights"].as_str();
    assert_eq!([0, 1, 2].map(weights), [Some("f16"), Some("f16"), None]);
}

/// A NumPy archive whose first array promises far more than the file holds: a header without elements.
fn promising(path: &std::path::Path) {
    let mut header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '|i1', 'fortran_order': False, 'shape': (500000000,), }".to_vec();
    header.resize(128, b' ');
    let file = fs::File::create(path).expect("the target folder is writable");
    let mut archive = zip::ZipWriter::new(file);
    archive.start_file("pre.npy", zip::write::SimpleFileOptions::default()).expect("the target folder is writable");
    archive.write_all(&header).expect("the target folder is writable");
    archive.finish().expect("the target folder is writable");
}

/// A file that promises more than there is memory for, or has no end, is refused before it is held.
#[cfg(target_os = "linux")]
#[test]
fn what_is_read_is_bounded() {
    // Held to less memory than any of them would take: 600 MB of addresses.
    let within = |arguments: &str| {
        let command = format!("ulimit -v 600000; exec \"$0\" {arguments}");
        Command::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_spikelet")]).output().expect("sh is there")
    };
    let refused = |arguments: &str, expected: i32, said: &str| {
        let output = within(arguments);
        let message = text(&output.stderr);
        assert!(message.contains(said), "{arguments}: {message}");
        assert_eq!((code(&output), message.len() < 3000), (expected, true), "{arguments}: {message}");
    };
    refused("run /dev/zero", 2, "/dev/zero is not text; a network must be a JSON file in UTF-8");
    refused("check /dev/zero --json", 2, "/dev/zero is not text");
    let key = file("long_key", &SMALL.replacen("\"name\"", &format!("\"{}\": 1, \"name\"", "k".repeat(20_000_000)), 1));
    refused(&format!("run {key}"), 2, "has an unknown key `kkkk");
    refused(
        "run cuba --backend cpu --threads 1000",
        2,
        "--threads is 1000, but the limit of the address space (ulimit -v) allows ",
    );
    refused("run cuba --backend cpu --threads 100000", 2, "--threads is 100000, but the maximum is 1024");
    let bomb = folder("promising").join("bomb.npz");
    promising(&bomb);
    let edges = format!("run {} --backend cpu --edges n_n={}", file("promised", SMALL), bomb.display());
    refused(
        &edges,
        2,
        "bomb.npz: pre is 500000000 long, but no other array of the file has this length, and each edge needs a pre and a post",
    );
    // Stored in full it takes 12 bytes for each of a hundred million synapses.
    let large = r#"{"name": "large", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 10000, "model": "lif_exp"}],
        "projections": [{"pre": "n", "post": "n", "connect": {"rule": "all"}, "storage": "stored", "on_pre": "ge_post += w",
                         "parameters": {"w": "uniform(0 mV, 1 mV)"}}]}"#;
    refused(&format!("run {} --backend cpu", file("large", large)), 2, "of memory are available for it");
    assert_eq!(code(&within("run cuba --scale 0.1 --time 1 --backend cpu --quiet")), 0);
}

/// Whoever writes into a pipe may be long in coming: it is said, and read.
#[cfg(unix)]
#[test]
fn a_network_is_read_from_a_pipe() {
    let pipe = folder("piped").join("network.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let program = Command::new(env!("CARGO_BIN_EXE_spikelet"))
        .arg("check")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let program = program.expect("the program starts");
    fs::write(&pipe, SMALL).expect("the program reads it");
    let output = program.wait_with_output().expect("it ends");
    assert!(text(&output.stderr).ends_with(" is a pipe; waiting for its end\n"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("is a network: small"));
}

#[test]
fn a_dry_run_tells_machines_the_same() {
    let dry = json(&["run", "guide_ei", "--dry-run", "--json"]);
    assert_eq!((&dry["network"], &dry["neurons"]), (&"guide_ei".into(), &10000.into()));
    let sum = |list: &Value| list.as_array().into_iter().flatten().filter_map(|of| of["bytes"].as_u64()).sum::<u64>();
    assert!(sum(&dry["memory"]) > 0 && Some(sum(&dry["memory"])) == dry["memory_bytes"].as_u64(), "{dry}");
    assert_eq!(dry["gpus"].as_array().map(Vec::len), Some(3));
    assert_eq!(sum(&dry["gpus"][1]["buffers"]), dry["gpus"][1]["bytes"].as_u64().expect("a number"));
    let synapses = dry["projections"].as_array().into_iter().flatten().filter_map(|of| of["synapses"].as_u64()).sum::<u64>();
    assert_eq!(Some(synapses), dry["synapses"].as_u64());
    // Trials share what does not move.
    let of_trials = |trials: &str| {
        let dry = json(&["run", "guide_ei", "--dry-run", "--json", "--trials", trials]);
        dry["memory_bytes_of_trials"].as_u64().expect("a number")
    };
    let [one, two, many] = ["1", "2", "64"].map(of_trials);
    assert_eq!(Some(one), dry["memory_bytes"].as_u64());
    assert!(two > one && many == one + 63 * (two - one), "{one} {two} {many}");
}
