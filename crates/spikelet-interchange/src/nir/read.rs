//! From HDF5 files to graphs.

use std::cell::RefCell;
use std::collections::BTreeSet;

use spikelet_network::{Error, Notice};

use super::cell::{Cell, CellKind};
use super::graph::{Convolution, Graph, Node, Padding, Pool};
use super::place::place;
use super::tensor::Tensor;
use crate::hdf5::File;

/// Most levels of graphs in graphs; deeper ones are taken for damaged files.
const MAX_DEPTH: usize = 32;

impl Graph {
    /// Reads a file as the Python package `nir` writes it, with or without compression, and [checks](Graph::validate) it.
    ///
    /// Metadata are left out: nothing of the graph may depend on them.
    ///
    /// # Errors
    /// The bytes are not HDF5, have no graph, or a node has an unknown type, or lacks a field; or an error of [`Graph::validate`]. Messages
    /// name the node by its path, such as `encoder/lif1`.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Graph, Error> {
        Graph::read(bytes).map(|(graph, _)| graph)
    }

    /// The same, with a notice for each node that has more than is read.
    ///
    /// # Errors
    /// As [`Graph::from_bytes`].
    pub fn read(bytes: Vec<u8>) -> Result<(Graph, Vec<Notice>), Error> {
        let file = File::open(bytes)?;
        if !file.groups("/")?.iter().any(|name| name == "node") {
            let expected = "a file of NIR has a group `node`";
            return Err(Error::invalid("the file", "another HDF5 file", expected, "write it with `nir.write`"));
        }
        let notices = RefCell::default();
        let root =
            Fields { file: &file, group: "/node".to_owned(), node: String::new(), read: RefCell::default(), notices: &notices };
        let graph = match root.node(0)? {
            Node::Graph(graph) => graph,
            single => {
                return Err(root.wrong(
                    "type",
                    single.type_name(),
                    "the file must contain an NIRGraph",
                    "write a graph around the node",
                ));
            }
        };
        graph.validate()?;
        Ok((graph, notices.into_inner()))
    }
}

/// What nodes have that is never read: nothing of a graph may depend on metadata, and shapes follow from the nodes before.
const KNOWN: [&str; 4] = ["metadata", "input_type", "output_type", "nodes"];

/// The fields of a node in a file.
struct Fields<'a> {
    file: &'a File,
    /// The group of the node.
    group: String,
    /// Path of the node for messages; empty for the root.
    node: String,
    /// The names of the fields that were read.
    read: RefCell<BTreeSet<String>>,
    notices: &'a RefCell<Vec<Notice>>,
}

impl Fields<'_> {
    fn node(&self, depth: usize) -> Result<Node, Error> {
        let node = self.known_node(depth)?;
        let mut names = self.file.datasets(&self.group)?;
        names.extend(self.file.groups(&self.group)?);
        let read = self.read.borrow();
        names.retain(|name| !(read.contains(name) || KNOWN.contains(&name.as_str())));
        if !names.is_empty() {
            let place = if self.node.is_empty() { "the graph".to_owned() } else { self.node.clone() };
            self.notices.borrow_mut().push(Notice::new(place, format!("not used of {}: {}", node.type_name(), names.join(", "))));
        }
        Ok(node)
    }

    fn known_node(&self, depth: usize) -> Result<Node, Error> {
        let name = self.text("type")?;
        if let Some(kind) = CellKind::ALL.into_iter().find(|kind| kind.name() == name) {
            return self.cell(kind).map(Node::Cell);
        }
        Ok(match &*name {
            "NIRGraph" => Node::Graph(self.graph(depth)?),
            "Input" => Node::Input { shape: self.whole("shape")? },
            "Output" => Node::Output { shape: self.whole("shape")? },
            "Affine" => Node::Affine { weight: self.tensor("weight")?, bias: self.tensor("bias")? },
            "Linear" => Node::Linear { weight: self.tensor("weight")? },
            "Scale" => Node::Scale { scale: self.tensor("scale")? },
            "Conv1d" => Node::Conv1d(self.convolution(1)?),
            "Conv2d" => Node::Conv2d(self.convolution(2)?),
            "SumPool2d" => Node::SumPool2d(self.pool()?),
            "AvgPool2d" => Node::AvgPool2d(self.pool()?),
            "Flatten" => Node::Flatten {
                input_shape: self.has("input_type").then(|| self.whole("input_type")).transpose()?,
                start_dim: self.integer("start_dim")?,
                end_dim: self.integer("end_dim")?,
            },
            "Delay" => Node::Delay { delay: self.tensor("delay")? },
            _ => return Err(Error::unknown_name(&self.place("type"), "type of nodes", &name, Node::TYPES)),
        })
    }

    fn graph(&self, depth: usize) -> Result<Graph, Error> {
        if depth == MAX_DEPTH {
            return Err(self.wrong(
                "nodes",
                "nested too deeply",
                &format!("at most {MAX_DEPTH} levels are read"),
                "flatten the graph",
            ));
        }
        let nodes = format!("{}/nodes", self.group);
        let mut graph = Graph::default();
        let names = self.file.groups(&nodes).map_err(|_| self.missing("nodes"))?;
        for name in names {
            let node = if self.node.is_empty() { name.clone() } else { format!("{}/{name}", self.node) };
            let (group, read) = (format!("{nodes}/{name}"), RefCell::default());
            let fields = Fields { file: self.file, group, node, read, notices: self.notices };
            graph.nodes.push((name, fields.node(depth + 1)?));
        }
        let edges = self.dataset("edges")?;
        // A list without edges is written as an empty list of floats.
        if edges.shape().iter().product::<usize>() > 0 {
            if edges.shape().len() != 2 || edges.shape()[1] != 2 {
                return Err(self.wrong(
                    "edges",
                    format!("of shape {:?}", edges.shape()),
                    "pairs of names are expected",
                    "write pairs",
                ));
            }
            let names = edges.strings()?;
            graph.edges = names.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        }
        Ok(graph)
    }

    fn cell(&self, kind: CellKind) -> Result<Cell, Error> {
        let value = |parameter: &super::cell::Parameter| match parameter.default {
            Some(default) if !self.has(parameter.name) => Ok(Tensor::scalar(default)),
            _ => self.tensor(parameter.name),
        };
        Ok(Cell { kind, values: kind.table().iter().map(value).collect::<Result<_, _>>()? })
    }

    fn convolution(&self, dimensions: usize) -> Result<Convolution, Error> {
        let padding = if self.dataset("padding")?.is_text() {
            match &*self.text("padding")? {
                "same" => Padding::Same,
                "valid" => Padding::Valid,
                other => {
                    return Err(self.wrong(
                        "padding",
                        format!("{other:?}"),
                        "it is \"same\", \"valid\" or whole numbers",
                        "use one of these",
                    ));
                }
            }
        } else {
            Padding::Each(self.each("padding", dimensions)?)
        };
        Ok(Convolution {
            input_shape: self.has("input_shape").then(|| self.each("input_shape", dimensions)).transpose()?,
            weight: self.tensor("weight")?,
            stride: self.each("stride", dimensions)?,
            padding,
            dilation: self.each("dilation", dimensions)?,
            groups: self.each("groups", 1)?[0],
            bias: self.tensor("bias")?,
        })
    }

    fn pool(&self) -> Result<Pool, Error> {
        let two = |name| self.each(name, 2).map(|list| [list[0], list[1]]);
        Ok(Pool { kernel_size: two("kernel_size")?, stride: two("stride")?, padding: two("padding")? })
    }

    /// A whole number for each of some dimensions; a single one is for all.
    fn each(&self, name: &str, dimensions: usize) -> Result<Vec<usize>, Error> {
        let list = self.whole(name)?;
        match list.len() {
            1 => Ok(vec![list[0]; dimensions]),
            count if count == dimensions => Ok(list),
            count => {
                let expected = format!("there must be {dimensions} of them, or one for all");
                Err(self.wrong(name, format!("a list of {count} numbers"), &expected, "write that many"))
            }
        }
    }

    fn whole(&self, name: &str) -> Result<Vec<usize>, Error> {
        let values = self.dataset(name)?.f64()?;
        let whole =
            values.iter().map(|value| (*value >= 0.0 && *value <= 1e9 && value.fract() == 0.0).then_some(*value as usize));
        whole.collect::<Option<_>>().ok_or_else(|| {
            self.wrong(name, format!("{values:?}"), "whole numbers from 0 to 10^9 are expected", "write such numbers")
        })
    }

    fn integer(&self, name: &str) -> Result<i64, Error> {
        let values = self.dataset(name)?.i64()?;
        match values[..] {
            [value] => Ok(value),
            _ => {
                Err(self.wrong(name, format!("a list of {} numbers", values.len()), "one whole number is expected", "write one"))
            }
        }
    }

    fn tensor(&self, name: &str) -> Result<Tensor, Error> {
        let data = self.dataset(name)?;
        Ok(Tensor { shape: data.shape().to_vec(), values: data.f64()? })
    }

    fn text(&self, name: &str) -> Result<String, Error> {
        let texts = self.dataset(name)?.strings()?;
        texts.into_iter().next().ok_or_else(|| self.wrong(name, "an empty list", "a text is expected", "write one"))
    }

    fn has(&self, name: &str) -> bool {
        self.read.borrow_mut().insert(name.to_owned());
        self.file.has_dataset(&self.group, name)
    }

    fn dataset(&self, name: &str) -> Result<crate::hdf5::Dataset<'_>, Error> {
        if !self.has(name) {
            return Err(self.missing(name));
        }
        self.file.dataset(&format!("{}/{name}", self.group))
    }

    fn place(&self, name: &str) -> String {
        place(&self.node, name)
    }

    fn missing(&self, name: &str) -> Error {
        let kind = if name == "type" { "node".to_owned() } else { self.text("type").unwrap_or_default() };
        let expected = format!("each {kind} has one");
        self.wrong(name, "missing", &expected, "write the graph again with a current version of the package `nir`")
    }

    fn wrong(&self, name: &str, value: impl std::fmt::Display, expected: &str, way_out: &str) -> Error {
        Error::invalid(self.place(name), value, expected, way_out)
    }
}
