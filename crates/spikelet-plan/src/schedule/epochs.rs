//! Which neurons stop when, and what spikes they need by then.

use std::ops::Range;

use spikelet_lang::End;

use super::{Access, AccessRange, Phase, PhaseKind, Resource};
use crate::{Plan, ProjectionPlan};

/// The neurons of each population that synapses with state read or write within a step: their targets, their third neurons, and those whose
/// changing values they read; and all neurons of populations of which only the winners fire. One range per population.
pub(super) fn stepwise(plan: &Plan, phases: &[Phase]) -> Vec<Range<u32>> {
    let mut met = vec![0..0; plan.populations.len()];
    for phase in phases {
        if let Some(population) = phase.kinds[0].selects() {
            widen(&mut met[population], 0..plan.populations[population].size);
        }
        let Some(of) = projection_with_state(plan, phase) else { continue };
        // A sum over no synapses is 0, and is also written.
        let sums = matches!(phase.kinds[0], PhaseKind::SumInputs { .. });
        // All presynaptic neurons have traces, whether they have synapses or not.
        let traces = matches!(phase.kinds[0], PhaseKind::IntegrateTraces(_));
        let whole = |population: usize| 0..plan.populations[population].size;
        let posts = if sums { whole(of.post) } else { posts(of) };
        if posts.is_empty() && !traces {
            continue;
        }
        if !posts.is_empty() {
            widen(&mut met[of.post], posts);
        }
        // Third neurons are on the same thread, whatever synapses use of them.
        if let Some(third) = &of.third {
            widen(&mut met[third.population], whole(third.population));
        }
        let reads_pre = |touch: &Access| {
            touch.range == AccessRange::Pre && !matches!(touch.resource, Resource::Spikes(_)) && moves(phases, touch.resource)
        };
        if phase.reads.iter().any(reads_pre) {
            widen(&mut met[of.pre], if traces { whole(of.pre) } else { of.pre_slice.clone() });
        }
    }
    met
}

/// Number of steps in which the synapses of a neuron need no spikes from elsewhere: at most an epoch, and at most the shortest delay of
/// those with state. They receive its own spikes at once.
pub(super) fn exchange_interval(plan: &Plan) -> u32 {
    let states = plan.projections.iter().filter(|of| of.state.is_some() && of.synapses() > 0);
    let received = states.flat_map(|of| &of.pathways).filter(|pathway| pathway.end == End::Pre);
    received.map(|pathway| pathway.delays.start + 1).fold(plan.epoch_steps, u32::min)
}

/// Whether events of a pathway write variables of neurons that its other events read: they are executed sequentially across the whole
/// network. So are synapses with third neurons, so that all that they read, receive and sum is on one thread.
pub(super) fn inseparable(plan: &Plan, phases: &[Phase]) -> bool {
    if plan.projections.iter().any(|of| of.state.is_some() && of.third.is_some()) {
        return true;
    }
    let in_turn = |phase: &Phase| matches!(phase.kinds[0], PhaseKind::OnSpike { .. });
    let reads_pre =
        |phase: &Phase, what: Resource| phase.reads.iter().any(|touch| touch.range == AccessRange::Pre && touch.resource == what);
    phases.iter().filter(|phase| in_turn(phase)).any(|phase| phase.writes.iter().any(|write| reads_pre(phase, write.resource)))
}

/// Whether any phase writes an array.
pub fn moves(phases: &[Phase], what: Resource) -> bool {
    phases.iter().any(|phase| phase.writes.iter().any(|write| write.resource == what))
}

/// The projection whose synapses execute the phase, if they have state.
fn projection_with_state<'a>(plan: &'a Plan, phase: &Phase) -> Option<&'a ProjectionPlan> {
    let of = &plan.projections[phase.kinds[0].projection()?];
    of.state.is_some().then_some(of)
}

/// The range of postsynaptic neurons.
fn posts(of: &ProjectionPlan) -> Range<u32> {
    of.degrees.posts.clone()
}

fn widen(stretch: &mut Range<u32>, by: Range<u32>) {
    *stretch = if stretch.start >= stretch.end { by } else { stretch.start.min(by.start)..stretch.end.max(by.end) };
}
