//! SONATA: circuits of each model, with the spikes that NEST has for them.
//!
//! `tests/sonata/circuits.py` wrote the circuits with h5py and simulated them with NEST 3.10.0.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;
use spikelet::{Double, Network, Notice, Quantity, Source};
use spikelet_interchange::hdf5::{Array, Attribute, Group, Values};
use spikelet_interchange::sonata;
use spikelet_tests::{devices, run};

/// Models that NEST integrates with an adaptive step, through a spike: times differ.
const ADAPTIVE: [&str; 2] = ["aeif_cond_exp", "aeif_cond_alpha"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sonata")
}

fn read(root: &Path, file: &str) -> (Network, Vec<Notice>) {
    let mut open = |path: &str| std::fs::read(root.join(path)).map_err(|error| error.to_string());
    let bytes = open(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    sonata::read(file, &bytes, &mut open).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// `[step at whose end it is, node]` of the cells, which are the first population, sorted.
fn fired(network: &Network, backend: Box<dyn spikelet::Backend>) -> Vec<[u32; 2]> {
    let done = run(network, backend, network.duration_ms, 500).unwrap_or_else(|error| panic!("{}: {error}", network.name));
    let cells = done.spikes.iter().filter(|spike| spike.neuron < network.populations[0].size);
    let mut found: Vec<[u32; 2]> = cells.map(|spike| [spike.step + 1, spike.neuron]).collect();
    found.sort_unstable();
    found
}

#[test]
fn circuits_have_the_spikes_of_nest() {
    let text = std::fs::read_to_string(folder().join("nest.json")).unwrap();
    let expected: BTreeMap<String, Vec<[u32; 2]>> = serde_json::from_str(&text).unwrap();
    assert_eq!(expected.len(), 8);
    for (model, expected) in expected {
        let (network, _) = read(&folder(), &format!("{model}/config.json"));
        let found = fired(&network, Box::new(Double::new()));
        if ADAPTIVE.contains(&model.as_str()) {
            let count = |spikes: &[[u32; 2]], node: u32| spikes.iter().filter(|spike| spike[1] == node).count();
            for node in 0..12 {
                assert_eq!(count(&found, node), count(&expected, node), "{model}: node {node}");
            }
        } else {
            assert_eq!(found, expected, "{model}");
        }
    }
}

/// In f32 the same on every device, and at least nearly those of NEST.
#[test]
fn circuits_run_on_every_device() {
    let (network, _) = read(&folder(), "iaf_psc_alpha/config.json");
    for (name, backend) in devices() {
        assert!(fired(&network, backend).len().abs_diff(111) <= 2, "{name}");
    }
}

#[test]
fn a_circuit_is_read_as_it_is_written() {
    let (network, notices) = read(&folder(), "iaf_psc_alpha/config.json");
    let said: Vec<String> = notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect();
    assert_eq!(said, ["inputs: nodes fire several times in a step; neurons that are added for these spikes: 1"]);
    let (cells, inputs) = (&network.populations[0], &network.sources[0]);
    assert_eq!((cells.name.as_str(), cells.size, inputs.name.as_str(), Source::size(inputs)), ("cells", 12, "inputs", 9));
    assert_eq!((network.dt_ms, network.duration_ms), (0.1, 200.0));
    // Of types, each of its own file, and of each node.
    assert!(
        matches!(&cells.parameters["tau_m"], Quantity::Values { values, .. } if values.contains(&20.0) && values.contains(&10.0))
    );
    assert!(matches!(&cells.initial["V_m"], Quantity::Values { values, .. } if values[0] != values[1]));
    assert!(cells.positions.is_some());
    let names: Vec<&str> = network.projections.iter().map(|projection| projection.name.as_str()).collect();
    assert_eq!(names, ["cells_to_cells_in", "cells_to_cells_ex", "inputs_to_cells"]);
    assert_eq!(network.recordings[0].indices, vec![0, 5].into());
}

/// The example of 300 point neurons of the SONATA specification, where it is: 18,828 spikes are those of NEST's own test.
#[test]
fn the_example_of_the_specification_has_the_spikes_of_nest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !root.join("sonata_300_pointneurons").is_dir() {
        println!("skipped: the example is not there");
        return;
    }
    let (network, _) = read(&root, "sonata_300_pointneurons/config.json");
    let edges: usize =
        network.projections.iter().map(|projection| projection.pairs.as_ref().map_or(0, |pairs| pairs.len())).sum();
    assert_eq!((network.neurons(), edges), (400, 48_432));
    assert_eq!(fired(&network, Box::new(Double::new())).len(), 18_828);
}

/// A circuit in memory, which a change can damage.
struct Circuit {
    config: serde_json::Value,
    files: BTreeMap<String, Vec<u8>>,
    nodes: Group,
    edges: Group,
}

fn whole(values: &[i64]) -> Array {
    Array::new(vec![values.len()], Values::I64(values.to_vec()))
}

impl Circuit {
    /// Two cells, two virtual nodes with sets of every kind, and a current.
    fn new() -> Circuit {
        let config = json!({
            "manifest": {"$BASE": "."},
            "networks": {
                "nodes": [{"nodes_file": "$BASE/nodes.h5", "node_types_file": "$BASE/nodes.csv"}],
                "edges": [{"edges_file": "$BASE/edges.h5", "edge_types_file": "$BASE/edges.csv"}]
            },
            "components": {"point_neuron_models_dir": "$BASE"},
            "run": {"tstop": 100.0, "dt": 0.1},
            "node_sets_file": "$BASE/sets.json",
            "conditions": {"v_init": -80.0},
            "inputs": {
                "spikes": {"input_type": "spikes", "module": "csv", "input_file": "$BASE/spikes.csv", "node_set": "outside"},
                "current": {"input_type": "current_clamp", "module": "IClamp", "amp": 0.4, "delay": 10.0, "duration": 50.0,
                            "node_set": {"ei": "e"}}
            },
            "reports": {"v": {"cells": ["one", "outside"], "variable_name": ["V_m", "x"], "module": "membrane_report"}}
        });
        let text = |text: &str| text.as_bytes().to_vec();
        let files = BTreeMap::from([
            (
                "nodes.csv".to_owned(),
                text(
                    "node_type_id model_type model_template dynamics_params ei\n1 point_neuron nest:iaf_psc_exp a.json e\n2 point_neuron nest:iaf_psc_exp NULL i\n3 virtual NULL NULL NULL\n",
                ),
            ),
            ("edges.csv".to_owned(), text("edge_type_id delay syn_weight\n1 1.0 100.0\n2 NULL -50.0\n")),
            ("a.json".to_owned(), text("{\"tau_m\": 15.0, \"swing\": 1.0}")),
            (
                "sets.json".to_owned(),
                text(
                    "{\"outside\": {\"population\": \"net\", \"model_type\": \"virtual\"}, \"one\": {\"node_id\": 10}, \"loop\": [\"loop\"]}",
                ),
            ),
            (
                "spikes.csv".to_owned(),
                text("timestamps population node_ids\n20.0 net 12\n19.97 net 12\n30.0 net 10\n0.0 net 13\n"),
            ),
        ]);
        let (mut nodes, mut edges) = (Group::default(), Group::default());
        let net = nodes.group("nodes").group("net");
        net.insert("node_id", whole(&[10, 11, 12, 13]));
        net.insert("node_type_id", whole(&[1, 2, 3, 3]));
        let all = edges.group("edges").group("all");
        all.insert("edge_type_id", whole(&[1, 2, 1]));
        for (name, ids) in [("source_node_id", [12, 13, 10]), ("target_node_id", [10, 10, 11])] {
            all.insert(name, whole(&ids).with_attribute("node_population", Attribute::Texts(vec!["net".to_owned()])));
        }
        Circuit { config, files, nodes, edges }
    }

    fn put(&mut self, name: &str, content: &[u8]) {
        self.files.insert(name.to_owned(), content.to_vec());
    }

    fn read(mut self) -> Result<(Network, Vec<Notice>), spikelet::Error> {
        self.files.entry("nodes.h5".into()).or_insert_with(|| self.nodes.to_bytes().unwrap());
        self.files.entry("edges.h5".into()).or_insert_with(|| self.edges.to_bytes().unwrap());
        let files = self.files;
        let mut open = |path: &str| files.get(path).cloned().ok_or_else(|| "no such file".to_owned());
        sonata::read("c.json", self.config.to_string().as_bytes(), &mut open)
    }
}

#[test]
fn what_differs_is_a_notice() {
    let (network, notices) = Circuit::new().read().unwrap_or_else(|error| panic!("{error}"));
    let said: Vec<String> = notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect();
    for expected in [
        "reports.v: `x` is not recorded",
        "inputs.spikes: 1 spikes are not of virtual nodes of its node_set",
        "inputs.spikes: 1 spikes are before the end of the first step",
        "conditions.v_init: -80.0 is not used",
        "all: 1 edges have no delay: it is 1 ms",
        "net_iaf_psc_exp: not parameters of iaf_psc_exp and ignored: swing",
        "net_virtual: nodes fire several times in a step; neurons that are added for these spikes: 1",
    ] {
        assert!(said.iter().any(|said| said.starts_with(expected)), "{expected} in {said:#?}");
    }
    // A part for each model: two cells, two virtual nodes and one for the second spike in a step.
    assert_eq!((network.populations[0].name.as_str(), network.populations[0].size), ("net_iaf_psc_exp", 2));
    assert_eq!(Source::size(&network.sources[0]), 3);
    assert!(
        matches!(&network.populations[0].parameters["amplitude_0"], Quantity::Values { values, .. } if *values == [0.4, 0.0])
    );
    assert!(!fired(&network, Box::new(Double::new())).is_empty());
}

type Damage = fn(&mut Circuit);

/// Whatever is wrong has a sentence with its file and place.
#[test]
fn malformed_circuits_are_errors() {
    let cases: [(Damage, &str); 19] = [
        (
            |circuit| drop(circuit.files.remove("spikes.csv")),
            "c.json: inputs.spikes.input_file is `./spikes.csv`, but the file spikes.csv cannot be read",
        ),
        (|circuit| circuit.put("edges.h5", b"\x89HDF\r\n\x1a\n"), "edges.h5"),
        (
            |circuit| circuit.put("nodes.csv", b"node_type_id model_type model_template\n1 biophysical hoc:Cell\n"),
            "`hoc:Cell`, but the point neurons nest:iaf_psc_alpha",
        ),
        (|circuit| circuit.put("edges.csv", b"edge_type_id model_template\n1 stdp_synapse\n"), "only `static_synapse` is known"),
        (|circuit| circuit.put("edges.csv", b"edge_type_id delay\n1 soon\n"), "`delay` of type 1 is `soon`, but a number"),
        (|circuit| circuit.put("a.json", b"{\"tau_m\": \"long\"}"), "a.json: tau_m"),
        (|circuit| circuit.put("sets.json", b"["), "sets.json"),
        (|circuit| circuit.config["node_sets_file"] = json!("../sets.json"), "stays in the folder"),
        (|circuit| circuit.config["inputs"]["spikes"]["node_set"] = json!("loop"), "in a cycle"),
        (|circuit| circuit.config["inputs"]["spikes"]["node_set"] = json!("nobody"), "there are the sets outside, one, loop"),
        (
            |circuit| circuit.config["inputs"]["spikes"]["input_type"] = json!("voltage_clamp"),
            "`spikes` and `current_clamp` are known",
        ),
        (|circuit| circuit.config["inputs"]["current"]["node_set"] = json!("outside"), "it has no potential"),
        (|circuit| circuit.config["inputs"]["current"]["amp"] = json!("1 nA"), "inputs.current.amp"),
        (|circuit| circuit.config["run"]["dt"] = json!(0), "dt_ms is 0"),
        (|circuit| circuit.config["networks"]["edges"] = json!("none"), "networks.edges"),
        (
            |circuit| {
                let short = circuit.nodes.group("nodes").group("short");
                short.insert("node_type_id", whole(&[3, 3]));
                short.insert("node_id", whole(&[0]));
            },
            "/nodes/short/node_id is 1 values, but one value for each of 2 is expected",
        ),
        (|circuit| circuit.edges.group("edges").group("all").insert("edge_group_id", whole(&[0])), "must have the same length"),
        (|circuit| circuit.nodes.group("nodes").group("more").insert("x", whole(&[0])), "nodes.h5: /nodes/more"),
        (
            |circuit| {
                let other = circuit.edges.group("edges").group("other");
                other.insert("edge_type_id", whole(&[1]));
                for (name, id) in [("source_node_id", 10), ("target_node_id", 99)] {
                    other.insert(name, whole(&[id]).with_attribute("node_population", Attribute::Texts(vec!["net".to_owned()])));
                }
            },
            "/edges/other/target_node_id is 99, but an identifier of a node of net",
        ),
    ];
    for (damage, said) in cases {
        let mut circuit = Circuit::new();
        damage(&mut circuit);
        match circuit.read() {
            Err(error) => assert!(error.to_string().contains(said), "{said}: {error}"),
            Ok(_) => panic!("accepted: {said}"),
        }
    }
}

/// None of many damaged files panics or takes much memory.
#[test]
fn damaged_files_are_errors() {
    let root = folder().join("iaf_psc_exp");
    let mut state = 1_u32;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let mut refused = 0;
    for file in ["config.json", "nodes.h5", "edges.h5", "node_types.csv", "edge_types.csv", "spikes.h5"] {
        for _ in 0..200 {
            let mut damaged = std::fs::read(root.join(file)).unwrap();
            match next(3) {
                0 => damaged.truncate(next(damaged.len())),
                1 => damaged.iter_mut().skip(next(2000)).take(8).for_each(|byte| *byte = 0xff),
                _ => {
                    let at = next(damaged.len());
                    damaged[at] ^= 1 << next(8);
                }
            }
            let config = if file == "config.json" { damaged.clone() } else { std::fs::read(root.join("config.json")).unwrap() };
            let mut open = |path: &str| {
                if path == file { Ok(damaged.clone()) } else { std::fs::read(root.join(path)).map_err(|error| error.to_string()) }
            };
            refused += usize::from(sonata::read("config.json", &config, &mut open).is_err());
        }
    }
    assert!(refused > 400, "{refused}");
}
