//! Traces: event-driven variables that are the same for all synapses of a neuron, because only its own spikes change them. They are stored
//! once per neuron instead of once per synapse, and updated when it fires.

use super::STAMP;
use crate::integrate::{after, change_after};
use crate::ir::{Code, Op, Ref};
use crate::lower::{Lowering, SplitValue, Storage, VariableLocation};
use crate::model::{End, SynapseModel, Target};
use crate::program::{Register, SynapseLayout};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Symbol, Term};

/// The event-driven variables of a synapse model, and the lanes of their last updates.
pub(super) struct Traces<'a> {
    model: &'a SynapseModel,
    /// For each variable the side that stores it, if it is a trace.
    ends: Vec<Option<End>>,
    /// The synapse's own stamp, where it has event-driven variables of its own.
    own: Option<usize>,
    /// Those of the neurons at either end, where these keep any.
    of_ends: [Option<usize>; 2],
}

/// Finds the traces, and their sides.
///
/// All synapses of a neuron must receive its spikes at the same time, by one pathway with one delay. The effect of a spike on the trace
/// must depend on constants and other traces of that neuron only, and only pathways and statements of regular steps, which update the
/// trace first, may read it. If synapses use spikes of one side alone, as in short-term depression, or those of a third neuron, an event
/// accesses their values anyway, and they are stored per synapse.
pub(super) fn traces(model: &SynapseModel, layout: &SynapseLayout) -> Vec<Option<End>> {
    let nothing = vec![None; model.variables.len()];
    let pathways = |end: End| model.pathways.iter().filter(move |pathway| pathway.end == end);
    let is_one = |end: End| pathways(end).count() == usize::from(end != End::Third);
    if !layout.one_delay || !End::ALL.into_iter().all(is_one) {
        return nothing;
    }
    let mut ends = nothing;
    for (variable, _) in &model.event_driven {
        let declared = &model.variables[*variable];
        let writes = |end: End| pathways(end).flat_map(|of| &of.statements).any(|write| write.target == Target::Own(*variable));
        let equations = model.equations.iter().map(|(_, rate)| rate);
        let read = equations.chain(model.summed.iter().map(|sum| &sum.value)).any(|term| term.mentions(*variable));
        let mut at_steps = model.regular.iter().flat_map(|(_, statements)| statements);
        let is_set = at_steps.any(|write| write.target == Target::Own(*variable));
        if declared.plastic || layout.per_synapse.contains(&declared.name) || read || is_set {
            continue;
        }
        ends[*variable] = match [End::Pre, End::Post].map(writes) {
            [true, false] => Some(End::Pre),
            [false, true] => Some(End::Post),
            _ => None,
        };
    }
    // Those that follow from others are no traces if these are none.
    loop {
        let same_for_all = |term: &Term, end: End| {
            !term.any(|symbol| match symbol {
                Some(Symbol::Constant(_) | Symbol::Dt) => false,
                Some(Symbol::Variable(variable)) => {
                    let declared = &model.variables[variable];
                    let constant = !declared.written && !layout.per_synapse.contains(&declared.name);
                    !constant && ends[variable] != Some(end)
                }
                _ => true,
            })
        };
        let fails = |variable: usize, end: End| {
            let rates = model.event_driven.iter().filter(|(driven, _)| *driven == variable).map(|(_, rate)| rate);
            let written = pathways(end).flat_map(|of| &of.statements).filter(|write| write.target == Target::Own(variable));
            !rates.chain(written.map(|write| &write.value)).all(|term| same_for_all(term, end))
        };
        let failed = (0..ends.len()).find(|variable| ends[*variable].is_some_and(|end| fails(*variable, end)));
        match failed {
            Some(variable) => ends[variable] = None,
            None => return ends,
        }
    }
}

impl<'a> Traces<'a> {
    /// `ends` is what [`traces`] found; `add` gives the lane that holds something. All stamps are kept that traces need which are `recorded`.
    pub(super) fn new(
        model: &'a SynapseModel,
        ends: Vec<Option<End>>,
        recorded: bool,
        add: &mut dyn FnMut(Register) -> usize,
    ) -> Traces<'a> {
        let is_own = |(variable, _): &(usize, Term)| ends[*variable].is_none();
        let own = model.event_driven.iter().any(is_own).then(|| add(Register::Own(STAMP.into())));
        // Without traces there is nothing to bring to a time; and with delays that differ the neuron of a stamp has no single one.
        let recorded = recorded && ends.iter().any(Option::is_some);
        let mut stamp = |end: End| {
            let listens = model.pathways.iter().any(|pathway| pathway.end == end);
            (listens && (recorded || ends.contains(&Some(end)))).then(|| add(Register::Trace(end, STAMP.into())))
        };
        let of_ends = [stamp(End::Pre), stamp(End::Post)];
        Traces { model, ends, own, of_ends }
    }

    fn stamp(&self, variable: usize) -> Option<usize> {
        match self.ends[variable] {
            Some(end) => self.of_ends[end as usize],
            None => self.own,
        }
    }

    /// Brings event-driven variables from when they were last up to date to `steps(stamp)` steps later: all that are `wanted`.
    fn advance(&self, code: &mut Lowering<'_>, wanted: impl Fn(usize) -> bool, steps: impl Fn(&mut Lowering<'_>, usize) -> Ref) {
        let mut fresh = code.values.clone();
        for (variable, rate) in self.model.event_driven.iter().filter(|(variable, _)| wanted(*variable)) {
            let (Some(stamp), VariableLocation::Array(array)) = (self.stamp(*variable), code.storage.places[*variable]) else {
                continue;
            };
            code.since_event = Some(steps(code, stamp));
            let elapsed = term::multiply(&term::symbol(Symbol::SinceEvent), &term::symbol(Symbol::Dt));
            let two = code.has_two(array);
            let Some(value) = (if two { change_after(*variable, rate, &elapsed) } else { after(*variable, rate, &elapsed) })
            else {
                continue;
            };
            let value = code.term(&value);
            let words = if two { code.plus(array, value) } else { SplitValue { high: value, low: None } };
            let high = code.op(Op::Flush(words.high));
            code.put(&mut fresh, array, SplitValue { high, ..words });
        }
        code.values = fresh;
    }

    /// Brings all event-driven variables to this step.
    pub(super) fn catch_up(&self, code: &mut Lowering<'_>) {
        self.advance(code, |_| true, |code, stamp| code.op(Op::Elapsed(code.values[stamp])));
        if let Some(own) = self.own {
            code.values[own] = code.op(Op::Now);
        }
    }

    /// Brings traces to the last event of their synapse, as variables of synapses are.
    pub(super) fn as_of_last_event(&self, code: &mut Lowering<'_>) {
        let ago = |code: &mut Lowering<'_>| {
            let stamps = self.of_ends.iter().flatten();
            let ago: Vec<Ref> = stamps.map(|stamp| code.op(Op::Elapsed(code.values[*stamp]))).collect();
            ago.into_iter().reduce(|x, y| code.op(Op::Call2(Function::Min, x, y)))
        };
        let since = |code: &mut Lowering<'_>, stamp: usize| {
            let steps = code.op(Op::Elapsed(code.values[stamp]));
            match ago(code) {
                Some(ago) => code.binary(BinaryOp::Subtract, steps, ago),
                None => steps,
            }
        };
        self.advance(code, |variable| self.ends[variable].is_some(), since);
    }

    /// Leaves the traces as they were: a synapse's code does not store them.
    pub(super) fn leave(&self, code: &mut Lowering<'_>) {
        let traced = self.ends.iter().zip(&code.storage.places).filter(|(end, _)| end.is_some());
        let arrays = traced.filter_map(|(_, place)| if let VariableLocation::Array(array) = place { Some(*array) } else { None });
        let words = arrays.flat_map(|array| std::iter::once(array).chain(code.storage.lows.get(&array).copied()));
        for array in words.collect::<Vec<_>>() {
            code.values[array] = code.op(Op::Load(array));
        }
    }

    /// What a spike of the neuron at one end does to its traces.
    pub(super) fn spike(&self, end: End, storage: &mut Storage, lane_of: &dyn Fn(&Term) -> Term) -> Code {
        let mut code = Lowering::new(storage, None, 0.0);
        let is_mine = |variable: usize| self.ends[variable] == Some(end);
        self.advance(&mut code, is_mine, |code, stamp| code.op(Op::Elapsed(code.values[stamp])));
        for write in self.model.pathways.iter().filter(|of| of.end == end).flat_map(|of| &of.statements) {
            if let Target::Own(variable) = write.target
                && is_mine(variable)
            {
                code.set(variable, &lane_of(&write.value));
            }
        }
        if let Some(stamp) = self.of_ends[end as usize] {
            code.values[stamp] = code.op(Op::Now);
        }
        code.finish(None)
    }
}
