//! How many synapses a network will have and what they take, before any is drawn.

use spikelet::{Connector, Network, Projection, Quantity, Rule, Storage};

/// What a network will be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) neurons: u64,
    /// In the order of the network's.
    pub(crate) projections: Vec<ProjectionEstimate>,
    pub(crate) bytes: u64,
}

/// What a projection will be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectionEstimate {
    /// Expected number; not a number where it cannot be told.
    pub(crate) synapses: f64,
    pub(crate) stored: bool,
    pub(crate) bytes: u64,
    /// Neurons that send, and that receive.
    pub(crate) ends: [u32; 2],
}

impl ProjectionEstimate {
    /// Synapses of each neuron that sends.
    pub(crate) fn outdegree(&self) -> f64 {
        self.synapses / f64::from(self.ends[0])
    }

    /// Synapses of each neuron that receives.
    pub(crate) fn indegree(&self) -> f64 {
        self.synapses / f64::from(self.ends[1])
    }
}

/// Estimates a network.
pub(crate) fn of(network: &Network) -> Estimate {
    let projections: Vec<ProjectionEstimate> = network.projections.iter().map(|of| projection(network, of)).collect();
    let bytes = projections.iter().map(|of| of.bytes).sum::<u64>() + 16 * network.neurons();
    Estimate { neurons: network.neurons(), projections, bytes }
}

fn projection(network: &Network, projection: &Projection) -> ProjectionEstimate {
    let size = |name: &str| {
        let population = network.population(name).map(|population| population.size);
        population.or_else(|| network.source(name).map(spikelet::Source::size)).unwrap_or(0)
    };
    let ends = [&projection.pre, &projection.post].map(|end| end.range(size(&end.population)).len() as u32);
    let [pre, post] = ends.map(f64::from);
    let synapses = match projection.rule() {
        Rule::Pairs(pairs) => pairs.len() as f64,
        Rule::Connector(connector) => match connector {
            Connector::All { condition: None, .. } => pre * post,
            Connector::OneToOne {} => pre,
            Connector::Bernoulli { p: Quantity::Number(p), condition: None, .. } => p * pre * post,
            Connector::FixedIndegree { n, .. } => f64::from(*n) * post,
            Connector::FixedOutdegree { n, .. } => f64::from(*n) * pre,
            Connector::FixedTotal { n, .. } | Connector::PowerLaw { n, .. } => *n as f64,
            Connector::SmallWorld { k, .. } => f64::from(*k) * pre,
            Connector::ScaleFree { n } => 2.0 * f64::from(*n) * pre,
            _ => f64::NAN,
        },
    };
    let capped = |cap: Option<u32>, ends: f64| cap.map_or(f64::INFINITY, |cap| f64::from(cap) * ends);
    let synapses = if synapses.is_nan() {
        synapses
    } else {
        synapses.min(capped(projection.max_outdegree, pre)).min(capped(projection.max_indegree, post))
    };
    let stored = projection.storage != Some(Storage::Procedural);
    let bytes = if stored { (4.0 * synapses) as u64 } else { 0 };
    ProjectionEstimate { synapses, stored, bytes, ends }
}
