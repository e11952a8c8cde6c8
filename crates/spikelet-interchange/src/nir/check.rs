//! Names, edges and values of a graph.

use std::collections::HashSet;

use spikelet_network::Error;

use super::cell::Cell;
use super::graph::{Convolution, Graph, Node, Padding, Pool};
use super::place::place;
use super::tensor::{Extents, Tensor};

/// The edges as indices of nodes, after checks of names and edges.
pub(super) fn edges(graph: &Graph, prefix: &str) -> Result<Vec<(usize, usize)>, Error> {
    let mut indices = std::collections::HashMap::new();
    for (index, (name, _)) in graph.nodes.iter().enumerate() {
        let expected = "names of nodes must be unique, not empty, and without slashes";
        if name.is_empty() || name.contains('/') || indices.insert(name.as_str(), index).is_some() {
            return Err(Error::invalid("the name of a node", format!("\"{prefix}{name}\""), expected, "use another name"));
        }
    }
    let (mut edges, mut seen) = (Vec::with_capacity(graph.edges.len()), HashSet::new());
    for (from, to) in &graph.edges {
        let index = |name: &String| {
            let names = graph.nodes.iter().map(|(name, _)| name.as_str());
            let place = format!("the edge from `{prefix}{from}` to `{prefix}{to}`");
            indices.get(name.as_str()).copied().ok_or_else(|| Error::unknown_name(&place, "node", name, names))
        };
        let edge = (index(from)?, index(to)?);
        let wrong =
            |expected, way_out| Err(Error::invalid("an edge", format!("`{prefix}{from}` to `{prefix}{to}`"), expected, way_out));
        if !seen.insert(edge) {
            return wrong("each edge may be written only once", "remove one of them, or double the weights");
        }
        if matches!(graph.nodes[edge.0].1, Node::Output { .. }) || matches!(graph.nodes[edge.1].1, Node::Input { .. }) {
            return wrong("no edge leads from an Output or to an Input", "connect the node beside it");
        }
        edges.push(edge);
    }
    Ok(edges)
}

/// The values of a node by themselves.
pub(super) fn node(node: &Node, path: &str) -> Result<(), Error> {
    let tensors: &[(&str, &Tensor)] = match node {
        Node::Input { .. } | Node::Output { .. } | Node::Flatten { .. } | Node::Graph(_) => &[],
        Node::Affine { weight, bias } => {
            matrix(weight, path)?;
            let outputs = &weight.shape[..weight.shape.len() - 1];
            if bias.shape != outputs {
                let expected = format!("the weights have outputs of {}", Extents(outputs));
                return Err(Error::invalid(
                    place(path, "bias"),
                    format!("of {}", Extents(&bias.shape)),
                    expected,
                    "write one value for each output",
                ));
            }
            &[("weight", weight), ("bias", bias)]
        }
        Node::Linear { weight } => {
            matrix(weight, path)?;
            &[("weight", weight)]
        }
        Node::Scale { scale } => &[("scale", scale)],
        Node::Delay { delay } => {
            if let Some(negative) = delay.values.iter().find(|delay| **delay < 0.0) {
                return Err(Error::invalid(place(path, "delay"), negative, "a delay cannot be negative", "write 0 s or more"));
            }
            &[("delay", delay)]
        }
        Node::Conv1d(of) => return convolution(of, 1, path),
        Node::Conv2d(of) => return convolution(of, 2, path),
        Node::SumPool2d(of) | Node::AvgPool2d(of) => return pool(of, path),
        Node::Cell(of) => return cell(of, path),
    };
    tensors.iter().try_for_each(|(name, tensor)| numbers(tensor, name, path))
}

fn matrix(weight: &Tensor, path: &str) -> Result<(), Error> {
    if weight.shape.len() >= 2 {
        return Ok(());
    }
    let expected = "a matrix of outputs x inputs is expected, or several of them";
    Err(Error::invalid(place(path, "weight"), format!("of {}", Extents(&weight.shape)), expected, "write two dimensions"))
}

/// Values are finite, and as many as the shape says.
fn numbers(tensor: &Tensor, name: &str, path: &str) -> Result<(), Error> {
    if tensor.shape.iter().try_fold(1usize, |product, extent| product.checked_mul(*extent)) != Some(tensor.values.len()) {
        let expected = format!("there are {} values", tensor.values.len());
        return Err(Error::invalid(place(path, name), format!("of {}", Extents(&tensor.shape)), expected, "correct its shape"));
    }
    match tensor.values.iter().find(|value| !value.is_finite()) {
        Some(value) => {
            Err(Error::invalid(place(path, name), value, "finite numbers are expected", "check the training that made it"))
        }
        None => Ok(()),
    }
}

fn cell(cell: &Cell, path: &str) -> Result<(), Error> {
    let table = cell.kind.table();
    if cell.values.len() != table.len() {
        let expected = format!("{} has {}", cell.kind.name(), table.len());
        return Err(Error::invalid(
            place(path, "values"),
            format!("a list of {}", cell.values.len()),
            expected,
            "give one for each parameter",
        ));
    }
    let mut shape: Option<(&str, &[usize])> = None;
    for (parameter, value) in table.iter().zip(&cell.values) {
        numbers(value, parameter.name, path)?;
        if let Some(wrong) = value.values.iter().find(|value| parameter.is_time && **value <= 0.0) {
            let expected = "a time constant must be above 0";
            return Err(Error::invalid(place(path, parameter.name), wrong, expected, "write it in seconds, such as 0.02"));
        }
        if value.is_scalar() {
            continue;
        }
        match shape {
            None => shape = Some((parameter.name, &value.shape)),
            Some((_, shape)) if shape == value.shape => {}
            Some((first, shape)) => {
                let expected = format!("`{first}` is of {}", Extents(shape));
                let value = format!("of {}", Extents(&value.shape));
                return Err(Error::invalid(
                    place(path, parameter.name),
                    value,
                    expected,
                    "write both in one shape, or one as a single number",
                ));
            }
        }
    }
    Ok(())
}

fn convolution(of: &Convolution, dimensions: usize, path: &str) -> Result<(), Error> {
    numbers(&of.weight, "weight", path)?;
    numbers(&of.bias, "bias", path)?;
    let shape = &of.weight.shape;
    let wrong = |field: &str, value: String, expected: &str, way_out: &str| {
        Err(Error::invalid(place(path, field), value, expected, way_out))
    };
    if shape.len() != dimensions + 2 || shape.contains(&0) {
        let expected =
            format!("{} dimensions are expected: output channels, input channels, extents of the kernel", dimensions + 2);
        return wrong("weight", format!("of {}", Extents(shape)), &expected, "write them in that order");
    }
    if of.groups == 0 || !shape[0].is_multiple_of(of.groups) {
        let expected = format!("the {} output channels are divided among groups", shape[0]);
        return wrong("groups", of.groups.to_string(), &expected, "use a divisor");
    }
    if of.bias.shape != [shape[0]] {
        let expected = format!("there are {} output channels", shape[0]);
        return wrong("bias", format!("of {}", Extents(&of.bias.shape)), &expected, "write one value for each, or zeros");
    }
    let padding = if let Padding::Each(list) = &of.padding { list.len() } else { dimensions };
    let input = of.input_shape.as_ref().map_or(dimensions, Vec::len);
    for (field, count) in
        [("stride", of.stride.len()), ("dilation", of.dilation.len()), ("padding", padding), ("input_shape", input)]
    {
        if count != dimensions {
            return wrong(
                field,
                format!("a list of {count}"),
                &format!("the kernel has {dimensions} extents"),
                "write one number for each",
            );
        }
    }
    for (field, list) in [("stride", &of.stride), ("dilation", &of.dilation)] {
        if list.contains(&0) {
            return wrong(field, format!("{list:?}"), "it must be at least 1", "write 1 for windows without gaps");
        }
    }
    if of.padding == Padding::Same && of.stride.iter().any(|stride| *stride != 1) {
        let expected = "with the padding \"same\" it must be 1";
        return wrong("stride", format!("{:?}", of.stride), expected, "write the padding as numbers");
    }
    Ok(())
}

fn pool(of: &Pool, path: &str) -> Result<(), Error> {
    for (field, list) in [("kernel_size", of.kernel_size), ("stride", of.stride)] {
        if list.contains(&0) {
            return Err(Error::invalid(place(path, field), format!("{list:?}"), "it must be at least 1", "write 1 or more"));
        }
    }
    Ok(())
}
