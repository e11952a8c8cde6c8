//! GPUs: what is listed, chosen, timed and lost.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{SMALL, code, file, folder, json, spikelet, text};

/// With or without a GPU: the CPU comes first, adapters are numbered, and every limit says what is asked of it.
#[test]
fn devices_are_listed_with_what_they_have_and_chosen_by_it() {
    let list = json(&["list", "devices", "--json"]);
    let devices = list.as_array().expect("a list");
    assert_eq!((&devices[0]["kind"], &devices[0]["number"]), (&"cpu".into(), &Value::Null));
    let table = text(&spikelet(&["list", "devices"]).stdout);
    for (number, gpu) in devices[1..].iter().enumerate() {
        assert_eq!(gpu["number"], number);
        let limits = gpu["limits"].as_array().expect("limits");
        let binding = limits.iter().find(|limit| limit["name"] == "maxStorageBufferBindingSize").expect("the largest binding");
        assert!(binding["available"].as_u64() >= Some(128 << 20) && binding["requested"] == gpu["max_binding_bytes"], "{gpu}");
        assert!(
            gpu["features"].as_array().is_some_and(|features| features.iter().any(|of| of["name"] == "timestamp-query")),
            "{gpu}"
        );
        assert!(["api", "type", "driver", "vendor_id", "device_id"].iter().all(|key| gpu.get(key).is_some()), "{gpu}");
        assert!(table.contains(&format!("gpu {number}")) && table.contains("maxComputeInvocationsPerWorkgroup"), "{table}");
        // A software adapter runs where it is named.
        let number = number.to_string();
        let report = json(&["run", &file("adapter", SMALL), "--adapter", &number, "--time", "1", "--json"]);
        assert_eq!((&report["backend"]["kind"], &report["backend"]["name"]), (&"gpu".into(), &gpu["name"]));
        let names: Vec<&str> = report["buffers"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
        assert_eq!(names, ["header", "tables", "clocks", "state", "ring", "rows 1", "spikes", "samples"]);
        let refused = spikelet(&["run", &file("groups", SMALL), "--adapter", &number, "--workgroup-size", "96"]);
        let message = text(&refused.stderr);
        assert!(
            code(&refused) == 2 && message.contains("the workgroup size is 96, but") && message.contains("powers of two"),
            "{message}"
        );
    }
    if !devices[1..].iter().any(|gpu| gpu["software"] == false) {
        assert!(table.contains("for a real GPU"), "{table}");
    }
    let none = spikelet(&["run", "cuba", "--adapter", "no such thing"]);
    let message = text(&none.stderr);
    assert!(code(&none) == 2 && message.contains("the adapter is `no such thing`, but"), "{message}");
    assert!(devices[1..].iter().all(|gpu| message.contains(gpu["name"].as_str().expect("a name"))), "{message}");
}

#[test]
fn a_profile_says_where_the_time_goes_and_changes_no_spike() {
    let network = file("profile", SMALL);
    let on_cpu = json(&["run", &network, "--backend", "cpu", "--profile", "--json"]);
    assert!(on_cpu["profile"]["operations"].as_array().is_some_and(|list| !list.is_empty()), "{on_cpu}");
    let list = json(&["list", "devices", "--json"]);
    let Some(gpu) = list.get(1) else { return println!("skipped: no adapter") };
    let folder = folder("profile_trace");
    let (trace, cache) = (folder.join("trace.json"), folder.join("cache"));
    let run = |more: &[&str]| json(&[&["run", &network, "--adapter", "0", "--json"], more].concat());
    let plain = run(&[]);
    assert_eq!(plain.get("profile"), None);
    let profiled = run(&["--profile", "--trace", &trace.display().to_string()]);
    assert_eq!(profiled["spikes_hash"], plain["spikes_hash"]);
    let profile = &profiled["profile"];
    assert!(profile["copy_bytes_per_second"].as_f64() > Some(0.0) && profile["dispatches"].as_u64() > Some(0), "{profile}");
    assert!(profile["bottleneck"].as_str().is_some_and(|words| !words.is_empty()), "{profile}");
    let has_stamps =
        gpu["features"].as_array().into_iter().flatten().any(|of| of["name"] == "timestamp-query" && of["available"] == true);
    let kernels = profile["kernels"].as_array().expect("kernels");
    assert_eq!(!kernels.is_empty(), has_stamps, "{profile}");
    let events: Value = serde_json::from_str(&fs::read_to_string(&trace).expect("a trace")).expect("JSON");
    let dispatches: u64 = kernels.iter().filter_map(|kernel| kernel["dispatches"].as_u64()).sum();
    assert_eq!(events["traceEvents"].as_array().map(Vec::len), Some(dispatches as usize + 1));

    // The size of workgroups changes no spike, and is timed once.
    let tuned = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
        command.args(["run", "cuba", "--scale", "0.2", "--time", "20", "--adapter", "0", "--workgroup-size", "auto", "--json"]);
        let output = command.env("XDG_CACHE_HOME", &cache).output().expect("the program starts");
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let (first, second) = (tuned(), tuned());
    let usual = json(&["run", "cuba", "--scale", "0.2", "--time", "20", "--adapter", "0", "--json"]);
    assert_eq!((&first["spikes_hash"], &second["spikes_hash"]), (&usual["spikes_hash"], &usual["spikes_hash"]));
    assert_eq!(first["backend"]["reason"], second["backend"]["reason"]);
    if cfg!(target_os = "linux") && first["backend"]["reason"].as_str().is_some_and(|reason| reason.contains("the fastest here"))
    {
        let known = fs::read_to_string(cache.join("spikelet/workgroup-sizes.json")).expect("the size is remembered");
        assert!(known.contains(gpu["name"].as_str().expect("a name")), "{known}");
    }
}

/// A GPU that is lost on the way: the run goes on, with the same spikes, and says so.
#[test]
fn a_lost_gpu_does_not_end_the_run() {
    let base = ["run", "cuba", "--scale", "0.2", "--time", "60", "--trials", "2", "--json"];
    let on_gpu = |more: &[&str]| spikelet(&[&base[..], &["--backend", "gpu"], more].concat());
    let plain = on_gpu(&[]);
    if text(&plain.stderr).contains("there is no GPU adapter") {
        assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{}", text(&plain.stderr));
        println!("skipped: no adapter");
        return;
    }
    let plain: Value = serde_json::from_slice(&plain.stdout).expect("stdout is one JSON value");
    assert_eq!(plain["notices"], Value::Array(Vec::new()));
    // In a trial, and at its very end, when all that happened has been told.
    for (lose_at, is_missed) in [("25", true), ("60", false)] {
        let output = on_gpu(&["--lose-device-at", lose_at]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
        assert_eq!(report["spikes_hash"], plain["spikes_hash"]);
        let notices = report["notices"].as_array().expect("a list");
        if !is_missed {
            assert!(notices.is_empty(), "{notices:?}");
            continue;
        }
        let notice = notices.first().and_then(Value::as_str).expect("a sentence");
        assert!(
            notices.len() == 1 && notice.contains("was lost at") && notice.contains("); the run continued from 0 ms on"),
            "{notices:?}"
        );
        // A driver may have its own to say.
        let said = text(&output.stderr);
        assert!(said.lines().filter(|line| line.starts_with("notice")).eq([format!("notice: {notice}")]), "{said}");
    }
}

/// Drivers look for a desktop; that there is none is nothing to complain about.
#[test]
fn a_machine_without_a_desktop_is_none_to_complain_about() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spikelet"));
    let output = command.args(["list", "devices", "--json"]).env_remove("XDG_RUNTIME_DIR").output().expect("the program starts");
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
}

/// Each kind of vectors, and each adapter, gives the known spikes.
#[test]
fn a_doctor_computes_on_each_device() {
    let found = json(&["doctor", "--threads", "2", "--json"]);
    let devices = found["devices"].as_array().expect("a list");
    assert!(found["ok"] == true && devices.iter().filter(|of| of["kind"] == "cpu").count() >= 2, "{found}");
    assert!(devices.iter().all(|of| of["ok"] == true && of["problem"].is_null()), "{found}");
}

/// What the CPU does is measured by operation, and over time.
#[test]
fn a_run_on_the_cpu_has_a_profile_and_is_monitored() {
    let run = ["run", "plastic_cuba", "--scale", "0.25", "--time", "100", "--backend", "cpu", "--profile", "--monitor", "0.001s"];
    let found = json(&[&run[..], &["--warm-up", "--json"]].concat());
    let operations = found["profile"]["operations"].as_array().expect("a list");
    assert!(operations.iter().any(|of| of["name"] == "learn" && of["seconds"].as_f64() > Some(0.0)), "{found}");
    let rows = found["monitor"].as_array().expect("a list");
    let spikes: u64 = rows.iter().filter_map(|row| row["spikes"].as_u64()).sum();
    assert_eq!((Some(spikes), rows.last().and_then(|row| row["time_ms"].as_f64())), (found["spikes"].as_u64(), Some(100.0)));
    let plain = json(&[&run[..8], &["--json"]].concat());
    assert_eq!(plain["spikes_hash"], found["spikes_hash"]);
}
