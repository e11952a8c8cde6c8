//! Graphs of NIR: files of others, files and networks from graphs and back, and what is refused.

/// Kernels that are shared.
mod convolutions;
/// Cells by their equations, and trained networks.
mod equations;
/// What is wrong is named.
mod errors;
/// Files that the Python package writes and reads.
mod python;
/// Graphs of random layers, and damaged files.
mod random;

use spikelet_interchange::hdf5::File;
use spikelet_interchange::nir::{Cell, CellKind, Convolution, Graph, Import, Node, Padding, Pool, Reset, Tensor};
use spikelet_network::{Network, Pairs};

const BRAILLE: &[u8] = include_bytes!("../../../tests/nir/braille_noDelay_bias_zero.nir");

fn cell(kind: CellKind, shape: &[usize]) -> Node {
    let value =
        |(place, name): (usize, &str)| Tensor::full(shape, if name.starts_with("tau") { 0.01 } else { place as f64 + 0.25 });
    Node::Cell(Cell { kind, values: kind.parameters().enumerate().map(value).collect() })
}

fn input(shape: &[usize]) -> Node {
    Node::Input { shape: shape.to_vec() }
}

fn output(shape: &[usize]) -> Node {
    Node::Output { shape: shape.to_vec() }
}

/// Numbers 0, 1, 2 … in a shape.
fn ramp(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    Tensor::new(shape, (0..count).map(|place| place as f64).collect::<Vec<_>>())
}

fn convolution(weight: &[usize], padding: Padding) -> Convolution {
    let each = |value| vec![value; weight.len() - 2];
    let bias = ramp(&weight[..1]);
    Convolution { input_shape: None, weight: ramp(weight), stride: each(1), padding, dilation: each(1), groups: 1, bias }
}

/// A graph with nodes of all types, one behind the other, and a nested graph with a circle.
fn everything() -> Graph {
    with_groups(2)
}

fn with_groups(groups: usize) -> Graph {
    let pool = |size| Pool { kernel_size: [size, size], stride: [2, 1], padding: [1, 0] };
    let mut strided = convolution(&[2, 4, 3, 3], Padding::Each(vec![1, 0]));
    (strided.stride, strided.dilation, strided.input_shape) = (vec![2, 1], vec![1, 2], Some(vec![9, 8]));
    let mut grouped = convolution(&[4, 2 / groups, 3, 3], Padding::Same);
    grouped.groups = groups;
    let mut inner = Graph::chain([("in", input(&[6])), ("cell.a", cell(CellKind::CubaLif, &[6])), ("out", output(&[6]))]);
    inner.nodes.push(("recurrent".into(), Node::Linear { weight: ramp(&[6, 6]) }));
    inner.edges.push(("cell.a".into(), "recurrent".into()));
    inner.edges.push(("recurrent".into(), "cell.a".into()));
    let mut graph = Graph::chain([
        ("input", input(&[2, 9, 8])),
        ("grouped", Node::Conv2d(grouped)),
        ("if", cell(CellKind::If, &[4, 9, 8])),
        ("strided", Node::Conv2d(strided)),
        ("threshold", cell(CellKind::Threshold, &[2, 5, 4])),
        ("sum", Node::SumPool2d(pool(2))),
        ("lif", cell(CellKind::Lif, &[2, 3, 3])),
        ("mean", Node::AvgPool2d(pool(2))),
        ("flat", Node::Flatten { input_shape: None, start_dim: 0, end_dim: -1 }),
        ("affine", Node::Affine { weight: ramp(&[6, 8]), bias: ramp(&[6]) }),
        ("delay", Node::Delay { delay: Tensor::full(&[6], 0.002) }),
        ("nested", Node::Graph(inner)),
        ("scale", Node::Scale { scale: ramp(&[6]) }),
        ("i", cell(CellKind::I, &[6])),
        ("li", cell(CellKind::Li, &[6])),
        ("linear", Node::Linear { weight: ramp(&[3, 6]) }),
        ("cuba", cell(CellKind::CubaLi, &[3])),
        ("output", output(&[3])),
    ]);
    graph.nodes.extend([
        ("input_1d".to_owned(), input(&[2, 7])),
        ("conv_1d".to_owned(), Node::Conv1d(convolution(&[3, 2, 4], Padding::Valid))),
        ("lif_1d".to_owned(), cell(CellKind::Lif, &[3, 4])),
        ("output_1d".to_owned(), output(&[3, 4])),
    ]);
    graph
        .edges
        .extend([("input_1d", "conv_1d"), ("conv_1d", "lif_1d"), ("lif_1d", "output_1d")].map(|(a, b)| (a.into(), b.into())));
    graph
}

/// The same graph: files do not keep the order of nodes, and have shapes that are left out in Rust.
fn normal(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    graph.nodes.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (_, node) in &mut graph.nodes {
        match node {
            Node::Graph(inner) => *inner = normal(inner),
            Node::Conv1d(of) | Node::Conv2d(of) => of.input_shape = None,
            Node::Flatten { input_shape, .. } => *input_shape = None,
            _ => {}
        }
    }
    graph
}

#[test]
fn a_graph_of_all_types_is_the_same_after_a_file() {
    let graph = everything();
    for is_deflated in [false, true] {
        let bytes = graph.to_bytes(is_deflated).unwrap();
        let read = Graph::from_bytes(bytes).unwrap();
        assert_eq!(normal(&read), normal(&graph));
        let again = Graph::from_bytes(read.to_bytes(is_deflated).unwrap()).unwrap();
        assert_eq!(again, read, "shapes that were added stay");
    }
}

#[test]
fn a_graph_of_all_types_is_a_network() {
    let (network, notices) = everything().network(&Import::default()).unwrap();
    assert_eq!(notices, []);
    let populations: Vec<(&str, u32)> = network.populations.iter().map(|of| (of.name.as_str(), of.size)).collect();
    let expected =
        [("nif", 288), ("lif_1d", 12), ("threshold", 40), ("lif", 18), ("nested_cell_a", 6), ("i", 6), ("li", 6), ("cuba", 3)];
    let expected: Vec<(&str, u32)> =
        expected.into_iter().map(|(name, size)| (if name == "nif" { "if" } else { name }, size)).collect();
    assert_eq!(populations, expected);
    let names: Vec<&str> = network.projections.iter().map(|of| of.name.as_str()).collect();
    assert_eq!(names.len(), 9, "{names:?}");
    let nested = network.projections.iter().find(|of| of.name == "lif_nested_cell_a").unwrap();
    assert_eq!(nested.delay_ms.constants().next(), Some(2.0));
    assert_eq!(network.recordings.iter().map(|of| of.object.as_str()).collect::<Vec<_>>(), ["lif_1d", "cuba"]);
    let again = Network::from_json(&network.to_json()).unwrap();
    assert_eq!(again, network);
}

#[test]
fn a_trained_graph_is_read_without_its_names_being_identifiers() {
    let graph = Graph::from_bytes(BRAILLE.to_vec()).unwrap();
    let Some(Node::Cell(lif)) = graph.node("lif1.lif") else { panic!("{:?}", graph.nodes) };
    assert_eq!((lif.kind, lif.get("tau_mem").unwrap().values[0]), (CellKind::CubaLif, 0.0009999997615814777));
    // The file is older than v_reset.
    assert_eq!(lif.get("v_reset"), Some(&Tensor::scalar(0.0)));
    let (network, _) = graph.network(&Import::default()).unwrap();
    let sizes: Vec<u32> = network.populations.iter().map(|of| of.size).collect();
    assert_eq!((sizes, network.sources[0].size()), (vec![38, 7], 12));
    let synapses = |pre: &str, post: &str| {
        let projection = network.projections.iter().find(|of| of.pre.population == pre && of.post.population == post).unwrap();
        projection.pairs.as_ref().map_or(0, |pairs: &Pairs| pairs.len())
    };
    assert_eq!(
        (synapses("input", "lif1_lif"), synapses("lif1_lif", "lif1_lif"), synapses("lif1_lif", "lif2")),
        (12 * 38, 38 * 38, 38 * 7)
    );
}

#[test]
fn a_network_of_a_graph_is_a_graph_again() {
    for reset in [Reset::ToValue, Reset::Subtract] {
        let graph = Graph::from_bytes(BRAILLE.to_vec()).unwrap();
        let import = Import { reset, ..Import::default() };
        let (network, _) = graph.network(&import).unwrap();
        let (exported, notices) = Graph::of(&network).unwrap();
        assert_eq!(
            notices.iter().filter(|notice| notice.to_string().contains("the reset `subtract`")).count(),
            if reset == Reset::Subtract { 2 } else { 0 }
        );
        let read = Graph::from_bytes(exported.to_bytes(true).unwrap()).unwrap();
        let (again, _) = read.network(&import).unwrap();
        assert_eq!(again, network);
    }
}

#[test]
fn what_linear_nodes_do_is_one_matrix() {
    // 2 x 2 x 2 inputs; the sum over the windows of each channel, doubled, then weights of 1 and 10 for the channels.
    let graph = Graph::chain([
        ("input", input(&[2, 2, 2])),
        ("pool", Node::SumPool2d(Pool { kernel_size: [2, 2], stride: [1, 1], padding: [0, 0] })),
        ("flat", Node::Flatten { input_shape: None, start_dim: 0, end_dim: 2 }),
        ("first", Node::Affine { weight: Tensor::new([2, 2], [2.0, 0.0, 0.0, 2.0]), bias: Tensor::new([2], [1.0, -1.0]) }),
        ("delay", Node::Delay { delay: Tensor::new([2], [0.001, 0.0005]) }),
        ("second", Node::Linear { weight: Tensor::new([1, 2], [1.0, 10.0]) }),
        ("lif", cell(CellKind::Lif, &[1])),
    ]);
    let (network, _) = graph.network(&Import::default()).unwrap();
    let projection = &network.projections[0];
    let pairs: Vec<[u32; 2]> = (0..8).map(|pre| [pre, 0]).collect();
    assert_eq!(projection.pairs.as_deref(), Some(&pairs[..]));
    let numbers = |list: [f64; 2]| (0..8).map(|place| list[place / 4]).collect::<Vec<_>>();
    assert_eq!(projection.parameters["w"].numbers().collect::<Vec<_>>(), numbers([2.0, 20.0]));
    assert_eq!(projection.delay_ms.of("pre").numbers().collect::<Vec<_>>(), numbers([1.0, 0.5]));
    assert_eq!(network.populations[0].parameters["bias"].numbers().collect::<Vec<_>>(), [1.0 - 10.0]);
}

#[test]
fn edges_from_several_nodes_are_summed_and_what_cancels_is_left_out() {
    let mut graph = Graph::chain([
        ("input", input(&[2])),
        ("a", Node::Linear { weight: Tensor::new([2, 2], [1.0, 2.0, 3.0, 4.0]) }),
        ("lif", cell(CellKind::Lif, &[2])),
        ("output", output(&[2])),
    ]);
    graph.nodes.push(("b".into(), Node::Linear { weight: Tensor::new([2, 2], [0.0, -2.0, 1.0, 0.0]) }));
    graph.edges.extend([("input".into(), "b".into()), ("b".into(), "lif".into())]);
    let (network, _) = graph.network(&Import::default()).unwrap();
    assert_eq!(network.projections[0].pairs.as_deref(), Some(&[[0, 0], [0, 1], [1, 1]][..]));
    assert_eq!(network.projections[0].parameters["w"].numbers().collect::<Vec<_>>(), [1.0, 4.0, 4.0]);
}

#[test]
fn a_file_has_the_layout_that_the_python_package_reads() {
    let file = File::open(everything().to_bytes(true).unwrap()).unwrap();
    let text = |path: &str| file.dataset(path).unwrap().strings().unwrap();
    assert_eq!(text("/node/type"), ["NIRGraph"]);
    assert_eq!(file.dataset("/node/edges").unwrap().shape()[1], 2);
    assert_eq!(text("/node/nodes/nested/type"), ["NIRGraph"]);
    assert_eq!(file.dataset("/node/nodes/strided/input_shape").unwrap().i64().unwrap(), [9, 8]);
    assert_eq!(file.dataset("/node/nodes/conv_1d/input_shape").unwrap().shape(), [0; 0]);
    assert_eq!(file.dataset("/node/nodes/flat/input_type").unwrap().i64().unwrap(), [2, 2, 2]);
    assert_eq!(text("/node/nodes/grouped/padding"), ["same"]);
}

#[test]
fn a_step_longer_than_a_time_constant_is_reported() {
    let graph = Graph::from_bytes(BRAILLE.to_vec()).unwrap();
    let (_, notices) = graph.network(&Import { dt_ms: 0.21, ..Import::default() }).unwrap();
    let [notice] = &notices[..] else { panic!("{notices:?}") };
    assert_eq!(notice.path, "lif2");
    assert!(notice.to_string().contains("tau_syn is 0.2"), "{notice}");
    assert!(notice.to_string().contains("shorter than the time step of 0.21 ms"), "{notice}");
}
