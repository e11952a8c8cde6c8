//! What a phase reads and writes.

use spikelet_lang::End;
use spikelet_lang::ir::Code;

use super::Work;
use crate::plan::{ArrayId, Origin, Owner, Plan, ProjectionPlan, Sampled, StatePlan};

/// What phases pass on to each other: an entry of the [table of arrays](crate::Arrays), or what nobody keeps beyond an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// An array that the device keeps.
    Array(ArrayId),
    /// Which neurons of a population have met their threshold in this step.
    Crossings(usize),
    /// The spikes of a population, of this step and of those before that have not arrived everywhere.
    Spikes(usize),
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

/// That a phase touches something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// What.
    pub what: Touched,
    /// Whose words of it.
    pub whose: Whose,
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
        Touch { what, whose: Whose::Own }
    }

    /// How far neurons of the population `home`, or synapses onto them, look for it.
    pub fn scope(self, plan: &Plan, home: usize) -> Scope {
        match self.whose {
            Whose::Own => Scope::Neuron,
            Whose::Pre if self.what.population(plan) == Some(home) => Scope::Population,
            Whose::Pre => Scope::Network,
        }
    }
}

impl Touched {
    /// The population whose neurons have it, one word each.
    pub fn population(self, plan: &Plan) -> Option<usize> {
        match self {
            Touched::Array(array) => match plan.arrays()[array].owner {
                Owner::Neurons { population } | Owner::Lanes { population } => Some(population),
                _ => None,
            },
            Touched::Crossings(population) | Touched::Spikes(population) | Touched::Samples(population) => Some(population),
            Touched::SynapseSamples(_) => None,
        }
    }
}

/// The touch of the array at a place among those of an owner, by whoever has it.
fn own(plan: &Plan, owner: Owner, index: usize) -> Option<Touch> {
    plan.arrays().of(owner, index).map(|array| Touch::own(Touched::Array(array)))
}

fn variable(plan: &Plan, population: usize, index: usize) -> Option<Touch> {
    own(plan, Owner::Neurons { population }, index)
}

/// The step of each neuron's last spike.
fn last_spikes(plan: &Plan, population: usize) -> Option<Touch> {
    variable(plan, population, plan.populations[population].program.variables.len())
}

/// What is under way to a port.
fn ring(plan: &Plan, population: usize, port: usize) -> Option<Touch> {
    own(plan, Owner::Lanes { population }, port)
}

/// The arrays that a phase reads, and those that it writes, each once and in order.
pub(super) fn of(plan: &Plan, work: Work) -> (Vec<Touch>, Vec<Touch>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let program = |population: usize| &plan.populations[population].program;
    match work {
        Work::Deliver(population) => {
            of_neurons(plan, population, &program(population).take, &mut reads, &mut writes);
            reads.extend(last_spikes(plan, population));
            for ring in (0..plan.populations[population].ports.len()).filter_map(|port| ring(plan, population, port)) {
                reads.push(ring);
                writes.push(ring);
            }
        }
        Work::Reset(population) => {
            of_neurons(plan, population, &program(population).reset, &mut reads, &mut writes);
            reads.extend(last_spikes(plan, population));
        }
        Work::Hold(population) => {
            of_neurons(plan, population, &program(population).hold, &mut reads, &mut writes);
            reads.extend(last_spikes(plan, population));
        }
        Work::Integrate(population) => {
            let update = &program(population).update;
            of_neurons(plan, population, update, &mut reads, &mut writes);
            reads.extend(last_spikes(plan, population));
            writes.extend(update.condition.map(|_| Touch::own(Touched::Crossings(population))));
        }
        Work::Fire(population) => {
            reads.push(Touch::own(Touched::Crossings(population)));
            writes.extend(last_spikes(plan, population));
            writes.push(Touch::own(Touched::Spikes(population)));
        }
        Work::Sample(population) => {
            let shown = plan.channels.iter().filter_map(|channel| match channel.sampled {
                Sampled::Neuron { population: of, variable, .. } if of == population => self::variable(plan, of, variable),
                _ => None,
            });
            reads.extend(shown);
            writes.push(Touch::own(Touched::Samples(population)));
        }
        Work::SampleSynapses(projection) => {
            let shown = plan.channels.iter().filter_map(|channel| match channel.sampled {
                Sampled::Synapse { projection: of, array, .. } if of == projection => {
                    own(plan, Owner::Synapses { projection }, array)
                }
                _ => None,
            });
            reads.extend(shown);
            writes.push(Touch::own(Touched::SynapseSamples(projection)));
        }
        Work::Propagate(projection) => {
            let of = &plan.projections[projection];
            reads.push(spikes(of, End::Pre));
            writes.extend(of.writes().filter_map(|(_, write)| ring(plan, of.post, write.port)));
        }
        Work::Observe(projection) => of_synapses(plan, projection, |state| &state.program.hold, &mut reads, &mut writes),
        Work::Drive(projection) => of_synapses(plan, projection, |state| &state.program.update, &mut reads, &mut writes),
        Work::Couple { projection, summed } => {
            of_synapses(plan, projection, |state| &state.program.summed[summed].1, &mut reads, &mut writes);
            let of = &plan.projections[projection];
            if let Some((array, first)) = of.state.as_ref().map(|state| state.summed[summed]) {
                let sum = variable(plan, of.post, array);
                writes.extend(sum);
                reads.extend(sum.filter(|_| !first));
            }
        }
        Work::OnSpike { projection, pathway } => {
            of_synapses(plan, projection, |state| &state.program.pathways[pathway].code, &mut reads, &mut writes);
            let of = &plan.projections[projection];
            reads.push(spikes(of, of.pathways[pathway].end));
            if let Some(arrival) = of.state.as_ref().map(|state| &state.arrivals[pathway]) {
                writes.extend(arrival.adds.iter().filter_map(|add| ring(plan, of.post, add.port)));
                writes.extend(arrival.writes.iter().filter_map(|(_, array)| variable(plan, of.post, *array)));
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
        End::Pre => Touch { what, whose: Whose::Pre },
        End::Post => Touch::own(what),
    }
}

fn of_neurons(plan: &Plan, population: usize, code: &Code, reads: &mut Vec<Touch>, writes: &mut Vec<Touch>) {
    for array in 0..plan.populations[population].program.variables.len() {
        let touch = variable(plan, population, array);
        reads.extend(touch.filter(|_| code.touches(array)));
        writes.extend(touch.filter(|_| code.stores_to(array)));
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
            Origin::Own(array) => own(plan, Owner::Synapses { projection }, array),
            // Whoever has synapses follows the traces of the neurons at both their ends itself.
            Origin::Trace(trace) => own(plan, Owner::Traces { projection, end: state.traces[trace].end }, trace),
            Origin::Pre(array) => variable(plan, of.pre, array).map(|touch| Touch { whose: Whose::Pre, ..touch }),
            Origin::Post(array) => variable(plan, of.post, array),
            Origin::PostSinceSpike => last_spikes(plan, of.post),
            Origin::PreIndex | Origin::PostIndex | Origin::Output => None,
        };
        reads.extend(touch);
        let is_stored = code.stores_to(lane) && matches!(origin, Origin::Own(_) | Origin::Trace(_));
        writes.extend(touch.filter(|_| is_stored));
    }
}
