//! The synapses of a plan, as files of learned weights list them.

use crate::pairs::learned::pairs;
use crate::{Plan, ProjectionPlan};

/// The neurons of all synapses of a projection, postsynaptic ones by their places.
pub fn pairs_of(projection: &ProjectionPlan) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
    pairs(projection.pre_slice.start, projection.rows())
}

/// The synapses of a projection in the order of all rows of the whole network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SynapseList {
    /// The pre- and postsynaptic neuron of each.
    pub ends: Vec<[u32; 2]>,
    /// If they are a list of pairs, the synapses in the order of the list, without pairs that a cap has dropped; empty for rules.
    pub places: Vec<u32>,
}

impl SynapseList {
    /// The synapses of a plan that is not divided.
    pub(crate) fn of(plan: &Plan, projection: usize) -> SynapseList {
        let of = &plan.projections[projection];
        SynapseList { ends: pairs_of(of).collect(), places: of.rows().places() }
    }
}
