//! `spikelet check`, `list` and `verify`.

use std::fs;

use serde_json::Value;

use super::{SMALL, code, file, folder, json, spikelet, text};

#[test]
fn check_says_what_it_read_or_what_is_wrong() {
    let output = spikelet(&["check", &file("check", SMALL)]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("is a network: small, 10 neurons"), "{}", text(&output.stdout));
    let output = spikelet(&["check", &file("check_bad", &SMALL.replace("v > 1", "v > 1*mV"))]);
    assert_eq!((code(&output), text(&output.stdout)), (2, String::new()));
    assert!(text(&output.stderr).contains("threshold, line 1, column"), "{}", text(&output.stderr));
}

#[test]
fn check_holds_the_kernels_to_the_portable_core() {
    for network in ["cuba", &file("check_kernels", SMALL)] {
        let report = json(&["check", network, "--kernels", "--json"]);
        let kernels = report["kernels"].as_array().expect("kernels");
        assert!(kernels.len() > 1, "{report}");
        for kernel in kernels {
            assert_eq!((&kernel["valid"], &kernel["issues"]), (&true.into(), &Value::Array(Vec::new())), "{kernel}");
        }
    }
    let output = spikelet(&["check", "cuba", "--kernels"]);
    assert!(
        text(&output.stdout).contains("kernel start: valid\nkernel neurons: valid\nkernel propagate: valid"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(json(&["check", "cuba", "--json"])["kernels"], Value::Null);
}

#[test]
fn lists_name_what_there_is() {
    for (what, names) in [
        ("networks", &["cuba", "coba", "izhikevich"][..]),
        ("models", &["lif_exp", "lif_cond_exp", "izhikevich_2003"]),
        ("devices", &[]),
    ] {
        let list = json(&["list", what, "--json"]);
        let found: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect();
        assert!(!found.is_empty() && names.iter().all(|name| found.contains(name)), "{list}");
        let table = spikelet(&["list", what]);
        assert_eq!(code(&table), 0);
        assert!(names.iter().all(|name| text(&table.stdout).contains(name)));
    }
}

#[test]
fn a_list_of_models_can_be_of_one_kind() {
    let all = json(&["list", "models", "--json"]);
    for kind in ["neuron", "source", "synapse"] {
        let list = json(&["list", "models", "--kind", kind, "--json"]);
        let expected: Vec<&Value> = all.as_array().expect("a list").iter().filter(|model| model["kind"] == kind).collect();
        assert!(!expected.is_empty() && list.as_array().expect("a list").iter().eq(expected), "{kind}: {list}");
    }
    let table = text(&spikelet(&["list", "models", "--kind", "source"]).stdout);
    assert!(table.starts_with("Sources of spikes and currents\n\n") && table.contains("\npoisson "), "{table}");
    assert!(!table.contains("Neurons") && !table.contains("Synapses"), "{table}");
}

/// v = 2 (1 - exp(-t/5 ms)) crosses 1 after 3.4657 ms.
const CASE: &str = r#"{
  "name": "one", "family": "lif", "dt_ms": 0.1, "duration_ms": 5,
  "populations": [{"name": "n", "size": 1, "equations": "dv/dt = (2 - v)/(5*ms) : 1", "method": "exact",
                   "threshold": "v > 1", "reset": "v = 0"}],
  "expected": {"spikes": {"n": [[0, 3.4]]}}, "tolerance": {"spike_steps": 1}
}"#;

#[test]
fn verify_judges_files_and_folders() {
    let cases = folder("cases");
    let write = |name: &str, content: &str| {
        let path = cases.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the target folder is writable");
        fs::write(&path, content).expect("the target folder is writable");
        path.display().to_string()
    };
    let good = write("a.json", CASE);
    write("notes.txt", "no case");
    let all = cases.display().to_string();
    let output = spikelet(&["verify", &all]);
    assert_eq!((code(&output), text(&output.stderr)), (0, String::new()));
    assert_eq!(text(&output.stdout), "ok   one\n1 passed, 0 failed\n");

    let late = write("more/late.json", &CASE.replace("3.4]", "3.2]").replace("\"one\"", "\"late\""));
    let broken = write("more/broken.json", &CASE.replace("\"size\": 1", "\"size\": \"one\""));
    let output = spikelet(&["verify", &all]);
    assert_eq!((code(&output), text(&output.stderr)), (1, "error: 2 cases failed\n".to_owned()));
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(lines[0], "ok   one");
    assert!(lines[1].starts_with(&format!("FAIL {broken}: populations[0].size: invalid type: string \"one\"")), "{}", lines[1]);
    assert_eq!(lines[2], "FAIL late: spike 0 of neuron 0 of n is at 3.4 ms, expected at 3.2 ms, up to 1 steps apart");
    assert_eq!(lines[3], "1 passed, 2 failed");
    assert_eq!(code(&spikelet(&["verify", &good])), 0);

    let output = spikelet(&["verify", &good, &late, "--json"]);
    assert_eq!(code(&output), 1);
    let report: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    assert_eq!((&report["backend"], &report["passed"], &report["failed"]), (&"cpu".into(), &1.into(), &1.into()));
    assert_eq!((&report["cases"][0]["outcome"], &report["cases"][1]["outcome"]), (&"passed".into(), &"failed".into()));
    assert_eq!(report["cases"][0]["measures"][0]["what"], "spikes of n");
}
