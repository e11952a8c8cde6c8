//! The third neuron of a synapse.

use serde::{Deserialize, Serialize};

use super::validate::check_quantity;
use super::{Network, Projection, Quantity, Storage};
use crate::Error;

/// The third neuron of each synapse of a projection, such as the astrocyte that wraps it: synapses read its values and receive its spikes, and
/// contribute to its summed variables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Third {
    /// The population or source of the third neurons; it may also be presynaptic or postsynaptic.
    pub population: String,
    /// For each synapse the index of its third neuron: an expression of the pair, such as `"j//10"`, a list in the order of `pairs`, or one index
    /// for all. It is evaluated once, before the run. Default: the only neuron of the population.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Quantity>,
}

impl Network {
    /// The first error in the third neurons of a projection with this number of listed synapses.
    pub(super) fn check_third(&self, path: &str, projection: &Projection, synapses: Option<(usize, &str)>) -> Result<(), Error> {
        let Some(third) = &projection.third else {
            let of_third = [("on_third", projection.on_third.is_some()), ("delay_third_ms", projection.delay_third_ms.is_some())];
            return match of_third.iter().find(|(_, is_given)| *is_given) {
                Some((key, _)) => {
                    let expected = "these synapses have no third neuron";
                    let way_out =
                        "add one, such as \"third\": {\"population\": \"astrocytes\", \"index\": \"j//10\"}, or remove it";
                    Err(Error::invalid(format!("{path}.{key}"), "given", expected, way_out))
                }
                None => Ok(()),
            };
        };
        let at = |key: &str| format!("{path}.third{key}");
        let population = self.population(&third.population).map(|of| of.size);
        let size = match population.or_else(|| self.source(&third.population).map(super::Source::size)) {
            Some(0) if population.is_none() => {
                let expected = "a poisson_input has no neurons";
                return Err(Error::invalid(at(".population"), format!("{:?}", third.population), expected, "name a population"));
            }
            Some(size) => size,
            None => {
                let populations = self.populations.iter().map(|of| of.name.as_str());
                let sources = self.sources.iter().filter(|of| of.size() > 0).map(|of| of.name.as_str());
                let known = populations.chain(sources);
                return Err(Error::unknown_name(&at(".population"), "population or source", &third.population, known));
            }
        };
        match &third.index {
            Some(index) => check_quantity(at(".index"), index, synapses)?,
            None if size <= 1 => {}
            None => {
                let found = format!("one of {size} neurons of `{}`", third.population);
                let expected = "without an `index` the population must have a single neuron";
                return Err(Error::invalid(at(""), found, expected, "add one, such as \"index\": \"j//10\""));
            }
        }
        if projection.storage == Some(Storage::Procedural) {
            let expected = "its synapses have a third neuron, which is stored";
            return Err(Error::invalid(format!("{path}.storage"), "\"procedural\"", expected, "use \"stored\", or remove it"));
        }
        if projection.delay_third_ms.is_some() && projection.on_third.is_none() {
            let expected = "it is a delay of `on_third`, which is not set";
            return Err(Error::invalid(format!("{path}.delay_third_ms"), "given", expected, "add `on_third`, or remove it"));
        }
        Ok(())
    }
}
