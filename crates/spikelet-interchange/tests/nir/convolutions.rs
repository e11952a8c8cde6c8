//! Convolutions that stay convolutions: imported, and exported again.

use spikelet_interchange::nir::{CellKind, Convolution, Graph, Import, Node, Padding, Pool, Tensor};
use spikelet_network::{Network, Pathways, Quantity};

use super::{cell, convolution, input, output, ramp};

/// Weights that are not 0, and differ.
fn weights(shape: &[usize]) -> Tensor {
    let ramp = ramp(shape);
    Tensor { values: ramp.values.iter().map(|value| value * 0.37 + 0.125).collect(), ..ramp }
}

/// An imported graph, and its graph.
fn there_and_back(graph: &Graph) -> (Network, Graph) {
    let (network, _) = graph.network(&Import::default()).unwrap();
    let (exported, _) = Graph::of(&network).unwrap();
    let exported = Graph::from_bytes(exported.to_bytes(true).unwrap()).unwrap();
    let (again, _) = exported.network(&Import::default()).unwrap();
    // Populations may be in another order, because a graph has none.
    let sorted = |mut network: Network| {
        network.populations.sort_by(|a, b| a.name.cmp(&b.name));
        network.projections.sort_by(|a, b| a.name.cmp(&b.name));
        network.recordings.clear();
        network
    };
    assert_eq!(sorted(again), sorted(network.clone()));
    (network, exported)
}

fn of(weight: &[usize], stride: &[usize], padding: &[usize], dilation: &[usize], groups: usize) -> Convolution {
    let padding = Padding::Each(padding.to_vec());
    let plain = convolution(weight, padding);
    Convolution { weight: weights(weight), stride: stride.to_vec(), dilation: dilation.to_vec(), groups, ..plain }
}

/// Layer by layer, as trained on N-MNIST: two convolutions, a pool, a dense layer.
fn layers() -> Graph {
    Graph::chain([
        ("input", input(&[2, 12, 10])),
        ("a", Node::Conv2d(of(&[4, 2, 5, 5], &[2, 2], &[1, 1], &[1, 1], 1))),
        ("one", cell(CellKind::If, &[4, 5, 4])),
        ("b", Node::Conv2d(of(&[6, 4, 3, 3], &[1, 1], &[1, 1], &[1, 1], 1))),
        ("delay", Node::Delay { delay: Tensor::scalar(0.002) }),
        ("two", cell(CellKind::CubaLif, &[6, 5, 4])),
        ("pool", Node::SumPool2d(Pool { kernel_size: [2, 2], stride: [2, 2], padding: [0, 0] })),
        ("flat", Node::Flatten { input_shape: None, start_dim: 0, end_dim: -1 }),
        ("dense", Node::Affine { weight: weights(&[3, 24]), bias: ramp(&[3]) }),
        ("three", cell(CellKind::Lif, &[3])),
        ("output", output(&[3])),
    ])
}

fn kernel<'a>(graph: &'a Graph, name: &str) -> &'a Convolution {
    match graph.node(name) {
        Some(Node::Conv1d(of) | Node::Conv2d(of)) => of,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn kernels_stay_shared() {
    let graph = layers();
    let (network, exported) = there_and_back(&graph);
    assert!(network.projections[0].pairs.as_ref().unwrap().len() > 3000);
    for (name, original) in [("input_one", "a"), ("one_two", "b")] {
        let (ours, theirs) = (kernel(&exported, name), kernel(&graph, original));
        let expected = Convolution { input_shape: ours.input_shape.clone(), ..theirs.clone() };
        assert_eq!(*ours, expected, "{name}");
    }
    assert_eq!(exported.node("input"), graph.node("input"));
    assert_eq!((exported.node("one"), exported.node("two")), (graph.node("one"), graph.node("two")));
    assert_eq!(exported.node("one_two_delay"), Some(&Node::Delay { delay: Tensor::full(&[4, 5, 4], 0.002) }));
    // What follows sees one dimension again; the pool is part of its matrix.
    assert!(matches!(exported.node("two_flat"), Some(Node::Flatten { .. })));
    assert!(matches!(exported.node("two_three"), Some(Node::Affine { weight, .. }) if weight.shape == [3, 120]));
}

#[test]
fn strides_dilations_groups_and_one_dimension_are_found() {
    let plane = [
        of(&[3, 2, 3, 3], &[1, 1], &[0, 0], &[1, 1], 1),
        of(&[2, 2, 3, 2], &[2, 1], &[1, 0], &[1, 2], 1),
        of(&[4, 1, 3, 3], &[1, 1], &[1, 1], &[1, 1], 2),
        of(&[2, 1, 2, 2], &[3, 2], &[0, 0], &[1, 1], 2),
        of(&[3, 2, 1, 5], &[1, 1], &[0, 2], &[1, 1], 1),
    ];
    let line = [
        of(&[3, 2, 3], &[1], &[0], &[1], 1),
        of(&[3, 2, 4], &[2], &[2], &[1], 1),
        of(&[4, 2, 3], &[1], &[2], &[2], 1),
        of(&[2, 1, 3], &[1], &[1], &[1], 2),
    ];
    let of_plane = plane.into_iter().map(|of| (vec![2, 9, 8], Node::Conv2d(of)));
    let of_line = line.into_iter().map(|of| (vec![2, 11], Node::Conv1d(of)));
    for (shape, node) in of_plane.chain(of_line) {
        let (Node::Conv1d(original) | Node::Conv2d(original)) = &node else { continue };
        let extents = (1..shape.len()).map(|axis| {
            let Padding::Each(padding) = &original.padding else { panic!("numbers") };
            let window = original.dilation[axis - 1] * (original.weight.shape[axis + 1] - 1);
            (shape[axis] + 2 * padding[axis - 1] - window - 1) / original.stride[axis - 1] + 1
        });
        let cells: Vec<usize> = std::iter::once(original.weight.shape[0]).chain(extents).collect();
        let graph = Graph::chain([
            ("input", input(&shape)),
            ("conv", node.clone()),
            ("lif", cell(CellKind::Lif, &cells)),
            ("output", output(&cells)),
        ]);
        let (_, exported) = there_and_back(&graph);
        let ours = kernel(&exported, "input_lif");
        let expected = Convolution { input_shape: ours.input_shape.clone(), ..original.clone() };
        assert_eq!(*ours, expected);
        assert_eq!(exported.node("output"), graph.node("output"));
    }
}

/// A kernel whose border is 0 has a smaller one, with the same synapses.
#[test]
fn weights_of_zero_are_part_of_kernels() {
    let mut sparse = of(&[2, 1, 3, 3], &[1, 1], &[1, 1], &[1, 1], 1);
    for place in [1, 3, 4, 9, 10, 11] {
        sparse.weight.values[place] = 0.0;
    }
    let graph = Graph::chain([
        ("input", input(&[1, 6, 7])),
        ("conv", Node::Conv2d(sparse)),
        ("lif", cell(CellKind::Lif, &[2, 6, 7])),
        ("output", output(&[2, 6, 7])),
    ]);
    assert_eq!(kernel(&there_and_back(&graph).1, "input_lif").weight.values.len(), 18);
}

/// Training gives each synapse a weight of its own: a layer that it changed is a matrix, the others stay what they are.
#[test]
fn a_layer_with_weights_of_its_own_is_a_matrix() {
    let (mut network, _) = layers().network(&Import::default()).unwrap();
    for projection in &mut network.projections {
        projection.equations = Some("w : 1 (constant)".into());
        projection.on_pre = Some(Pathways::from("x_post += w"));
    }
    let exported = Graph::of(&network).unwrap().0;
    assert_eq!(kernel(&exported, "one_two").weight.values.len(), 216);
    let mut changed = network.clone();
    let Some(Quantity::Values { values, .. }) = changed.projections[1].parameters.get_mut("w") else { panic!("a list") };
    values[7] += 0.25;
    let exported = Graph::of(&changed).unwrap().0;
    assert_eq!(kernel(&exported, "input_one").weight.values.len(), 200);
    assert!(
        matches!(exported.node("one_two"), Some(Node::Linear { .. } | Node::Affine { .. })),
        "{:?}",
        exported.node("one_two")
    );
    let (again, _) = exported.network(&Import::default()).unwrap();
    assert_eq!(again.projections[1].pairs, changed.projections[1].pairs);
}

/// Matrices that are no convolutions, although some weights are equal.
#[test]
fn matrices_stay_matrices() {
    for weight in [Tensor::full(&[4, 4], 1.5), Tensor::new([2, 2], [1.0, 2.0, 3.0, 1.0]), weights(&[6, 8])] {
        let (rows, columns) = (weight.shape[0], weight.shape[1]);
        let node = Node::Linear { weight };
        let graph = Graph::chain([("input", input(&[columns])), ("linear", node.clone()), ("lif", cell(CellKind::Lif, &[rows]))]);
        assert_eq!(there_and_back(&graph).1.node("input_lif"), Some(&node));
    }
}
