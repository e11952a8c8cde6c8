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
    let found = sonata::read(file, &bytes, &mut open).unwrap_or_else(|error| panic!("{file}: {error}"));
    (found.network, found.notices)
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
    let expected = [
        "inputs: nodes fire several times in a step; neurons that are added for these spikes: 1",
        "cells: not used of nodes: ei",
        "inputs: not used of nodes: ei",
    ];
    assert_eq!(said, expected);
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
                "current": {"input_type": "current_clamp", "module": "IClamp", "amp": 400.0, "delay": 10.0, "duration": 50.0,
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
        let found = sonata::read("c.json", self.config.to_string().as_bytes(), &mut open)?;
        Ok((found.network, found.notices))
    }
}

#[test]
fn what_differs_is_a_notice() {
    let mut circuit = Circuit::new();
    circuit.config["comment"] = json!("none");
    circuit.config["run"]["overwrite_output_dir"] = json!(true);
    circuit.config["reports"]["v"]["start_time"] = json!(1.0);
    circuit.config["inputs"]["current"]["gid"] = json!("all");
    circuit.put("edges.csv", b"edge_type_id delay syn_weight colour\n1 1.0 100.0 red\n2 NULL -50.0 blue\n");
    let (network, notices) = circuit.read().unwrap_or_else(|error| panic!("{error}"));
    let said: Vec<String> = notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect();
    for expected in [
        "reports.v: `x` is not recorded",
        "inputs.spikes: 1 spikes are not of virtual nodes of its node_set",
        "inputs.spikes: 1 spikes are before the end of the first step",
        "conditions.v_init: -80.0 is not used",
        "all: 1 edges have no delay: it is 1 ms",
        "net_iaf_psc_exp: not parameters of iaf_psc_exp and ignored: swing",
        "c.json: run: not used: overwrite_output_dir",
        "c.json: reports.v: not used: start_time",
        "c.json: inputs.current: not used: gid",
        "c.json: not used: comment",
        "all: not used of edges: colour",
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

/// A current of a clamp is in pA for NEST, and acts a step later than its time; for NEURON it is in nA. NEST 3.10.0 has these spikes for the same cell.
#[test]
fn currents_are_those_of_the_target_simulator() {
    let circuit = |simulator: Option<&str>, amp: f64| {
        let mut circuit = Circuit::new();
        circuit.put("nodes.csv", b"node_type_id model_type model_template dynamics_params ei\n1 point_neuron nest:iaf_psc_alpha b.json e\n2 point_neuron nest:iaf_psc_alpha b.json i\n3 virtual NULL NULL NULL\n");
        circuit.put("b.json", br#"{"C_m": 250, "tau_m": 10, "V_th": -63, "E_L": -70, "V_reset": -70, "t_ref": 2}"#);
        let config = &mut circuit.config;
        config["run"]["tstop"] = json!(200.0);
        config["inputs"] = json!({"clamp": {"input_type": "current_clamp", "module": "IClamp", "amp": amp, "delay": 50.0, "duration": 100.0, "node_set": {"ei": "e"}}});
        // A circuit without edges may leave out their list.
        config["networks"].as_object_mut().unwrap().remove("edges");
        if let Some(simulator) = simulator {
            config["target_simulator"] = json!(simulator);
        }
        let (network, _) = circuit.read().unwrap_or_else(|error| panic!("{error}"));
        fired(&network, Box::new(Double::new()))
    };
    let of_nest: [u32; 4] = [709, 937, 1165, 1393];
    for simulator in [Some("NEST"), None] {
        assert_eq!(circuit(simulator, 200.0), of_nest.map(|step| [step, 0]), "{simulator:?}");
    }
    assert_eq!(circuit(Some("NEURON"), 0.2), of_nest.map(|step| [step - 1, 0]));
}

/// Tables of spikes are separated by spaces, as the specification says, or by commas.
#[test]
fn tables_of_spikes_have_spaces_or_commas() {
    let mut circuit = Circuit::new();
    let table = String::from_utf8(circuit.files["spikes.csv"].clone()).unwrap();
    let (spaced, _) = Circuit::new().read().unwrap();
    circuit.put("spikes.csv", table.replace(' ', ", ").as_bytes());
    let (commas, _) = circuit.read().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(commas.sources, spaced.sources);
}

type Damage = fn(&mut Circuit);

/// Whatever is wrong has a sentence with its file and place.
#[test]
fn malformed_circuits_are_errors() {
    let cases: [(Damage, &str); 22] = [
        (
            |circuit| circuit.put("edges.csv", b"edge_type_id delay\n1 0.0\n"),
            "/edges/all/delay is 0 ms of the edge 0, but NEST has no shorter delay than a step of 0.1 ms",
        ),
        (|circuit| circuit.config["target_simulator"] = json!("GENESIS"), "`NEST`, `NEURON` or `CORENEURON` is expected"),
        (|circuit| circuit.config["run"]["tstart"] = json!(5.0), "run.tstart"),
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
        (|circuit| circuit.config["node_sets_file"] = json!("../sets.json"), "name the folder that holds all files with --root"),
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
