//! What is measured: cases of the catalogue, and networks of files.

use spikelet::catalogue::Case;
use spikelet::{BuildOptions, Network};

use crate::args::BenchArguments;
use crate::failure::Failure;
use crate::source;

/// The size in the name of a network of a file.
const FILE: &str = "file";

/// Maximum biological time of the comparison for a network of a file, in ms.
const COMPARED_MS: f64 = 100.0;

/// A network to measure.
pub(super) struct Target {
    kind: Kind,
    /// Biological time of the warm-up, whose spikes are compared, in ms.
    pub(super) compared_ms: f64,
}

enum Kind {
    Case(Case),
    File(Box<Network>),
}

impl Target {
    /// A case of the catalogue.
    pub(super) fn case(case: Case, args: &BenchArguments) -> Target {
        Target { compared_ms: args.time.unwrap_or(case.compared_ms), kind: Kind::Case(case) }
    }

    /// The network of a file.
    ///
    /// # Errors
    /// All errors in it.
    pub(super) fn file(path: &str, args: &BenchArguments) -> Result<Target, Failure> {
        let network = source::checked(path, BuildOptions::default())?;
        let compared_ms = args.time.unwrap_or(network.duration_ms.min(COMPARED_MS));
        Ok(Target { kind: Kind::File(Box::new(network)), compared_ms })
    }

    /// Network and size, as in `cuba/published`.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.network_name(), self.size())
    }

    /// The name of the network.
    pub(super) fn network_name(&self) -> &str {
        match &self.kind {
            Kind::Case(case) => case.network,
            Kind::File(network) => &network.name,
        }
    }

    /// Its size, or `file`.
    pub(super) fn size(&self) -> &str {
        match &self.kind {
            Kind::Case(case) => &case.size,
            Kind::File(_) => FILE,
        }
    }

    /// The network.
    pub(super) fn network(&self) -> Result<Network, Failure> {
        match &self.kind {
            Kind::Case(case) => Ok(case.network()?),
            Kind::File(network) => Ok((**network).clone()),
        }
    }
}
