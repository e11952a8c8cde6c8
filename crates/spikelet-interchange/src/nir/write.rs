//! From graphs to HDF5 files.

use spikelet_network::Error;

use super::graph::{Convolution, Graph, Node, Padding, Pool};
use super::shapes::Shapes;
use super::tensor::Tensor;
use crate::hdf5::{Array, Group, Values};

/// The version of NIR that is written.
const VERSION: &str = "1.0.7";

impl Graph {
    /// The graph as a file that `nir.read` of the Python package reads; `is_deflated`: arrays are compressed, as `nir.write` does. Shapes that
    /// a node does not have are added.
    ///
    /// # Errors
    /// As [`Graph::validate`].
    pub fn to_bytes(&self, is_deflated: bool) -> Result<Vec<u8>, Error> {
        let shapes = Shapes::of(self, "")?;
        let mut root = Group::default();
        root.insert("version", Array::text(VERSION));
        Writer { is_deflated }.graph(root.group("node"), self, &shapes);
        root.to_bytes()
    }
}

struct Writer {
    is_deflated: bool,
}

impl Writer {
    fn graph(&self, group: &mut Group, graph: &Graph, shapes: &Shapes) {
        group.insert("type", Array::text("NIRGraph"));
        let names: Vec<String> = graph.edges.iter().flat_map(|(from, to)| [from.clone(), to.clone()]).collect();
        group.insert("edges", Array::new(vec![graph.edges.len(), 2], Values::Texts(names)));
        let nodes = group.group("nodes");
        for (index, (name, node)) in graph.nodes.iter().enumerate() {
            self.node(nodes.group(name), node, index, shapes);
        }
    }

    fn node(&self, group: &mut Group, node: &Node, index: usize, shapes: &Shapes) {
        if let (Node::Graph(inner), Some(inner_shapes)) = (node, shapes.inner(index)) {
            return self.graph(group, inner, inner_shapes);
        }
        group.insert("type", Array::text(node.type_name()));
        match node {
            Node::Input { shape } | Node::Output { shape } => group.insert("shape", self.list(shape)),
            Node::Affine { weight, bias } => {
                group.insert("weight", self.tensor(weight));
                group.insert("bias", self.tensor(bias));
            }
            Node::Linear { weight } => group.insert("weight", self.tensor(weight)),
            Node::Scale { scale } => group.insert("scale", self.tensor(scale)),
            Node::Delay { delay } => group.insert("delay", self.tensor(delay)),
            Node::Conv1d(of) | Node::Conv2d(of) => self.convolution(group, of, &shapes.input(index)[1..]),
            Node::SumPool2d(pool) | Node::AvgPool2d(pool) => self.pool(group, pool),
            Node::Flatten { start_dim, end_dim, .. } => {
                group.insert("input_type", self.list(shapes.input(index)));
                group.insert("start_dim", whole(*start_dim));
                group.insert("end_dim", whole(*end_dim));
            }
            Node::Cell(cell) => {
                for (name, value) in cell.kind.parameters().zip(&cell.values) {
                    group.insert(name, self.tensor(value));
                }
            }
            Node::Graph(_) => {}
        }
    }

    fn convolution(&self, group: &mut Group, of: &Convolution, extents: &[usize]) {
        // One dimension is written as plain numbers.
        let each = |list: &[usize]| if list.len() == 1 { whole(list[0] as i64) } else { self.list(list) };
        group.insert("input_shape", each(extents));
        group.insert("weight", self.tensor(&of.weight));
        group.insert("bias", self.tensor(&of.bias));
        group.insert("stride", each(&of.stride));
        group.insert("dilation", each(&of.dilation));
        group.insert("groups", whole(of.groups as i64));
        let padding = match &of.padding {
            Padding::Same => Array::text("same"),
            Padding::Valid => Array::text("valid"),
            Padding::Each(list) => each(list),
        };
        group.insert("padding", padding);
    }

    fn pool(&self, group: &mut Group, pool: &Pool) {
        for (name, list) in [("kernel_size", pool.kernel_size), ("stride", pool.stride), ("padding", pool.padding)] {
            group.insert(name, self.list(&list));
        }
    }

    fn tensor(&self, tensor: &Tensor) -> Array {
        self.stored(Array::numbers(tensor.shape.clone(), tensor.values.clone()))
    }

    fn list(&self, list: &[usize]) -> Array {
        self.stored(Array::new(vec![list.len()], Values::I64(list.iter().map(|of| *of as i64).collect())))
    }

    fn stored(&self, array: Array) -> Array {
        if self.is_deflated { array.deflated() } else { array }
    }
}

fn whole(value: i64) -> Array {
    Array::new(Vec::new(), Values::I64(vec![value]))
}
