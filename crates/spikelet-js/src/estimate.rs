//! The memory of a network before it is built, as a message.

use spikelet::cost::ExpectedMemory;
use spikelet::{BuildOptions, Error, Network};

use crate::protocol::{Buffer, Estimate, GpuEstimate, ProjectionEstimate};

/// The memory of a [valid](Network::validate) network whose files were read, with `available` bytes for it on the CPU, if they
/// are limited, and on a GPU.
///
/// # Errors
/// An error in the network, or it does not fit.
pub fn estimate(
    network: &Network,
    trials: u32,
    available: Option<u64>,
    on_gpu: &dyn Fn(&ExpectedMemory) -> Option<GpuEstimate>,
) -> Result<Estimate, Error> {
    let expected = ExpectedMemory::new(network, BuildOptions { memory: available, ..BuildOptions::default() })?;
    let (bytes, trial_bytes) = (expected.bytes_of(trials), expected.trial_bytes());
    let parallel = |available: u64| 1 + available.saturating_sub(expected.bytes()) / trial_bytes.max(1);
    Ok(Estimate {
        neurons: expected.number_of_neurons(),
        trials,
        bytes,
        trial_bytes,
        available_bytes: available,
        max_trials: available.map(|available| u32::try_from(parallel(available)).unwrap_or(u32::MAX)),
        buffers: buffers(expected.memory().into_iter().map(|(name, bytes)| (name.to_owned(), bytes))),
        gpu: on_gpu(&expected),
        sample_bytes_per_second: expected.samples_per_second() * f64::from(trials),
        projections: projections(&expected.estimate),
    })
}

/// As far as it is known of a network that has errors.
pub(crate) fn approximate(network: &Network, of: &spikelet::Estimate) -> Estimate {
    Estimate {
        neurons: network.neurons(),
        trials: 1,
        bytes: of.bytes,
        trial_bytes: of.trial_bytes,
        available_bytes: None,
        max_trials: None,
        buffers: Vec::new(),
        gpu: None,
        sample_bytes_per_second: 0.0,
        projections: projections(of),
    }
}

fn projections(of: &spikelet::Estimate) -> Vec<ProjectionEstimate> {
    let projection = |of: &spikelet::ProjectionEstimate| ProjectionEstimate {
        name: of.name.clone(),
        synapses: of.synapses,
        stored: of.stored,
        bytes: of.bytes,
    };
    of.projections.iter().map(projection).collect()
}

/// Those that are not empty.
pub(crate) fn buffers(all: impl IntoIterator<Item = (String, u64)>) -> Vec<Buffer> {
    all.into_iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| Buffer { name, bytes }).collect()
}
