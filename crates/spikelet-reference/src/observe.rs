//! What is read: recordings, and values after a step.

use std::collections::HashMap;

use spikelet_lang::syntax::parse_unit;
use spikelet_network::Aggregate;

use crate::expression::Scope;
use crate::{Error, Reference};

/// The samples of a recording: a step, and the values of its neurons or synapses.
pub type Rows = Vec<(u32, Vec<f64>)>;

impl Reference {
    /// The samples of a recording of the network, in its unit.
    pub fn recording(&self, index: usize) -> &Rows {
        &self.rows[index]
    }

    /// The values of a variable, parameter or subexpression of a population or projection in inner units, after the last step: of synapses in the
    /// order of a list of pairs, and else of presynaptic and then of postsynaptic neurons. Event-driven variables have the values after the
    /// last event of their synapse.
    ///
    /// # Errors
    /// There is no such object or name.
    pub fn values(&self, object: &str, name: &str) -> Result<Vec<f64>, Error> {
        let none = HashMap::new();
        let unknown = || Error::Name(format!("{object}.{name}"));
        if let Some(of) = self.populations.iter().find(|of| of.name == object) {
            return (0..of.size).map(|neuron| of.here(&self.world, neuron, 0.0, &none).known(name)).collect();
        }
        let of = self.projections.iter().find(|of| of.name == object).ok_or_else(unknown)?;
        let value = |synapse: &usize| of.between(&self.world, &self.populations, *synapse, &none).name(name)?.ok_or_else(unknown);
        of.listed.iter().map(value).collect()
    }

    /// Samples the recordings that are due (rule 2.5).
    pub(crate) fn record(&mut self) -> Result<(), Error> {
        for index in 0..self.network.recordings.len() {
            let of = &self.network.recordings[index];
            let every = of.every_steps(self.world.dt).unwrap_or(1);
            if !self.world.step.is_multiple_of(every) {
                continue;
            }
            let all = self.values(&of.object, &of.var)?;
            let factor = of.unit.as_ref().map_or(Ok(1.0), |unit| parse_unit(unit).map(|of| of.factor)).map_err(Error::text)?;
            let values: Vec<f64> =
                of.indices.of(all.len() as u32).into_iter().map(|element| all[element as usize] / factor).collect();
            let sum = || values.iter().sum::<f64>();
            let row = match of.reduce {
                Some(Aggregate::Sum) => vec![sum()],
                Some(Aggregate::Mean) => vec![sum() / values.len() as f64],
                None => values,
            };
            self.rows[index].push((self.world.step, row));
        }
        Ok(())
    }
}
