//! The order of a step, as data.
//!
//! A step is a list of [`Phase`]s. Each says what it does ([`Work`]), and so which arrays it reads and writes, and whose
//! ([`Touch`]). All else follows from that: which phases may be done in one go (`fuse`), which neurons have to stop after every step and
//! which may run ahead (`rhythm`), and what threads must tell each other, and when. Backends execute the list; none of them
//! knows the order by itself.

mod fuse;
mod print;
mod rhythm;
#[cfg(test)]
mod tests;
mod touch;

use std::ops::Range;

use spikelet_lang::End;

use super::{Plan, Sampled, StatePlan};
pub use print::{PhaseReport, ScheduleReport};
pub(crate) use rhythm::moves;
pub use touch::{Scope, Touch, Touched, Whose};

/// What is done to all neurons of a population, or to all synapses of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// What has arrived at the ports of a population is added to its variables, except to those that are `unless refractory` in a neuron
    /// that was refractory in the step before.
    Deliver(usize),
    /// The neurons of a population that fired in the step before run their reset statements.
    Reset(usize),
    /// What is constant over the step is computed for a population.
    Hold(usize),
    /// Subexpressions of the synapses of a projection that are recorded.
    Observe(usize),
    /// The channels that record a population: the state at the start of the step.
    Sample(usize),
    /// The same for a projection.
    SampleSynapses(usize),
    /// A summed variable: for each postsynaptic neuron over its synapses, in the order of presynaptic neurons.
    Couple {
        /// Index of the projection.
        projection: usize,
        /// Index of the variable in its program.
        summed: usize,
    },
    /// The state of a population moves to the end of the step, and its threshold is tested.
    Integrate(usize),
    /// The neurons of a population whose threshold was met fire: a spike is stamped with the step.
    Fire(usize),
    /// The clock-driven equations of the synapses of a projection, which see the new state of neurons.
    Drive(usize),
    /// Spikes of the epoch walk the rows of a projection whose synapses have no state: each event adds to slot k + 1 + delay of
    /// its ring, so even a delay of 0 leaves one whole step between a spike and its effect.
    Propagate(usize),
    /// Spikes of step k − delay reach the synapses of a pathway: their code runs, and what it adds goes to slot k + 1. A
    /// pathway that writes to neurons in any other way runs event after event, in the order of presynaptic neurons.
    OnSpike {
        /// Index of the projection.
        projection: usize,
        /// Index of the pathway in it.
        pathway: usize,
    },
    /// The same spikes change the traces that their neurons keep for the synapses of a projection.
    Trace(usize, End),
}

impl Work {
    /// The population whose neurons do it, each by itself.
    pub fn population(self) -> Option<usize> {
        match self {
            Work::Deliver(population)
            | Work::Reset(population)
            | Work::Hold(population)
            | Work::Sample(population)
            | Work::Integrate(population)
            | Work::Fire(population) => Some(population),
            _ => None,
        }
    }

    /// The projection whose synapses do it.
    pub fn projection(self) -> Option<usize> {
        match self {
            Work::Observe(projection)
            | Work::SampleSynapses(projection)
            | Work::Couple { projection, .. }
            | Work::Drive(projection)
            | Work::Propagate(projection)
            | Work::OnSpike { projection, .. }
            | Work::Trace(projection, _) => Some(projection),
            _ => None,
        }
    }

    /// Whether it belongs to the end of a step, when it is known who has fired in it.
    pub fn follows_spikes(self) -> bool {
        matches!(self, Work::Propagate(_) | Work::OnSpike { .. } | Work::Trace(..))
    }
}

/// Something that is done in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// What: one thing, or several that are done in one go, in this order.
    pub work: Vec<Work>,
    /// The arrays that it reads, each once.
    pub reads: Vec<Touch>,
    /// The arrays that it writes.
    pub writes: Vec<Touch>,
}

impl Phase {
    fn new(plan: &Plan, work: Work) -> Phase {
        let (reads, writes) = touch::of(plan, work);
        Phase { work: vec![work], reads, writes }
    }

    /// The population whose neurons do it, each by itself.
    pub fn population(&self) -> Option<usize> {
        self.work[0].population()
    }

    /// The population whose neurons do it, or onto which the synapses lead that do.
    fn home(&self, plan: &Plan) -> usize {
        let of_projection = || self.work[0].projection().map_or(0, |projection| plan.projections[projection].post);
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
    pub hearing_steps: u32,
    /// Whether what one of those neurons does to another within a phase decides what that one does: then they are not to be parted.
    pub inseparable: bool,
}

impl Schedule {
    /// The schedule of a plan, nothing of it fused: a plan [has it](Plan::schedule) from when it is built.
    pub(super) fn new(plan: &Plan) -> Schedule {
        let phases: Vec<Phase> = works(plan).into_iter().map(|work| Phase::new(plan, work)).collect();
        let stepwise = rhythm::stepwise(plan, &phases);
        let (hearing_steps, inseparable) = (rhythm::hearing_steps(plan), rhythm::inseparable(&phases));
        Schedule { phases, epoch_steps: plan.epoch_steps, stepwise, hearing_steps, inseparable }
    }

    /// Whether all neurons have to stop after each step.
    pub fn is_stepwise(&self, population: usize, neurons: Range<u32>) -> bool {
        let stepwise = &self.stepwise[population];
        neurons.start < stepwise.end && stepwise.start < neurons.end
    }

    /// Whether neurons do all that they do in a step in one go, samples included, and nobody else is sampled.
    pub fn is_in_one_go(&self) -> bool {
        let of_synapses = |phase: &Phase| matches!(phase.work[0], Work::Observe(_) | Work::SampleSynapses(_));
        let in_one_go = |phase: &Phase| match phase.work.as_slice() {
            [Work::Deliver(_), rest @ ..] => rest.iter().any(|work| matches!(work, Work::Integrate(_))),
            [first, ..] => first.population().is_none(),
            [] => true,
        };
        !self.phases.iter().any(of_synapses) && fuse::fuse(self.phases.clone()).iter().all(in_one_go)
    }

    /// Whether any synapses read variables of their presynaptic neurons, which may be another thread's.
    pub fn reads_elsewhere(&self) -> bool {
        let reads = |touch: &Touch| touch.whose == Whose::Pre && matches!(touch.what, Touched::Array(_));
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

/// What is done in a step, in its order. This is the one place that says it.
fn works(plan: &Plan) -> Vec<Work> {
    let populations = || 0..plan.populations.len();
    let states = || plan.projections.iter().enumerate().filter_map(|(index, of)| Some((index, of.state.as_ref()?)));
    let has = |code: fn(&StatePlan) -> bool| states().filter(move |(_, state)| code(state)).map(|(index, _)| index);
    let mut works: Vec<Work> = populations().flat_map(|of| [Work::Deliver(of), Work::Reset(of), Work::Hold(of)]).collect();
    works.extend(has(|state| !state.program.hold.stores.is_empty()).map(Work::Observe));
    let samples = |wanted: Work| plan.channels.iter().any(|channel| sampled_by(channel.sampled) == wanted);
    works.extend(populations().map(Work::Sample).filter(|work| samples(*work)));
    works.extend(states().map(|(index, _)| Work::SampleSynapses(index)).filter(|work| samples(*work)));
    let coupled = |(projection, state): (usize, &StatePlan)| {
        (0..state.summed.len()).map(move |summed| Work::Couple { projection, summed }).collect::<Vec<_>>()
    };
    works.extend(states().flat_map(coupled));
    let fires = |of: usize| plan.populations[of].program.update.condition.is_some().then_some(Work::Fire(of));
    works.extend(populations().flat_map(|of| [Some(Work::Integrate(of)), fires(of)]).flatten());
    works.extend(has(|state| !state.program.update.stores.is_empty()).map(Work::Drive));
    works.extend((0..plan.projections.len()).filter(|index| plan.projections[*index].state.is_none()).map(Work::Propagate));
    for end in [End::Pre, End::Post] {
        for (projection, _) in states() {
            let pathways = plan.projections[projection].pathways.iter().enumerate().filter(|(_, pathway)| pathway.end == end);
            works.extend(pathways.map(|(pathway, _)| Work::OnSpike { projection, pathway }));
        }
        let traces = states().filter(|(_, state)| !state.program.traces[end as usize].stores.is_empty());
        works.extend(traces.map(|(index, _)| Work::Trace(index, end)));
    }
    works
}

fn sampled_by(sampled: Sampled) -> Work {
    match sampled {
        Sampled::Neuron { population, .. } => Work::Sample(population),
        Sampled::Synapse { projection, .. } => Work::SampleSynapses(projection),
    }
}
