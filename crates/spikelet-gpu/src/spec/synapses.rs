//! Codes of synapses that have a state.

use spikelet::lang::End;
use spikelet::lang::ir::Code;
use spikelet::{ArrivalPlan, Origin, Plan, ProjectionPlan, StatePlan};

/// A code, where its lanes come from, and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SynapseCode {
    pub(crate) code: Code,
    /// The lanes that it takes or leaves, each with what fills it.
    pub(crate) lanes: Vec<(usize, Fill)>,
    pub(crate) after: After,
}

/// What fills a lane: an [`Origin`], and where that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fill {
    Own(usize),
    Trace(TracePlace),
    Pre(usize),
    Post(usize),
    /// Steps since the last spike, which stands in this array of the postsynaptic population.
    PostSinceSpike(usize),
    PreIndex,
    PostIndex,
    Nothing,
}

/// Where a trace is: they lie in their order, each with a word for every neuron at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TracePlace {
    pub(crate) end: End,
    /// Traces of pre neurons before it, and of post neurons.
    pub(crate) of_pre: usize,
    pub(crate) of_post: usize,
}

/// What is done with the lanes after the code; the synapse's own are stored in any case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum After {
    /// Nothing else.
    Store,
    /// One is returned.
    Return(usize),
    /// Some are added to ports, others become variables of the postsynaptic neuron: lane and array.
    Arrive { adds: Vec<usize>, writes: Vec<(usize, usize)> },
}

impl After {
    /// What an arrival does.
    pub(crate) fn of_arrival(arrival: &ArrivalPlan) -> After {
        After::Arrive { adds: arrival.adds.iter().map(|add| add.lane).collect(), writes: arrival.writes.clone() }
    }

    fn takes(&self, lane: usize) -> bool {
        match self {
            After::Store => false,
            After::Return(output) => *output == lane,
            After::Arrive { adds, writes } => adds.contains(&lane) || writes.iter().any(|(output, _)| *output == lane),
        }
    }
}

impl SynapseCode {
    /// A code of a projection.
    pub(crate) fn of(plan: &Plan, projection: &ProjectionPlan, state: &StatePlan, code: &Code, after: After) -> SynapseCode {
        let fill = |origin: &Origin| match *origin {
            Origin::Own(array) => Fill::Own(array),
            Origin::Trace(trace) => {
                let before = |end: End| state.traces[..trace].iter().filter(|trace| trace.end == end).count();
                Fill::Trace(TracePlace { end: state.traces[trace].end, of_pre: before(End::Pre), of_post: before(End::Post) })
            }
            Origin::Pre(array) => Fill::Pre(array),
            Origin::Post(array) => Fill::Post(array),
            // The array after the last.
            Origin::PostSinceSpike => Fill::PostSinceSpike(plan.populations[projection.post].program.variables.len()),
            Origin::PreIndex => Fill::PreIndex,
            Origin::PostIndex => Fill::PostIndex,
            Origin::Output => Fill::Nothing,
        };
        let lanes = state.lanes.iter().enumerate().filter(|(lane, _)| code.touches(*lane) || after.takes(*lane));
        SynapseCode { code: code.clone(), lanes: lanes.map(|(lane, origin)| (lane, fill(origin))).collect(), after }
    }
}

/// The projections whose traces the neurons at one end keep, each with the number of its code; and the codes, each once.
pub(crate) fn traces(plan: &Plan, end: End) -> (Vec<(usize, u32)>, Vec<SynapseCode>) {
    let (mut projections, mut codes) = (Vec::new(), Vec::new());
    for (index, projection) in plan.projections.iter().enumerate() {
        let Some(state) = &projection.state else { continue };
        let trace = &state.program.traces[end as usize];
        if trace.stores.is_empty() {
            continue;
        }
        let code = SynapseCode::of(plan, projection, state, trace, After::Store);
        let number = codes.iter().position(|known| *known == code).unwrap_or_else(|| {
            codes.push(code);
            codes.len() - 1
        });
        projections.push((index, number as u32));
    }
    (projections, codes)
}

/// Whether the code reads in presynaptic neurons what `written` says is written in postsynaptic ones of the same population.
pub(crate) fn reads_pre(projection: &ProjectionPlan, state: &StatePlan, code: &Code, written: &dyn Fn(usize) -> bool) -> bool {
    let reads = |(lane, origin): (usize, &Origin)| matches!(origin, Origin::Pre(array) if written(*array) && code.touches(lane));
    projection.pre == projection.post && state.lanes.iter().enumerate().any(reads)
}
