//! A graph with nested graphs as one list of nodes.

use spikelet_network::Error;

use super::graph::{Graph, Node};
use super::shapes::Shapes;

/// A graph without nested graphs: their inputs and outputs are nodes that pass everything on.
pub(super) struct Lowered<'a> {
    pub(super) nodes: Vec<LoweredNode<'a>>,
    /// The nodes before each node.
    pub(super) before: Vec<Vec<usize>>,
}

pub(super) struct LoweredNode<'a> {
    /// Its path, such as `encoder/lif1`.
    pub(super) path: String,
    pub(super) node: &'a Node,
    /// Shape of its input.
    pub(super) input: Vec<usize>,
    /// Shape of its output.
    pub(super) output: Vec<usize>,
    /// Whether it is an input or output of a nested graph.
    pub(super) is_inner_port: bool,
}

impl LoweredNode<'_> {
    /// Whether the signals of other nodes begin here: neurons, and inputs of the whole graph.
    pub(super) fn is_source(&self) -> bool {
        match self.node {
            Node::Cell(_) => true,
            Node::Input { .. } => !self.is_inner_port,
            _ => false,
        }
    }

    /// Whether it is an output of the whole graph.
    pub(super) fn is_output(&self) -> bool {
        matches!(self.node, Node::Output { .. }) && !self.is_inner_port
    }

    /// Number of elements of its output.
    pub(super) fn size(&self) -> usize {
        self.output.iter().product()
    }
}

impl<'a> Lowered<'a> {
    /// # Errors
    /// As [`Graph::validate`].
    pub(super) fn of(graph: &'a Graph) -> Result<Lowered<'a>, Error> {
        let shapes = Shapes::of(graph, "")?;
        let mut lowered = Lowered { nodes: Vec::new(), before: Vec::new() };
        lowered.add(graph, &shapes, "");
        Ok(lowered)
    }

    /// Adds the nodes of a graph; returns the nodes that are its input and its output.
    fn add(&mut self, graph: &'a Graph, shapes: &Shapes, prefix: &str) -> (usize, usize) {
        // Where edges to and from each node of this graph lead.
        let mut ports = std::collections::HashMap::new();
        let (mut entry, mut exit) = (0, 0);
        for (index, (name, node)) in graph.nodes.iter().enumerate() {
            let path = format!("{prefix}{name}");
            if let (Node::Graph(inner), Some(inner_shapes)) = (node, shapes.inner(index)) {
                ports.insert(name.as_str(), self.add(inner, inner_shapes, &format!("{path}/")));
                continue;
            }
            let place = self.nodes.len();
            match node {
                Node::Input { .. } => entry = place,
                Node::Output { .. } => exit = place,
                _ => {}
            }
            let (input, output) = (shapes.input(index).to_vec(), shapes.output(index).to_vec());
            self.nodes.push(LoweredNode { path, node, input, output, is_inner_port: false });
            if let (Node::Input { .. } | Node::Output { .. }, Some(node)) = (node, self.nodes.last_mut()) {
                node.is_inner_port = !prefix.is_empty();
            }
            self.before.push(Vec::new());
            ports.insert(name.as_str(), (place, place));
        }
        for (from, to) in &graph.edges {
            self.before[ports[to.as_str()].0].push(ports[from.as_str()].1);
        }
        (entry, exit)
    }
}
