//! From graphs to networks.

use std::collections::{BTreeMap, HashSet};

use spikelet_network::{
    Delays, Endpoint, Error, Indices, Network, Notice, Population, Projection, Quantity, Recording, Source, SourceKind,
};

use super::cell::Cell;
use super::graph::{Graph, Node};
use super::linear::{self, Row};
use super::lower::Lowered;
use super::place::place;
use super::texts::{Drive, Reset, Texts, sum_name};
use crate::imported::Imported;

/// How a graph, in which time is continuous, becomes a network with steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Name of the network.
    pub name: String,
    /// Time step in ms.
    pub dt_ms: f64,
    /// Duration of a run in ms.
    pub duration_ms: f64,
    /// What a spike does to the potential.
    pub reset: Reset,
    /// Spikes of the input: element, time in ms.
    pub input: Vec<(u32, f64)>,
}

/// A step of 0.1 ms, as in the published tests of NIR; reset to v_reset; 1000 ms without input.
impl Default for Import {
    fn default() -> Import {
        Import { name: "nir".into(), dt_ms: 0.1, duration_ms: 1000.0, reset: Reset::ToValue, input: Vec::new() }
    }
}

impl Graph {
    /// The network of the graph, and what may be unintended in it.
    ///
    /// Neurons become populations, inputs sources of spikes. All linear nodes between two of them become one projection with a list of pairs,
    /// without those of weight 0; biases become constant inputs. An output records the potentials before it.
    ///
    /// # Errors
    /// As [`Graph::validate`]; a circle of linear nodes, a delay after neurons that do not fire, or spikes for no input; too many connections.
    pub fn network(&self, import: &Import) -> Result<(Network, Vec<Notice>), Error> {
        let Imported { network, notices, .. } = self.imported(import)?;
        network.validate()?;
        Ok((network, notices))
    }

    /// The same with the places of its objects in the graph. The network is not validated.
    pub(crate) fn imported(&self, import: &Import) -> Result<Imported, Error> {
        if !(import.dt_ms > 0.0 && import.dt_ms.is_finite()) {
            return Err(Error::invalid("the time step", format!("{} ms", import.dt_ms), "it must be above 0 ms", "use 0.1 ms"));
        }
        let lowered = Lowered::of(self)?;
        let inputs = linear::inputs(&lowered)?;
        let names = names(&lowered);
        let levels = levels(&lowered, &inputs);
        let mut builder = Builder { graph: &lowered, names: &names, import, imported: Imported::default(), levels };
        let network = &mut builder.imported.network;
        network.name.clone_from(&import.name);
        (network.dt_ms, network.duration_ms) = (import.dt_ms, import.duration_ms);
        builder.sources()?;
        for index in order(&lowered) {
            let node = &lowered.nodes[index];
            match node.node {
                Node::Cell(cell) => builder.population(index, Some(cell), &inputs[index])?,
                _ if node.is_output() => builder.output(index, &inputs[index])?,
                _ => {}
            }
        }
        builder.imported.network.name_projections();
        Ok(builder.imported)
    }
}

/// Nodes by their distance from the inputs, then as in the file, so that layers are in the order in which spikes pass them.
fn order(graph: &Lowered<'_>) -> Vec<usize> {
    let mut followers = vec![Vec::new(); graph.nodes.len()];
    for (index, before) in graph.before.iter().enumerate() {
        before.iter().for_each(|of| followers[*of].push(index));
    }
    let starts: Vec<usize> = (0..graph.nodes.len()).filter(|index| graph.before[*index].is_empty()).collect();
    let (mut ranked, mut reached): (Vec<usize>, HashSet<usize>) = (starts.clone(), starts.into_iter().collect());
    let mut next = 0;
    while next < ranked.len() {
        for &follower in &followers[ranked[next]] {
            if reached.insert(follower) {
                ranked.push(follower);
            }
        }
        next += 1;
    }
    ranked.extend((0..graph.nodes.len()).filter(|index| !reached.contains(index)));
    ranked
}

/// Over how many projections the input reaches each node; 1 of those that it does not reach.
fn levels(graph: &Lowered<'_>, inputs: &[Vec<Row>]) -> Vec<u32> {
    let before = |index: usize| {
        let sources: HashSet<u32> = inputs[index].iter().flat_map(|row| &row.terms).map(|term| term.source).collect();
        sources.into_iter().map(|source| source as usize)
    };
    let mut followers = vec![Vec::new(); graph.nodes.len()];
    for index in 0..graph.nodes.len() {
        before(index).for_each(|source| followers[source].push(index));
    }
    let mut levels = vec![0; graph.nodes.len()];
    let is_input = |index: &usize| matches!(graph.nodes[*index].node, Node::Input { .. }) && graph.nodes[*index].is_source();
    let mut layer: Vec<usize> = (0..graph.nodes.len()).filter(is_input).collect();
    let mut number = 0;
    while !layer.is_empty() {
        number += 1;
        let mut next: Vec<usize> = layer.iter().flat_map(|index| followers[*index].iter().copied()).collect();
        next.sort_unstable();
        next.dedup();
        next.retain(|index| levels[*index] == 0);
        next.iter().for_each(|index| levels[*index] = number);
        layer = next;
    }
    levels.into_iter().map(|level| level.max(1)).collect()
}

/// An identifier for each node: other characters than letters, digits and `_` become `_`.
fn names(graph: &Lowered<'_>) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |path: &str| {
        let plain: String = path.chars().map(|of| if of.is_ascii_alphanumeric() { of } else { '_' }).collect();
        let plain = if plain.starts_with(|first: char| first.is_ascii_alphabetic()) { plain } else { format!("n{plain}") };
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(plain);
        taken.insert(free.clone());
        free
    };
    graph.nodes.iter().map(|node| node.path.as_str()).map(name).collect()
}

struct Builder<'a> {
    graph: &'a Lowered<'a>,
    names: &'a [String],
    import: &'a Import,
    imported: Imported,
    /// The layer of each node, counted from 1: over how many projections the input reaches it.
    levels: Vec<u32>,
}

/// The synapses of one projection.
#[derive(Default)]
struct SynapseList {
    pairs: Vec<[u32; 2]>,
    weights: Vec<f64>,
    delays_ms: Vec<f64>,
}

impl Builder<'_> {
    fn sources(&mut self) -> Result<(), Error> {
        for (index, node) in self.graph.nodes.iter().enumerate() {
            if matches!(node.node, Node::Input { .. }) && node.is_source() {
                let kind = SourceKind::Spikes { size: node.size() as u32, spike_times_ms: Vec::new() };
                let at = self.imported.network.sources.len();
                self.imported.places.push((format!("sources[{at}]"), format!("the node `{}`", node.path)));
                self.imported.network.sources.push(Source { name: self.names[index].clone(), kind });
            }
        }
        if self.import.input.is_empty() {
            return Ok(());
        }
        match &mut self.imported.network.sources[..] {
            [Source { kind: SourceKind::Spikes { spike_times_ms, .. }, .. }] => spike_times_ms.clone_from(&self.import.input),
            sources => {
                let expected = "spikes are for the one input of a graph";
                let value = format!("a number of {}", sources.len());
                return Err(Error::invalid(
                    "the Input nodes of the graph",
                    value,
                    expected,
                    "write `spike_times_ms` into the network",
                ));
            }
        }
        Ok(())
    }

    /// A population of cells, or of neurons whose potential is their input, with the projections onto it.
    fn population(&mut self, index: usize, cell: Option<&Cell>, input: &[Row]) -> Result<(), Error> {
        let node = &self.graph.nodes[index];
        let name = &self.names[index];
        let mut sources: BTreeMap<u32, SynapseList> = BTreeMap::new();
        for (place, row) in input.iter().enumerate() {
            for term in &row.terms {
                let synapses = sources.entry(term.source).or_default();
                synapses.pairs.push([term.index, place as u32]);
                synapses.weights.push(term.weight);
                synapses.delays_ms.push(term.delay * 1000.0);
            }
        }
        let has_bias = input.iter().any(|row| row.bias != 0.0);
        let leak = cell.and_then(|cell| cell.get("v_leak"));
        let is_late = has_bias || leak.is_some_and(|leak| leak.values.iter().any(|leak| *leak != 0.0));
        let mut drive = Drive { has_bias, is_late, ..Drive::default() };
        for (source, synapses) in sources {
            let pre = &self.graph.nodes[source as usize];
            let is_event = !matches!(pre.node, Node::Cell(cell) if !cell.kind.fires());
            let mut projection = Projection {
                pre: Endpoint::whole(&*self.names[source as usize]),
                post: Endpoint::whole(&**name),
                pairs: Some(synapses.pairs.into()),
                ..Projection::default()
            };
            projection.parameters.insert("w".into(), numbers(synapses.weights, None));
            if is_event {
                drive.has_events = true;
                projection.on_pre = Some("x_post += w".into());
                if synapses.delays_ms.iter().any(|delay| *delay != 0.0) {
                    projection.delay_ms = Delays::Same(numbers(synapses.delays_ms, None));
                }
            } else {
                if let Some(delay) = synapses.delays_ms.iter().find(|delay| **delay != 0.0) {
                    let expected = "potentials cannot be delayed; only spikes can";
                    let value = format!("delayed by {delay} ms on its way to `{}`", node.path);
                    return Err(Error::invalid(
                        format!("the node `{}`", pre.path),
                        value,
                        expected,
                        "move the Delay behind neurons that fire",
                    ));
                }
                drive.sums += 1;
                projection.equations = Some(format!("{}_post = w*v_pre : 1 (summed)\nw : 1 (constant)", sum_name(drive.sums)));
            }
            let at = self.imported.network.projections.len();
            let way = format!("the way from the node `{}` to `{}`", pre.path, node.path);
            self.imported.places.push((format!("projections[{at}]"), way));
            self.imported.network.projections.push(projection);
        }
        let texts = Texts::of(cell.map(|cell| cell.kind), drive, self.import.reset);
        let mut population = Population {
            name: name.clone(),
            size: node.size() as u32,
            equations: Some(texts.equations),
            update: Some(texts.update),
            threshold: texts.threshold,
            reset: texts.reset,
            ..Population::default()
        };
        if drive.is_late {
            // Between two steps, so that rounding does not matter.
            let start = (f64::from(self.levels[index]) - 0.5) * self.import.dt_ms;
            population.parameters.insert("start".into(), Quantity::Text(format!("{start} ms")));
        }
        if drive.has_bias {
            let bias = numbers(input.iter().map(|row| row.bias).collect(), None);
            population.parameters.insert("bias".into(), bias);
        }
        if let Some(cell) = cell {
            self.parameters(&mut population, cell, &node.path);
        }
        let at = format!("populations[{}]", self.imported.network.populations.len());
        self.imported.places.push((at, format!("the node `{}`", node.path)));
        self.imported.network.populations.push(population);
        Ok(())
    }

    fn parameters(&mut self, population: &mut Population, cell: &Cell, path: &str) {
        for (parameter, value) in cell.kind.table().iter().zip(&cell.values) {
            if parameter.name == "v_reset" && self.import.reset == Reset::Subtract {
                continue;
            }
            let at = self.imported.network.populations.len();
            let path_of = format!("populations[{at}].parameters.{}", parameter.name);
            self.imported.places.push((path_of, place(path, parameter.name)));
            let shortest = value.values.iter().copied().fold(f64::INFINITY, f64::min) * 1000.0;
            if parameter.is_time && shortest < self.import.dt_ms {
                let sentence = format!(
                    "{} is {shortest} ms, shorter than the time step of {} ms, so that forward Euler overshoots; use a shorter step",
                    parameter.name, self.import.dt_ms
                );
                self.imported.notices.push(Notice::new(path.to_owned(), sentence));
            }
            let unit = parameter.is_time.then_some("second");
            population.parameters.insert(parameter.name.into(), numbers(value.values.clone(), unit));
        }
    }

    /// An output records the neurons before it; if it is a sum of several, or weighted, it becomes a population.
    fn output(&mut self, index: usize, input: &[Row]) -> Result<(), Error> {
        let recorded = match self.same(input) {
            Some(source) => self.names[source].clone(),
            None => {
                self.population(index, None, input)?;
                self.names[index].clone()
            }
        };
        let recording = Recording { object: recorded, var: "v".into(), indices: Indices::All, ..Recording::default() };
        let recordings = &mut self.imported.network.recordings;
        if !recordings.contains(&recording) {
            let output = format!("the node `{}`", self.graph.nodes[index].path);
            self.imported.places.push((format!("recordings[{}]", recordings.len()), output));
            recordings.push(recording);
        }
        Ok(())
    }

    /// The neurons whose output a signal is, unchanged.
    fn same(&self, input: &[Row]) -> Option<usize> {
        let source = input.first()?.terms.first()?.source as usize;
        let node = &self.graph.nodes[source];
        let is_same = |(place, row): (usize, &Row)| {
            matches!(row.terms[..], [term] if term.source as usize == source && term.index as usize == place
                && term.weight == 1.0 && term.delay == 0.0 && row.bias == 0.0)
        };
        let is_whole = matches!(node.node, Node::Cell(_)) && node.size() == input.len();
        (is_whole && input.iter().enumerate().all(is_same)).then_some(source)
    }
}

/// Values as one number if they are equal.
fn numbers(values: Vec<f64>, unit: Option<&str>) -> Quantity {
    match (&values[..], unit) {
        ([first, rest @ ..], None) if rest.iter().all(|value| value == first) => Quantity::Number(*first),
        ([first, rest @ ..], Some(unit)) if rest.iter().all(|value| value == first) => Quantity::Text(format!("{first} {unit}")),
        _ => Quantity::Values { values, unit: unit.map(str::to_owned) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nir::{CellKind, Tensor};

    #[test]
    fn names_become_identifiers() {
        let node = || Node::Cell(Cell { kind: CellKind::I, values: vec![Tensor::full(&[2], 1.0)] });
        let graph =
            Graph { nodes: ["0", "lif1.lif", "lif1_lif", "é"].map(|name| (name.to_owned(), node())).to_vec(), edges: vec![] };
        let (network, _) = graph.network(&Import::default()).expect("the graph is valid");
        let names: Vec<_> = network.populations.iter().map(|population| population.name.as_str()).collect();
        assert_eq!(names, ["n0", "lif1_lif", "lif1_lif_2", "n_"]);
    }
}
