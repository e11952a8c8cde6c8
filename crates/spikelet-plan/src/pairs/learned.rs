//! Learned weights of files: they replace initial values, if they belong to the synapses.

use spikelet_lang::SynapseModel;
use spikelet_lang::model::Role;
use spikelet_network::{Error, Projection, SynapseState, SynapseStateFile};
use spikelet_rows::{OwnNeurons, Rows};

use crate::values::{NamedValues, Values};

/// Rejects a file for synapses that cannot use it.
pub(crate) fn check(projection: &Projection, model: &SynapseModel, path: &str) -> Result<(), Error> {
    let Some(SynapseStateFile { file, .. }) = &projection.learned else { return Ok(()) };
    let (place, found) = (format!("{path}.learned"), format!("{file:?}"));
    if model.is_static() {
        let expected = "its synapses have no state: the effect of an event is constant";
        return Err(Error::invalid(place, found, expected, "remove it, or list pairs and values in a file of `pairs`"));
    }
    let known = || model.variables.iter().filter(|variable| variable.role != Role::Local).map(|variable| variable.name.as_str());
    let learned = projection.learned.as_ref().and_then(SynapseStateFile::learned);
    match learned.into_iter().flat_map(|learned| learned.variables.keys()).find(|name| !known().any(|known| known == *name)) {
        Some(name) => Err(Error::unknown_name(&format!("{place}: {file}"), "variable", name, known())),
        None => Ok(()),
    }
}

/// Replaces values by those of a file, if it belongs to these synapses.
pub(crate) fn load_values(
    projection: &Projection,
    model: &SynapseModel,
    first: u32,
    (rows, own): (&Rows, &OwnNeurons),
    named: &mut NamedValues,
) -> Result<(), Error> {
    let Some(SynapseStateFile { file, .. }) = &projection.learned else { return Ok(()) };
    let Some(learned) = projection.learned.as_ref().and_then(SynapseStateFile::learned) else { return Ok(()) };
    check_same(learned, file, first, (rows, own))?;
    let is_own = |synapse: &usize| own.len() == own.size() || own.contains(learned.pairs[*synapse][1]);
    let synapses: Vec<usize> = (0..learned.pairs.len()).filter(is_own).collect();
    for (name, values) in &learned.variables {
        if let Some(variable) = model.variable(name) {
            let values = Values::Each(synapses.iter().map(|synapse| f64::from(values[*synapse])).collect());
            named.0.insert(name.clone(), (model.variables[variable].dimension, values));
        }
    }
    Ok(())
}

/// Rejects synapses of another network: those of `learned` onto `own` neurons must be those of `rows`, the first row being that of
/// presynaptic neuron `first`.
pub fn check_same(learned: &SynapseState, file: &str, first: u32, (rows, own): (&Rows, &OwnNeurons)) -> Result<(), Error> {
    let way_out = "use a file of this network with the same seed, sizes and rules";
    let here = pairs(first, rows).map(|[pre, place]| [pre, own.neuron(place)]);
    let of_own = || learned.pairs.iter().enumerate().filter(|(_, [_, post])| own.len() == own.size() || own.contains(*post));
    for ((synapse, [pre, post]), [pre_here, post_here]) in of_own().zip(here) {
        if (*pre, *post) != (pre_here, post_here) {
            let (place, found) =
                (format!("{file}: synapse {synapse} of {}", learned.projection), format!("from {pre} to {post}"));
            let expected = format!("in this network it goes from neuron {pre_here} to {post_here}");
            return Err(Error::invalid(place, found, expected, way_out));
        }
    }
    let found = of_own().count();
    if found == rows.len() {
        return Ok(());
    }
    let (place, found) = (format!("{file}: {}", learned.projection), format!("of {found} synapses"));
    Err(Error::invalid(place, found, format!("in this network it has {}", rows.len()), way_out))
}

/// The neurons of the edges of rows, the first row being that of neuron `first`.
pub(crate) fn pairs(first: u32, rows: &Rows) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
    let mut row = 0;
    rows.targets().enumerate().map(move |(edge, post)| {
        while rows.offsets[row + 1] <= edge as u64 {
            row += 1;
        }
        [first + row as u32, post]
    })
}
