//! What is known of a network before anything is drawn: positions of neurons and expected synapses.

use std::sync::Arc;

use spikelet_network::{Error, Network};
use spikelet_rows::connect::{ExpectedSynapses, Space};

use crate::check::checked;
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::connectivity;

/// The positions of the neurons of a population.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuronPositions {
    /// Number of coordinates.
    pub dimensions: usize,
    /// Extent of periodic space along each axis in µm; infinite if it is not periodic.
    pub extent: [f64; 4],
    /// Coordinates of each neuron in µm; 0 for unused axes.
    pub points: Vec<[f64; 4]>,
}

/// The positions of each population of [`Partition::shape`](spikelet_rows::Partition::shape) that has some.
///
/// # Errors
/// A length that is not valid.
pub fn positions(network: &Network) -> Result<Vec<Option<NeuronPositions>>, Error> {
    let lowered = LoweredNetwork::new(network)?;
    let sizes = lowered.populations.iter().map(|population| population.size);
    let of_population = |(space, size): (&Option<Arc<Space>>, u32)| {
        let space = space.as_ref()?;
        let points = (0..size).map(|neuron| space.place(neuron)).collect();
        Some(NeuronPositions { dimensions: space.dimensions, extent: space.extent, points })
    };
    Ok(lowered.spaces.iter().zip(sizes).map(of_population).collect())
}

/// The expected synapses of all projections of a [valid](Network::validate) network, whose files were read.
///
/// # Errors
/// A length or an expression of a rule is not valid, or a rule lacks positions.
pub fn expected_synapses(network: &Network) -> Result<Vec<ExpectedSynapses<'_>>, Error> {
    let lowered = LoweredNetwork::new(network)?;
    let mut all = Vec::new();
    for index in 0..network.projections.len() {
        let (pre, post) = checked::ends(&lowered, index)?;
        all.extend(ExpectedSynapses::of_projection(&connectivity(&lowered, index)?, index, [pre, post])?);
    }
    Ok(all)
}
