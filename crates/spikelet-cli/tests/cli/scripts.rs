//! Networks as scripts of other simulators. `tests/export/check.py` runs them there.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::{code, folder, spikelet, text};

#[test]
fn a_script_for_brian_has_the_network() {
    let out = folder("brian2");
    let folder = out.display().to_string();
    let output = spikelet(&["export", "plastic_cuba", "--scale", "0.05", "--format", "brian2", "--out", &folder]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("does not have `statistics` of synapses"), "{}", text(&output.stderr));
    let script = fs::read_to_string(out.join("network.py")).unwrap();
    for part in [
        "E = NeuronGroup(",
        "dv/dt = (ge + gi + I + I_syn - (v - El))/taum : volt (unless refractory)",
        "method='exact'",
        "'taum': 20.0*ms",
        "(event-driven)",
        "EE.connect(i=values['EE.i'].astype(int), j=values['EE.j'].astype(int))",
        "EE.delay = ",
        "on_post=",
        "# Not written: `statistics` of synapses.",
        "network.run(",
    ] {
        assert!(script.contains(part), "{part}:\n{script}");
    }
    assert!(fs::metadata(out.join("values.npz")).unwrap().len() > 10_000);
}

#[test]
fn what_brian_does_not_have_is_refused() {
    let tests = |name: &str| format!("{}/../../tests/networks/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let out = folder("not-brian2").display().to_string();
    for (network, said) in [
        ("winners", "it does not have `winners`, which"),
        ("third", "it does not have a third neuron, which"),
        ("linked", "it does not have `linked` variables, which"),
        ("events", "it does not have `events`, which"),
        ("summed", "it does not have several projections that are summed to `Ig_post` of a"),
        ("presynaptic", "it does not have synapses with a variable of the name of one of their neurons, `s`"),
        ("clocks", "it does not have a timed array as `I`, which"),
    ] {
        let output = spikelet(&["export", &tests(network), "--format", "brian2", "--out", &out]);
        assert!(code(&output) == 2 && text(&output.stderr).contains(said), "{network}: {}", text(&output.stderr));
    }
    let output = spikelet(&["export", "cuba", "--format", "brian2"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("name a folder with --out"), "{}", text(&output.stderr));
    // Nothing of a file becomes code of the script.
    let hostile = PathBuf::from(&out).with_file_name("hostile.json");
    for (name, on_pre, said) in [
        ("');exit()#", "v_post += 1", "names with quotes, braces or backslashes"),
        ("a", "v_post += 1 # '''); exit() #\nv_post += 2", ""),
    ] {
        let network = json!({
            "name": "hostile\"\"\"\\", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{"name": name, "size": 1, "equations": "v : 1", "threshold": "v > 10", "reset": "v = 0"}],
            "projections": [{"name": "p", "pre": name, "post": name, "pairs": [[0, 0]], "on_pre": on_pre}],
        });
        fs::write(&hostile, network.to_string()).unwrap();
        let output = spikelet(&["export", &hostile.display().to_string(), "--format", "brian2", "--out", &out]);
        assert!(text(&output.stderr).contains(said) && (code(&output) == 2) != said.is_empty(), "{}", text(&output.stderr));
    }
    let script = fs::read_to_string(PathBuf::from(&out).join("network.py")).unwrap();
    assert!(!script.contains("exit()") && script.matches("\"\"\"").count() == 2, "{script}");
}
