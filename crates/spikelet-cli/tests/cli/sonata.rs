//! Import of SONATA.

use std::path::Path;

use super::{code, folder, spikelet, text};

#[test]
fn a_circuit_is_imported_and_runs() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sonata/iaf_psc_exp/config.json").display().to_string();
    let network = folder("sonata").join("net.json").display().to_string();
    let output = spikelet(&["import", &config, "--out", &network]);
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
    let run = spikelet(&["run", &network, "--precision", "f64", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    // 118 of the cells, as in NEST, and 96 of the virtual nodes.
    assert_eq!(report["spikes"], 214, "{}", text(&run.stderr));

    let run = spikelet(&["run", &config]);
    assert!(text(&run.stderr).contains("is a configuration of SONATA; make a network of it"), "{}", text(&run.stderr));
    let outside = Path::new(&network).with_file_name("outside.json").display().to_string();
    std::fs::write(&outside, r#"{"network": "../circuit.json", "run": {}}"#).unwrap();
    let output = spikelet(&["import", &outside]);
    assert!(
        code(&output) == 2 && text(&output.stderr).contains("import from a folder that contains all files"),
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
