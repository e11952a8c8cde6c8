//! The channels of a network's recordings.

use std::collections::HashMap;

use spikelet_lang::diagnostic::Span;
use spikelet_lang::program::Register;
use spikelet_lang::{Diagnostic, Dimension, Kind, syntax};

use super::sources::LoweredNetwork;
use super::{PartSummary, PopulationPlan, ProjectionPlan};
use crate::{Error, Network};

/// The source of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleSource {
    /// An array of a population.
    Neuron {
        /// Index of the population.
        population: usize,
        /// Index of the array in its program.
        variable: usize,
        /// Index of the neuron in the population.
        neuron: u32,
    },
    /// An array of a projection with synaptic state.
    Synapse {
        /// Index of the projection.
        projection: usize,
        /// Index of the array in [`StatePlan::arrays`](super::StatePlan::arrays).
        array: usize,
        /// Index of the synapse in the order of the rows; `None` if it belongs to another rank.
        synapse: Option<u32>,
    },
}

/// A value that is sampled in every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// `E.v[3]`
    pub label: String,
    /// Unit of the samples of a [`Simulation`](crate::Simulation).
    pub unit: String,
    /// One of that unit in inner units, which backends use.
    pub factor: f64,
    /// The source of the values.
    pub sampled: SampleSource,
}

/// Names of an object that recordings use, each once.
pub(super) fn observed(network: &Network, object: &str, is_subexpression: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for recording in network.recordings.iter().filter(|recording| recording.object == object) {
        if is_subexpression(&recording.var) && !names.contains(&recording.var) {
            names.push(recording.var.clone());
        }
    }
    names
}

/// The channels of all recordings. `dimension` returns the dimension of a name of a population or projection.
pub(super) fn channels(
    network: &LoweredNetwork<'_>,
    populations: &[PopulationPlan],
    projections: &[std::sync::Arc<ProjectionPlan>],
    dimension: &dyn Fn(&str, &str) -> Option<Dimension>,
    summary: &PartSummary,
) -> Result<Vec<Channel>, Error> {
    let mut channels = Vec::new();
    for (index, recording) in network.recordings.iter().enumerate() {
        let path = format!("recordings[{index}]");
        let object = &recording.object;
        let measured = dimension(object, &recording.var).unwrap_or(Dimension::NONE);
        let factor = check_unit(recording.unit.as_deref(), &recording.var, measured, &path)?;
        let unit = recording.unit.clone().unwrap_or_else(|| measured.inner_unit());
        let mut add = |count: u64, sampled: &dyn Fn(u32) -> SampleSource| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            for element in recording.indices.of(count) {
                if element >= count {
                    let expected = format!("`{object}` has {count} of them, counted from 0");
                    return Err(Error::invalid(format!("{path}.indices"), element, expected, "use one of these"));
                }
                let label = format!("{object}.{}[{element}]", recording.var);
                channels.push(Channel { label, unit: unit.clone(), factor, sampled: sampled(element) });
            }
            Ok(())
        };
        let unknown = |known: Vec<&str>| Error::unknown_name(&format!("{path}.var"), "variable", &recording.var, known);
        if let Some(population) = populations.iter().position(|population| population.name == *object) {
            let plan = &populations[population];
            let names = || plan.program.variables.iter().map(String::as_str).filter(|name| !name.starts_with("__")).collect();
            let variable = plan.program.variable(&recording.var).ok_or_else(|| unknown(names()))?;
            add(plan.size.into(), &|neuron| SampleSource::Neuron { population, variable, neuron })?;
        } else if let Some(projection) = projections.iter().position(|projection| projection.name == *object) {
            let plan = &projections[projection];
            let Some(state) = &plan.state else {
                let expected = "its synapses have no state: the effect of an event is constant";
                return Err(Error::invalid(format!("{path}.object"), object, expected, "record a neuron, or remove it"));
            };
            let names = state.arrays.iter().filter_map(|array| match &state.program.registers[array.register] {
                Register::Own(name) if !name.starts_with("__") => Some(name.as_str()),
                _ => None,
            });
            let array = state.array(&recording.var).ok_or_else(|| unknown(names.collect()))?;
            let (rows, is_whole) = (plan.rows(), network.part.is_whole());
            let places: HashMap<u32, u32> = (0..).zip(&rows.pairs).map(|(edge, pair)| (*pair, edge)).collect();
            let is_listed = network.projections[projection].pairs.is_some();
            let of_row = |element: u32| {
                let (row, post, copy) = summary.recorded(projection, plan.pre_slice.start, element)?;
                let place = network.part.own(plan.post).place(post)?;
                Some((rows.first_from(rows.row(row), place) + copy) as u32)
            };
            let source = |element: u32| {
                let synapse = match (is_listed, is_whole) {
                    (true, _) => places.get(&element).copied(),
                    (false, true) => Some(element),
                    (false, false) => of_row(element),
                };
                SampleSource::Synapse { projection, array, synapse }
            };
            add(plan.synapses(), &source)?;
        } else {
            let known = populations.iter().map(|population| population.name.as_str());
            let known = known.chain(projections.iter().map(|projection| projection.name.as_str()));
            return Err(Error::unknown_name(&format!("{path}.object"), "population or projection", object, known));
        }
    }
    Ok(channels)
}

/// One of the requested unit in inner units.
///
/// # Errors
/// The unit does not fit the variable.
pub(super) fn check_unit(asked: Option<&str>, var: &str, measured: Dimension, path: &str) -> Result<f64, Error> {
    let Some(asked) = asked else { return Ok(1.0) };
    let found = syntax::parse_unit(asked).map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
    if found.dimension == measured {
        return Ok(found.factor);
    }
    let message = format!("`{asked}` is {}; `{}` is {measured}.", found.dimension, var);
    let whole = Span { start: 0, end: asked.len() };
    Err(Error::model(path, vec![Diagnostic::new(Kind::DimensionMismatch, "unit", asked, whole, message)]))
}
