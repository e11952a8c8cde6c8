//! The projections of a network as linear layers: matrices, and convolutions with the shapes of their signals.

use std::collections::{BTreeMap, HashMap};

use spikelet_network::{Error, Network};

use super::kernel::{self, Found, Synapse};
use super::recognised::Recognised;
use super::synapses::{self, Ends, lacking};

/// The synapses of a projection.
pub(super) struct Layer {
    /// Number of neurons before it.
    pub(super) columns: usize,
    /// Number of neurons behind it.
    pub(super) rows: usize,
    /// Index of the population behind it.
    pub(super) target: usize,
    /// Index of the population before it; sources have none.
    source: Option<usize>,
    /// Synapses by their delay in seconds, as bits: delays are not below 0, so that their bits have their order.
    pub(super) delays: BTreeMap<u64, Vec<Synapse>>,
    /// The convolution that it is.
    pub(super) convolution: Option<Found>,
}

/// All of them.
pub(super) struct Layers {
    /// Those of the projections, in their order.
    pub(super) all: Vec<Layer>,
    /// Shapes of populations and sources that convolutions lead to or from, by their names. Others have one dimension.
    shapes: HashMap<String, Vec<usize>>,
}

impl Layers {
    /// # Errors
    /// Synapses that NIR does not have.
    pub(super) fn of(network: &Network, populations: &[Recognised]) -> Result<Layers, Error> {
        let all = (0..network.projections.len()).map(|index| layer(network, populations, index));
        let mut layers = Layers { all: all.collect::<Result<_, _>>()?, shapes: HashMap::new() };
        for target in 0..populations.len() {
            layers.convolve(network, populations, target);
        }
        Ok(layers)
    }

    /// The shape of a population or source with a number of neurons.
    pub(super) fn shape(&self, name: &str, size: usize) -> Vec<usize> {
        self.shapes.get(name).cloned().unwrap_or_else(|| vec![size])
    }

    /// Whether it has several dimensions.
    pub(super) fn is_shaped(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    /// Finds the convolutions onto a population. NIR has no node that adds dimensions: all layers onto it must be convolutions to the same shape, from
    /// sources or from populations that have a shape.
    fn convolve(&mut self, network: &Network, populations: &[Recognised], target: usize) {
        if populations[target].cell.is_none() {
            return;
        }
        let layers: Vec<usize> = (0..self.all.len()).filter(|index| self.all[*index].target == target).collect();
        let mut found: Vec<(usize, Found)> = Vec::new();
        for &index in &layers {
            let (layer, pre) = (&self.all[index], &network.projections[index].pre.population);
            let before = found.iter().find(|(of, _)| network.projections[*of].pre.population == *pre);
            let known = self.shapes.get(pre).or(before.map(|(_, found)| &found.input)).map(Vec::as_slice);
            let [synapses] = layer.delays.values().collect::<Vec<_>>()[..] else { return };
            if layer.source.is_some() && known.is_none() {
                return;
            }
            let Some(convolution) = kernel::find(synapses, layer.columns, known, layer.rows) else { return };
            found.push((index, convolution));
        }
        let Some(output) = found.first().map(|(_, found)| found.output.clone()) else { return };
        let is_of_channels =
            |bias: &Vec<f64>| bias.chunks(bias.len() / output[0]).all(|of| of.iter().all(|value| *value == of[0]));
        if found.iter().any(|(_, found)| found.output != output) || !populations[target].bias.as_ref().is_none_or(is_of_channels)
        {
            return;
        }
        self.shapes.insert(network.populations[target].name.clone(), output);
        for (index, found) in found {
            self.shapes.insert(network.projections[index].pre.population.clone(), found.input.clone());
            self.all[index].convolution = Some(found);
        }
    }
}

/// The synapses of a projection, with weights as inputs of a step.
fn layer(network: &Network, populations: &[Recognised], index: usize) -> Result<Layer, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let (pre, post) = (&projection.pre.population, &projection.post.population);
    let target = network.populations.iter().position(|of| of.name == *post);
    let Some(target) = target else { return Err(lacking(&path, projection, "synapses onto sources")) };
    let source = network.populations.iter().position(|of| of.name == *pre);
    if source.is_some_and(|source| populations[source].cell.is_none()) {
        return Err(lacking(&path, projection, "edges from outputs"));
    }
    let size = |name: &str| {
        let of_population = network.population(name).map(|of| of.size);
        of_population.or(network.source(name).map(|of| of.size())).unwrap_or(0) as usize
    };
    let (columns, rows) = (size(pre), size(post));
    let pairs = synapses::pairs(projection, columns, rows, &path)?;
    let ends = Ends { network, pre: source.map(|source| &populations[source]), post: &populations[target] };
    let weights = synapses::weights(projection, &ends, pairs.len(), &path)?;
    let times = synapses::delays(projection, pairs.len(), &path)?;
    let mut delays: BTreeMap<u64, Vec<Synapse>> = BTreeMap::new();
    for ((pair, weight), delay) in pairs.into_iter().zip(weights).zip(times) {
        let weight = weight * populations[target].factor[pair[1] as usize];
        delays.entry(delay.to_bits()).or_default().push((pair, weight));
    }
    Ok(Layer { columns, rows, target, source, delays, convolution: None })
}
