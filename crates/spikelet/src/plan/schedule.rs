//! The order of a step, as data.
//!
//! A step is a list of [`Phase`]s. Each says what it does ([`Work`]), and so which arrays it reads and writes, and whose
//! ([`Touch`]). All else follows from that: which phases may be done in one go (`fuse`), which neurons have to stop after every step and
//! which may run ahead (`rhythm`), and what threads must tell each other, and when. Backends execute the list; none of them
//! knows the order by itself.

mod access;
mod epochs;
mod fuse;
mod phase_kind;
mod print;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::Plan;
pub use access::{Access, AccessRange, Resource, Scope};
pub(crate) use epochs::moves;
pub use phase_kind::PhaseKind;
pub use print::{PhaseReport, ScheduleReport};

/// Something that is done in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// What: one thing, or several that are done in one go, in this order.
    pub kinds: Vec<PhaseKind>,
    /// The arrays that it reads, each once.
    pub reads: Vec<Access>,
    /// The arrays that it writes.
    pub writes: Vec<Access>,
}

impl Phase {
    fn new(plan: &Plan, work: PhaseKind) -> Phase {
        let (reads, writes) = work.touches(plan);
        Phase { kinds: vec![work], reads, writes }
    }

    /// The population whose neurons do it, each by itself.
    pub fn population(&self) -> Option<usize> {
        self.kinds[0].population()
    }

    /// The population whose neurons do it, or onto which the synapses lead that do.
    fn home(&self, plan: &Plan) -> usize {
        let of_projection = || self.kinds[0].projection().map_or(0, |projection| plan.projections[projection].post);
        self.population().unwrap_or_else(of_projection)
    }

    /// How far it looks.
    pub fn scope(&self, plan: &Plan) -> Scope {
        let home = self.home(plan);
        self.reads.iter().map(|touch| touch.scope(plan, home)).max().unwrap_or(Scope::Neuron)
    }
}

/// The phases of a step, and what follows from them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// What happens in a step, in this order.
    pub phases: Vec<Phase>,
    /// Steps of an epoch: as long neurons need not hear of each other through synapses without a state.
    pub epoch_steps: u32,
    /// Of each population the neurons that synapses meet within a step, which have to stop after each. All others may run ahead of them
    /// to the end of the epoch.
    pub stepwise: Vec<Range<u32>>,
    /// Steps for which those that stop need not hear of spikes elsewhere, at most an epoch.
    pub exchange_steps: u32,
    /// Whether what one of those neurons does to another within a phase decides what that one does: then they are not to be parted.
    pub inseparable: bool,
}

impl Schedule {
    /// The schedule of a plan, nothing of it fused: a plan [has it](Plan::schedule) from when it is built.
    pub(super) fn new(plan: &Plan) -> Schedule {
        let phases: Vec<Phase> = phase_kind::works(plan).into_iter().map(|work| Phase::new(plan, work)).collect();
        let stepwise = epochs::stepwise(plan, &phases);
        let (hearing_steps, inseparable) = (epochs::exchange_interval(plan), epochs::inseparable(&phases));
        Schedule { phases, epoch_steps: plan.epoch_steps, stepwise, exchange_steps: hearing_steps, inseparable }
    }

    /// Whether all neurons have to stop after each step.
    pub fn is_stepwise(&self, population: usize, neurons: Range<u32>) -> bool {
        let stepwise = &self.stepwise[population];
        neurons.start < stepwise.end && stepwise.start < neurons.end
    }

    /// Whether any synapses read variables of their presynaptic neurons, which may be another thread's.
    pub fn reads_elsewhere(&self) -> bool {
        let reads = |touch: &Access| touch.range == AccessRange::Pre && matches!(touch.resource, Resource::Array(_));
        self.phases.iter().flat_map(|phase| &phase.reads).any(reads)
    }

    /// The phases of neurons that run ahead: they meet no synapses.
    pub fn ahead(&self) -> Vec<Phase> {
        self.phases.iter().filter(|phase| phase.population().is_some()).cloned().collect()
    }
}

impl Plan {
    /// The order of a step, nothing of it fused.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}
