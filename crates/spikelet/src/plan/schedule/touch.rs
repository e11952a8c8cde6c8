//! What a phase reads and writes.

use spikelet_lang::End;
use spikelet_lang::ir::Code;

use crate::plan::{ArrayId, Origin, Owner, Plan, ProjectionPlan, StatePlan};

/// What phases pass on to each other: an entry of the [table of arrays](crate::Arrays), or what nobody keeps beyond an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// An array that the device keeps.
    Array(ArrayId),
    /// Which neurons of a population have met their threshold in this step.
    Crossings(usize),
    /// The spikes of a population, of this step and of those before that have not arrived everywhere.
    Spikes(usize),
    /// What the channels of a population have recorded.
    Samples(usize),
    /// What those of a projection have.
    SynapseSamples(usize),
}

/// Whose words of an array a phase touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whose {
    /// Those of the neuron itself, or of the synapses onto it.
    Own,
    /// Those of the presynaptic neurons of its synapses.
    Pre,
}

/// That a phase touches something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// What.
    pub what: Touched,
    /// Whose words of it.
    pub whose: Whose,
}

/// How far a phase looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// At the neuron and the synapses onto it.
    Neuron,
    /// At other neurons of its population, too.
    Population,
    /// At neurons of any population.
    Network,
}

impl Touch {
    pub(super) fn own(what: Touched) -> Touch {
        Touch { what, whose: Whose::Own }
    }

    /// How far neurons of the population `home`, or synapses onto them, look for it.
    pub fn scope(self, plan: &Plan, home: usize) -> Scope {
        match self.whose {
            Whose::Own => Scope::Neuron,
            Whose::Pre if self.what.population(plan) == Some(home) => Scope::Population,
            Whose::Pre => Scope::Network,
        }
    }
}

impl Touched {
    /// The population whose neurons have it, one word each.
    pub fn population(self, plan: &Plan) -> Option<usize> {
        match self {
            Touched::Array(array) => match plan.arrays()[array].owner {
                Owner::Neurons { population } | Owner::Lanes { population } => Some(population),
                _ => None,
            },
            Touched::Crossings(population) | Touched::Spikes(population) | Touched::Samples(population) => Some(population),
            Touched::SynapseSamples(_) => None,
        }
    }
}

/// The touch of the array at a place among those of an owner, by whoever has it.
pub(super) fn own(plan: &Plan, owner: Owner, index: usize) -> Option<Touch> {
    plan.arrays().of(owner, index).map(|array| Touch::own(Touched::Array(array)))
}

pub(super) fn variable(plan: &Plan, population: usize, index: usize) -> Option<Touch> {
    own(plan, Owner::Neurons { population }, index)
}

/// The step of each neuron's last spike.
pub(super) fn last_spikes(plan: &Plan, population: usize) -> Option<Touch> {
    variable(plan, population, plan.populations[population].program.variables.len())
}

/// What is under way to a port.
pub(super) fn ring(plan: &Plan, population: usize, port: usize) -> Option<Touch> {
    own(plan, Owner::Lanes { population }, port)
}

/// The spikes of the neurons at one end.
pub(super) fn spikes(of: &ProjectionPlan, end: End) -> Touch {
    let what = Touched::Spikes(of.population(end));
    match end {
        End::Pre => Touch { what, whose: Whose::Pre },
        End::Post => Touch::own(what),
    }
}

pub(super) fn of_neurons(plan: &Plan, population: usize, code: &Code, reads: &mut Vec<Touch>, writes: &mut Vec<Touch>) {
    for array in 0..plan.populations[population].program.variables.len() {
        let touch = variable(plan, population, array);
        reads.extend(touch.filter(|_| code.touches(array)));
        writes.extend(touch.filter(|_| code.stores_to(array)));
    }
}

pub(super) fn of_synapses(
    plan: &Plan,
    projection: usize,
    code: impl FnOnce(&StatePlan) -> &Code,
    reads: &mut Vec<Touch>,
    writes: &mut Vec<Touch>,
) {
    let of = &plan.projections[projection];
    let Some(state) = &of.state else { return };
    let code = code(state);
    for (lane, origin) in state.lanes.iter().enumerate().filter(|(lane, _)| code.touches(*lane)) {
        let touch = match *origin {
            Origin::Own(array) => own(plan, Owner::Synapses { projection }, array),
            // Whoever has synapses follows the traces of the neurons at both their ends itself.
            Origin::Trace(trace) => own(plan, Owner::Traces { projection, end: state.traces[trace].end }, trace),
            Origin::Pre(array) => variable(plan, of.pre, array).map(|touch| Touch { whose: Whose::Pre, ..touch }),
            Origin::Post(array) => variable(plan, of.post, array),
            Origin::PostSinceSpike => last_spikes(plan, of.post),
            Origin::PreIndex | Origin::PostIndex | Origin::Output => None,
        };
        reads.extend(touch);
        let is_stored = code.stores_to(lane) && matches!(origin, Origin::Own(_) | Origin::Trace(_));
        writes.extend(touch.filter(|_| is_stored));
    }
}
