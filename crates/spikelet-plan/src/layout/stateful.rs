//! Construction of synapses with state after drawing.

use std::collections::HashSet;
use std::sync::Arc;

use spikelet_kernel::math;
use spikelet_lang::check::COUNTS;
use spikelet_lang::model::{End, NeuronRead, Role, SummedVariable};
use spikelet_lang::program::{EvaluationContext, Propagators, Register};
use spikelet_lang::term::Symbol;
use spikelet_lang::{SINCE_SPIKE, STAMP, SynapseLayout, half, of_low_word};
use spikelet_network::Error;

use super::recordings::observed;
use super::statistics;
use crate::draw::initial_synapses::InitialSynapses;
use crate::draw::realized::RealizedProjection;
use crate::draw::state::{Array, ArrivalPlan, ExactState, PortAddition, RegisterSource, StatePlan, SumPlan, TracePlan};
use crate::neurons::clocks::Clocks;
use crate::neurons::exact::unrounded;
use crate::neurons::population::{CheckedPopulation, derived};
use crate::neurons::sources::LoweredNetwork;
use crate::scale::bounds::{EventBounds, check_bounds};
use crate::scale::summary::PartSummary;
use crate::values::Values;
use crate::{PerSynapse, PopulationPlan};

impl StatePlan {
    /// Compiles the synapses of a projection between compiled populations. Variables in two words in `old` stay so.
    pub(crate) fn new(
        network: &LoweredNetwork<'_>,
        drawn: &RealizedProjection,
        (bounds, summary): (&EventBounds, &PartSummary),
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
        let own = network.part.own(drawn.checked.post);
        let array = |end: End, name: &str| populations[drawn.checked.population(end)?].program.variable(name);
        let has_each = |end: End, name: &str| {
            let of = drawn.checked.population(end).map(|of| &populations[of].program);
            of.is_some_and(|of| of.variable(name).is_some_and(|array| !of.observed.contains(&array)))
        };
        let per_synapse = |name: &str| drawn.values.0.get(name).is_some_and(|(_, values)| !values.is_uniform());
        // A statistic is of values of synapses, even if those of a neuron are the same.
        let measured =
            |name: &&String| statistics::observed(&network.statistics, &drawn.checked.name).any(|var| var == name.as_str());
        let is_written = |name: &str| model.variable(name).is_some_and(|at| model.variables[at].written);
        // A recording needs an array, even if the value is the same for all.
        let recorded = |name: &&String| {
            let mut recordings = network.recordings.iter().filter(|of| of.object == drawn.checked.name);
            recordings.any(|of| of.var == **name) || measured(name) && !is_written(name)
        };
        let variables = || model.variables.iter().filter(|variable| variable.role != Role::Local).map(|variable| &variable.name);
        check_bounds(&format!("projections[{index}]"), model, &drawn.values)?;
        let values = InitialSynapses::new(drawn, (neurons, own), summary.outgoing(index));
        let value = |symbol: Symbol, synapse: usize| values.value(symbol, synapse);
        let nothing = |_: usize, _: f64| f64::NAN;
        let kept = old.into_iter().flat_map(StatePlan::in_two_words);
        let compensated = summary.slow_in_synapses(index).cloned().chain(kept.map(str::to_owned)).collect();
        let layout = SynapseLayout {
            per_synapse: variables().filter(|name| per_synapse(name) || measured(name) && is_written(name)).cloned().collect(),
            recorded: variables().filter(recorded).cloned().collect(),
            one_delay: drawn.delays.iter().all(PerSynapse::is_shared),
            uniform: uniform_reads(&model.reads, &has_each),
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
        let named = |name: &str| drawn.values.0.get(name).map(|(_, values)| values);
        let start = |name: &str| match of_low_word(name) {
            Some(of) => named(of).map_or(vec![0.0], Values::low_words),
            None => named(name).map_or(vec![0.0], Values::to_f32),
        };
        let exact_start = |name: &str| match named(name) {
            Some(of) => of.numbers().to_vec(),
            None => vec![0.0],
        };
        let is_half = |name: &str| model.variable(name).is_some_and(|variable| model.variables[variable].half);
        let too_large = |name: &str| start(name).into_iter().find(|value| value.is_finite() && half::round(*value).is_infinite());
        for variable in model.variables.iter().filter(|variable| variable.half) {
            if let Some(value) = too_large(&variable.name) {
                let (path, unit) = (format!("projections[{index}]: {}", variable.name), variable.dimension.inner_unit());
                let expected = format!("its flag f16 allows at most 65504 {unit}");
                return Err(Error::invalid(path, format!("{value} {unit}"), expected, "use smaller values, or remove the flag"));
            }
        }
        let (mut arrays, mut traces) = (Vec::new(), Vec::new());
        let mut registers = Vec::new();
        for (register, holds) in program.registers.iter().enumerate() {
            if let Some(exact) = &mut exact {
                let counted = |name: &str| (0..drawn.rows().len()).map(|synapse| values.count(name, synapse)).collect();
                match holds {
                    // Lower words and stamps have no value of their name, so they start with 0.
                    Register::Own(name) => exact.arrays.push(Arc::new(exact_start(name))),
                    Register::Trace(_, name) => exact.traces.push(exact_start(name)[0]),
                    Register::Derived(_) => exact.arrays.push(Arc::new(exact_derived.next().unwrap_or_default())),
                    Register::Read(_, name) if COUNTS.contains(&name.as_str()) => exact.arrays.push(Arc::new(counted(name))),
                    Register::Read(..) | Register::Output(..) => {}
                }
            }
            let half = matches!(holds, Register::Own(name) if is_half(name));
            let mut own = |initial: Vec<f32>| {
                arrays.push(Array::new(register, half, initial));
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
                    own((0..drawn.rows().len()).map(|synapse| values.count(name, synapse) as f32).collect())
                }
                Register::Read(_, name) if name == SINCE_SPIKE => RegisterSource::PostSinceSpike,
                Register::Read(End::Pre, name) if name == "i" => RegisterSource::PreIndex,
                Register::Read(End::Post, name) if name == "i" => RegisterSource::PostIndex,
                Register::Read(End::Third, name) if name == "i" => RegisterSource::ThirdIndex,
                Register::Read(end, name) => match (end, array(*end, name)) {
                    (End::Pre, Some(array)) => RegisterSource::Pre(array),
                    (End::Post, Some(array)) => RegisterSource::Post(array),
                    (End::Third, Some(array)) => RegisterSource::Third(array),
                    (_, None) => RegisterSource::Output,
                },
                Register::Output(..) => RegisterSource::Output,
            });
        }
        let target = |register: usize| match &program.registers[register] {
            Register::Output(_, name) => name.as_str(),
            _ => "",
        };
        let post = &populations[drawn.checked.post];
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
        let sum = |sum: &SummedVariable| Some(SumPlan { end: sum.end, array: array(sum.end, &sum.name)?, parts: Vec::new() });
        let summed = model.summed.iter().filter_map(sum).collect();
        Ok(Some(StatePlan {
            generated: network.generated(index).is_some(),
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
fn uniform_reads(reads: &[NeuronRead], has_each: &dyn Fn(End, &str) -> bool) -> HashSet<(End, String)> {
    let uniform = |read: &&NeuronRead| match read.name.as_str() {
        "N_pre" | "N_post" | "N_third" => true,
        "i" => false,
        name => !COUNTS.contains(&name) && name != SINCE_SPIKE && !has_each(read.end, name),
    };
    reads.iter().filter(uniform).map(|read| (read.end, read.name.clone())).collect()
}
