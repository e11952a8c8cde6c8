//! `spikelet compare`, and runs in f64.

use super::{SMALL, code, file, json, spikelet, text};

#[test]
fn a_network_is_compared() {
    let path = file("compared", SMALL);
    let report = json(&["compare", &path, "--json", "--elements", "3"]);
    assert_eq!((report["time_ms"].as_f64(), report["populations"][0]["name"].as_str()), (Some(50.0), Some("n")), "{report}");
    assert!(report["populations"][0]["spikes"][1].as_u64().is_some_and(|spikes| spikes > 10), "{report}");
    assert!(report["variables"][0]["before"]["max"].as_f64().is_some_and(|error| error > 0.0 && error < 1e-4), "{report}");
    let shown = spikelet(&["compare", &path, "--time", "20", "--set", "n.tau=11 ms", "--quiet"]);
    let shown = text(&shown.stdout);
    let judgement = report["judgement"].as_str().unwrap_or_default();
    for part in ["20.00 ms in steps of 0.1 ms", "first difference", "n.v [1], range", "f32 and f64 have the same"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(judgement.starts_with("f32 and f64 have the same"), "{judgement}");
}

#[test]
fn a_run_is_in_f64() {
    let path = file("in_f64", SMALL);
    let run = |more: &[&str]| json(&[&["run", path.as_str(), "--json", "--backend", "cpu"], more].concat());
    let (single, double) = (run(&["--precision", "f32"]), run(&["--precision", "f64", "--trials", "2"]));
    assert_eq!(double["backend"]["name"], "CPU in f64, 1 thread", "{double}");
    assert_eq!((&single["backend"]["kind"], &double["backend"]["kind"]), (&"cpu".into(), &"cpu".into()));
    for option in [["--backend", "gpu"], ["--adapter", "0"]] {
        let refused = spikelet(&[&["run", path.as_str(), "--precision", "f64"], option.as_slice()].concat());
        assert_eq!(code(&refused), 2);
        let sentence = text(&refused.stderr);
        assert!(sentence.contains("--precision f64") && sentence.contains(option[0]), "{sentence}");
    }
    let missing = spikelet(&["compare"]);
    assert!(code(&missing) == 2 && text(&missing.stderr).contains("NETWORK"), "{}", text(&missing.stderr));
}

#[test]
fn a_network_is_compared_with_the_rules() {
    let path = file("by_the_rules", SMALL);
    let report = json(&["compare", &path, "--reference", "--json", "--time", "20"]);
    assert_eq!((report["steps"].as_u64(), &report["difference"]), (Some(200), &serde_json::Value::Null), "{report}");
    assert!(report["spikes"].as_u64().is_some_and(|spikes| spikes > 1), "{report}");
    let shown = text(&spikelet(&["compare", &path, "--reference", "--time", "20"]).stdout);
    assert!(shown.contains("200 steps, ") && shown.contains("as the rules say"), "{shown}");
    for option in [["--elements", "3"], ["--trial", "1"], ["--backend", "gpu"]] {
        let wrong = spikelet(&[&["compare", path.as_str(), "--reference"], option.as_slice()].concat());
        assert!(code(&wrong) == 2 && text(&wrong.stderr).contains(option[0]), "{}", text(&wrong.stderr));
    }
    let missing = spikelet(&["compare", "no_such_network", "--reference"]);
    assert!(code(&missing) == 2 && text(&missing.stderr).contains("no_such_network"), "{}", text(&missing.stderr));
}
