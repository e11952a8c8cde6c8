//! Rows that are drawn at every spike.

use std::sync::Arc;

use spikelet::lang::ValueCode;
use spikelet::{Law, PerSynapse, Port, ProjectionPlan};

/// How rows are drawn, and what their synapses do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DrawnRows {
    pub(crate) law: DrawnLaw,
    pub(crate) pathways: Vec<DrawnPathway>,
}

/// Which posts a neuron has: a [`Law`] without its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DrawnLaw {
    All,
    Bernoulli,
    Fixed { multapses: bool },
    Footprint,
}

/// A pathway.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DrawnPathway {
    /// The delay, where it is drawn.
    pub(crate) delay: Option<Arc<ValueCode>>,
    /// What it adds to.
    pub(crate) weights: Vec<DrawnWeight>,
}

/// What is added to a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DrawnWeight {
    /// The same for all synapses.
    Shared,
    /// What a code says; of that, where a port takes the rest of another, what the other leaves over.
    Drawn { code: Arc<ValueCode>, rest: bool },
}

impl DrawnRows {
    /// Those of a projection onto a population with these ports.
    pub(crate) fn of(projection: &ProjectionPlan, ports: &[Port]) -> DrawnRows {
        let law = match projection.recipe().map(|recipe| &recipe.law) {
            Some(Law::All) | None => DrawnLaw::All,
            Some(Law::Bernoulli { .. }) => DrawnLaw::Bernoulli,
            Some(Law::Fixed { multapses, .. }) => DrawnLaw::Fixed { multapses: *multapses },
            Some(Law::Footprint(_)) => DrawnLaw::Footprint,
        };
        let pathways = projection.pathways.iter().map(|pathway| {
            let weights = pathway.writes.iter().map(|write| match &write.weights {
                PerSynapse::Drawn(drawn) => DrawnWeight::Drawn { code: drawn.code.clone(), rest: ports[write.port].rest },
                _ => DrawnWeight::Shared,
            });
            let delay = if let PerSynapse::Drawn(drawn) = &pathway.delay { Some(drawn.code.clone()) } else { None };
            DrawnPathway { delay, weights: weights.collect() }
        });
        DrawnRows { law, pathways: pathways.collect() }
    }
}
