//! Which neurons stop after each step, and whether they do a whole step at once.

use std::ops::Range;

use spikelet::Plan;
use spikelet::schedule::{Phase, PhaseKind, Schedule};

/// Which neurons stop after each step.
pub(crate) struct SteppedNeurons {
    /// The places of those of each population.
    stepwise: Vec<Range<u32>>,
    /// Whether they also use the kernel `neurons` for a whole step: no other phase is in between.
    pub(crate) in_one_go: bool,
    /// Whether all neurons stop if any does, because a separate dispatch would have no benefit.
    all: bool,
}

impl SteppedNeurons {
    /// For a plan, in epochs of this many steps; at most `single_neurons` have a workgroup of their own.
    pub(crate) fn of(plan: &Plan, epoch_steps: u32, single_neurons: u32) -> SteppedNeurons {
        let schedule = plan.schedule();
        let fused = schedule.clone().fused().phases;
        let of_synapses = |phase: &Phase| matches!(phase.kinds[0], PhaseKind::Observe(_) | PhaseKind::SampleSynapses(_));
        let of_neurons = |phase: &&Phase| phase.population().is_some();
        // The phases of a part are in groups, between which it may exchange with other ranks.
        let in_one_go = plan.part().is_whole()
            && plan.sampling.sums().next().is_none()
            && !fused.iter().any(of_synapses)
            && fused.iter().filter(of_neurons).all(is_one_kernel);
        // Neurons with work beyond that kernel do it after each step.
        let places = schedule.stepwise.iter().zip(plan.part().populations());
        let mut stepwise: Vec<Range<u32>> = places.map(|(neurons, own)| own.places_in(neurons)).collect();
        let ahead = Schedule { phases: schedule.ahead(), ..schedule.clone() }.fused().phases;
        for phase in ahead.iter().filter(|phase| !is_one_kernel(phase)) {
            let population = phase.population().unwrap_or_default();
            stepwise[population] = 0..plan.own(population).len();
        }
        // Values that are summed are read between two kernels.
        for ([_, population, _], _) in plan.sampling.sums() {
            stepwise[population] = 0..plan.own(population).len();
        }
        // A few neurons have a workgroup of their own, which is always faster.
        let count: usize = stepwise.iter().map(ExactSizeIterator::len).sum();
        let all = epoch_steps == 1 && count > single_neurons as usize;
        SteppedNeurons { stepwise, in_one_go, all }
    }

    /// Whether these neurons of a population stop.
    pub(crate) fn has(&self, population: usize, neurons: &Range<u32>) -> bool {
        let stepwise = &self.stepwise[population];
        self.all || (neurons.start < stepwise.end && stepwise.start < neurons.end)
    }

    /// Number of neurons of a population that stop.
    pub(crate) fn count(&self, population: usize) -> u64 {
        self.stepwise[population].len() as u64
    }
}

/// Whether a phase consists exactly of the work of the kernel `neurons`.
fn is_one_kernel(phase: &Phase) -> bool {
    let known = |work: &PhaseKind| {
        matches!(
            work,
            PhaseKind::DeliverInput(_)
                | PhaseKind::Reset(_)
                | PhaseKind::RunRegularly(_)
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
