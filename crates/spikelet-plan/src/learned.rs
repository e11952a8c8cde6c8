//! Checks that a file of learned weights belongs to the synapses of a plan.

use spikelet_network::{Error, SynapseState};
use spikelet_rows::{OwnNeurons, Rows};

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
fn pairs(first: u32, rows: &Rows) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
    let mut row = 0;
    rows.targets().enumerate().map(move |(edge, post)| {
        while rows.offsets[row + 1] <= edge as u64 {
            row += 1;
        }
        [first + row as u32, post]
    })
}
