//! The channels of a network's recordings.

use std::collections::HashMap;
use std::ops::Range;

use spikelet_lang::diagnostic::Span;
use spikelet_lang::program::Register;
use spikelet_lang::{Diagnostic, Dimension, Kind, syntax};
use spikelet_network::{Aggregate, Error, Indices, Network, Recording};

use super::sampling::{Channel, SampleSource, Sampling};
use crate::neurons::sources::LoweredNetwork;
use crate::{PartSummary, PopulationPlan, ProjectionPlan};

/// Names of an object that recordings use, each once.
pub(crate) fn observed(network: &Network, object: &str, is_subexpression: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for recording in network.recordings.iter().filter(|recording| recording.object == object) {
        if is_subexpression(&recording.var) && !names.contains(&recording.var) {
            names.push(recording.var.clone());
        }
    }
    names
}

/// The channels of all recordings, and what devices sample for them. `dimension` returns the dimension of a name of a population or projection.
pub(crate) fn channels(
    network: &LoweredNetwork<'_>,
    populations: &[PopulationPlan],
    projections: &[std::sync::Arc<ProjectionPlan>],
    dimension: &dyn Fn(&str, &str) -> Option<Dimension>,
    summary: &PartSummary,
) -> Result<(Vec<Channel>, Sampling), Error> {
    let (mut channels, mut sampling) = (Vec::new(), Sampling::default());
    for (index, recording) in network.recordings.iter().enumerate() {
        let path = format!("recordings[{index}]");
        let object = &recording.object;
        let measured = dimension(object, &recording.var).unwrap_or(Dimension::NONE);
        let factor = check_unit(recording.unit.as_deref(), &recording.var, measured, &path)?;
        let unit = recording.unit.clone().unwrap_or_else(|| measured.inner_unit());
        let every = recording.every_steps(network.dt_ms).unwrap_or(1);
        let mut add = |count: u64, sampled: &dyn Fn(u32) -> SampleSource| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            for element in recording.indices.of(count) {
                if element >= count {
                    let expected = format!("`{object}` has {count} of them, counted from 0");
                    return Err(Error::invalid(format!("{path}.indices"), element, expected, "use one of these"));
                }
                let label = format!("{object}.{}[{element}]", recording.var);
                let (sampled, column) = (sampled(element), sampling.columns.len());
                sampling.columns.push(sampled);
                let columns = column..column + 1;
                channels.push(Channel { label, unit: unit.clone(), factor, sampled, columns, divisor: 1, every });
            }
            Ok(())
        };
        let unknown = |known: Vec<&str>| Error::unknown_name(&format!("{path}.var"), "variable", &recording.var, known);
        if let Some(population) = populations.iter().position(|population| population.name == *object) {
            let plan = &populations[population];
            let names = || plan.program.variables.iter().map(String::as_str).filter(|name| !name.starts_with("__")).collect();
            let variable = plan.program.variable(&recording.var).ok_or_else(|| unknown(names()))?;
            let Some(reduction) = recording.reduce else {
                add(plan.size.into(), &|neuron| SampleSource::Neuron { population, variable, neuron })?;
                continue;
            };
            let (columns, neurons) = sampling.add_sums(population, variable, recording.indices.of(plan.size));
            let divisor = if reduction == Aggregate::Mean { neurons } else { 1 };
            let (label, sampled) = (reduced_label(recording, reduction), sampling.columns[columns.start]);
            channels.push(Channel { label, unit, factor, sampled, columns, divisor, every });
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
            let kept = summary.recorded_pairs(projection);
            let places: HashMap<u32, u32> = match is_whole {
                true => (0..).zip(rows.places()).collect(),
                false => {
                    let number =
                        |pair: u32| kept.as_ref().map_or(Some(pair), |kept| Some(kept.binary_search(&pair).ok()? as u32));
                    (0..).zip(&rows.pairs).filter_map(|(edge, pair)| Some((number(*pair)?, edge))).collect()
                }
            };
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
    sampling.every = channels.iter().map(|channel| channel.every).reduce(greatest_common_divisor).unwrap_or(1);
    Ok((channels, sampling))
}

/// `mean(E.v)`, `sum(E.I[0:100,200])`: lists are written as slices where neurons follow each other.
fn reduced_label(recording: &Recording, reduction: Aggregate) -> String {
    let Recording { object, var, indices, .. } = recording;
    let indices = match indices {
        Indices::All => return format!("{reduction}({object}.{var})"),
        Indices::Selected { condition, .. } => return format!("{reduction}({object}.{var}[{condition}])"),
        Indices::Slice(slice) => vec![slice.clone()],
        Indices::List(list) => {
            let mut list = list.clone();
            list.sort_unstable();
            list.dedup();
            let follows = |one: &u32, next: &u32| one + 1 == *next;
            list.chunk_by(follows).map(|slice| slice[0]..slice[0] + slice.len() as u32).collect()
        }
    };
    let slice = |slice: &Range<u32>| match slice.len() {
        1 => slice.start.to_string(),
        _ => format!("{}:{}", slice.start, slice.end),
    };
    format!("{reduction}({object}.{var}[{}])", indices.iter().map(slice).collect::<Vec<_>>().join(","))
}

/// The largest number that divides both.
pub fn greatest_common_divisor(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// One of the requested unit in inner units.
///
/// # Errors
/// The unit does not fit the variable.
pub(crate) fn check_unit(asked: Option<&str>, var: &str, measured: Dimension, path: &str) -> Result<f64, Error> {
    let Some(asked) = asked else { return Ok(1.0) };
    let found = syntax::parse_unit(asked).map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
    if found.dimension == measured {
        return Ok(found.factor);
    }
    let message = format!("`{asked}` is {}; `{}` is {measured}.", found.dimension, var);
    let whole = Span { start: 0, end: asked.len() };
    Err(Error::model(path, vec![Diagnostic::new(Kind::DimensionMismatch, "unit", asked, whole, message)]))
}
