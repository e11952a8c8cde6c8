use spikelet_interchange::hdf5::{Array, Group, Values};
use spikelet_interchange::nir::{Cell, CellKind, Graph, Import, Node, Padding, Pool, Tensor};
use spikelet_network::Network;

use super::{cell, convolution, input, output, ramp};

#[test]
fn graphs_that_are_wrong_are_refused_with_the_node() {
    let lif = || cell(CellKind::Lif, &[2]);
    let chain = |nodes: Vec<(&str, Node)>| Graph::chain(nodes).network(&Import::default()).map(|_| ()).unwrap_err().to_string();
    let with_edge = |from: &str, to: &str| {
        let mut graph = Graph::chain([("input", input(&[2])), ("lif", lif()), ("output", output(&[2]))]);
        graph.edges.push((from.into(), to.into()));
        graph.validate().unwrap_err().to_string()
    };
    let mut circle = Graph::chain([("a", Node::Scale { scale: ramp(&[2]) }), ("b", Node::Scale { scale: ramp(&[2]) })]);
    circle.edges.push(("b".into(), "a".into()));
    let mut two_ports = Graph::chain([("in", input(&[2])), ("out", output(&[2]))]);
    two_ports.nodes.push(("in2".into(), input(&[2])));
    let short = |value| {
        Node::Cell(Cell {
            kind: CellKind::If,
            values: vec![Tensor::scalar(1.0), Tensor::full(&[2], value), Tensor::full(&[3], 0.0)],
        })
    };
    let mut slow = convolution(&[1, 1, 3], Padding::Same);
    slow.stride = vec![2];
    let cases = [
        (with_edge("lif", "lfi"), "the edge from `lif` to `lfi`: there is no node `lfi`; did you mean `lif`?"),
        (with_edge("input", "lif"), "an edge is `input` to `lif`, but each edge may be written only once"),
        (with_edge("output", "lif"), "no edge leads from an Output"),
        (
            chain(vec![("input", input(&[3])), ("lif", lif())]),
            "the output of the node `input` is 3, but `lif`, which it leads to, has an input of 2; insert a Flatten",
        ),
        (chain(vec![("lif", lif()), ("lif", lif())]), "the name of a node is \"lif\", but names of nodes must be unique"),
        (chain(vec![("a", short(1.0))]), "`v_reset` of the node `a` is of 3, but `v_threshold` is of 2"),
        (chain(vec![("a", short(f64::NAN))]), "`v_threshold` of the node `a` is NaN, but finite numbers are expected"),
        (
            chain(vec![("pool", Node::SumPool2d(Pool { kernel_size: [1, 1], stride: [1, 1], padding: [0, 0] }))]),
            "the input of the node `pool` is 1, but 3 dimensions are expected",
        ),
        (
            chain(vec![("input", input(&[1, 5])), ("conv", Node::Conv1d(slow))]),
            "`stride` of the node `conv` is [2], but with the padding \"same\" it must be 1",
        ),
        (
            chain(vec![("input", input(&[2, 5])), ("conv", Node::Conv1d(convolution(&[1, 2, 6], Padding::Valid)))]),
            "the window of the node `conv` is 6, but the input has 5",
        ),
        (
            chain(vec![
                ("li", cell(CellKind::Li, &[2])),
                ("delay", Node::Delay { delay: Tensor::scalar(0.001) }),
                ("lif", lif()),
            ]),
            "the node `li` is delayed by 1 ms on its way to `lif`, but potentials cannot be delayed",
        ),
        (
            circle.network(&Import::default()).map(|_| ()).unwrap_err().to_string(),
            "which depends on itself, but a circle must contain a neuron",
        ),
        (
            chain(vec![("nested", Node::Graph(two_ports))]),
            "the Input of the node `nested` is several of them, but a nested graph has exactly one Input",
        ),
        (
            chain(vec![("flat", Node::Flatten { input_shape: Some(vec![2, 3]), start_dim: 1, end_dim: 5 })]),
            "`start_dim` of the node `flat` is 1, with end_dim 5",
        ),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}

/// A file with one node of these fields between its input and output.
fn file(node: impl FnOnce(&mut Group)) -> Vec<u8> {
    let mut root = Group::default();
    let graph = root.group("node");
    graph.insert("type", Array::text("NIRGraph"));
    graph.insert("edges", Array::new(vec![0, 2], Values::Texts(vec![])));
    node(graph.group("nodes").group("x"));
    root.to_bytes().unwrap()
}

#[test]
fn files_that_are_wrong_are_refused_with_the_node() {
    let refused = |bytes: Vec<u8>| Graph::from_bytes(bytes).map(|_| ()).unwrap_err().to_string();
    let typed = |name: &'static str| move |node: &mut Group| node.insert("type", Array::text(name));
    let mut other = Group::default();
    other.group("spikes");
    let nested = file(|node| {
        node.insert("type", Array::text("NIRGraph"));
        node.insert("edges", Array::new(vec![0, 2], Values::Texts(vec![])));
        node.group("nodes").group("y").insert("type", Array::text("LIF"));
    });
    let texts = file(|node| {
        node.insert("type", Array::text("Linear"));
        node.insert("weight", Array::text("many"));
    });
    let cases = [
        (refused(b"{}".to_vec()), "the file is not readable, but an HDF5 file is expected"),
        (refused(other.to_bytes().unwrap()), "a file of NIR has a group `node`"),
        (refused(file(typed("LIFF"))), "`type` of the node `x`: there is no type of nodes `LIFF`; did you mean `LIF`?"),
        (refused(file(typed("LIF"))), "`tau` of the node `x` is missing, but each LIF has one"),
        (refused(file(|_| {})), "`type` of the node `x` is missing, but each node has one"),
        (refused(nested), "`tau` of the node `x/y` is missing"),
        (refused(texts), "/node/nodes/x/weight is of the type vlen_string, but numbers are expected"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}

#[test]
fn networks_that_nir_lacks_are_refused_with_the_population() {
    let refused = |text: &str| Graph::of(&Network::from_json(text).unwrap()).map(|_| ()).unwrap_err().to_string();
    let network = |population: &str, projections: &str| {
        format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{population}], "projections": [{projections}]}}"#
        )
    };
    let lif = r#"{"name": "E", "size": 2, "model": "lif", "preset": "never_refractory"}"#;
    let cases = [
        (
            network(r#"{"name": "E", "size": 2, "model": "adex"}"#, ""),
            "populations[0] is the population `E`, which has variables `v` and `w` that depend on each other, but NIR lacks such cells",
        ),
        (
            network(r#"{"name": "E", "size": 2, "model": "lif"}"#, ""),
            "populations[0] is the population `E` with a refractory time, but NIR lacks refractory times; set `tref` to \"0 ms\"",
        ),
        (
            network(lif, r#"{"pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "v_post += 1*mV"}"#),
            "projections[0] is the projection `E_E`, but NIR lacks rules of connection",
        ),
        (
            network(
                lif,
                r#"{"pre": "E", "post": "E", "pairs": [[0, 1]], "equations": "w : volt", "on_pre": "v_post += w; w *= 0.9", "initial": {"w": "1 mV"}}"#,
            ),
            "projections[0] is the projection `E_E`, but NIR lacks synapses with several statements",
        ),
        (
            network(
                lif,
                r#"{"pre": "E", "post": "E", "pairs": [[0, 1]], "on_pre": "v_post += w", "parameters": {"w": "normal(1 mV, 1 mV)"}}"#,
            ),
            "NIR stores numbers, and no distributions",
        ),
    ];
    for (text, expected) in cases {
        let message = refused(&text);
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}
