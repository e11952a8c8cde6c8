//! Cells that are recognised by their equations, and weights of trained networks.

use spikelet_interchange::nir::{CellKind, Graph, Import, Node, Tensor};
use spikelet_network::{Network, Pathways, Quantity};

use super::{BRAILLE, cell, input};

/// A network of a population `A` of two neurons with these keys, onto which a source projects.
fn network(population: &str, projection: &str) -> Network {
    let text = format!(
        r#"{{"name": "n", "dt_ms": 0.5, "duration_ms": 1, "sources": [{{"name": "input", "size": 2, "spike_times_ms": []}}],
            "populations": [{{"name": "A", "size": 2, {population}}}],
            "projections": [{{"pre": "input", "post": "A", {projection}}}]}}"#
    );
    Network::from_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const ONTO_I: &str =
    r#""pairs": [[0, 0], [1, 1], [0, 1]], "equations": "w : 1", "on_pre": "I_post += w", "initial": {"w": [1, 2, -3]}"#;
const ONTO_V: &str =
    r#""pairs": [[0, 0], [1, 1], [0, 1]], "on_pre": "v_post += w", "equations": "w : 1", "parameters": {"w": [1, 2, -3]}"#;

/// The cells of `A`, by the names of NIR, and its weights.
fn exported(network: &Network) -> (CellKind, Vec<(&'static str, Vec<f64>)>, Node) {
    let (graph, _) = Graph::of(network).unwrap_or_else(|error| panic!("{error}"));
    let Some(Node::Cell(cell)) = graph.node("A") else { panic!("{:?}", graph.nodes) };
    let values = cell.values.iter().map(|values| values.values.clone());
    (cell.kind, cell.kind.parameters().zip(values).collect(), graph.node("input_A").unwrap().clone())
}

fn weight() -> Tensor {
    Tensor::new([2, 2], [1.0, 0.0, -3.0, 2.0])
}

#[test]
fn current_based_cells_are_found_whatever_they_are_called() {
    let expected = [
        ("tau_mem", [0.02, 0.02]),
        ("tau_syn", [0.005, 0.005]),
        ("r", [1.0, 1.0]),
        ("v_leak", [0.0, 0.0]),
        ("v_threshold", [1.0, 1.0]),
        ("v_reset", [0.0, 0.0]),
        // An event is a jump of the current: an input of a step, as snnTorch writes it.
        ("w_in", [10.0, 10.0]),
    ];
    let same = [
        r#""equations": "dv/dt = (I - v)/tau_m : 1\ndI/dt = -I/tau_s : 1", "threshold": "v > 1", "reset": "v = 0", "parameters": {"tau_m": "20 ms", "tau_s": "5 ms"}"#,
        r#""equations": "dI/dt = -(I/(5*ms)) : 1\ndv/dt = (-v + I)/(20*ms) : 1", "threshold": "1 < v", "reset": "v = 0*v""#,
        r#""equations": "tau : second (constant)\ndrive = I - v : 1\ndI/dt = -200*Hz*I : 1\ndv/dt = drive/tau : 1", "threshold": "v - 0.5 > half", "reset": "v *= 0", "parameters": {"tau": ["20 ms", "20 ms"], "half": 0.5}"#,
        r#""equations": "dv/dt = (El - v + R*I)/tau : 1 (unless refractory)\ndI/dt = -I/tau_s : 1", "threshold": "v > Vt", "reset": "v = Vr", "refractory": "0*ms", "parameters": {"tau": "20 ms", "tau_s": "5 ms", "El": 0, "R": 1, "Vt": 1, "Vr": 0}"#,
    ];
    for text in same {
        let (kind, values, weights) = exported(&network(text, ONTO_I));
        assert_eq!(kind, CellKind::CubaLif, "{text}");
        assert_eq!(values, expected.map(|(name, values)| (name, values.to_vec())), "{text}");
        assert_eq!(weights, Node::Linear { weight: weight() }, "{text}");
    }
}

#[test]
fn values_of_neurons_are_theirs() {
    let text = r#""equations": "dv/dt = (El - v + R*s)/tau : volt\nds/dt = (c - s)/tau_s : amp", "threshold": "v > Vt", "reset": "v -= Vt",
        "parameters": {"tau": ["10 ms", "30 ms"], "tau_s": "2 ms", "El": "-1 mV", "R": ["10 Mohm", "20 Mohm"], "Vt": ["5 mV", "7 mV"], "c": "4 pA"}"#;
    let onto = r#""connect": {"rule": "one_to_one"}, "on_pre": "s_post += 2*w", "parameters": {"w": "3 pA"}"#;
    let (graph, notices) = Graph::of(&network(text, onto)).unwrap();
    assert!(notices.iter().any(|notice| notice.to_string().contains("the reset `subtract`")), "{notices:?}");
    let Some(Node::Cell(cell)) = graph.node("A") else { panic!("{:?}", graph.nodes) };
    let value = |name: &str| cell.get(name).unwrap().values.clone();
    assert_eq!((value("tau_mem"), value("tau_syn"), value("w_in")), (vec![0.01, 0.03], vec![0.002; 2], vec![4.0; 2]));
    // In inner units: mV and pA.
    assert_eq!((value("r"), value("v_leak"), value("v_threshold")), (vec![0.01, 0.02], vec![-1.0; 2], vec![5.0, 7.0]));
    // The constant current, as the input of a step: c dt/tau_s.
    let expected = Node::Affine { weight: Tensor::new([2, 2], [6.0, 0.0, 0.0, 6.0]), bias: Tensor::new([2], [1.0, 1.0]) };
    assert_eq!(graph.node("input_A"), Some(&expected));
}

#[test]
fn all_kinds_of_cells_are_found() {
    let firing = r#", "threshold": "v > 1", "reset": "v = 0""#;
    let parameters = r#", "parameters": {"tau": "20 ms", "tau_s": "5 ms", "El": 0.25, "I0": 2, "R": 3, "rate": "0 Hz"}"#;
    let cases = [
        (r#""equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1""#, "", ONTO_I, CellKind::CubaLi, 1.0, 0.0),
        (r#""equations": "dv/dt = (El - v + R*I0)/tau : 1""#, firing, ONTO_V, CellKind::Lif, 40.0, 6.25),
        (r#""equations": "dv/dt = -v/tau : 1""#, "", ONTO_V, CellKind::Li, 40.0, 0.0),
        (r#""equations": "dv/dt = rate : 1""#, firing, ONTO_V, CellKind::If, 1.0, 0.0),
        (r#""equations": "v : 1""#, firing, ONTO_V, CellKind::If, 1.0, 0.0),
        (r#""equations": "dv/dt = 0*Hz : 1""#, "", ONTO_V, CellKind::I, 1.0, 0.0),
    ];
    for (text, firing, onto, expected, r, leak) in cases {
        let network = network(&format!("{text}{firing}{parameters}"), onto);
        let (kind, values, weights) = exported(&network);
        assert_eq!((kind, weights), (expected, Node::Linear { weight: weight() }), "{text}");
        let value = |name: &str| values.iter().find(|(of, _)| *of == name).map(|(_, values)| values.clone());
        assert_eq!(value("r"), Some(vec![r; 2]), "{text}");
        assert_eq!(value("v_leak").unwrap_or(vec![leak; 2]), [leak; 2], "{text}");
        // Imported, it is the same graph again.
        let graph = Graph::of(&network).unwrap().0;
        let (again, _) = graph.network(&Import { dt_ms: 0.5, ..Import::default() }).unwrap();
        assert_eq!(exported(&again), exported(&network), "{text}");
    }
}

#[test]
fn a_library_model_is_what_its_equations_are() {
    let population = r#""model": "lif", "equations": "I_syn = s : amp\nds/dt = -s/(5*ms) : amp", "parameters": {"tref": "0 ms"}"#;
    let onto = r#""connect": {"rule": "one_to_one"}, "on_pre": "s_post += w", "parameters": {"w": "3 pA"}"#;
    assert_eq!(exported(&network(population, onto)).0, CellKind::CubaLif);
}

/// Training writes one weight for each synapse, as a variable of the synapses.
#[test]
fn a_trained_import_is_the_graph_with_other_weights() {
    let (network, _) = Graph::from_bytes(BRAILLE.to_vec()).unwrap().network(&Import::default()).unwrap();
    let expected = Graph::of(&network).unwrap().0;
    let mut trained = network.clone();
    for projection in &mut trained.projections {
        projection.equations = Some("w : 1 (constant)".into());
        projection.storage = Some(spikelet_network::Storage::Stored);
    }
    trained.populations[0].units.insert("x".into(), 2f64.powi(-20));
    assert_eq!(Graph::of(&trained).unwrap().0, expected);
    // Without a flag and as a value before the first step, it is one as well.
    for projection in &mut trained.projections {
        projection.equations = Some("w : 1".into());
        let weight = projection.parameters.swap_remove("w").unwrap();
        projection.initial.insert("w".into(), weight);
        projection.on_pre = Some(Pathways::from("x_post = x_post + w"));
    }
    assert!(Graph::of(&trained).is_err());
    trained.projections.iter_mut().for_each(|projection| projection.on_pre = Some(Pathways::from("x_post += w")));
    assert_eq!(Graph::of(&trained).unwrap().0, expected);
    // A parameter of the cells that was trained.
    let tau = Quantity::Values { values: vec![4.0; 38], unit: Some("ms".into()) };
    trained.populations[0].parameters.insert("tau_mem".into(), tau);
    let Some(Node::Cell(cell)) = Graph::of(&trained).unwrap().0.node("lif1_lif").cloned() else { panic!() };
    assert_eq!(cell.get("tau_mem"), Some(&Tensor::full(&[38], 0.004)));
}

#[test]
fn other_cells_are_refused_with_what_was_found() {
    let cuba = r#""equations": "dv/dt = (I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1""#;
    let fires = r#""threshold": "v > 1", "reset": "v = 0""#;
    let leaky = r#""equations": "dv/dt = -v/(20*ms) : 1""#;
    let cases = [
        (
            format!(r#""equations": "dv/dt = (v**2 - v)/(20*ms) : 1", {fires}"#),
            "`dv/dt = (v**2 - v)/(20*ms) : 1`, which is not linear in `v`",
        ),
        (format!(r#""equations": "dv/dt = v/(20*ms) : 1", {fires}"#), "has a variable `v` that does not decay"),
        (format!(r#""equations": "dv/dt = (I*I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1", {fires}"#), "is not linear in `I`"),
        (
            format!(r#""equations": "dv/dt = (sin(t/ms) - v)/(20*ms) : 1", {fires}"#),
            "whose coefficients change in the course of a run",
        ),
        (format!(r#""equations": "dv/dt = (1 - v)/(20*ms) + xi/sqrt(ms) : 1", {fires}"#), "has noise"),
        (
            format!(r#""equations": "dv/dt = -v/(20*ms) : 1\nda/dt = -a/(9*ms) : 1", {fires}"#),
            "has variables `v` and `a`, neither of which drives the other",
        ),
        (format!(r#"{leaky}, {fires}, "refractory": "5*ms""#), "`A`, but NIR lacks refractory times"),
        (format!(r#"{leaky}, "threshold": "v >= 1", "reset": "v = 0""#), "has the threshold `v >= 1`, not one such as `v > 1`"),
        (format!(r#"{leaky}, "threshold": "v > 1", "reset": "v -= 0.5""#), "has the reset `v -= 0.5`, not one such as `v = 0`"),
        (format!(r#"{leaky}, "threshold": "v > 1""#), "has the reset ``"),
        (format!(r#"{cuba}, "threshold": "v > 1", "reset": "v = 0; I = 0""#), "has the reset `v = 0; I = 0`"),
        (format!(r#"{leaky}, {fires}, "parameters": {{"b": {{"expr": "i"}}}}"#), "populations[0].parameters.b"),
        (r#""equations": "v : 1\nx : 1", "update": "v = 0.5*v + x\nx = 0""#.to_owned(), "has statements of an `update`"),
    ];
    for (text, expected) in cases {
        let onto = if text.contains("dI/dt") { ONTO_I } else { ONTO_V };
        let message = Graph::of(&network(&text, onto)).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
        assert!(message.starts_with("populations[0]"), "{message}");
    }
}

#[test]
fn other_synapses_are_refused_with_what_nir_lacks() {
    let cuba = r#""equations": "dv/dt = (I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1""#;
    let cases = [
        (r#""on_pre": "v_post += 1""#, "NIR lacks such spikes onto `v` of `A`; they can add to `I`"),
        (r#""on_pre": {"a": "I_post += 1"}"#, "NIR lacks pathways with names"),
        (r#""on_pre": "I_post = 1""#, "NIR lacks such spikes onto `I` of `A`; they can add to `I`"),
        (r#""on_pre": "I_post += 1; v_post += 1""#, "NIR lacks such spikes onto `v` of `A`"),
        (r#""equations": "w : 1", "on_pre": "I_post += w; w *= 0.5""#, "NIR lacks synapses with several statements"),
        (
            r#""equations": "dw/dt = -w/(5*ms) : 1 (event-driven)", "on_pre": "I_post += w""#,
            "NIR lacks synapses whose weights change",
        ),
        (r#""equations": "w : 1", "on_pre": "I_post += w", "initial": {"w": "normal(0, 1)"}"#, "projections[0].initial.w"),
        (r#""on_pre": "I_post += i""#, "NIR lacks weights that depend on anything but given numbers"),
        (r#""on_pre": "I_post += 1", "on_post": "v_post += 1""#, "NIR lacks synapses that do more than to add a weight"),
    ];
    for (text, expected) in cases {
        let network = network(cuba, &format!(r#""pairs": [[0, 1], [1, 1]], {text}"#));
        let message = Graph::of(&network).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}

/// Sums of potentials have weights, too.
#[test]
fn potentials_with_weights_are_exported_as_before() {
    let graph = Graph::chain([
        ("input", input(&[2])),
        ("li", cell(CellKind::Li, &[2])),
        ("weights", Node::Linear { weight: Tensor::new([2, 2], [1.0, 2.0, 3.0, 4.0]) }),
        ("lif", cell(CellKind::Lif, &[2])),
    ]);
    let (network, _) = graph.network(&Import::default()).unwrap();
    let (exported, _) = Graph::of(&network).unwrap();
    assert_eq!(exported.node("li_lif"), graph.node("weights"));
}
