//! Graphs as data.

use super::cell::Cell;
use super::tensor::Tensor;

/// A graph of NIR: named nodes, and edges from the output of one to the input of another. An input is the sum of its edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// The nodes with their names, which are unique and not empty, and without slashes.
    pub nodes: Vec<(String, Node)>,
    /// Pairs of names, each at most once.
    pub edges: Vec<(String, String)>,
}

/// A node. Shapes are without the dimensions of time and batches.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Where data enter the graph.
    Input {
        /// Shape of the data.
        shape: Vec<usize>,
    },
    /// Where data leave the graph.
    Output {
        /// Shape of the data.
        shape: Vec<usize>,
    },
    /// y = W x + b, for each index of leading dimensions.
    Affine {
        /// W, of shape (…, outputs, inputs).
        weight: Tensor,
        /// b, of shape (…, outputs).
        bias: Tensor,
    },
    /// y = W x.
    Linear {
        /// W, of shape (…, outputs, inputs).
        weight: Tensor,
    },
    /// y = s x, element by element.
    Scale {
        /// s, of the shape of x, or a single number.
        scale: Tensor,
    },
    /// Convolution along one dimension.
    Conv1d(Convolution),
    /// Convolution along two dimensions.
    Conv2d(Convolution),
    /// Sum over windows of two dimensions.
    SumPool2d(Pool),
    /// Mean over windows of two dimensions, in which padding counts as 0.
    AvgPool2d(Pool),
    /// Merges dimensions.
    Flatten {
        /// Shape of the input; default: that of the node before.
        input_shape: Option<Vec<usize>>,
        /// First dimension to merge; a negative one counts from the end.
        start_dim: i64,
        /// Last dimension to merge; a negative one counts from the end.
        end_dim: i64,
    },
    /// y(t) = x(t - delay).
    Delay {
        /// Delays in seconds, of the shape of x, or a single number.
        delay: Tensor,
    },
    /// Neurons.
    Cell(Cell),
    /// A graph with one input and one output.
    Graph(Graph),
}

/// A convolution as in PyTorch: kernels are not flipped, and padding is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    /// Extents of the input without channels; default: those of the node before.
    pub input_shape: Option<Vec<usize>>,
    /// Kernels, of shape (output channels, input channels / groups, extents…).
    pub weight: Tensor,
    /// Steps between windows, for each extent.
    pub stride: Vec<usize>,
    /// Zeros around the input.
    pub padding: Padding,
    /// Steps between the elements of a window, for each extent.
    pub dilation: Vec<usize>,
    /// Number of groups of channels that are not connected with each other.
    pub groups: usize,
    /// One value for each output channel.
    pub bias: Tensor,
}

/// Zeros around the input of a convolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Padding {
    /// As many as keep the shape, at a stride of 1.
    Same,
    /// None.
    Valid,
    /// A number on each side, for each extent.
    Each(Vec<usize>),
}

/// A pool over windows of two dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// Extents of a window.
    pub kernel_size: [usize; 2],
    /// Steps between windows.
    pub stride: [usize; 2],
    /// Zeros on each side.
    pub padding: [usize; 2],
}

impl Graph {
    /// Nodes in a row, each connected with the next one.
    pub fn chain<'a>(nodes: impl IntoIterator<Item = (&'a str, Node)>) -> Graph {
        let nodes: Vec<_> = nodes.into_iter().map(|(name, node)| (name.to_owned(), node)).collect();
        let edges = nodes.windows(2).map(|pair| (pair[0].0.clone(), pair[1].0.clone())).collect();
        Graph { nodes, edges }
    }

    /// The node of a name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|(of, _)| of == name).map(|(_, node)| node)
    }
}

impl Node {
    /// The names of all types in a file.
    pub const TYPES: [&'static str; 19] = [
        "Affine",
        "AvgPool2d",
        "Conv1d",
        "Conv2d",
        "CubaLI",
        "CubaLIF",
        "Delay",
        "Flatten",
        "I",
        "IF",
        "Input",
        "LI",
        "LIF",
        "Linear",
        "NIRGraph",
        "Output",
        "Scale",
        "SumPool2d",
        "Threshold",
    ];

    /// The name of its type in a file.
    pub fn type_name(&self) -> &'static str {
        match self {
            Node::Input { .. } => "Input",
            Node::Output { .. } => "Output",
            Node::Affine { .. } => "Affine",
            Node::Linear { .. } => "Linear",
            Node::Scale { .. } => "Scale",
            Node::Conv1d(_) => "Conv1d",
            Node::Conv2d(_) => "Conv2d",
            Node::SumPool2d(_) => "SumPool2d",
            Node::AvgPool2d(_) => "AvgPool2d",
            Node::Flatten { .. } => "Flatten",
            Node::Delay { .. } => "Delay",
            Node::Cell(cell) => cell.kind.name(),
            Node::Graph(_) => "NIRGraph",
        }
    }
}
