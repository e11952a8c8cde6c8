//! Why a network is not written.

use thiserror::Error;

/// Why a network is not written for a simulator.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The network is not valid, or cannot be built.
    #[error(transparent)]
    Network(#[from] spikelet::Error),
    /// The network has what the simulator lacks.
    #[error("{network} cannot be written for {tool}: it does not have {lack}; change the network")]
    Lacks {
        /// The network.
        network: String,
        /// The simulator.
        tool: &'static str,
        /// What is lacking, and which object has it.
        lack: String,
    },
    /// The format has no word for it.
    #[error("{network} cannot be written as {format}: {error}")]
    Refused {
        /// The network.
        network: String,
        /// The format.
        format: &'static str,
        /// What it has no word for, with its place and the way out.
        error: spikelet::Error,
    },
    /// The archive of values cannot be written.
    #[error("the values cannot be written: {0}; use a smaller network")]
    Values(#[from] std::io::Error),
}

impl ExportError {
    pub(crate) fn refused(network: &spikelet::Network, format: &'static str, error: spikelet::Error) -> ExportError {
        ExportError::Refused { network: network.name.clone(), format, error }
    }
}
