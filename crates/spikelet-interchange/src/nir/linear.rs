//! What reaches each neuron: all linear nodes between two of them, composed to one matrix.

use spikelet_network::Error;

use super::graph::{Convolution, Node, Padding, Pool};
use super::lower::{Lowered, LoweredNode};
use super::tensor::Tensor;

/// Most terms of all signals: more would not fit in memory.
const MAX_TERMS: usize = 1 << 26;

/// A source neuron with its weight in the sum that another one receives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    /// The node, by its index in [`Lowered::nodes`].
    pub(super) source: u32,
    /// The element of its output.
    pub(super) index: u32,
    /// Delay in seconds.
    pub(super) delay: f64,
    pub(super) weight: f64,
}

/// One element of a signal: a constant, and a sum.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub(super) bias: f64,
    pub(super) terms: Vec<Term>,
}

/// The inputs of all neurons and outputs of a graph; empty for other nodes.
///
/// # Errors
/// Linear nodes that form a circle without a neuron, or more connections than can be stored.
pub(super) fn inputs(graph: &Lowered<'_>) -> Result<Vec<Vec<Row>>, Error> {
    let mut signals = Signals { graph, outputs: vec![Vec::new(); graph.nodes.len()], terms: 0 };
    for index in order(graph)? {
        let input = signals.sum(index)?;
        signals.outputs[index] = signals.apply(index, input)?;
    }
    let mut inputs = vec![Vec::new(); graph.nodes.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        if matches!(node.node, Node::Cell(_)) || node.is_output() {
            inputs[index] = signals.sum(index)?;
        }
    }
    Ok(inputs)
}

/// The linear nodes, each after those that it depends on.
fn order(graph: &Lowered<'_>) -> Result<Vec<usize>, Error> {
    let is_linear = |index: usize| !graph.nodes[index].is_source() && !graph.nodes[index].is_output();
    let mut followers = vec![Vec::new(); graph.nodes.len()];
    let mut open = vec![0; graph.nodes.len()];
    for (index, before) in graph.before.iter().enumerate().filter(|(index, _)| is_linear(*index)) {
        for &of in before.iter().filter(|of| is_linear(**of)) {
            followers[of].push(index);
            open[index] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..graph.nodes.len()).filter(|index| is_linear(*index) && open[*index] == 0).collect();
    let mut order = Vec::new();
    while let Some(index) = ready.pop() {
        order.push(index);
        for &follower in &followers[index] {
            open[follower] -= 1;
            if open[follower] == 0 {
                ready.push(follower);
            }
        }
    }
    match (0..graph.nodes.len()).find(|index| open[*index] > 0) {
        None => Ok(order),
        Some(index) => {
            let expected = "a circle must contain a neuron, because linear nodes take no time";
            let value = format!("`{}`, which depends on itself", graph.nodes[index].path);
            Err(Error::invalid("a node", value, expected, "insert a neuron, or remove an edge"))
        }
    }
}

struct Signals<'a> {
    graph: &'a Lowered<'a>,
    outputs: Vec<Vec<Row>>,
    terms: usize,
}

impl Signals<'_> {
    /// The sum of the edges to a node.
    fn sum(&mut self, index: usize) -> Result<Vec<Row>, Error> {
        let node = &self.graph.nodes[index];
        let mut rows = vec![Row::default(); node.input.iter().product()];
        for &before in &self.graph.before[index] {
            let is_source = self.graph.nodes[before].is_source();
            for (place, row) in rows.iter_mut().enumerate() {
                if is_source {
                    row.terms.push(Term { source: before as u32, index: place as u32, delay: 0.0, weight: 1.0 });
                } else {
                    let added = &self.outputs[before][place];
                    row.bias += added.bias;
                    row.terms.extend_from_slice(&added.terms);
                }
            }
            self.count(node, rows.iter().map(|row| row.terms.len()).sum())?;
        }
        if self.graph.before[index].len() > 1 {
            rows.iter_mut().for_each(Row::merge);
        }
        Ok(rows)
    }

    fn apply(&mut self, index: usize, input: Vec<Row>) -> Result<Vec<Row>, Error> {
        let node = &self.graph.nodes[index];
        match node.node {
            Node::Affine { weight, bias } => self.product(node, &input, |o| bias.at(o), |o, add| dense(weight, o, add)),
            Node::Linear { weight } => self.product(node, &input, |_| 0.0, |o, add| dense(weight, o, add)),
            Node::Scale { scale } => self.product(node, &input, |_| 0.0, |o, add| add(o, scale.at(o))),
            Node::Conv1d(of) | Node::Conv2d(of) => {
                let each = node.output[1..].iter().product::<usize>();
                self.product(node, &input, |o| of.bias.values[o / each], |o, add| convolution(of, node, o, add))
            }
            Node::SumPool2d(pool) => self.product(node, &input, |_| 0.0, |o, add| pooled(pool, node, o, 1.0, add)),
            Node::AvgPool2d(pool) => {
                let weight = 1.0 / (pool.kernel_size[0] as f64 * pool.kernel_size[1] as f64);
                self.product(node, &input, |_| 0.0, |o, add| pooled(pool, node, o, weight, add))
            }
            Node::Delay { delay } => {
                let delayed = |(place, mut row): (usize, Row)| {
                    row.terms.iter_mut().for_each(|term| term.delay += delay.at(place));
                    row
                };
                Ok(input.into_iter().enumerate().map(delayed).collect())
            }
            // These pass everything on.
            Node::Flatten { .. } | Node::Input { .. } | Node::Output { .. } | Node::Cell(_) | Node::Graph(_) => Ok(input),
        }
    }

    /// Each output as its bias and the sum of some inputs, each with a weight.
    fn product(
        &mut self,
        node: &LoweredNode<'_>,
        input: &[Row],
        bias: impl Fn(usize) -> f64,
        each: impl Fn(usize, &mut dyn FnMut(usize, f64)),
    ) -> Result<Vec<Row>, Error> {
        let mut output = Vec::with_capacity(node.size());
        for place in 0..node.size() {
            let mut row = Row { bias: bias(place), terms: Vec::new() };
            each(place, &mut |element, weight| {
                let from = &input[element];
                if weight != 0.0 {
                    row.bias += weight * from.bias;
                    row.terms.extend(from.terms.iter().map(|term| Term { weight: weight * term.weight, ..*term }));
                }
            });
            row.merge();
            self.count(node, row.terms.len())?;
            output.push(row);
        }
        Ok(output)
    }

    fn count(&mut self, node: &LoweredNode<'_>, terms: usize) -> Result<(), Error> {
        self.terms += terms;
        if self.terms <= MAX_TERMS {
            return Ok(());
        }
        let expected = format!("the linear nodes of a graph may have {MAX_TERMS} connections in total");
        Err(Error::invalid(format!("the node `{}`", node.path), "too large", expected, "use smaller layers"))
    }
}

impl Row {
    /// One term for each source and delay, in that order, without zeros.
    fn merge(&mut self) {
        let key = |term: &Term| (term.source, term.index);
        self.terms.sort_by(|a, b| key(a).cmp(&key(b)).then(a.delay.total_cmp(&b.delay)));
        self.terms.dedup_by(|next, first| {
            let is_same = key(next) == key(first) && next.delay == first.delay;
            if is_same {
                first.weight += next.weight;
            }
            is_same
        });
        self.terms.retain(|term| term.weight != 0.0);
    }
}

/// A row of a matrix; leading dimensions are matrices of their own.
fn dense(weight: &Tensor, output: usize, add: &mut dyn FnMut(usize, f64)) {
    let (outputs, inputs) = (weight.shape[weight.shape.len() - 2], weight.shape[weight.shape.len() - 1]);
    let first = output / outputs * inputs;
    for input in 0..inputs {
        add(first + input, weight.values[output * inputs + input]);
    }
}

/// A window of a convolution: inputs and outputs are (channels, extents…), the last of which changes fastest.
fn convolution(of: &Convolution, node: &LoweredNode<'_>, output: usize, add: &mut dyn FnMut(usize, f64)) {
    let kernel = &of.weight.shape[2..];
    let (extents, outputs) = (&node.input[1..], &node.output[1..]);
    let (elements, windows) = (extents.iter().product::<usize>(), outputs.iter().product::<usize>());
    let (channel, window) = (output / windows, coordinates(output % windows, outputs));
    let channels = of.weight.shape[1];
    let group = channel / (of.weight.shape[0] / of.groups);
    let size: usize = kernel.iter().product();
    for place in 0..size {
        let mut input = Some(0);
        for (axis, along) in coordinates(place, kernel).into_iter().enumerate() {
            let before = match &of.padding {
                Padding::Same => of.dilation[axis] * (kernel[axis] - 1) / 2,
                Padding::Valid => 0,
                Padding::Each(padding) => padding[axis],
            };
            let at = (window[axis] * of.stride[axis] + along * of.dilation[axis]).checked_sub(before);
            input = input.zip(at.filter(|at| *at < extents[axis])).map(|(input, at)| input * extents[axis] + at);
        }
        let Some(input) = input else { continue };
        for inner in 0..channels {
            add((group * channels + inner) * elements + input, of.weight.values[(channel * channels + inner) * size + place]);
        }
    }
}

fn pooled(pool: &Pool, node: &LoweredNode<'_>, output: usize, weight: f64, add: &mut dyn FnMut(usize, f64)) {
    let (height, width) = (node.input[1], node.input[2]);
    let window = coordinates(output, &node.output);
    let along = |axis: usize, offset: usize, extent: usize| {
        (window[axis + 1] * pool.stride[axis] + offset).checked_sub(pool.padding[axis]).filter(|at| *at < extent)
    };
    for y in (0..pool.kernel_size[0]).filter_map(|offset| along(0, offset, height)) {
        for x in (0..pool.kernel_size[1]).filter_map(|offset| along(1, offset, width)) {
            add((window[0] * height + y) * width + x, weight);
        }
    }
}

/// The coordinates of an element, the last of which changes fastest.
fn coordinates(mut place: usize, shape: &[usize]) -> Vec<usize> {
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, extent) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = place % extent;
        place /= extent;
    }
    coordinates
}
