//! Procedural rows.

use std::sync::Arc;

use spikelet::{PerSynapse, Port, ProjectionPlan, RowDistribution};
use spikelet_kernel::ValueCode;

/// The law of the rows, and the effect of their synapses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProceduralKernel {
    pub(crate) distribution: ProceduralDistribution,
    pub(crate) pathways: Vec<ProceduralPathway>,
}

/// The distribution of targets: a [`RowDistribution`] without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ProceduralDistribution {
    All,
    Bernoulli,
    Fixed { multapses: bool },
    Footprint,
}

/// A pathway.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ProceduralPathway {
    /// The delay, if it is drawn.
    pub(crate) delay: Option<Arc<ValueCode>>,
    /// Its writes.
    pub(crate) weights: Vec<ProceduralWeight>,
}

/// The increment of a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProceduralWeight {
    /// The same for all synapses.
    Shared,
    /// A computed value; for a port of remainders, the remainder of the previous port.
    Drawn { code: Arc<ValueCode>, rest: bool },
}

impl ProceduralKernel {
    /// Those of a projection onto a population with these ports.
    pub(crate) fn of(projection: &ProjectionPlan, ports: &[Port]) -> ProceduralKernel {
        let distribution = match projection.procedural().map(|procedural| &procedural.distribution) {
            Some(RowDistribution::All) | None => ProceduralDistribution::All,
            Some(RowDistribution::Bernoulli { .. }) => ProceduralDistribution::Bernoulli,
            Some(RowDistribution::Fixed { multapses, .. }) => ProceduralDistribution::Fixed { multapses: *multapses },
            Some(RowDistribution::Footprint(_)) => ProceduralDistribution::Footprint,
        };
        let pathways = projection.pathways.iter().map(|pathway| {
            let weights = pathway.writes.iter().map(|write| match &write.weights {
                PerSynapse::Drawn(drawn) => ProceduralWeight::Drawn { code: drawn.code.clone(), rest: ports[write.port].rest },
                _ => ProceduralWeight::Shared,
            });
            let delay = if let PerSynapse::Drawn(drawn) = &pathway.delay { Some(drawn.code.clone()) } else { None };
            ProceduralPathway { delay, weights: weights.collect() }
        });
        ProceduralKernel { distribution, pathways: pathways.collect() }
    }
}
