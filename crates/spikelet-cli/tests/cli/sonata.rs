//! Import and export of SONATA.

use std::path::Path;

use super::{code, folder, spikelet, text};

#[test]
fn a_circuit_is_imported_and_runs() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sonata/iaf_psc_exp/config.json").display().to_string();
    let network = folder("sonata").join("net.json").display().to_string();
    let output = spikelet(&["import", &config, "--out", &network]);
    let notices = "notice: cells: not used of nodes: ei\nnotice: inputs: not used of nodes: ei\n";
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, notices));
    let run = spikelet(&["run", &network, "--precision", "f64", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    // 118 of the cells, as in NEST, and 96 of the virtual nodes.
    assert_eq!(report["spikes"], 214, "{}", text(&run.stderr));

    let run = spikelet(&["run", &config]);
    assert!(text(&run.stderr).contains("is a configuration of SONATA; make a network of it"), "{}", text(&run.stderr));
    let outside = Path::new(&network).with_file_name("outside.json").display().to_string();
    std::fs::write(&outside, r#"{"network": "../../../../../../../../circuit.json", "run": {}}"#).unwrap();
    let output = spikelet(&["import", &outside]);
    assert!(
        code(&output) == 2 && text(&output.stderr).contains("name the folder that holds all files with --root"),
        "{}",
        text(&output.stderr)
    );
    let nodes = config.replace("config.json", "nodes.h5");
    let output = spikelet(&["import", &nodes]);
    assert!(
        text(&output.stderr)
            .contains("a file of nodes of SONATA, but a graph of NIR is expected in HDF5; import the configuration"),
        "{}",
        text(&output.stderr)
    );
}

/// Every circuit is written as it was read: the same spikes in f64.
#[test]
fn a_circuit_is_exported_with_the_same_spikes() {
    let out = folder("sonata-export");
    let circuits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sonata");
    let spikes_of = |config: &Path, name: &str| {
        let network = out.join(format!("{name}.json")).display().to_string();
        let output = spikelet(&["import", &config.display().to_string(), "--out", &network]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let run = spikelet(&["run", &network, "--precision", "f64", "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        (network, report["spikes"].clone(), report["spikes_hash"].clone())
    };
    for circuit in ["iaf_psc_alpha", "iaf_psc_delta", "iaf_cond_exp", "aeif_cond_alpha", "izhikevich"] {
        let (network, spikes, hash) = spikes_of(&circuits.join(circuit).join("config.json"), circuit);
        let written = out.join(circuit);
        let output = spikelet(&["export", &network, "--format", "sonata", "--out", &written.display().to_string()]);
        assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""), "{circuit}");
        assert!(text(&output.stdout).contains("config.json: 2"), "{}", text(&output.stdout));
        let (_, found, hash_again) = spikes_of(&written.join("config.json"), &format!("{circuit}-again"));
        assert_eq!((found, hash_again), (spikes, hash), "{circuit}");
    }
}

/// Rules and distributions are written as they are drawn.
#[test]
fn a_drawn_network_is_exported_as_a_circuit() {
    let out = folder("sonata-drawn");
    let circuit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sonata/iaf_psc_exp/config.json").display().to_string();
    let network = out.join("net.json").display().to_string();
    spikelet(&["import", &circuit, "--out", &network]);
    let mut drawn: serde_json::Value = serde_json::from_slice(&std::fs::read(&network).unwrap()).unwrap();
    drawn["populations"][0]["initial"]["V_m"] = "uniform(-69 mV, -60 mV)".into();
    drawn["projections"] = serde_json::json!([{
        "name": "drawn", "pre": "inputs", "post": "cells[2:10]", "connect": {"rule": "bernoulli", "p": 0.5},
        "equations": "weight : pA (constant)", "on_pre": "I_ex_post += weight",
        "parameters": {"weight": "uniform(500 pA, 900 pA)"}, "delay_ms": "uniform(1 ms, 3 ms)"
    }]);
    std::fs::write(&network, drawn.to_string()).unwrap();
    let written = out.join("circuit").display().to_string();
    let output = spikelet(&["export", &network, "--format", "sonata", "--out", &written]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let again = out.join("again.json").display().to_string();
    let output = spikelet(&["import", &format!("{written}/config.json"), "--out", &again]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let hash = |network: &str| {
        let run = spikelet(&["run", network, "--backend", "cpu", "--json"]);
        serde_json::from_slice::<serde_json::Value>(&run.stdout).unwrap()["spikes_hash"].clone()
    };
    assert_eq!(hash(&again), hash(&network));

    let refused = spikelet(&["export", "cuba", "--scale", "0.05", "--format", "sonata", "--out", &written]);
    let message = text(&refused.stderr);
    assert!(
        code(&refused) == 2 && message.contains("populations[0] is \"E\", but SONATA has the cells nest:iaf_psc_alpha"),
        "{message}"
    );
    let nowhere = spikelet(&["export", &network, "--format", "sonata"]);
    assert!(code(&nowhere) == 2 && text(&nowhere.stderr).contains("name a folder with --out"), "{}", text(&nowhere.stderr));
}
