//! The phases between two synchronisations of threads or ranks.

use super::{AccessRange, Phase, PhaseKind, Resource};
use crate::{ArrayId, Owner, Plan};

/// Phases between two synchronisations.
#[derive(Debug, Clone, Default)]
pub struct PhaseGroup {
    /// The arrays published before, by their index among the published ones.
    pub publishes: Vec<usize>,
    /// The populations whose winners are found before.
    pub selects: Vec<usize>,
    /// The phases, in order.
    pub phases: Vec<Phase>,
}

/// The phases of a step of neurons that stop, in groups.
#[derive(Debug, Clone, Default)]
pub struct StepGroups {
    /// The arrays of neurons that synapses elsewhere read.
    pub published: Vec<ArrayId>,
    /// The phases up to the spikes.
    pub before_spikes: Vec<PhaseGroup>,
    /// The phases after the spikes.
    pub after_spikes: Vec<PhaseGroup>,
}

impl StepGroups {
    /// Groups phases, if these arrays are published. Rows without state are processed once per epoch, by the owner of the targets, and are left
    /// out.
    pub fn new(phases: Vec<Phase>, published: Vec<ArrayId>) -> StepGroups {
        let phases = phases.into_iter().filter(|phase| !matches!(phase.kinds[0], PhaseKind::Propagate(_)));
        let (before, after): (Vec<Phase>, Vec<Phase>) = phases.partition(|phase| !phase.kinds[0].follows_spikes());
        let mut dirty = vec![false; published.len()];
        // Twice, because arrays that are dirty at the start of a step were written in the previous one.
        groups(&before, &published, &mut dirty);
        groups(&after, &published, &mut dirty);
        let before_spikes = groups(&before, &published, &mut dirty);
        let after_spikes = groups(&after, &published, &mut dirty);
        StepGroups { published, before_spikes, after_spikes }
    }

    /// The groups of each rank of a plan: all of them have the same, whatever neurons and devices they have.
    pub fn of_ranks(plan: &Plan) -> StepGroups {
        let phases = &plan.schedule().phases;
        let is_of_neurons = |array: &ArrayId| matches!(plan.arrays()[*array].owner, Owner::Neurons { .. });
        let mut published: Vec<ArrayId> = phases.iter().flat_map(read_elsewhere).filter(is_of_neurons).collect();
        published.sort_unstable();
        published.dedup();
        StepGroups::new(phases.clone(), published)
    }

    /// The same with fewer phases in each group.
    pub fn fused(mut self) -> StepGroups {
        for group in self.before_spikes.iter_mut().chain(&mut self.after_spikes) {
            group.phases = super::fuse::fuse(std::mem::take(&mut group.phases));
        }
        self
    }
}

/// The arrays of presynaptic neurons that a phase reads.
pub fn read_elsewhere(phase: &Phase) -> impl Iterator<Item = ArrayId> + '_ {
    phase.reads.iter().filter_map(|touch| match (touch.range, touch.resource) {
        (AccessRange::Pre, Resource::Array(array)) => Some(array),
        _ => None,
    })
}

/// Splits phases where one reads an array of another thread that was written after its publication: `dirty` contains these; and where
/// neurons of several threads are compared.
fn groups(phases: &[Phase], published: &[ArrayId], dirty: &mut [bool]) -> Vec<PhaseGroup> {
    let place = |array: ArrayId| published.iter().position(|of| *of == array);
    let mut groups = vec![PhaseGroup::default()];
    for phase in phases {
        if let Some(population) = phase.kinds[0].selects() {
            match groups.last_mut().filter(|group| group.phases.is_empty()) {
                Some(group) => group.selects.push(population),
                None => groups.push(PhaseGroup { selects: vec![population], ..PhaseGroup::default() }),
            }
            continue;
        }
        let publishes: Vec<usize> = read_elsewhere(phase).filter_map(place).filter(|place| dirty[*place]).collect();
        publishes.iter().for_each(|place| dirty[*place] = false);
        match groups.last_mut().filter(|_| publishes.is_empty()) {
            Some(group) => group.phases.push(phase.clone()),
            None => groups.push(PhaseGroup { publishes, phases: vec![phase.clone()], ..PhaseGroup::default() }),
        }
        let written =
            phase.writes.iter().filter_map(|write| if let Resource::Array(array) = write.resource { place(array) } else { None });
        written.for_each(|place| dirty[place] = true);
    }
    groups.retain(|group| !group.phases.is_empty() || !group.selects.is_empty());
    groups
}
