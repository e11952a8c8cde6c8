//! The order of a step, as data.
//!
//! A step is a list of [`Phase`]s. Each has its kinds ([`PhaseKind`]), which determines the arrays that it reads and writes, and of which neurons
//! ([`Access`]). Everything else follows: which phases can be fused (`fuse`), which neurons have to stop after every step and which can run
//! ahead (`rhythm`), and what threads must exchange, and when. Backends execute the list; none of them has its own order.

pub(super) mod sleep;

mod access;
mod epochs;
mod fuse;
mod phase_kind;
mod print;
mod step_groups;

use std::ops::Range;

use super::Plan;
pub use access::{Access, AccessRange, Resource, Scope};
pub use epochs::moves;
pub use phase_kind::PhaseKind;
pub use print::{PhaseReport, ScheduleReport};
pub use step_groups::{PhaseGroup, StepGroups, read_elsewhere};

/// A phase of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its work: one kind, or several fused ones, in this order.
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

    /// The population whose neurons execute it independently.
    pub fn population(&self) -> Option<usize> {
        self.kinds[0].population()
    }

    /// The population whose neurons execute it, or that is postsynaptic to the synapses that do.
    fn home(&self, plan: &Plan) -> usize {
        let of_projection = || self.kinds[0].projection().map_or(0, |projection| plan.projections[projection].post);
        self.population().or_else(|| self.kinds[0].selects()).unwrap_or_else(of_projection)
    }

    /// Whether it needs the values of all neurons of a population.
    pub fn compares(&self) -> bool {
        self.reads.iter().any(|touch| touch.range == AccessRange::Population)
    }

    /// Its scope.
    pub fn scope(&self, plan: &Plan) -> Scope {
        let home = self.home(plan);
        self.reads.iter().map(|touch| touch.scope(plan, home)).max().unwrap_or(Scope::Neuron)
    }
}

/// The phases of a step, and what follows from them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The phases of a step, in order.
    pub phases: Vec<Phase>,
    /// Length of an epoch: the number of steps without spike exchange through synapses without state.
    pub epoch_steps: u32,
    /// The neurons of each population that synapses read or write within a step, or that are compared with each other, and so have to stop
    /// after each. All others can run ahead to the end of the epoch.
    pub stepwise: Vec<Range<u32>>,
    /// Number of steps in which those that stop need no spikes from elsewhere, at most an epoch.
    pub exchange_steps: u32,
    /// Whether the effect of one of those neurons on another within a phase affects its work: then they must be on one thread.
    pub inseparable: bool,
}

impl Schedule {
    /// The unfused schedule of a plan; a plan [contains it](Plan::schedule).
    pub(super) fn new(plan: &Plan) -> Schedule {
        let phases: Vec<Phase> = phase_kind::works(plan).into_iter().map(|work| Phase::new(plan, work)).collect();
        let stepwise = epochs::stepwise(plan, &phases);
        let (hearing_steps, inseparable) = (epochs::exchange_interval(plan), epochs::inseparable(plan, &phases));
        Schedule { phases, epoch_steps: plan.epoch_steps, stepwise, exchange_steps: hearing_steps, inseparable }
    }

    /// Whether any synapses read variables of their presynaptic neurons, which may belong to another thread.
    pub fn reads_elsewhere(&self) -> bool {
        let reads = |touch: &Access| touch.range == AccessRange::Pre && matches!(touch.resource, Resource::Array(_));
        self.phases.iter().flat_map(|phase| &phase.reads).any(reads)
    }

    /// Whether neurons are compared with others of their population, which may belong to another thread.
    pub fn selects(&self) -> bool {
        self.phases.iter().any(Phase::compares)
    }

    /// The phases of neurons that run ahead, without synapses.
    pub fn ahead(&self) -> Vec<Phase> {
        self.phases.iter().filter(|phase| phase.population().is_some()).cloned().collect()
    }
}

impl Plan {
    /// The unfused order of a step.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }
}
