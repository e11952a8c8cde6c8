use proptest::prelude::*;
use spikelet_interchange::nir::{CellKind, Graph, Import, Node, Tensor};
use spikelet_network::Network;

use super::{BRAILLE, cell, input, normal};

/// Layers with random sizes, weights and edges between them, also backwards.
fn random() -> impl Strategy<Value = Graph> {
    let layer = (1..5usize, 0..CellKind::ALL.len(), any::<bool>());
    (prop::collection::vec(layer, 1..5), prop::collection::vec((0..5usize, 0..5usize, -2.0..2.0f32, 0..4u32), 0..8)).prop_map(
        |(layers, edges)| {
            let mut graph = Graph { nodes: vec![("input".into(), input(&[3]))], edges: vec![] };
            let mut sizes = vec![3];
            for (number, (size, kind, is_scalar)) in layers.into_iter().enumerate() {
                let (Node::Cell(mut cell), kind) = (cell(CellKind::ALL[kind], &[size]), CellKind::ALL[kind]) else { continue };
                if is_scalar && kind.parameters().count() > 1 {
                    cell.values[1] = Tensor::scalar(0.5);
                }
                graph.nodes.push((format!("layer.{number}"), Node::Cell(cell)));
                sizes.push(size);
            }
            for (number, (from, to, weight, delay)) in edges.into_iter().enumerate() {
                let (from, to) = (from % sizes.len(), 1 + to % (sizes.len() - 1));
                let weights: Vec<f64> =
                    (0..sizes[from] * sizes[to]).map(|place| f64::from(weight) * (place as f64 - 1.0)).collect();
                let linear = format!("linear {number}");
                graph.nodes.push((linear.clone(), Node::Linear { weight: Tensor::new([sizes[to], sizes[from]], weights) }));
                graph.edges.push((graph.nodes[from].0.clone(), linear.clone()));
                let fires = !matches!(&graph.nodes[from].1, Node::Cell(cell) if !cell.kind.fires());
                let mut last = linear;
                if delay > 0 && fires {
                    let name = format!("delay {number}");
                    graph.nodes.push((name.clone(), Node::Delay { delay: Tensor::full(&[sizes[to]], f64::from(delay) * 1e-3) }));
                    graph.edges.push((last, name.clone()));
                    last = name;
                }
                graph.edges.push((last, graph.nodes[to].0.clone()));
            }
            graph
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_graphs_survive_files_and_networks(graph in random(), is_deflated: bool) {
        let read = Graph::from_bytes(graph.to_bytes(is_deflated).unwrap()).unwrap();
        prop_assert_eq!(normal(&read), normal(&graph));
        let (network, _) = read.network(&Import::default()).unwrap();
        let (exported, _) = Graph::of(&network).unwrap();
        let exported = Graph::from_bytes(exported.to_bytes(is_deflated).unwrap()).unwrap();
        let (again, _) = exported.network(&Import::default()).unwrap();
        // Populations may be in another order, because a graph has none.
        prop_assert_eq!(sorted(again), sorted(network));
    }

    #[test]
    fn damaged_graphs_are_read_without_a_panic(changes in prop::collection::vec((0..BRAILLE.len(), any::<u8>()), 1..20)) {
        let mut bytes = BRAILLE.to_vec();
        changes.into_iter().for_each(|(place, value)| bytes[place] = value);
        if let Ok(graph) = Graph::from_bytes(bytes) {
            _ = graph.network(&Import::default());
        }
    }
}

/// The network without what the order of its parts decides.
fn sorted(mut network: Network) -> Network {
    network.populations.sort_by(|a, b| a.name.cmp(&b.name));
    network.projections.sort_by(|a, b| a.name.cmp(&b.name));
    network.recordings.clear();
    network
}
