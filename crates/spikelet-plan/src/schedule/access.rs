//! Reads and writes of phases.

use spikelet_lang::End;
use spikelet_lang::ir::Code;

use crate::{ArrayId, Owner, Plan, ProjectionPlan, RegisterSource, StatePlan};

/// Data between phases: an entry of the [table of arrays](crate::Arrays), or data that exist only within an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// An array of the device.
    Array(ArrayId),
    /// Which neurons of a population are above threshold in this step; after [`PhaseKind::Select`](super::PhaseKind::Select), which fire.
    Crossings(usize),
    /// The spikes of a population, of this step and of earlier ones that have not arrived everywhere.
    Spikes(usize),
    /// The samples of a population.
    Samples(usize),
    /// The samples of a projection.
    SynapseSamples(usize),
}

/// Of which neurons a phase uses the words of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessRange {
    /// Those of the neuron itself, or of the synapses onto it.
    Own,
    /// Those of the presynaptic neurons of its synapses.
    Pre,
    /// Those of the third neurons of its synapses.
    Third,
    /// Those of all neurons of the population.
    Population,
}

impl AccessRange {
    /// Of one of the neurons of synapses, which belong to their postsynaptic neuron.
    pub(super) fn of(end: End) -> AccessRange {
        match end {
            End::Pre => AccessRange::Pre,
            End::Post => AccessRange::Own,
            End::Third => AccessRange::Third,
        }
    }
}

/// An access of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// The data.
    pub resource: Resource,
    /// The neurons.
    pub range: AccessRange,
}

/// The scope of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The neuron and the synapses onto it.
    Neuron,
    /// Also other neurons of its population.
    Population,
    /// Neurons of any population.
    Network,
}

impl Access {
    pub(super) fn own(what: Resource) -> Access {
        Access { resource: what, range: AccessRange::Own }
    }

    /// The scope of this access for neurons of the population `home`, or synapses onto them.
    pub fn scope(self, plan: &Plan, home: usize) -> Scope {
        match self.range {
            AccessRange::Own => Scope::Neuron,
            AccessRange::Pre | AccessRange::Third if self.resource.population(plan) == Some(home) => Scope::Population,
            AccessRange::Pre | AccessRange::Third => Scope::Network,
            AccessRange::Population if self.resource.population(plan) == Some(home) => Scope::Population,
            AccessRange::Population => Scope::Network,
        }
    }
}

impl Resource {
    /// The population that owns it, with one word per neuron.
    pub fn population(self, plan: &Plan) -> Option<usize> {
        match self {
            Resource::Array(array) => match plan.arrays()[array].owner {
                Owner::Neurons { population } | Owner::RingColumns { population } => Some(population),
                _ => None,
            },
            Resource::Crossings(population) | Resource::Spikes(population) | Resource::Samples(population) => Some(population),
            Resource::SynapseSamples(_) => None,
        }
    }
}

/// The access to the array with this index among those of an owner, by the owner.
pub(super) fn own(plan: &Plan, owner: Owner, index: usize) -> Option<Access> {
    plan.arrays().of(owner, index).map(|array| Access::own(Resource::Array(array)))
}

pub(super) fn variable(plan: &Plan, population: usize, index: usize) -> Option<Access> {
    own(plan, Owner::Neurons { population }, index)
}

/// The step of each neuron's last spike.
pub(super) fn last_spikes(plan: &Plan, population: usize) -> Option<Access> {
    variable(plan, population, plan.populations[population].program.variables.len())
}

/// The pending input of a port.
pub(super) fn ring(plan: &Plan, population: usize, port: usize) -> Option<Access> {
    own(plan, Owner::RingColumns { population }, port)
}

/// The spikes of one of the neurons of synapses.
pub(super) fn spikes(of: &ProjectionPlan, end: End) -> Access {
    Access { resource: Resource::Spikes(of.population(end)), range: AccessRange::of(end) }
}

pub(super) fn of_neurons(plan: &Plan, population: usize, code: &Code, reads: &mut Vec<Access>, writes: &mut Vec<Access>) {
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
    reads: &mut Vec<Access>,
    writes: &mut Vec<Access>,
) {
    let of = &plan.projections[projection];
    let Some(state) = &of.state else { return };
    let code = code(state);
    for (register, origin) in state.registers.iter().enumerate().filter(|(register, _)| code.touches(*register)) {
        let touch = match *origin {
            RegisterSource::Own(array) => own(plan, Owner::Synapses { projection }, array),
            // The owner of synapses computes the traces of the neurons of both sides itself.
            RegisterSource::Trace(trace) => own(plan, Owner::Traces { projection, end: state.traces[trace].end }, trace),
            RegisterSource::Pre(array) => variable(plan, of.pre, array).map(|touch| Access { range: AccessRange::Pre, ..touch }),
            RegisterSource::Post(array) => variable(plan, of.post, array),
            RegisterSource::Third(array) => {
                variable(plan, of.population(End::Third), array).map(|touch| Access { range: AccessRange::Third, ..touch })
            }
            RegisterSource::PostSinceSpike => last_spikes(plan, of.post),
            RegisterSource::PreIndex | RegisterSource::PostIndex | RegisterSource::ThirdIndex | RegisterSource::Output => None,
        };
        reads.extend(touch);
        let is_stored = code.stores_to(register) && matches!(origin, RegisterSource::Own(_) | RegisterSource::Trace(_));
        writes.extend(touch.filter(|_| is_stored));
    }
}
