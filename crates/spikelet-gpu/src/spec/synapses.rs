//! Codes of synapses with state.

use spikelet::lang::End;
use spikelet::lang::ir::Code;
use spikelet::{ArrivalPlan, Plan, ProjectionPlan, RegisterSource, StatePlan};

/// A code, the sources of its registers, and the use of its results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SynapseCode {
    pub(crate) code: Code,
    /// The registers that it reads or writes, with their sources.
    pub(crate) registers: Vec<(usize, RegisterFill)>,
    pub(crate) after: Writeback,
    /// The clock that is not 0 in the steps in which it runs, if these are not all.
    pub(crate) due: Option<usize>,
}

/// The source of a register: an [`RegisterSource`], and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RegisterFill {
    /// Its place among the arrays of f32.
    Own(usize),
    /// Its place among the arrays of f16.
    Half(usize),
    Trace(TraceOffsets),
    Pre(usize),
    Post(usize),
    Third(usize),
    /// Steps since the last spike, from this array of the postsynaptic population.
    PostSinceSpike(usize),
    PreIndex,
    PostIndex,
    ThirdIndex,
    Nothing,
}

/// The location of a trace: in their order, each with one word per neuron of its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TraceOffsets {
    pub(crate) end: End,
    /// Traces of presynaptic neurons before it, and of postsynaptic neurons.
    pub(crate) of_pre: usize,
    pub(crate) of_post: usize,
}

/// The use of the registers after the code; the variables of the synapse are always stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Writeback {
    /// None.
    Store,
    /// One is returned.
    Return(usize),
    /// Some are added to ports, others are stored in variables of the postsynaptic neuron: register and array.
    OnSpike { adds: Vec<usize>, writes: Vec<(usize, usize)> },
}

impl Writeback {
    /// The effect of an arrival.
    pub(crate) fn of_arrival(arrival: &ArrivalPlan) -> Writeback {
        Writeback::OnSpike { adds: arrival.adds.iter().map(|add| add.register).collect(), writes: arrival.writes.clone() }
    }

    fn takes(&self, register: usize) -> bool {
        match self {
            Writeback::Store => false,
            Writeback::Return(output) => *output == register,
            Writeback::OnSpike { adds, writes } => {
                adds.contains(&register) || writes.iter().any(|(output, _)| *output == register)
            }
        }
    }
}

impl SynapseCode {
    /// A code of a projection.
    pub(crate) fn of(plan: &Plan, projection: &ProjectionPlan, state: &StatePlan, code: &Code, after: Writeback) -> SynapseCode {
        let fill = |origin: &RegisterSource| match *origin {
            RegisterSource::Own(array) => {
                let place = state.place_of_format(array);
                if state.arrays[array].half { RegisterFill::Half(place) } else { RegisterFill::Own(place) }
            }
            RegisterSource::Trace(trace) => {
                let before = |end: End| state.traces[..trace].iter().filter(|trace| trace.end == end).count();
                RegisterFill::Trace(TraceOffsets {
                    end: state.traces[trace].end,
                    of_pre: before(End::Pre),
                    of_post: before(End::Post),
                })
            }
            RegisterSource::Pre(array) => RegisterFill::Pre(array),
            RegisterSource::Post(array) => RegisterFill::Post(array),
            RegisterSource::Third(array) => RegisterFill::Third(array),
            // The array after the last.
            RegisterSource::PostSinceSpike => {
                RegisterFill::PostSinceSpike(plan.populations[projection.post].program.variables.len())
            }
            RegisterSource::PreIndex => RegisterFill::PreIndex,
            RegisterSource::PostIndex => RegisterFill::PostIndex,
            RegisterSource::ThirdIndex => RegisterFill::ThirdIndex,
            RegisterSource::Output => RegisterFill::Nothing,
        };
        let registers =
            state.registers.iter().enumerate().filter(|(register, _)| code.touches(*register) || after.takes(*register));
        SynapseCode {
            code: code.clone(),
            registers: registers.map(|(register, origin)| (register, fill(origin))).collect(),
            after,
            due: None,
        }
    }
}

/// The projections with traces of the neurons of one side that are updated after pathways with this order, each with the index of its code;
/// and the codes, each once.
pub(crate) fn traces(plan: &Plan, end: End, order: i32) -> (Vec<(usize, u32)>, Vec<SynapseCode>) {
    let (mut projections, mut codes) = (Vec::new(), Vec::new());
    for (index, projection) in plan.projections.iter().enumerate() {
        let Some(state) = &projection.state else { continue };
        let trace = &state.program.traces[end as usize];
        if trace.stores.is_empty() || projection.last_order(end) != order {
            continue;
        }
        let code = SynapseCode::of(plan, projection, state, trace, Writeback::Store);
        let number = codes.iter().position(|known| *known == code).unwrap_or_else(|| {
            codes.push(code);
            codes.len() - 1
        });
        projections.push((index, number as u32));
    }
    (projections, codes)
}

/// Whether the code reads in neurons of another end what `written` writes in those of the end `of`, which are of the same population.
pub(crate) fn reads_written(
    projection: &ProjectionPlan,
    state: &StatePlan,
    code: &Code,
    (of, written): (End, &dyn Fn(usize) -> bool),
) -> bool {
    let reads = |(register, origin): (usize, &RegisterSource)| {
        let (end, array) = match *origin {
            RegisterSource::Pre(array) => (End::Pre, array),
            RegisterSource::Post(array) => (End::Post, array),
            RegisterSource::Third(array) => (End::Third, array),
            _ => return false,
        };
        let is_other = end != of && projection.population(end) == projection.population(of);
        is_other && written(array) && code.touches(register)
    };
    state.registers.iter().enumerate().any(reads)
}
