//! What a phase reads and writes.

use spikelet_lang::End;
use spikelet_lang::ir::Code;

use super::Work;
use crate::plan::{Origin, Plan, ProjectionPlan, Sampled, StatePlan};

/// An array that phases pass on to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// One of the arrays of a population, by index in its program.
    Variable(usize, usize),
    /// The step of each neuron's last spike.
    LastSpike(usize),
    /// Which neurons of a population have met their threshold in this step.
    Crossings(usize),
    /// The spikes of a population, of this step and of those before that have not arrived everywhere.
    Spikes(usize),
    /// What is under way to the ports of a population.
    Ring(usize),
    /// One of the arrays of the synapses of a projection.
    Synapses(usize, usize),
    /// One of the traces of a projection.
    Trace(usize, usize),
    /// What the channels of a population have recorded.
    Samples(usize),
    /// What those of a projection have.
    SynapseSamples(usize),
}

/// Whose words of an array a phase touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whose {
    /// Those of the neuron itself, or of the synapses onto it.
    Own,
    /// Those of the presynaptic neurons of its synapses.
    Pre,
}

/// That a phase touches an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// The array.
    pub what: Touched,
    /// Whose words of it.
    pub whose: Whose,
    /// Whether those neurons are of the population that does the phase, or onto which its synapses lead.
    pub at_home: bool,
}

/// How far a phase looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// At the neuron and the synapses onto it.
    Neuron,
    /// At other neurons of its population, too.
    Population,
    /// At neurons of any population.
    Network,
}

impl Touch {
    fn own(what: Touched) -> Touch {
        Touch { what, whose: Whose::Own, at_home: true }
    }

    /// How far one looks for it.
    pub fn scope(self) -> Scope {
        match (self.whose, self.at_home) {
            (Whose::Own, _) => Scope::Neuron,
            (Whose::Pre, true) => Scope::Population,
            (Whose::Pre, false) => Scope::Network,
        }
    }
}

/// The arrays that a phase reads, and those that it writes, each once and in order.
pub(super) fn of(plan: &Plan, work: Work) -> (Vec<Touch>, Vec<Touch>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let program = |population: usize| &plan.populations[population].program;
    match work {
        Work::Deliver(population) => {
            of_neurons(plan, population, &program(population).take, &mut reads, &mut writes);
            let ring = Touch::own(Touched::Ring(population));
            reads.extend([ring, Touch::own(Touched::LastSpike(population))]);
            writes.push(ring);
        }
        Work::Reset(population) => {
            of_neurons(plan, population, &program(population).reset, &mut reads, &mut writes);
            reads.push(Touch::own(Touched::LastSpike(population)));
        }
        Work::Hold(population) => {
            of_neurons(plan, population, &program(population).hold, &mut reads, &mut writes);
            reads.push(Touch::own(Touched::LastSpike(population)));
        }
        Work::Integrate(population) => {
            let update = &program(population).update;
            of_neurons(plan, population, update, &mut reads, &mut writes);
            reads.push(Touch::own(Touched::LastSpike(population)));
            writes.extend(update.condition.map(|_| Touch::own(Touched::Crossings(population))));
        }
        Work::Fire(population) => {
            reads.push(Touch::own(Touched::Crossings(population)));
            writes.extend([Touched::LastSpike(population), Touched::Spikes(population)].map(Touch::own));
        }
        Work::Sample(population) => {
            let shown = plan.channels.iter().filter_map(|channel| match channel.sampled {
                Sampled::Neuron { population: of, variable, .. } if of == population => Some(Touched::Variable(of, variable)),
                _ => None,
            });
            reads.extend(shown.map(Touch::own));
            writes.push(Touch::own(Touched::Samples(population)));
        }
        Work::SampleSynapses(projection) => {
            let shown = plan.channels.iter().filter_map(|channel| match channel.sampled {
                Sampled::Synapse { projection: of, array, .. } if of == projection => Some(Touched::Synapses(of, array)),
                _ => None,
            });
            reads.extend(shown.map(Touch::own));
            writes.push(Touch::own(Touched::SynapseSamples(projection)));
        }
        Work::Propagate(projection) => {
            let of = &plan.projections[projection];
            reads.push(spikes(of, End::Pre));
            writes.push(Touch::own(Touched::Ring(of.post)));
        }
        Work::Observe(projection) => of_synapses(plan, projection, |state| &state.program.hold, &mut reads, &mut writes),
        Work::Drive(projection) => of_synapses(plan, projection, |state| &state.program.update, &mut reads, &mut writes),
        Work::Couple { projection, summed } => {
            of_synapses(plan, projection, |state| &state.program.summed[summed].1, &mut reads, &mut writes);
            let of = &plan.projections[projection];
            if let Some((array, first)) = of.state.as_ref().map(|state| state.summed[summed]) {
                let sum = Touch::own(Touched::Variable(of.post, array));
                writes.push(sum);
                reads.extend((!first).then_some(sum));
            }
        }
        Work::OnSpike { projection, pathway } => {
            of_synapses(plan, projection, |state| &state.program.pathways[pathway].code, &mut reads, &mut writes);
            let of = &plan.projections[projection];
            reads.push(spikes(of, of.pathways[pathway].end));
            if let Some(arrival) = of.state.as_ref().map(|state| &state.arrivals[pathway]) {
                writes.extend((!arrival.adds.is_empty()).then(|| Touch::own(Touched::Ring(of.post))));
                writes.extend(arrival.writes.iter().map(|(_, array)| Touch::own(Touched::Variable(of.post, *array))));
            }
        }
        Work::Trace(projection, end) => {
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

/// The spikes of the neurons at one end.
fn spikes(of: &ProjectionPlan, end: End) -> Touch {
    let what = Touched::Spikes(of.population(end));
    match end {
        End::Pre => Touch { what, whose: Whose::Pre, at_home: of.pre == of.post },
        End::Post => Touch::own(what),
    }
}

fn of_neurons(plan: &Plan, population: usize, code: &Code, reads: &mut Vec<Touch>, writes: &mut Vec<Touch>) {
    for array in 0..plan.populations[population].program.variables.len() {
        let touch = Touch::own(Touched::Variable(population, array));
        reads.extend(code.touches(array).then_some(touch));
        writes.extend(code.stores_to(array).then_some(touch));
    }
}

fn of_synapses(
    plan: &Plan,
    projection: usize,
    code: impl FnOnce(&StatePlan) -> &Code,
    reads: &mut Vec<Touch>,
    writes: &mut Vec<Touch>,
) {
    let of = &plan.projections[projection];
    let Some(state) = &of.state else { return };
    let code = code(state);
    for (lane, origin) in state.lanes.iter().enumerate().filter(|(lane, _)| code.touches(*lane)) {
        let touch = match *origin {
            Origin::Own(array) => Touch::own(Touched::Synapses(projection, array)),
            // Whoever has synapses follows the traces of the neurons at both their ends itself.
            Origin::Trace(trace) => Touch::own(Touched::Trace(projection, trace)),
            Origin::Pre(array) => Touch { what: Touched::Variable(of.pre, array), whose: Whose::Pre, at_home: of.pre == of.post },
            Origin::Post(array) => Touch::own(Touched::Variable(of.post, array)),
            Origin::PostSinceSpike => Touch::own(Touched::LastSpike(of.post)),
            Origin::PreIndex | Origin::PostIndex | Origin::Output => continue,
        };
        reads.push(touch);
        writes.extend((code.stores_to(lane) && matches!(origin, Origin::Own(_) | Origin::Trace(_))).then_some(touch));
    }
}
