//! Which neurons stop after each step, and whether they do all of a step in one go.

use std::ops::Range;

use spikelet::Plan;
use spikelet::schedule::{Phase, PhaseKind, Schedule};

use crate::sizes::SINGLE_NEURONS;

/// Which neurons stop after each step.
pub(crate) struct SteppedNeurons {
    /// Of each population.
    stepwise: Vec<Range<u32>>,
    /// Whether they, too, do all of a step in the kernel `neurons`: nothing stands in between.
    pub(crate) in_one_go: bool,
    /// Whether all neurons stop where any does: to part them would be a dispatch more for nothing.
    all: bool,
}

impl SteppedNeurons {
    /// Of a plan, in epochs of so many steps.
    pub(crate) fn of(plan: &Plan, epoch_steps: u32) -> SteppedNeurons {
        let schedule = plan.schedule();
        let fused = schedule.clone().fused().phases;
        let of_synapses = |phase: &Phase| matches!(phase.kinds[0], PhaseKind::Observe(_) | PhaseKind::SampleSynapses(_));
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
        SteppedNeurons { stepwise, in_one_go, all }
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
    let known = |work: &PhaseKind| {
        matches!(
            work,
            PhaseKind::DeliverInput(_)
                | PhaseKind::Reset(_)
                | PhaseKind::SampleAndHold(_)
                | PhaseKind::Sample(_)
                | PhaseKind::Integrate(_)
                | PhaseKind::Fire(_)
        )
    };
    let has = |wanted: fn(&PhaseKind) -> bool| phase.kinds.iter().any(wanted);
    phase.kinds.iter().all(known)
        && has(|work| matches!(work, PhaseKind::DeliverInput(_)))
        && has(|work| matches!(work, PhaseKind::Integrate(_)))
}
