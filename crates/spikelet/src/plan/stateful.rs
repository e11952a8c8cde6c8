//! Construction of synapses with state after drawing.

use std::collections::HashSet;
use std::sync::Arc;

use spikelet_lang::check::COUNTS;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{End, NeuronRead, Role, SynapseModel, Target};
use spikelet_lang::program::{EvaluationContext, Propagators, Register};
use spikelet_lang::term::{Random, Symbol};
use spikelet_lang::{SINCE_SPIKE, STAMP, SynapseLayout, math, of_low_word, slow};

use super::bounds::{EventBounds, check_bounds};
use super::clocks::Clocks;
use super::exact::unrounded;
use super::population::{CheckedPopulation, derived};
use super::realized::RealizedProjection;
use super::recordings::observed;
use super::sources::LoweredNetwork;
use super::state::{Array, ArrivalPlan, ExactState, PortAddition, RegisterSource, StatePlan, TracePlan};
use super::statistics;
use super::values::Values;
use super::{MinWeight, MinWeightOf, PerSynapse, PopulationPlan, WeightSizes};
use crate::Error;

/// Number of synapses sampled for the size of their events.
const SAMPLE: usize = 10_000;

impl StatePlan {
    /// Compiles the synapses of a projection between compiled populations. Variables in two words in `old` stay so.
    pub(super) fn new(
        network: &LoweredNetwork<'_>,
        drawn: &RealizedProjection,
        bounds: &EventBounds,
        neurons: &[CheckedPopulation],
        populations: &[PopulationPlan],
        old: Option<&StatePlan>,
        exact: bool,
    ) -> Result<Option<StatePlan>, Error> {
        let model = &drawn.checked.model;
        if model.is_static() {
            return Ok(None);
        }
        let index = network.projections.iter().position(|projection| projection.name == drawn.checked.name).unwrap_or(0);
        let wrong = |diagnostic| Error::model(&format!("projections[{index}]"), vec![diagnostic]);
        let ends = [drawn.checked.pre, drawn.checked.post];
        let population = |end: End| ends[usize::from(end == End::Post)];
        let array = |end: End, name: &str| populations[population(end)].program.variable(name);
        let per_synapse = |name: &str| drawn.values.0.get(name).is_some_and(|(_, values)| !values.is_uniform());
        // A recording needs an array, even if the value is the same for all.
        let recorded = |name: &&String| {
            let mut statistics = statistics::observed(&network.statistics, &drawn.checked.name);
            let mut recordings = network.recordings.iter().filter(|of| of.object == drawn.checked.name);
            recordings.any(|of| of.var == **name) || statistics.any(|var| var == name.as_str())
        };
        let variables = || model.variables.iter().filter(|variable| variable.role != Role::Local).map(|variable| &variable.name);
        check_bounds(&format!("projections[{index}]"), model, &drawn.values)?;
        let counts = Counts::new(drawn, populations);
        let value = |symbol: Symbol, synapse: usize| match symbol {
            Symbol::Variable(variable) => {
                drawn.values.0.get(&model.variables[variable].name).map_or(f64::NAN, |(_, of)| of.at(synapse))
            }
            Symbol::Constant(constant) => drawn.values.0[&model.constants[constant].name].1.at(synapse),
            Symbol::Read(read) => match model.reads.get(read) {
                Some(NeuronRead { name, .. }) if COUNTS.contains(&name.as_str()) => counts.of(name, synapse),
                Some(NeuronRead { end, name }) => {
                    let neuron = counts.neuron(*end, synapse) as usize;
                    neurons[population(*end)].values.0.get(name).map_or(f64::NAN, |(_, values)| values.at(neuron))
                }
                None => f64::from(counts.neuron(if read == model.reads.len() { End::Pre } else { End::Post }, synapse)),
            },
            Symbol::Index => f64::from(counts.neuron(End::Pre, synapse)),
            Symbol::PostIndex => f64::from(counts.neuron(End::Post, synapse)),
            Symbol::Size => drawn.rows().len() as f64,
            _ => f64::NAN,
        };
        let nothing = |_: usize, _: f64| f64::NAN;
        let elements = slow::InitialState { dt: network.dt_ms, count: drawn.rows().len(), symbol: &value, lookup: &nothing };
        let kept = old.into_iter().flat_map(StatePlan::in_two_words);
        let compensated = model.slow(&elements).into_iter().chain(kept.map(str::to_owned)).collect();
        let layout = SynapseLayout {
            per_synapse: variables().filter(|name| per_synapse(name)).cloned().collect(),
            recorded: variables().filter(recorded).cloned().collect(),
            one_delay: drawn.delays.iter().all(PerSynapse::is_shared),
            uniform: uniform_reads(&model.reads, &array),
            observed: observed(network, &drawn.checked.name, |name| model.subexpressions.contains_key(name)),
            compensated,
        };
        let post_model = &neurons[drawn.checked.post].model;
        let program = model.compile(post_model, &layout).map_err(wrong)?;
        let given = EvaluationContext { dt: network.dt_ms, symbol: &|symbol| value(symbol, 0), lookup: &nothing };
        let constants = program.rules.constants(&given).map_err(wrong)?;
        let clocks = Clocks::new(&program.rules, &|symbol| value(symbol, 0), Vec::new(), Vec::new());
        let exact_constants = || program.rules.unrounded(&program.rules.constants, &given, &mut Propagators::default()).collect();
        let mut exact = exact.then(|| ExactState { constants: exact_constants(), arrays: Vec::new(), traces: Vec::new() });
        let mut exact_derived = Vec::new();
        if exact.is_some() {
            exact_derived = unrounded(&program.rules, drawn.rows().len(), network.dt_ms, &value, &nothing);
        }
        let mut exact_derived = exact_derived.into_iter();
        let mut derived =
            derived(&program.rules, drawn.rows().len(), network.dt_ms, &value, &nothing).map_err(wrong)?.into_iter();
        let values = |name: &str| drawn.values.0.get(name).map(|(_, values)| values);
        let start = |name: &str| match of_low_word(name) {
            Some(of) => values(of).map_or(vec![0.0], Values::low_words),
            None => values(name).map_or(vec![0.0], Values::to_f32),
        };
        let exact_start = |name: &str| match values(name) {
            Some(of) => of.numbers().to_vec(),
            None => vec![0.0],
        };
        let (mut arrays, mut traces) = (Vec::new(), Vec::new());
        let mut registers = Vec::new();
        for (register, holds) in program.registers.iter().enumerate() {
            if let Some(exact) = &mut exact {
                let counted = |name: &str| (0..drawn.rows().len()).map(|synapse| counts.of(name, synapse)).collect();
                match holds {
                    // Lower words and stamps have no value of their name, so they start with 0.
                    Register::Own(name) => exact.arrays.push(Arc::new(exact_start(name))),
                    Register::Trace(_, name) => exact.traces.push(exact_start(name)[0]),
                    Register::Derived(_) => exact.arrays.push(Arc::new(exact_derived.next().unwrap_or_default())),
                    Register::Read(_, name) if COUNTS.contains(&name.as_str()) => exact.arrays.push(Arc::new(counted(name))),
                    Register::Read(..) | Register::Output(_) => {}
                }
            }
            let mut own = |initial: Vec<f32>| {
                arrays.push(Array { register, initial: Arc::new(initial) });
                RegisterSource::Own(arrays.len() - 1)
            };
            registers.push(match holds {
                Register::Own(name) if name == STAMP => own(vec![math::stamp(0)]),
                Register::Own(name) => own(start(name)),
                Register::Trace(end, name) => {
                    let initial = start(name)[0];
                    let initial = if name == STAMP { math::stamp(0) } else { initial };
                    traces.push(TracePlan { register, end: *end, initial });
                    RegisterSource::Trace(traces.len() - 1)
                }
                Register::Derived(_) => own(derived.next().unwrap_or_default()),
                Register::Read(_, name) if COUNTS.contains(&name.as_str()) => {
                    own((0..drawn.rows().len()).map(|synapse| counts.of(name, synapse) as f32).collect())
                }
                Register::Read(_, name) if name == SINCE_SPIKE => RegisterSource::PostSinceSpike,
                Register::Read(End::Pre, name) if name == "i" => RegisterSource::PreIndex,
                Register::Read(End::Post, name) if name == "i" => RegisterSource::PostIndex,
                Register::Read(end, name) => match (end, array(*end, name)) {
                    (End::Pre, Some(array)) => RegisterSource::Pre(array),
                    (End::Post, Some(array)) => RegisterSource::Post(array),
                    (_, None) => RegisterSource::Output,
                },
                Register::Output(_) => RegisterSource::Output,
            });
        }
        let target = |register: usize| match &program.registers[register] {
            Register::Output(name) => name.as_str(),
            _ => "",
        };
        let post = &populations[ends[1]];
        let addition = |pathway: usize, register: usize| {
            let bound = post_model.variable(target(register)).and_then(|variable| bounds.get(variable, pathway));
            let port = post.port(target(register), bound.is_none())?;
            Some(PortAddition { register, port, limit: PortAddition::limit_by(bound, &post.ports[port]) })
        };
        let arrivals = program.pathways.iter().enumerate().map(|(pathway, code)| {
            let adds = code.adds.iter().filter_map(|register| addition(pathway, *register));
            let writes = code.writes.iter().filter_map(|register| Some((*register, array(End::Post, target(*register))?)));
            ArrivalPlan { adds: adds.collect(), writes: writes.collect() }
        });
        let arrivals: Vec<ArrivalPlan> = arrivals.collect();
        let unit = |add: &PortAddition| {
            let dimension = post_model.dimension(target(add.register)).map(|dimension| dimension.inner_unit());
            (add.port, dimension.unwrap_or_default())
        };
        let units = arrivals.iter().flat_map(|arrival| &arrival.adds).map(unit).collect();
        let summed =
            program.summed.iter().filter_map(|(register, _)| Some((array(End::Post, target(*register))?, true))).collect();
        Ok(Some(StatePlan {
            learns: model.plasticity.is_some(),
            program,
            registers,
            arrays,
            traces,
            constants,
            exact,
            clocks,
            first_clock: 0,
            summed,
            units,
            arrivals,
        }))
    }
}

/// Values that are the same for all synapses.
fn uniform_reads(reads: &[NeuronRead], array: &dyn Fn(End, &str) -> Option<usize>) -> HashSet<(End, String)> {
    let uniform = |read: &&NeuronRead| match read.name.as_str() {
        "N_pre" | "N_post" => true,
        name => !COUNTS.contains(&name) && name != SINCE_SPIKE && array(read.end, name).is_none(),
    };
    reads.iter().filter(uniform).map(|read| (read.end, read.name.clone())).collect()
}

/// In-degrees of a projection.
struct Counts {
    pre: Vec<u32>,
    post: Vec<u32>,
    incoming: Vec<u32>,
    outgoing: Vec<u32>,
    sizes: [u32; 2],
}

impl Counts {
    fn new(drawn: &RealizedProjection, populations: &[PopulationPlan]) -> Counts {
        let (rows, first) = (drawn.rows(), drawn.pre_slice.start);
        let sizes = [drawn.checked.pre, drawn.checked.post].map(|population| populations[population].size);
        let mut counts = Counts {
            pre: Vec::with_capacity(rows.len()),
            post: rows.targets().collect(),
            incoming: vec![0; sizes[1] as usize],
            outgoing: vec![0; sizes[0] as usize],
            sizes,
        };
        for (row, ends) in rows.offsets.windows(2).enumerate() {
            let pre = first + row as u32;
            counts.pre.resize(ends[1] as usize, pre);
            counts.outgoing[pre as usize] = (ends[1] - ends[0]) as u32;
        }
        rows.targets().for_each(|target| counts.incoming[target as usize] += 1);
        counts
    }

    fn neuron(&self, end: End, synapse: usize) -> u32 {
        let neurons = if end == End::Pre { &self.pre } else { &self.post };
        neurons.get(synapse).copied().unwrap_or(0)
    }

    fn of(&self, name: &str, synapse: usize) -> f64 {
        f64::from(match name {
            "N_pre" => self.sizes[0],
            "N_post" => self.sizes[1],
            "N_outgoing" => self.outgoing[self.neuron(End::Pre, synapse) as usize],
            _ => self.incoming[self.neuron(End::Post, synapse) as usize],
        })
    }
}

/// Approximate size of the first events of the synapses for a variable. Each is evaluated if they are `listed`, or few.
pub(super) fn first_events(
    drawn: &RealizedProjection,
    listed: bool,
    neurons: &[CheckedPopulation],
    variable: usize,
) -> WeightSizes {
    let model = &drawn.checked.model;
    let adds = |target: &Target| *target == Target::Add(variable);
    let (synapses, mut sizes) = (drawn.rows().len(), WeightSizes::default());
    let step = if listed { 1 } else { synapses.div_ceil(SAMPLE).max(1) };
    // For a sample, the mean of all represents that of each neuron.
    let mut sums = vec![0.0; if step == 1 { drawn.degrees.incoming.len() } else { 1 }];
    let mut counts = vec![0_u32; sums.len()];
    for synapse in (0..synapses).step_by(step) {
        let row = drawn.rows().offsets.partition_point(|offset| *offset <= synapse as u64) - 1;
        let ends = [(drawn.pre_slice.start as usize) + row, drawn.rows().target(synapse) as usize];
        let at_start = |name: &str| drawn.values.0.get(name).map_or(0.0, |(_, values)| values.at(synapse));
        let read = |end: End, name: &str| {
            let (population, neuron) = match end {
                End::Pre => (drawn.checked.pre, ends[0]),
                End::Post => (drawn.checked.post, ends[1]),
            };
            neurons[population].values.0.get(name).map_or(1.0, |(_, values)| values.at(neuron))
        };
        let event = first_event(model, &at_start, &read, ends, &adds);
        sizes.largest = sizes.largest.max(event);
        if listed {
            sizes.least = sizes.least.and(MinWeight { size: event, of: MinWeightOf::Synapse(ends.map(|end| end as u32)) });
        }
        let place = if step == 1 { ends[1] } else { 0 };
        sums[place] += event;
        counts[place] += 1;
    }
    if !listed {
        let least = MinWeight::mean(&sums, &counts, 0);
        sizes.least = if step == 1 { least } else { MinWeight { of: MinWeightOf::All, ..least } };
    }
    sizes
}

/// The largest increment by the first event of any pathway in a synapse, from the initial values of its names and of its neurons.
pub(super) fn first_event(
    model: &SynapseModel,
    at_start: &dyn Fn(&str) -> f64,
    read_neuron: &dyn Fn(End, &str) -> f64,
    ends: [usize; 2],
    adds: &dyn Fn(&Target) -> bool,
) -> f64 {
    let mut largest = 0.0_f64;
    for pathway in &model.pathways {
        let mut state: Vec<f64> = model.variables.iter().map(|variable| at_start(&variable.name)).collect();
        for write in &pathway.statements {
            let value = evaluate(&write.value, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Variable(variable)) => state[variable],
                Leaf::Symbol(Symbol::Constant(constant)) => at_start(&model.constants[constant].name),
                Leaf::Symbol(Symbol::Read(read)) => {
                    model.reads.get(read).map_or(0.0, |NeuronRead { end, name }| read_neuron(*end, name))
                }
                Leaf::Symbol(Symbol::Index) => ends[0] as f64,
                Leaf::Symbol(Symbol::PostIndex) => ends[1] as f64,
                Leaf::Random(Random::Uniform, _) => 0.5,
                Leaf::Random(Random::Normal, _) => 1.0,
                Leaf::Symbol(_) | Leaf::Lookup(..) | Leaf::Gamma(..) => 0.0,
            });
            match write.target {
                Target::Own(variable) => state[variable] = value,
                Target::Add(_) if adds(&write.target) && value.is_finite() => largest = largest.max(value.abs()),
                Target::Add(_) | Target::Post(_) => {}
            }
        }
    }
    largest
}
