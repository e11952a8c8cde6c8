//! Circuits that are written are those that are read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use spikelet_interchange::hdf5::File;
use spikelet_interchange::sonata::{self, Built, BuiltEdges};
use spikelet_network::{Delays, Error, Network, Pathways, Projection, Quantity, Source, SourceKind};

/// Nothing is drawn.
struct Unbuilt;

impl Built for Unbuilt {
    fn neurons(&mut self, population: &str, name: &str) -> Result<Vec<f64>, Error> {
        panic!("{population}.{name} is needed")
    }

    fn synapses(&mut self, projection: &str) -> Result<BuiltEdges, Error> {
        panic!("{projection} is needed")
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sonata")
}

fn circuit(model: &str) -> Network {
    let root = folder().join(model);
    let mut open = |path: &str| std::fs::read(root.join(path)).map_err(|error| error.to_string());
    let bytes = open("config.json").expect("the circuit is there");
    sonata::read("config.json", &bytes, &mut open).unwrap_or_else(|error| panic!("{model}: {error}")).network
}

fn written(network: &Network) -> BTreeMap<String, Vec<u8>> {
    sonata::write(network, &mut Unbuilt).unwrap_or_else(|error| panic!("{error}")).0.into_iter().collect()
}

fn read(files: &BTreeMap<String, Vec<u8>>) -> Network {
    let mut open = |path: &str| files.get(path).cloned().ok_or_else(|| "no such file".to_owned());
    sonata::read("config.json", &files["config.json"], &mut open).unwrap_or_else(|error| panic!("{error}")).network
}

fn again(network: &Network) -> Network {
    read(&written(network))
}

/// The delays of a projection, which are exact up to the last bit, and the rest of it.
fn divided(projection: &Projection) -> (Vec<f64>, Projection) {
    let delays = projection.delay_ms.constants().collect();
    (delays, Projection { delay_ms: Delays::default(), ..projection.clone() })
}

#[test]
fn a_circuit_is_written_as_it_was_read() {
    let models = std::fs::read_dir(folder()).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let models: Vec<String> = models.filter(|name| !name.contains('.')).collect();
    assert_eq!(models.len(), 8);
    for model in models {
        let network = circuit(&model);
        let mut found = again(&network);
        // Groups of HDF5 are in the order of their names.
        let mut expected = network.projections.clone();
        for projections in [&mut expected, &mut found.projections] {
            projections.sort_by(|a, b| a.name.cmp(&b.name));
        }
        assert_eq!(found.projections.len(), expected.len(), "{model}");
        for (found, expected) in found.projections.iter().zip(&expected) {
            let ((delays, found), (expected_delays, expected)) = (divided(found), divided(expected));
            assert_eq!(found, expected, "{model}");
            assert!(delays.len() == expected_delays.len() && !delays.is_empty());
            assert!(delays.iter().zip(&expected_delays).all(|(found, expected)| (found - expected).abs() < 1e-12), "{model}");
        }
        assert_eq!(Network { projections: Vec::new(), ..found }, Network { projections: Vec::new(), ..network }, "{model}");
    }
}

/// A network of two cells with a current each, one of which both have.
fn driven() -> Network {
    let mut network = circuit("iaf_psc_exp");
    let cells = &mut network.populations[0];
    let (of_two, none) = ("amplitude_0*int(t >= 10*ms and t < 60.3*ms) + amplitude_1*int(t >= 0.1*ms and t < 0.4*ms)", "0*pA");
    let equations =
        cells.equations.as_ref().expect("it has equations").replace(&format!("I_stim = {none}"), &format!("I_stim = {of_two}"));
    cells.equations = Some(format!("amplitude_0 : amp (constant)\namplitude_1 : amp (constant)\n{equations}"));
    cells.parameters.insert("amplitude_0".into(), Quantity::from("400 pA"));
    let mut values = vec![0.0; 12];
    (values[3], values[5], values[7]) = (0.2, 0.2, 0.3);
    cells.parameters.insert("amplitude_1".into(), Quantity::Values { values, unit: Some("nA".into()) });
    network
}

#[test]
fn currents_are_inputs() {
    let found = again(&driven());
    let cells = &found.populations[0];
    let equations = cells.equations.as_ref().unwrap();
    // An input for each amplitude and time.
    let times = ["t >= 10*ms and t < 60.3*ms", "t >= 0.1*ms and t < 0.4*ms", "t >= 0.1*ms and t < 0.4*ms"];
    for (number, time) in times.iter().enumerate() {
        assert!(equations.contains(&format!("amplitude_{number}*int({time})")), "{equations}");
    }
    assert_eq!(cells.parameters["amplitude_0"], Quantity::from("0.4 nA"));
    let of = |nodes: &[usize], amplitude: f64| {
        let values = (0..12).map(|node| if nodes.contains(&node) { amplitude } else { 0.0 }).collect();
        Quantity::Values { values, unit: Some("nA".into()) }
    };
    assert_eq!((&cells.parameters["amplitude_1"], &cells.parameters["amplitude_2"]), (&of(&[3, 5], 0.2), &of(&[7], 0.3)));
}

/// Edges of each node are found by the indices; equal values are in the tables, others in columns.
#[test]
fn edges_have_indices_and_types() {
    let mut network = circuit("iaf_psc_exp");
    let files = written(&network);
    let edges = File::open(files["edges.h5"].clone()).unwrap();
    for name in edges.groups("/edges").unwrap() {
        let column = |of: &str| edges.dataset(&format!("/edges/{name}/{of}")).unwrap().i64().unwrap();
        let ends = [("source_to_target", column("source_node_id")), ("target_to_source", column("target_node_id"))];
        for (index, ids) in ends {
            let ranges = column(&format!("indices/{index}/node_id_to_ranges"));
            let of_edges = column(&format!("indices/{index}/range_to_edge_id"));
            let mut count = 0;
            for (node, range) in ranges.chunks_exact(2).enumerate() {
                for place in range[0]..range[1] {
                    for edge in of_edges[2 * place as usize]..of_edges[2 * place as usize + 1] {
                        assert_eq!(ids[edge as usize], node as i64, "{name}");
                        count += 1;
                    }
                }
            }
            assert_eq!(count, ids.len());
        }
    }
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert_eq!(
        text("edge_types.csv"),
        "edge_type_id model_template syn_weight delay\n1 static_synapse 80.0 NULL\n2 static_synapse -90.0 NULL\n3 static_synapse 700.0 1.5\n"
    );
    assert_eq!(
        text("node_types.csv"),
        "node_type_id pop_name model_type model_template dynamics_params\n100 cells point_neuron nest:iaf_psc_exp type_100.json\n101 inputs virtual NULL NULL\n"
    );
    assert!(text("type_100.json").contains("\"E_L\": -70.0") && !text("type_100.json").contains("tau_m"));
    // Weights in other forms are the same.
    let inhibitory = network.projections.iter_mut().find(|of| of.name == "cells_to_cells_in").unwrap();
    inhibitory.parameters.clear();
    (inhibitory.equations, inhibitory.on_pre) = (None, Some("I_in_post -= 0.09*nA".into()));
    assert_eq!(written(&network)["edge_types.csv"], files["edge_types.csv"]);
    // There may be none.
    network.projections[0].pairs = Some(Vec::new().into());
    assert_eq!(again(&network).projections.len(), network.projections.len() - 1);
}

#[test]
fn steps_that_are_no_whole_microseconds_keep_spikes() {
    let mut network = circuit("iaf_psc_exp");
    network.projections.clear();
    for dt_ms in [1.0 / 3.0, 0.1, 0.0333, 0.025, 2.0_f64.powi(-7), 0.0123456789] {
        network.dt_ms = dt_ms;
        let steps = [0, 1, 2, 3, 5, 7, 100, 999, 1000, 12_345, 99_999];
        let spike_times_ms: Vec<(u32, f64)> = steps.iter().map(|step| (1, f64::from(*step) * dt_ms)).collect();
        network.sources[0].kind = SourceKind::Spikes { size: 3, spike_times_ms };
        let SourceKind::Spikes { spike_times_ms, .. } = again(&network).sources[0].kind.clone() else { panic!("no spikes") };
        let found: Vec<f64> = spike_times_ms.iter().map(|(_, time)| Source::step(*time, dt_ms)).collect();
        assert_eq!(found, steps.map(f64::from), "{dt_ms}");
    }
}

#[test]
fn names_with_quotes_stay_names() {
    let mut network = circuit("iaf_psc_exp");
    let name = "a\"b'c\\d";
    network.populations[0].name = name.to_owned();
    network.recordings[0].object = name.to_owned();
    for projection in &mut network.projections {
        projection.post.population = name.to_owned();
        if projection.pre.population == "cells" {
            projection.pre.population = name.to_owned();
        }
    }
    let files = written(&network);
    assert_eq!(File::open(files["nodes.h5"].clone()).unwrap().groups("/nodes").unwrap(), [name, "inputs"]);
    let found = read(&files);
    assert_eq!((found.populations[0].name.as_str(), found.projections.len()), ("a_b_c_d", 3));
}

type Change = fn(&mut Network);

#[test]
fn what_sonata_does_not_have_is_an_error() {
    let cases: [(Change, &str); 22] = [
        (|of| of.populations[0].name = "a/b".into(), "populations[0].name is \"a/b\", but it is the name of a group in HDF5"),
        (|of| of.sources[0].name = "$BASE".into(), "sources[0].name is \"$BASE\""),
        (|of| of.projections[1].name = "../x".into(), "projections[1].name"),
        (|of| of.populations[0].reset = Some("V_m = 0*mV".into()), "SONATA has the cells nest:iaf_psc_alpha"),
        (|of| of.populations[0].model = Some("lif_exp".into()), "populations[0].model"),
        (
            |of| drop(of.populations[0].parameters.insert("C_m".into(), "3 mV".into())),
            "parameters.C_m is \"3 mV\", but a value in pF is expected",
        ),
        (
            |of| {
                let values = Quantity::Values { values: vec![1.0; 12], unit: Some("ms".into()) };
                of.populations[0].parameters.insert("C_m".into(), values);
            },
            "a value in pF is expected",
        ),
        (
            |of| {
                let values = Quantity::Timed { values: vec![vec![1.0]], dt: "1 ms".into(), unit: None };
                of.populations[0].parameters.insert("I_e".into(), values);
            },
            "circuits have no values that change",
        ),
        (
            |of| {
                let values = Quantity::Values { values: vec![250.0; 11], unit: None };
                of.populations[0].parameters.insert("C_m".into(), values);
            },
            "C_m is 11 values, but one for all or one for each of 12 is expected",
        ),
        (
            |of| {
                let values = Quantity::Values { values: vec![2.0; 2], unit: None };
                of.projections[0].delay_ms = Delays::Same(values);
            },
            "projections[0].delay_ms is 2 values",
        ),
        (|of| drop(of.populations[0].parameters.shift_remove("C_m")), "populations[0].parameters.C_m is missing"),
        (|of| drop(of.populations[0].initial.insert("I_ex".into(), "3 pA".into())), "initial.I_ex is \"3 pA\""),
        (
            |of| of.sources[0].kind = SourceKind::Poisson { size: 3, rate: "5 Hz".into() },
            "sources[0] is \"inputs\", but inputs of circuits are lists of spikes",
        ),
        (|of| of.projections[0].on_post = Some("weight += 1*pA".into()), "projections[0].on_post"),
        (|of| of.projections[0].equations = Some("dw/dt = -w/(10*ms) : 1".into()), "projections[0].equations"),
        (
            |of| of.projections[0].on_pre = Some("V_m_post += 1*mV".into()),
            "spikes act on iaf_psc_exp by `I_ex_post += weight` or",
        ),
        (
            |of| {
                of.projections[0].on_pre =
                    Some(["a", "b"].map(|name| (name.into(), "V_m_post += 1*mV".into())).into_iter().collect());
            },
            "on_pre is 2 pathways",
        ),
        (|of| of.projections[1].on_pre = Some("I_ex_post += weight".into()), "excitatory input from positive weights"),
        (|of| of.projections[0].delay_ms = 0.05.into(), "projections[0].delay_ms is 0.05 ms, but a delay of at least a step"),
        (|of| of.projections[0].pre.population = "cells.low".into(), "edges begin at spikes of nodes"),
        (|of| of.projections[0].post.population = "inputs".into(), "edges end at nodes with a cell"),
        (
            |of| {
                let values = Quantity::Values { values: vec![1.0; 12], unit: Some("furlong".into()) };
                of.populations[0].parameters.insert("C_m".into(), values);
            },
            "its unit must be known",
        ),
    ];
    for (change, said) in cases {
        let mut network = circuit("iaf_psc_exp");
        change(&mut network);
        match sonata::write(&network, &mut Unbuilt) {
            Err(error) => assert!(error.to_string().contains(said), "{said}: {error}"),
            Ok(_) => panic!("written: {said}"),
        }
    }
}

/// What is drawn comes from the built network.
#[test]
fn drawn_values_are_those_of_the_built_network() {
    struct Drawn;
    impl Built for Drawn {
        fn neurons(&mut self, population: &str, name: &str) -> Result<Vec<f64>, Error> {
            assert_eq!((population, name), ("cells", "V_m"));
            Ok((0..12).map(|node| -70.0 + f64::from(node)).collect())
        }

        fn synapses(&mut self, projection: &str) -> Result<BuiltEdges, Error> {
            assert_eq!(projection, "cells_to_cells_ex");
            let values = vec![("weight".to_owned(), vec![10.0, 20.0])];
            Ok(BuiltEdges { pairs: vec![[0, 1], [2, 3]], delays_ms: vec![1.5, 2.5], values })
        }
    }
    let mut network = circuit("iaf_psc_exp");
    network.populations[0].initial.insert("V_m".into(), "uniform(-70 mV, -60 mV)".into());
    let drawn = network.projections.iter_mut().find(|of| of.name == "cells_to_cells_ex").unwrap();
    drawn.pairs = None;
    drawn.on_pre = Some(Pathways::from("I_ex_post += weight"));
    drawn.parameters.insert("weight".into(), "uniform(10 pA, 20 pA)".into());
    let (files, _) = sonata::write(&network, &mut Drawn).unwrap_or_else(|error| panic!("{error}"));
    let found = read(&files.into_iter().collect());
    assert!(matches!(&found.populations[0].initial["V_m"], Quantity::Values { values, .. } if values[11] == -59.0));
    let found = found.projections.iter().find(|of| of.name == "cells_to_cells_ex").unwrap();
    assert_eq!(found.pairs.as_ref().map(|pairs| pairs.to_vec()), Some(vec![[0, 1], [2, 3]]));
    let values = |values: [f64; 2], unit: &str| Quantity::Values { values: values.into(), unit: Some(unit.into()) };
    assert_eq!(found.parameters["weight"], values([10.0, 20.0], "pA"));
    assert_eq!(found.delay_ms, Delays::Same(values([1.5, 2.5], "ms")));
}
