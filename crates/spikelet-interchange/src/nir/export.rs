//! From networks to graphs.

use std::collections::{HashMap, HashSet};

use spikelet_network::{Error, Network, Notice, Quantity, SourceKind};

use super::cell::Cell;
use super::graph::{Graph, Node};
use super::kernel::Synapse;
use super::layers::Layers;
use super::recognise::recognise;
use super::recognised::Recognised;
use super::synapses::MAX_WEIGHTS;
use super::tensor::Tensor;

/// Most different delays of a projection: each is a matrix of its own.
const MAX_DELAYS: usize = 256;

impl Graph {
    /// The graph of a network, and what it does not contain. Populations become nodes of their names, projections Linear nodes (Affine with a
    /// constant input, Scale if they connect each neuron with the one of its index, Conv1d or Conv2d if they are such), with a Delay before them; sources
    /// become inputs. The
    /// populations that are recorded have outputs, or else those without projections.
    ///
    /// # Errors
    /// Populations, projections, sources or values that NIR does not have.
    pub fn of(network: &Network) -> Result<(Graph, Vec<Notice>), Error> {
        network.validate()?;
        let populations: Vec<Recognised> =
            (0..network.populations.len()).map(|index| recognise(network, index)).collect::<Result<_, _>>()?;
        let layers = Layers::of(network, &populations)?;
        let (graph, flattened) = (Graph::default(), HashMap::new());
        let names = network.populations.iter().map(|of| &of.name).chain(network.sources.iter().map(|of| &of.name));
        let mut exporter = Exporter { network, populations, layers, flattened, graph, taken: names.cloned().collect() };
        exporter.sources()?;
        exporter.cells();
        let mut has_bias: Vec<bool> = exporter.populations.iter().map(|of| of.bias.is_some()).collect();
        for index in 0..network.projections.len() {
            exporter.projection(index, &mut has_bias)?;
        }
        for (index, is_left) in has_bias.into_iter().enumerate() {
            if is_left {
                exporter.constant(index);
            }
        }
        exporter.outputs();
        let notices = exporter.left_out();
        exporter.graph.validate()?;
        Ok((exporter.graph, notices))
    }
}

struct Exporter<'a> {
    network: &'a Network,
    populations: Vec<Recognised>,
    layers: Layers,
    /// The Flatten nodes of populations and sources that have one, by their names.
    flattened: HashMap<String, String>,
    graph: Graph,
    taken: HashSet<String>,
}

impl Exporter<'_> {
    fn unique(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.taken.contains(name));
        let free = free.unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }

    fn add(&mut self, name: &str, node: Node) -> String {
        let name = self.unique(name);
        self.graph.nodes.push((name.clone(), node));
        name
    }

    fn connect(&mut self, from: &str, to: &str) {
        let edge = (from.to_owned(), to.to_owned());
        self.graph.edges.push(edge);
    }

    fn sources(&mut self) -> Result<(), Error> {
        for (index, source) in self.network.sources.iter().enumerate() {
            if matches!(source.kind, SourceKind::PoissonInput { .. }) {
                let path = format!("sources[{index}]");
                let value = format!("the Poisson input `{}`", source.name);
                return Err(Error::invalid(
                    path,
                    value,
                    "NIR lacks random input",
                    "use a source with neurons, whose spikes are given from outside",
                ));
            }
            let shape = self.layers.shape(&source.name, source.size() as usize);
            self.graph.nodes.push((source.name.clone(), Node::Input { shape }));
        }
        Ok(())
    }

    fn cells(&mut self) {
        for (population, recognised) in self.network.populations.iter().zip(&self.populations) {
            let node = match &recognised.cell {
                Some(cell) => {
                    let shape = self.layers.shape(&population.name, population.size as usize);
                    let each = cell.values.iter().map(|of| Tensor::new(shape.clone(), of.values.clone()));
                    Node::Cell(Cell { kind: cell.kind, values: each.collect() })
                }
                None => Node::Output { shape: vec![population.size as usize] },
            };
            self.graph.nodes.push((population.name.clone(), node));
        }
    }

    fn projection(&mut self, index: usize, has_bias: &mut [bool]) -> Result<(), Error> {
        let network = self.network;
        let projection = &network.projections[index];
        let (name, pre, post) = (&projection.name, &projection.pre.population, &projection.post.population);
        let layer = &mut self.layers.all[index];
        let (columns, rows, target) = (layer.columns, layer.rows, layer.target);
        let (delays, convolution) = (std::mem::take(&mut layer.delays), layer.convolution.take());
        let matrices = rows.saturating_mul(columns).saturating_mul(delays.len());
        if convolution.is_none() && (delays.len() > MAX_DELAYS || matrices > MAX_WEIGHTS) {
            let value = format!("a projection of {columns} to {rows} neurons with {} delays", delays.len());
            let expected = format!("NIR stores a whole matrix for each delay, with {MAX_WEIGHTS} weights at most");
            let path = format!("projections[{index}]");
            return Err(Error::invalid(path, value, expected, "round the delays, or divide the populations"));
        }
        let begin = if convolution.is_some() { pre.clone() } else { self.flat(pre) };
        // A matrix for each delay.
        for (bits, synapses) in delays {
            let delay = f64::from_bits(bits);
            let mut from = begin.clone();
            if delay > 0.0 {
                let shape = convolution.as_ref().map_or(vec![columns], |found| found.input.clone());
                from = self.add(&format!("{name}_delay"), Node::Delay { delay: Tensor::full(&shape, delay) });
                self.connect(&begin, &from);
            }
            let bias = if std::mem::take(&mut has_bias[target]) { self.populations[target].bias.clone() } else { None };
            let node = match &convolution {
                Some(found) => Some(found.node(bias)),
                None => linear(&synapses, rows, columns, bias),
            };
            match node {
                Some(node) => {
                    let node = self.add(name, node);
                    self.connect(&from, &node);
                    self.connect(&node, post);
                }
                None if self.graph.edges.iter().any(|(a, b)| *a == from && b == post) => {
                    let node = self.add(name, Node::Scale { scale: Tensor::full(&[rows], 1.0) });
                    self.connect(&from, &node);
                    self.connect(&node, post);
                }
                None => self.connect(&from, post),
            }
        }
        Ok(())
    }

    /// The node whose output has the signals of a population or source in one dimension.
    fn flat(&mut self, name: &str) -> String {
        if !self.layers.is_shaped(name) {
            return name.to_owned();
        }
        if let Some(flat) = self.flattened.get(name) {
            return flat.clone();
        }
        let flat = self.add(&format!("{name}_flat"), Node::Flatten { input_shape: None, start_dim: 0, end_dim: -1 });
        self.connect(name, &flat);
        self.flattened.insert(name.to_owned(), flat.clone());
        flat
    }

    /// A constant input without a projection: that of a matrix of zeros from the neurons themselves.
    fn constant(&mut self, index: usize) {
        let population = &self.network.populations[index];
        let size = population.size as usize;
        let bias = Tensor::new([size], self.populations[index].bias.clone().unwrap_or_default());
        let node = Node::Affine { weight: Tensor::full(&[size, size], 0.0), bias };
        let node = self.add(&format!("{}_bias", population.name), node);
        self.connect(&population.name, &node);
        self.connect(&node, &population.name);
    }

    fn outputs(&mut self) {
        let has_output = self.populations.iter().any(|of| of.cell.is_none());
        let populations = self.network.populations.iter().zip(&self.populations).filter(|(_, of)| of.cell.is_some());
        let names: Vec<(String, usize)> = populations.map(|(of, _)| (of.name.clone(), of.size as usize)).collect();
        let is_recorded = |name: &str| self.network.recordings.iter().any(|recording| recording.object == name);
        let is_last = |name: &str| !self.network.projections.iter().any(|projection| projection.pre.population == name);
        let mut chosen: Vec<_> = names.iter().filter(|(name, _)| is_recorded(name)).cloned().collect();
        if chosen.is_empty() && !has_output {
            chosen = names.iter().filter(|(name, _)| is_last(name)).cloned().collect();
        }
        if chosen.is_empty() && !has_output {
            chosen.extend(names.last().cloned());
        }
        let is_single = chosen.len() == 1;
        for (name, size) in chosen {
            let output = if is_single { "output".to_owned() } else { format!("{name}_output") };
            let shape = self.layers.shape(&name, size);
            let output = self.add(&output, Node::Output { shape });
            self.connect(&name, &output);
        }
    }

    fn left_out(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        let mut add = |path: String, sentence: String| notices.push(Notice::new(path, sentence));
        if self.network.dt_ms != 0.1 {
            let dt = self.network.dt_ms;
            add("dt_ms".into(), format!("NIR stores no time step; an import of the graph needs the time step {dt} ms"));
        }
        for (index, recognised) in self.populations.iter().enumerate() {
            let population = &self.network.populations[index];
            if recognised.subtracts {
                let sentence = format!(
                    "NIR stores no reset by subtraction, which `{}` has; an import of the graph needs the reset `subtract`",
                    population.name
                );
                add(format!("populations[{index}].reset"), sentence);
            }
            if recognised.is_for_dt {
                let sentence = format!(
                    "the inputs of `{}` hold for forward Euler with steps of {} ms; here its equations may be exact",
                    population.name, self.network.dt_ms
                );
                add(format!("populations[{index}]"), sentence);
            }
            if population.initial.values().any(|value| *value != Quantity::Number(0.0)) {
                add(format!("populations[{index}].initial"), "NIR stores no initial values".into());
            }
        }
        let parts = [
            ("sources", "the spikes of sources", !self.network.sources.is_empty()),
            ("statistics", "statistics", !self.network.statistics.is_empty()),
            ("changes", "changes", !self.network.changes.is_empty()),
            ("stop", "stop conditions", !self.network.stop.is_empty()),
        ];
        for (path, what, is_there) in parts {
            if is_there {
                add(path.to_owned(), format!("NIR stores no {}", what.trim_start_matches("the ")));
            }
        }
        notices
    }
}

/// The node of a matrix; `None` for the identity.
fn linear(synapses: &[Synapse], rows: usize, columns: usize, bias: Option<Vec<f64>>) -> Option<Node> {
    let is_diagonal = rows == columns && synapses.iter().all(|([i, j], _)| i == j);
    if is_diagonal && bias.is_none() {
        let mut scale = vec![0.0; rows];
        synapses.iter().for_each(|([i, _], weight)| scale[*i as usize] += weight);
        return scale.iter().any(|scale| *scale != 1.0).then(|| Node::Scale { scale: Tensor::new([rows], scale) });
    }
    let mut matrix = vec![0.0; rows * columns];
    synapses.iter().for_each(|([i, j], weight)| matrix[*j as usize * columns + *i as usize] += weight);
    let weight = Tensor::new([rows, columns], matrix);
    Some(match bias {
        Some(bias) => Node::Affine { weight, bias: Tensor::new([rows], bias) },
        None => Node::Linear { weight },
    })
}
