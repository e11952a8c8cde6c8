//! Shapes of inputs and outputs, and what must hold for a graph.

use std::collections::HashSet;

use spikelet_network::Error;

use super::check;
use super::graph::{Convolution, Graph, Node, Padding, Pool};
use super::place::place;
use super::tensor::{Extents, Tensor};

/// Most elements of an input or output.
const MAX_ELEMENTS: usize = 1 << 24;

/// The shapes of an input and an output.
type Pair = (Vec<usize>, Vec<usize>);

/// The shape of the input and of the output of each node of a graph.
#[derive(Debug)]
pub(super) struct Shapes {
    nodes: Vec<Pair>,
    inner: Vec<Option<Shapes>>,
}

impl Graph {
    /// Checks that names, edges, values and shapes fit each other.
    ///
    /// # Errors
    /// Names that are empty, contain a slash or occur twice; edges to no node, that occur twice, into an input or out of an output; values
    /// of the wrong shape or out of range; outputs and inputs of an edge whose shapes differ; shapes that do not follow from the graph.
    pub fn validate(&self) -> Result<(), Error> {
        Shapes::of(self, "").map(|_| ())
    }
}

impl Shapes {
    /// The shapes of a graph whose nodes have the path `prefix` before their names.
    ///
    /// # Errors
    /// As [`Graph::validate`].
    pub(super) fn of(graph: &Graph, prefix: &str) -> Result<Shapes, Error> {
        let edges = check::edges(graph, prefix)?;
        let mut inner = Vec::with_capacity(graph.nodes.len());
        for (name, node) in &graph.nodes {
            let path = format!("{prefix}{name}");
            check::node(node, &path)?;
            inner.push(match node {
                Node::Graph(graph) => Some(Shapes::of(graph, &format!("{path}/"))?),
                _ => None,
            });
        }
        let mut found = Finder { graph, prefix, known: vec![None; graph.nodes.len()] };
        let followers = followers(&edges, graph.nodes.len());
        let has_input: HashSet<usize> = edges.iter().map(|(_, to)| *to).collect();
        let mut queue = Vec::new();
        for (index, inner) in inner.iter().enumerate() {
            if found.find(index, None, inner.as_ref())? {
                queue.push(index);
            }
        }
        for index in 0..graph.nodes.len() {
            // Neurons of a single number that nothing is connected to are one neuron.
            if found.known[index].is_none() && !has_input.contains(&index) && found.find(index, Some(&[1]), None)? {
                queue.push(index);
            }
        }
        while let Some(index) = queue.pop() {
            let output = found.known[index].as_ref().map(|(_, output)| output.clone()).unwrap_or_default();
            for &follower in &followers[index] {
                if found.known[follower].is_none() && found.find(follower, Some(&output), None)? {
                    queue.push(follower);
                }
            }
        }
        let nodes = found.finish()?;
        let shapes = Shapes { nodes, inner };
        for (from, to) in edges {
            let (output, input) = (shapes.output(from), shapes.input(to));
            if output != input {
                let name = |of: usize| format!("{prefix}{}", graph.nodes[of].0);
                let expected = format!("`{}`, which it leads to, has an input of {}", name(to), Extents(input));
                let way_out = "insert a Flatten, or correct the shape of one of them";
                return Err(Error::invalid(
                    format!("the output of the node `{}`", name(from)),
                    Extents(output),
                    expected,
                    way_out,
                ));
            }
        }
        Ok(shapes)
    }

    pub(super) fn input(&self, index: usize) -> &[usize] {
        &self.nodes[index].0
    }

    pub(super) fn output(&self, index: usize) -> &[usize] {
        &self.nodes[index].1
    }

    /// The shapes of a node that is a graph.
    pub(super) fn inner(&self, index: usize) -> Option<&Shapes> {
        self.inner[index].as_ref()
    }
}

fn followers(edges: &[(usize, usize)], nodes: usize) -> Vec<Vec<usize>> {
    let mut followers = vec![Vec::new(); nodes];
    for (from, to) in edges {
        followers[*from].push(*to);
    }
    followers
}

struct Finder<'a> {
    graph: &'a Graph,
    prefix: &'a str,
    known: Vec<Option<Pair>>,
}

impl Finder<'_> {
    /// Finds the shapes of a node, given the output of a node before it; false if that is needed and not known.
    fn find(&mut self, index: usize, before: Option<&[usize]>, inner: Option<&Shapes>) -> Result<bool, Error> {
        let (name, node) = &self.graph.nodes[index];
        let path = format!("{}{name}", self.prefix);
        let found = match (node, inner) {
            (Node::Graph(graph), Some(inner)) => Some((port(graph, inner, &path, true)?, port(graph, inner, &path, false)?)),
            (Node::Graph(_), None) => None,
            _ => shapes_of(node, before, &path)?,
        };
        if let Some((input, output)) = &found {
            for shape in [input, output] {
                if shape
                    .iter()
                    .try_fold(1usize, |product, extent| product.checked_mul(*extent))
                    .is_none_or(|count| count > MAX_ELEMENTS)
                {
                    let expected = format!("a shape has at most {MAX_ELEMENTS} elements");
                    return Err(Error::invalid(place(&path, "shape"), Extents(shape), expected, "use a smaller graph"));
                }
            }
        }
        self.known[index] = found;
        Ok(self.known[index].is_some())
    }

    fn finish(self) -> Result<Vec<Pair>, Error> {
        let names = self.graph.nodes.iter().map(|(name, _)| name);
        let each = self.known.into_iter().zip(names).map(|(known, name)| {
            known.ok_or_else(|| {
                let expected = "it must follow from its values or from a node before it";
                let way_out = "connect it, or write the shape of its input";
                Error::invalid(format!("the shape of the node `{}{name}`", self.prefix), "unknown", expected, way_out)
            })
        });
        each.collect()
    }
}

/// The shape of the single input or output of a nested graph.
fn port(graph: &Graph, inner: &Shapes, path: &str, is_input: bool) -> Result<Vec<usize>, Error> {
    let is_port = |node: &Node| matches!((node, is_input), (Node::Input { .. }, true) | (Node::Output { .. }, false));
    let mut ports = graph.nodes.iter().enumerate().filter(|(_, (_, node))| is_port(node));
    match (ports.next(), ports.next()) {
        (Some((index, _)), None) => Ok(inner.input(index).to_vec()),
        (first, _) => {
            let kind = if is_input { "Input" } else { "Output" };
            let count = if first.is_some() { "several of them" } else { "missing" };
            let expected = format!("a nested graph has exactly one {kind}, because edges do not say which one they mean");
            Err(Error::invalid(
                format!("the {kind} of the node `{path}`"),
                count,
                expected,
                "write the nodes without the nested graph",
            ))
        }
    }
}

fn shapes_of(node: &Node, before: Option<&[usize]>, path: &str) -> Result<Option<Pair>, Error> {
    let same = |shape: &[usize]| Some((shape.to_vec(), shape.to_vec()));
    // A single number stands for as many as there are elements before it.
    let as_tensor = |tensor: &Tensor| if tensor.is_scalar() { before.and_then(same) } else { same(&tensor.shape) };
    Ok(match node {
        Node::Input { shape } | Node::Output { shape } => same(shape),
        Node::Affine { weight, .. } | Node::Linear { weight } => {
            let (leading, last) = weight.shape.split_at(weight.shape.len() - 2);
            Some(([leading, &last[1..]].concat(), [leading, &last[..1]].concat()))
        }
        Node::Scale { scale: tensor } | Node::Delay { delay: tensor } => as_tensor(tensor),
        Node::Cell(cell) => match cell.values.iter().find(|value| !value.is_scalar()) {
            Some(value) => same(&value.shape),
            None => before.and_then(same),
        },
        Node::Conv1d(of) => convolution(of, before, path)?,
        Node::Conv2d(of) => convolution(of, before, path)?,
        Node::SumPool2d(pool) | Node::AvgPool2d(pool) => before.map(|input| pooled(pool, input, path)).transpose()?,
        Node::Flatten { input_shape, start_dim, end_dim } => {
            let Some(input) = input_shape.as_deref().or(before) else { return Ok(None) };
            Some((input.to_vec(), flattened(input, *start_dim, *end_dim, path)?))
        }
        Node::Graph(_) => None,
    })
}

fn convolution(of: &Convolution, before: Option<&[usize]>, path: &str) -> Result<Option<Pair>, Error> {
    let (dimensions, channels) = (of.weight.shape.len() - 2, of.weight.shape[1].saturating_mul(of.groups));
    let input = match (&of.input_shape, before) {
        (Some(extents), _) => [&[channels], &extents[..]].concat(),
        (None, Some(before)) if before.len() == dimensions + 1 => [&[channels], &before[1..]].concat(),
        (None, Some(before)) => return Err(wrong_rank(path, before, dimensions + 1)),
        (None, None) => return Ok(None),
    };
    let mut output = vec![of.weight.shape[0]];
    for (axis, extent) in input[1..].iter().enumerate() {
        let padding = match &of.padding {
            Padding::Same => {
                output.push(*extent);
                continue;
            }
            Padding::Valid => 0,
            Padding::Each(padding) => padding[axis],
        };
        let window = of.dilation[axis].saturating_mul(of.weight.shape[axis + 2] - 1).saturating_add(1);
        output.push(windows(*extent, padding, window, of.stride[axis], path)?);
    }
    Ok(Some((input, output)))
}

fn pooled(pool: &Pool, input: &[usize], path: &str) -> Result<Pair, Error> {
    let [channels, height, width] = *input else { return Err(wrong_rank(path, input, 3)) };
    let along = |axis: usize, extent| windows(extent, pool.padding[axis], pool.kernel_size[axis], pool.stride[axis], path);
    Ok((input.to_vec(), vec![channels, along(0, height)?, along(1, width)?]))
}

/// How many windows fit along an axis.
fn windows(extent: usize, padding: usize, window: usize, stride: usize, path: &str) -> Result<usize, Error> {
    let whole = padding.saturating_mul(2).saturating_add(extent);
    if window > whole {
        let expected = format!("the input has {extent} elements along that axis, and {padding} zeros on each side");
        return Err(Error::invalid(
            format!("the window of the node `{path}`"),
            window,
            expected,
            "use a smaller kernel, or more padding",
        ));
    }
    Ok((whole - window) / stride + 1)
}

fn wrong_rank(path: &str, input: &[usize], dimensions: usize) -> Error {
    let expected = format!("{dimensions} dimensions are expected, the first of them for channels");
    Error::invalid(format!("the input of the node `{path}`"), Extents(input), expected, "correct the node before it")
}

fn flattened(input: &[usize], start: i64, end: i64, path: &str) -> Result<Vec<usize>, Error> {
    let dimensions = input.len() as i64;
    let whole = |dim: i64| if dim < 0 { dim.saturating_add(dimensions) } else { dim };
    let (start, end) = (whole(start), whole(end));
    if !(0 <= start && start <= end && end < dimensions) {
        let expected = format!("start_dim and end_dim must be dimensions of the input, {}, in that order", Extents(input));
        return Err(Error::invalid(place(path, "start_dim"), format!("{start}, with end_dim {end}"), expected, "correct them"));
    }
    let (start, end) = (start as usize, end as usize);
    Ok([
        &input[..start],
        &[input[start..=end].iter().fold(1, |product: usize, extent| product.saturating_mul(*extent))],
        &input[end + 1..],
    ]
    .concat())
}
