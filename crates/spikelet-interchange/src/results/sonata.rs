//! Reports of SONATA (github.com/AllenInstitute/sonata, developer guide: "Reports"). Nothing is compressed: the wheel of libsonata cannot read that.

use spikelet_network::Error;

use super::{Results, Trace};
use crate::hdf5::{Array, Attribute, Group, Values};

/// The version of files, as the guide wants it.
const MAGIC: f64 = 0x0A7A as f64;

/// The root of a file, which says its version.
pub(crate) fn root() -> Group {
    let mut root = Group::default();
    root.set_attribute("magic", Attribute::Numbers(vec![MAGIC]));
    root.set_attribute("version", Attribute::Numbers(vec![0.0, 1.0]));
    root
}

fn text(text: &str) -> Attribute {
    Attribute::Texts(vec![text.to_owned()])
}

fn whole(values: impl Iterator<Item = u64>) -> Array {
    let values: Vec<u64> = values.collect();
    Array::new(vec![values.len()], Values::U64(values))
}

/// A file of spikes: `/spikes/<population>/{node_ids, timestamps}`, in the order of time. The attribute that says so is left out: older readers want a text
/// there and newer ones an enumeration.
///
/// # Errors
/// A population has a name that HDF5 cannot store.
pub fn sonata_spikes(results: &Results) -> Result<Vec<u8>, Error> {
    let mut root = root();
    for (index, (name, _)) in results.populations.iter().enumerate() {
        let own = || results.spikes.iter().filter(move |(population, _, _)| *population == index);
        let group = root.group("spikes").group(name);
        group.insert("node_ids", whole(own().map(|(_, neuron, _)| u64::from(*neuron))));
        let times: Vec<f64> = own().map(|(_, _, time)| *time).collect();
        let times = Array::new(vec![times.len()], Values::F64(times));
        group.insert("timestamps", times.with_attribute("units", text("ms")));
    }
    root.to_bytes()
}

/// A file of traces of neurons for each variable, with its name: `/report/<population>/{data, mapping}`. Means and sums are left out.
///
/// # Errors
/// As [`sonata_spikes`].
pub fn sonata_reports(results: &Results) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let of_neurons = |trace: &&Trace| {
        let object = trace.name.split('.').next();
        !trace.indices.is_empty() && results.populations.iter().any(|(name, _)| Some(name.as_str()) == object)
    };
    let file = |trace: &Trace| {
        let (population, variable) = trace.name.split_once('.').unwrap_or((&trace.name, ""));
        let (rows, columns) = (trace.rows(), trace.columns());
        let mut root = root();
        let group = root.group("report").group(population);
        let data = Array::new(vec![rows, columns], Values::F32(trace.values.clone()));
        group.insert("data", data.with_attribute("units", text(&trace.unit)).with_attribute("variable_name", text(variable)));
        let mapping = group.group("mapping");
        mapping.insert("node_ids", whole(trace.indices.iter().map(|index| u64::from(*index))));
        // A value for each neuron: point neurons have one compartment.
        mapping.insert("index_pointers", whole(0..columns as u64 + 1));
        mapping.insert("element_ids", whole(std::iter::repeat_n(0, columns)));
        let end_ms = trace.start_ms + rows as f64 * trace.interval_ms;
        let times = Array::new(vec![3], Values::F64(vec![trace.start_ms, end_ms, trace.interval_ms]));
        mapping.insert("time", times.with_attribute("units", text("ms")));
        Ok((trace.name.clone(), root.to_bytes()?))
    };
    results.traces.iter().filter(of_neurons).map(file).collect()
}
