//! Positions and synapses of the open network, and its live input.

use std::ops::Range;

use js_sys::{Float32Array, Uint32Array};
use spikelet::{Error, Positions, SynapseQuery, positions};

use super::command_error::CommandError;
use super::run::OpenNetwork;
use super::summary;
use crate::protocol::{NeuronPositions, SynapseSample};

impl OpenNetwork {
    /// The positions of the neurons of a population.
    pub(super) fn positions(&self, population: &str) -> Result<NeuronPositions, CommandError> {
        let (network, plan) = (self.driver.simulation.network(), self.driver.simulation.plan());
        let names = || plan.populations.iter().map(|of| of.name.as_str());
        let Some(index) = names().position(|name| name == population) else {
            return Err(Error::unknown_name("population", "population", population, names()).into());
        };
        let shape = match network.population(population).and_then(|of| of.positions.as_ref()) {
            Some(Positions::Grid { shape, .. }) => shape.clone(),
            _ => Vec::new(),
        };
        let all = positions(network)?;
        let (dimensions, coordinates): (usize, Vec<f32>) = match &all[index] {
            Some(of) => {
                let coordinates = of.points.iter().flat_map(|point| &point[..of.dimensions]);
                (of.dimensions, coordinates.map(|at| *at as f32).collect())
            }
            None => (0, Vec::new()),
        };
        let coordinates = Float32Array::from(coordinates.as_slice());
        Ok(NeuronPositions { dimensions: dimensions as u32, unit: "µm".into(), coordinates, shape })
    }

    /// Synapses of a projection.
    pub(super) async fn synapses(
        &mut self,
        projection: &str,
        limit: u32,
        [pre, post]: [Option<[u32; 2]>; 2],
        trial: u32,
    ) -> Result<SynapseSample, CommandError> {
        let trial = self.trial(trial)?;
        self.align_device().await?;
        let range = |ends: Option<[u32; 2]>| ends.map(|[first, end]| Range { start: first, end });
        let query = SynapseQuery { limit: limit as usize, pre: range(pre), post: range(post) };
        let found = self.driver.simulation.synapse_sample(trial, projection, &query).await?;
        Ok(SynapseSample {
            total: found.total,
            pre: Uint32Array::from(found.pre.as_slice()),
            post: Uint32Array::from(found.post.as_slice()),
            weights: Float32Array::from(found.weights.as_slice()),
            delays_ms: Float32Array::from(found.delays_ms.as_slice()),
            variable: found.variable,
            unit: summary::shown(&found.unit),
        })
    }

    /// Gives a variable the values of a live source.
    pub(super) async fn feed(&mut self, path: &str, values: &[f64]) -> Result<(), CommandError> {
        self.align_device().await?;
        Ok(self.driver.simulation.feed(path, values).await?)
    }
}
