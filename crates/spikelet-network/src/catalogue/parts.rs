//! Building blocks of the networks of the catalogue.

use indexmap::IndexMap;
use spikelet_lang::library::{self, extended, library};

use crate::network::{Network, Recording, Statistic};
use crate::{Connector, Endpoint, Error, Population, Projection, Quantity, Source, SourceKind};

/// Names and values as written in a file.
pub(super) type Values<'a> = &'a [(&'a str, &'a str)];

/// `size` neurons at scale 1, scaled.
pub(super) fn scaled(size: u32, scale: f64) -> Result<u32, Error> {
    let neurons = libm::round(f64::from(size) * scale);
    // Twice the scale for the other populations, which are smaller.
    if (1.0..f64::from(u32::MAX / 2)).contains(&neurons) {
        return Ok(neurons as u32);
    }
    let expected = format!("it multiplies {size} neurons, and the result must be from 1 to {}", u32::MAX / 2);
    Err(Error::invalid("scale", scale, expected, "write 1, or 10 for ten times as many"))
}

/// `synapses` at scale 1, times a factor; [`scaled`] has checked the factor of the neurons.
pub(super) fn scaled_synapses(synapses: f64, factor: f64) -> u64 {
    libm::round(synapses * factor) as u64
}

/// Plain numbers as numbers, others as text.
pub(super) fn values(values: Values<'_>) -> IndexMap<String, Quantity> {
    let value = |text: &str| text.parse().map_or_else(|_| text.into(), Quantity::Number);
    values.iter().map(|&(key, text)| (key.to_owned(), value(text))).collect()
}

/// All as expressions.
pub(super) fn expressions(values: Values<'_>) -> IndexMap<String, Quantity> {
    values.iter().map(|&(key, text)| (key.to_owned(), Quantity::expr(text))).collect()
}

/// Neurons of a library model.
pub(super) fn population(name: &str, size: u32, model: &str, parameters: Values<'_>, initial: Values<'_>) -> Population {
    Population {
        name: name.to_owned(),
        size,
        model: Some(model.to_owned()),
        parameters: values(parameters),
        initial: expressions(initial),
        ..Population::default()
    }
}

/// Adds the lines to a population that a synapse model needs in its targets, with their values. Existing lines of the population are kept;
/// `line` replaces a line of the synapse model or is added.
pub(super) fn target_of(synapse: &str, line: &str, mut cells: Population) -> Result<Population, Error> {
    let model = library(synapse).map_err(|_| Error::unknown_name("", "synapse model", synapse, library::names()))?;
    for (name, parameter) in model.post_parameters() {
        cells.parameters.entry(name.to_owned()).or_insert_with(|| parameter.default.as_str().into());
    }
    cells.equations = Some(extended(model.post().unwrap_or_default(), line));
    Ok(cells)
}

/// Synapses of the library, named after their type.
pub(super) fn synapses(name: &str, pre: &str, post: &str, connect: Connector, model: &str) -> Projection {
    Projection {
        name: name.to_owned(),
        pre: Endpoint::whole(pre),
        post: Endpoint::whole(post),
        connect: Some(connect),
        model: Some(model.to_owned()),
        ..Projection::default()
    }
}

/// Synapses that add to the postsynaptic neuron, named after both populations.
pub(super) fn projection(pre: &str, post: &str, connect: Connector, on_pre: impl Into<String>) -> Projection {
    Projection {
        name: format!("{pre}_{post}"),
        pre: Endpoint::whole(pre),
        post: Endpoint::whole(post),
        connect: Some(connect),
        on_pre: Some(on_pre.into().into()),
        ..Projection::default()
    }
}

/// Neurons `start` to `end`, `end` not included.
pub(super) fn slice(population: &str, start: u32, end: u32) -> Endpoint {
    Endpoint { start: Some(start), end: Some(end), ..Endpoint::whole(population) }
}

/// `n` Poisson processes for each neuron of a population.
pub(super) fn poisson_input(target: &str, var: &str, n: u32, rate: impl Into<Quantity>, weight: impl Into<Quantity>) -> Source {
    let (targets, var) = (vec![Endpoint::whole(target)], var.to_owned());
    let kind = SourceKind::PoissonInput { targets, var, n, rate: rate.into(), weight: weight.into() };
    Source { name: format!("{target}_background"), kind }
}

/// The weights of some synapses.
pub(super) fn weights(projection: &str, indices: &[u32]) -> Recording {
    Recording { object: projection.to_owned(), var: "w".to_owned(), indices: indices.to_vec().into(), ..Recording::default() }
}

/// Statistics of the weights of a projection, ten times per second.
pub(super) fn spread(projection: &str, range: [&str; 2]) -> Vec<Statistic> {
    vec![Statistic {
        object: projection.to_owned(),
        var: "w".to_owned(),
        every_ms: 100.0,
        range: Some(range.map(Quantity::from)),
        bins: None,
        unit: None,
    }]
}

/// The membrane potentials of some neurons.
pub(super) fn potentials(population: &str, indices: &[u32], unit: &str) -> Recording {
    Recording {
        object: population.to_owned(),
        var: "v".to_owned(),
        indices: indices.to_vec().into(),
        unit: Some(unit.to_owned()),
        ..Recording::default()
    }
}

/// The first two neurons of E and the first of I.
pub(super) fn of_both(unit: &str) -> Vec<Recording> {
    vec![potentials("E", &[0, 1], unit), potentials("I", &[0], unit)]
}

/// Steps of 0.1 ms, 1 s.
pub(super) fn assembled(populations: Vec<Population>, projections: Vec<Projection>, recordings: Vec<Recording>) -> Network {
    Network { populations, projections, recordings, ..Network::default() }
}
