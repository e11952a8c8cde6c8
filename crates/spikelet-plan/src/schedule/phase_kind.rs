//! The kinds of work of a step: their order, who executes them, and their accesses. A kind of work is defined here, and implemented by
//! backends: in `cpu/neurons.rs` or `cpu/shard.rs`, and in the GPU's `passes/phases.rs`.

use std::collections::VecDeque;

use spikelet_lang::End;

use super::access::{Access, AccessRange, Resource, last_spikes, of_neurons, of_synapses, own, ring, spikes, variable};
use crate::{Owner, Plan, SampleSource, StatePlan};

/// Work on all neurons of a population, or on all synapses of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PhaseKind {
    /// Adds the input of the ports of a population to its variables, except those that are `unless refractory` in a neuron that was
    /// refractory in the previous step.
    DeliverInput(usize),
    /// Runs the reset statements of the neurons of a population that fired in the previous step, then the statements of its events.
    Reset(usize),
    /// Runs statements of a population at regular steps; only populations that have such statements do.
    RunRegularly(usize),
    /// Computes the values of a population that are constant during the step.
    SampleAndHold(usize),
    /// Runs statements of the synapses of a projection at regular steps; only projections that have such statements do.
    RunSynapsesRegularly(usize),
    /// Computes recorded subexpressions of the synapses of a projection.
    Observe(usize),
    /// Samples the channels of a population: the state at the start of the step.
    Sample(usize),
    /// The same for a projection.
    SampleSynapses(usize),
    /// Computes a summed variable: for each postsynaptic or third neuron over its synapses, in their order.
    SumInputs {
        /// Index of the projection.
        projection: usize,
        /// Index of the variable in its program.
        summed: usize,
    },
    /// Integrates a population to the end of the step, and tests its threshold.
    Integrate(usize),
    /// Of the neurons of a population above threshold keeps the winners, which alone fire; none if another population of its group has
    /// winners with a larger sum.
    Select(usize),
    /// Fires the neurons of a population above threshold: a spike has the time of the step.
    Fire(usize),
    /// Integrates the clock-driven equations of the synapses of a projection, with the new state of neurons.
    IntegrateSynapses(usize),
    /// The same, once for each presynaptic neuron, where it keeps the variables for all of its synapses.
    IntegrateTraces(usize),
    /// Propagates the spikes of the epoch by the rows of a projection without synaptic state: each event adds to slot k + 1 + delay of its
    /// delay buffer, so even with a delay of 0 there is one whole step between a spike and its effect.
    Propagate(usize),
    /// Propagates the spikes of step k − delay to the synapses of a pathway: executes their code, and adds its results to slot k + 1. A
    /// pathway that writes to neurons in another way is executed event by event, in the order of presynaptic neurons.
    OnSpike {
        /// Index of the projection.
        projection: usize,
        /// Index of the pathway in it.
        pathway: usize,
    },
    /// Updates the traces of neurons for the synapses of a projection with the same spikes.
    UpdateTraces(usize, End),
}

impl PhaseKind {
    /// The population whose neurons execute it independently.
    pub fn population(self) -> Option<usize> {
        match self {
            PhaseKind::DeliverInput(population)
            | PhaseKind::Reset(population)
            | PhaseKind::RunRegularly(population)
            | PhaseKind::SampleAndHold(population)
            | PhaseKind::Sample(population)
            | PhaseKind::Integrate(population)
            | PhaseKind::Fire(population) => Some(population),
            _ => None,
        }
    }

    /// The population whose neurons execute it together.
    pub fn selects(self) -> Option<usize> {
        match self {
            PhaseKind::Select(population) => Some(population),
            _ => None,
        }
    }

    /// The projection whose synapses execute it.
    pub fn projection(self) -> Option<usize> {
        match self {
            PhaseKind::RunSynapsesRegularly(projection)
            | PhaseKind::Observe(projection)
            | PhaseKind::SampleSynapses(projection)
            | PhaseKind::SumInputs { projection, .. }
            | PhaseKind::IntegrateSynapses(projection)
            | PhaseKind::IntegrateTraces(projection)
            | PhaseKind::Propagate(projection)
            | PhaseKind::OnSpike { projection, .. }
            | PhaseKind::UpdateTraces(projection, _) => Some(projection),
            _ => None,
        }
    }

    /// Whether it completes the step before: see [`Backend::complete_step`](crate::Backend::complete_step).
    pub fn completes_step(self) -> bool {
        matches!(self, PhaseKind::DeliverInput(_) | PhaseKind::Reset(_))
    }

    /// Whether it is at the end of a step, after the spikes are known.
    pub fn follows_spikes(self) -> bool {
        matches!(self, PhaseKind::Propagate(_) | PhaseKind::OnSpike { .. } | PhaseKind::UpdateTraces(..))
    }

    /// Its name.
    pub(super) fn verb(self, plan: &Plan) -> &'static str {
        match self {
            PhaseKind::DeliverInput(_) => "deliver input",
            PhaseKind::Reset(_) => "reset",
            PhaseKind::RunRegularly(_) | PhaseKind::RunSynapsesRegularly(_) => "run regularly",
            PhaseKind::SampleAndHold(_) => "sample and hold",
            PhaseKind::Observe(_) => "observe",
            PhaseKind::Sample(_) | PhaseKind::SampleSynapses(_) => "sample",
            PhaseKind::SumInputs { .. } => "sum inputs",
            PhaseKind::Integrate(_) => "integrate",
            PhaseKind::Select(_) => "select",
            PhaseKind::Fire(_) => "fire",
            PhaseKind::IntegrateSynapses(_) => "integrate synapses",
            PhaseKind::IntegrateTraces(_) => "integrate traces",
            PhaseKind::Propagate(_) => "propagate",
            PhaseKind::UpdateTraces(_, End::Pre) => "pre traces of",
            PhaseKind::UpdateTraces(..) => "post traces of",
            PhaseKind::OnSpike { projection, pathway } => match plan.projections[projection].pathways[pathway].end {
                End::Pre => "on pre",
                End::Post => "on post",
                End::Third => "on third",
            },
        }
    }

    /// Its reads and writes, each once and in order.
    pub(super) fn touches(self, plan: &Plan) -> (Vec<Access>, Vec<Access>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let program = |population: usize| &plan.populations[population].program;
        match self {
            PhaseKind::DeliverInput(population) => {
                of_neurons(plan, population, &program(population).deliver_input, &mut reads, &mut writes);
                reads.extend(last_spikes(plan, population));
                for ring in (0..plan.populations[population].ports.len()).filter_map(|port| ring(plan, population, port)) {
                    reads.push(ring);
                    writes.push(ring);
                }
            }
            PhaseKind::Reset(population) => {
                of_neurons(plan, population, &program(population).reset, &mut reads, &mut writes);
                for code in &program(population).after_events {
                    of_neurons(plan, population, code, &mut reads, &mut writes);
                }
                reads.extend(last_spikes(plan, population));
            }
            PhaseKind::RunRegularly(population) => {
                for regular in &program(population).regular {
                    of_neurons(plan, population, &regular.code, &mut reads, &mut writes);
                }
                reads.extend(last_spikes(plan, population));
            }
            PhaseKind::SampleAndHold(population) => {
                of_neurons(plan, population, &program(population).sample_and_hold, &mut reads, &mut writes);
                reads.extend(last_spikes(plan, population));
            }
            PhaseKind::Integrate(population) => {
                let update = &program(population).update;
                of_neurons(plan, population, update, &mut reads, &mut writes);
                reads.extend(last_spikes(plan, population));
                writes.extend(update.condition.map(|_| Access::own(Resource::Crossings(population))));
            }
            PhaseKind::Select(population) => {
                let group = |of: usize| plan.populations[of].group;
                let members = (0..plan.populations.len()).filter(|of| group(*of).is_some() && group(*of) == group(population));
                for of in members.chain([population]) {
                    reads.extend(program(of).score.and_then(|array| variable(plan, of, array)));
                    reads.push(Access { resource: Resource::Crossings(of), range: AccessRange::Population });
                }
                writes.push(Access::own(Resource::Crossings(population)));
            }
            PhaseKind::Fire(population) => {
                reads.push(Access::own(Resource::Crossings(population)));
                writes.extend(last_spikes(plan, population));
                writes.push(Access::own(Resource::Spikes(population)));
            }
            PhaseKind::Sample(population) => {
                let shown = plan.sampling.columns.iter().filter_map(|sampled| match *sampled {
                    SampleSource::Neuron { population: of, variable, .. }
                    | SampleSource::Sum { population: of, variable, .. }
                        if of == population =>
                    {
                        self::variable(plan, of, variable)
                    }
                    _ => None,
                });
                reads.extend(shown);
                writes.push(Access::own(Resource::Samples(population)));
            }
            PhaseKind::SampleSynapses(projection) => {
                let shown = plan.sampling.columns.iter().filter_map(|sampled| match *sampled {
                    SampleSource::Synapse { projection: of, array, .. } if of == projection => {
                        own(plan, Owner::Synapses { projection }, array)
                    }
                    _ => None,
                });
                reads.extend(shown);
                writes.push(Access::own(Resource::SynapseSamples(projection)));
            }
            PhaseKind::Propagate(projection) => {
                let of = &plan.projections[projection];
                reads.push(spikes(of, End::Pre));
                writes.extend(of.writes().filter_map(|(_, write)| ring(plan, of.post, write.port)));
            }
            PhaseKind::RunSynapsesRegularly(projection) => {
                let regular = plan.projections[projection].state.as_ref().map_or(0, |state| state.program.regular.len());
                for index in 0..regular {
                    of_synapses(plan, projection, |state| &state.program.regular[index].code, &mut reads, &mut writes);
                }
            }
            PhaseKind::Observe(projection) => {
                of_synapses(plan, projection, |state| &state.program.observe, &mut reads, &mut writes);
            }
            PhaseKind::IntegrateSynapses(projection) => {
                of_synapses(plan, projection, |state| &state.program.update, &mut reads, &mut writes);
            }
            PhaseKind::IntegrateTraces(projection) => {
                of_synapses(plan, projection, |state| &state.program.integrate_traces, &mut reads, &mut writes);
            }
            PhaseKind::SumInputs { projection, summed } => {
                of_synapses(plan, projection, |state| &state.program.summed[summed].1, &mut reads, &mut writes);
                let of = &plan.projections[projection];
                if let Some(of_sum) = of.state.as_ref().map(|state| &state.summed[summed]) {
                    let sum = variable(plan, of.population(of_sum.end), of_sum.array);
                    let sum = sum.map(|touch| Access { range: AccessRange::of(of_sum.end), ..touch });
                    writes.extend(sum);
                    reads.extend(sum.filter(|_| of_sum.adds()));
                }
            }
            PhaseKind::OnSpike { projection, pathway } => {
                of_synapses(plan, projection, |state| &state.program.pathways[pathway].code, &mut reads, &mut writes);
                let of = &plan.projections[projection];
                reads.push(spikes(of, of.pathways[pathway].end));
                if let Some(arrival) = of.state.as_ref().map(|state| &state.arrivals[pathway]) {
                    writes.extend(arrival.adds.iter().filter_map(|add| ring(plan, of.post, add.port)));
                    writes.extend(arrival.writes.iter().filter_map(|(_, array)| variable(plan, of.post, *array)));
                }
            }
            PhaseKind::UpdateTraces(projection, end) => {
                of_synapses(plan, projection, |state| &state.program.traces[end as usize], &mut reads, &mut writes);
                reads.push(spikes(&plan.projections[projection], end));
            }
        }
        for touched in [&mut reads, &mut writes] {
            touched.sort_unstable();
            touched.dedup();
        }
        (reads, writes)
    }
}

/// The work of a step in its order. The order is defined only here.
pub(super) fn works(plan: &Plan) -> Vec<PhaseKind> {
    let populations = || 0..plan.populations.len();
    let states = || plan.projections.iter().enumerate().filter_map(|(index, of)| Some((index, of.state.as_ref()?)));
    let has = |code: fn(&StatePlan) -> bool| states().filter(move |(_, state)| code(state)).map(|(index, _)| index);
    let regular = |of: usize| (!plan.populations[of].program.regular.is_empty()).then_some(PhaseKind::RunRegularly(of));
    let begin = |of: usize| {
        [Some(PhaseKind::DeliverInput(of)), Some(PhaseKind::Reset(of)), regular(of), Some(PhaseKind::SampleAndHold(of))]
    };
    let mut works: Vec<PhaseKind> = populations().flat_map(begin).flatten().collect();
    works.extend(has(|state| !state.program.regular.is_empty()).map(PhaseKind::RunSynapsesRegularly));
    works.extend(has(|state| !state.program.observe.stores.is_empty()).map(PhaseKind::Observe));
    let samples = |wanted: PhaseKind| plan.sampling.columns.iter().any(|sampled| sampled_by(*sampled) == wanted);
    works.extend(populations().map(PhaseKind::Sample).filter(|work| samples(*work)));
    works.extend(states().map(|(index, _)| PhaseKind::SampleSynapses(index)).filter(|work| samples(*work)));
    works.extend(sums(plan));
    let fires = |of: usize| plan.populations[of].program.update.condition.is_some().then_some(PhaseKind::Fire(of));
    let selects = |of: &usize| plan.populations[*of].winners.is_some();
    let at_once = |of: usize| fires(of).filter(|_| !selects(&of));
    works.extend(populations().flat_map(|of| [Some(PhaseKind::Integrate(of)), at_once(of)]).flatten());
    // All of them together, so that threads wait for each other once.
    works.extend(populations().filter(selects).map(PhaseKind::Select));
    works.extend(populations().filter(selects).filter_map(fires));
    works.extend(has(|state| !state.program.integrate_traces.stores.is_empty()).map(PhaseKind::IntegrateTraces));
    works.extend(has(|state| !state.program.update.stores.is_empty()).map(PhaseKind::IntegrateSynapses));
    works.extend((0..plan.projections.len()).filter(|index| plan.projections[*index].state.is_none()).map(PhaseKind::Propagate));
    works.extend(arrivals(plan));
    works
}

/// The summed variables: those of the file in its order, and each linked variable as soon as what it reads is known. So synapses and other
/// linked variables read the values of this step, unless values depend on each other in a circle.
fn sums(plan: &Plan) -> Vec<PhaseKind> {
    let states = plan.projections.iter().enumerate().filter_map(|(index, of)| Some((index, of.state.as_ref()?)));
    let sums = states.flat_map(|(projection, state)| {
        (0..state.summed.len()).map(move |summed| (state.generated, PhaseKind::SumInputs { projection, summed }))
    });
    let (links, others): (Vec<_>, Vec<_>) = sums.partition(|(links, _)| *links);
    let [mut links, mut others] = [links, others].map(|of| of.into_iter().map(|(_, kind)| kind).collect::<VecDeque<_>>());
    let waits = |link: &PhaseKind, for_what: &PhaseKind| {
        let (reads, writes) = (link.touches(plan).0, for_what.touches(plan).1);
        link != for_what && writes.iter().any(|write| reads.iter().any(|read| read.resource == write.resource))
    };
    let mut order = Vec::new();
    while !(links.is_empty() && others.is_empty()) {
        let ready = links.iter().position(|link| !links.iter().chain(&others).any(|other| waits(link, other)));
        let next = ready.and_then(|ready| links.remove(ready));
        order.extend(next.or_else(|| others.pop_front()).or_else(|| links.pop_front()));
    }
    order
}

/// What spikes do to synapses with state: by the order of the pathways, then presynaptic spikes first, and those of third neurons last.
fn arrivals(plan: &Plan) -> Vec<PhaseKind> {
    let states = || plan.projections.iter().enumerate().filter_map(|(index, of)| Some((index, of, of.state.as_ref()?)));
    let mut arrivals = Vec::new();
    for end in End::ALL {
        for (projection, of, state) in states() {
            let acts = |pathway: usize| state.program.pathways[pathway].acts();
            let pathways = of.pathways.iter().enumerate().filter(|(index, pathway)| pathway.end == end && acts(*index));
            arrivals.extend(pathways.map(|(pathway, of)| (of.order, PhaseKind::OnSpike { projection, pathway })));
        }
        let has_traces = |state: &StatePlan| state.program.traces.get(end as usize).is_some_and(|code| !code.stores.is_empty());
        let traces = states().filter(|(.., state)| has_traces(state));
        // After all pathways with spikes of the same neurons.
        arrivals.extend(traces.map(|(index, of, _)| (of.last_order(end), PhaseKind::UpdateTraces(index, end))));
    }
    arrivals.sort_by_key(|(order, _)| *order);
    arrivals.into_iter().map(|(_, kind)| kind).collect()
}

fn sampled_by(sampled: SampleSource) -> PhaseKind {
    match sampled {
        SampleSource::Neuron { population, .. } | SampleSource::Sum { population, .. } => PhaseKind::Sample(population),
        SampleSource::Synapse { projection, .. } => PhaseKind::SampleSynapses(projection),
    }
}
