//! The third neurons of synapses.

use std::sync::Arc;

use spikelet_lang::{Diagnostic, Dimension};
use spikelet_network::Error;

use crate::ThirdNeurons;
use crate::check::checked::CheckedProjection;
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::edges::KnownEdges;
use crate::values::draw_numbers::THIRD;
use crate::values::{Elements, NamedValues, Values};

impl ThirdNeurons {
    /// Those of drawn synapses.
    ///
    /// # Errors
    /// The index of a synapse is not that of a neuron of the population.
    pub(crate) fn new(
        network: &LoweredNetwork<'_>,
        index: usize,
        checked: &CheckedProjection,
        named: &NamedValues,
        edges: &KnownEdges<'_>,
    ) -> Result<Option<ThirdNeurons>, Error> {
        let (Some(population), Some(indices)) = (checked.third, indices(network, index, checked, named, edges)?) else {
            return Ok(None);
        };
        let of_synapse = |synapse: usize| {
            let [pre, post] = edges.neurons(synapse);
            neuron(network, index, population, indices.at(synapse), || format!("the synapse from {pre} to {post}"))
        };
        let neurons = (0..edges.count()).map(of_synapse).collect::<Result<_, _>>()?;
        Ok(Some(ThirdNeurons { population, neurons: Arc::new(neurons) }))
    }
}

/// Rejects an index of third neurons that is wrong for any synapse.
pub(crate) fn check(
    network: &LoweredNetwork<'_>,
    index: usize,
    checked: &CheckedProjection,
    named: &NamedValues,
    elements: &dyn Elements,
) -> Result<(), Error> {
    match (checked.third, indices(network, index, checked, named, elements)?) {
        (Some(population), Some(Values::Uniform(value))) => {
            neuron(network, index, population, value, || "every synapse".into()).map(|_| ())
        }
        _ => Ok(()),
    }
}

/// The index of the third neuron of each synapse, if there are any.
fn indices(
    network: &LoweredNetwork<'_>,
    index: usize,
    checked: &CheckedProjection,
    named: &NamedValues,
    elements: &dyn Elements,
) -> Result<Option<Values>, Error> {
    let Some(third) = network.projections[index].third.as_ref().filter(|_| checked.third.is_some()) else { return Ok(None) };
    let Some(quantity) = &third.index else { return Ok(Some(Values::Uniform(0.0))) };
    let mut named = named.clone();
    named.set("index", quantity, Some(Dimension::NONE), elements, checked.draws.of(THIRD)).map_err(|diagnostic| {
        let diagnostic = Diagnostic { place: "index".to_owned(), ..diagnostic };
        Error::model(&format!("projections[{index}].third"), vec![diagnostic])
    })?;
    Ok(named.0.swap_remove("index").map(|(_, values)| values))
}

/// An index as a neuron of the population; `synapses` says whose third neuron it is.
fn neuron(
    network: &LoweredNetwork<'_>,
    index: usize,
    population: usize,
    found: f64,
    synapses: impl Fn() -> String,
) -> Result<u32, Error> {
    let of_what = || (format!("projections[{index}].third.index"), format!("it is the third neuron of {}", synapses()));
    network.neuron_at(population, found, of_what, "j//10")
}
