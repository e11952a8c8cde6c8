//! Which neurons stop after each step, and whether they do all of a step in one go.

use std::ops::Range;

use spikelet::Plan;
use spikelet::schedule::{Phase, Schedule, Work};

use crate::sizes::SINGLE_NEURONS;

/// Which neurons stop after each step.
pub(crate) struct Stopping {
    /// Of each population.
    stepwise: Vec<Range<u32>>,
    /// Whether they, too, do all of a step in the kernel `neurons`: nothing stands in between.
    pub(crate) in_one_go: bool,
    /// Whether all neurons stop where any does: to part them would be a dispatch more for nothing.
    all: bool,
}

impl Stopping {
    /// Of a plan, in epochs of so many steps.
    pub(crate) fn of(plan: &Plan, epoch_steps: u32) -> Stopping {
        let schedule = plan.schedule();
        let fused = schedule.clone().fused().phases;
        let of_synapses = |phase: &Phase| matches!(phase.work[0], Work::Observe(_) | Work::SampleSynapses(_));
        let of_neurons = |phase: &&Phase| phase.population().is_some();
        let in_one_go = !fused.iter().any(of_synapses) && fused.iter().filter(of_neurons).all(is_one_kernel);
        // Neurons that do more than the kernel does have it done after each step.
        let mut stepwise = schedule.stepwise.clone();
        let ahead = Schedule { phases: schedule.ahead(), ..schedule.clone() }.fused().phases;
        for phase in ahead.iter().filter(|phase| !is_one_kernel(phase)) {
            let population = phase.population().unwrap_or_default();
            stepwise[population] = 0..plan.populations[population].size;
        }
        // A few have a workgroup of their own, which is worth it in any case.
        let count: usize = stepwise.iter().map(ExactSizeIterator::len).sum();
        let all = epoch_steps == 1 && count > SINGLE_NEURONS as usize;
        Stopping { stepwise, in_one_go, all }
    }

    /// Whether these neurons of a population do.
    pub(crate) fn has(&self, population: usize, neurons: &Range<u32>) -> bool {
        let stepwise = &self.stepwise[population];
        self.all || (neurons.start < stepwise.end && stepwise.start < neurons.end)
    }

    /// How many of a population do.
    pub(crate) fn count(&self, population: usize) -> u64 {
        self.stepwise[population].len() as u64
    }
}

/// Whether a phase is all that the kernel `neurons` does, and nothing else.
fn is_one_kernel(phase: &Phase) -> bool {
    let known = |work: &Work| {
        matches!(work, Work::Deliver(_) | Work::Reset(_) | Work::Hold(_) | Work::Sample(_) | Work::Integrate(_) | Work::Fire(_))
    };
    let has = |wanted: fn(&Work) -> bool| phase.work.iter().any(wanted);
    phase.work.iter().all(known) && has(|work| matches!(work, Work::Deliver(_))) && has(|work| matches!(work, Work::Integrate(_)))
}
