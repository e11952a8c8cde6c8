//! Traces: variables that are the same for all synapses of a neuron, because only its own spikes and variables change them. They are stored
//! once per neuron instead of once per synapse. Event-driven ones are updated when it fires, clock-driven ones in every step.

use super::STAMP;
use crate::check::COUNTS;
use crate::integrate::{after, change_after};
use crate::ir::{Code, Op, Ref};
use crate::lower::{Lowering, SplitValue, Storage, VariableLocation};
use crate::model::{End, NeuronRead, Role, SynapseModel, Target};
use crate::program::{Register, SynapseLayout};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Symbol, Term};

/// The event-driven variables and the traces of a synapse model, and the lanes of their last updates.
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
/// All synapses of a neuron must receive its spikes at the same time, by at most one pathway with one delay, and compute the same: from
/// constants, local variables of the pathway, and other traces of that neuron. Event-driven variables may be traces of either side if only
/// pathways read them, since these update them first. Clock-driven variables may be traces of presynaptic
/// neurons, whose variables they may also read, if all equations of the synapses are of this kind: a method integrates them together.
/// Synapses with spikes of a third neuron have no traces. Statements of regular steps that use event-driven variables bring them to their
/// time in all synapses, so that these are no traces then.
pub(super) fn traces(model: &SynapseModel, layout: &SynapseLayout) -> Vec<Option<End>> {
    let nothing = vec![None; model.variables.len()];
    let pathways = |end: End| model.pathways.iter().filter(move |pathway| pathway.end == end);
    let is_one = |end: End| pathways(end).count() <= usize::from(end != End::Third);
    if !layout.one_delay || !End::ALL.into_iter().all(is_one) {
        return nothing;
    }
    let search = Search { model, layout };
    let candidate = |variable: usize| search.candidate(variable);
    let mut ends: Vec<Option<End>> = (0..model.variables.len()).map(candidate).collect();
    // Those that follow from others are no traces if these are none.
    loop {
        let fails = |variable: usize| ends[variable].is_some_and(|end| search.fails(variable, end, &ends));
        let mut failed: Vec<usize> = (0..ends.len()).filter(|variable| fails(*variable)).collect();
        let clocked = || model.equations.iter().map(|(variable, _)| *variable);
        if clocked().any(|variable| ends[variable].is_none() || failed.contains(&variable)) {
            failed.extend(clocked());
        }
        failed.retain(|variable| ends[*variable].is_some());
        if failed.is_empty() {
            return ends;
        }
        failed.into_iter().for_each(|variable| ends[variable] = None);
    }
}

/// The time since the last event, in ms.
fn since_event() -> Term {
    term::multiply(&term::symbol(Symbol::SinceEvent), &term::symbol(Symbol::Dt))
}

impl SynapseModel {
    /// The value of an event-driven variable [`Symbol::SinceEvent`] steps after it had the present one. `None` if it has no such equation.
    pub fn after_event(&self, variable: usize) -> Option<Term> {
        let (_, rate) = self.event_driven.iter().find(|(driven, _)| *driven == variable)?;
        after(variable, rate, &since_event())
    }
}

/// Which variables may be traces.
struct Search<'a> {
    model: &'a SynapseModel,
    layout: &'a SynapseLayout,
}

impl Search<'_> {
    /// What pathways of the neuron at one end assign to a variable.
    fn assigned(&self, end: End, variable: usize) -> impl Iterator<Item = &Term> {
        let pathways = self.model.pathways.iter().filter(move |pathway| pathway.end == end);
        let statements = pathways.flat_map(|of| &of.statements);
        statements.filter(move |write| write.target == Target::Own(variable)).map(|write| &write.value)
    }

    /// The side of a variable, from what writes it.
    fn candidate(&self, variable: usize) -> Option<End> {
        let Search { model, layout } = self;
        let declared = &model.variables[variable];
        let has = |of: &[(usize, Term)]| of.iter().any(|(driven, _)| *driven == variable);
        let (clocked, event_driven) = (has(&model.equations), has(&model.event_driven));
        let is_local = declared.role == Role::Local;
        let is_brought_to_steps = event_driven && model.regular.iter().any(|(_, statements)| model.uses_event_driven(statements));
        let mut at_steps = model.regular.iter().flat_map(|(_, statements)| statements);
        let is_set = at_steps.any(|write| write.target == Target::Own(variable));
        let mut in_steps = model.equations.iter().map(|(_, rate)| rate).chain(model.summed.iter().map(|sum| &sum.value));
        let mut held = model.held.iter().map(|(_, value)| value);
        let is_late = event_driven && (in_steps.any(|term| term.mentions(variable)) || held.any(|term| term.mentions(variable)));
        let own = is_brought_to_steps || declared.plastic || layout.per_synapse.contains(&declared.name) || is_set || is_late;
        if own || !(clocked || event_driven || is_local) {
            return None;
        }
        match [End::Pre, End::Post].map(|end| self.assigned(end, variable).next().is_some()) {
            [true, false] => Some(End::Pre),
            [false, true] if !clocked => Some(End::Post),
            [false, false] if clocked => Some(End::Pre),
            _ => None,
        }
    }

    /// Whether a variable differs between synapses of the neuron at one end, if those in `ends` are traces.
    fn fails(&self, variable: usize, end: End, ends: &[Option<End>]) -> bool {
        let Search { model, layout } = self;
        let same_for_all = |term: &Term, reads: bool| {
            !term.any(|symbol| match symbol {
                Some(Symbol::Constant(_) | Symbol::Dt) => false,
                Some(Symbol::Variable(variable)) => {
                    let declared = &model.variables[variable];
                    let constant = !declared.written && !layout.per_synapse.contains(&declared.name);
                    !constant && ends[variable] != Some(end)
                }
                // Values that are uniform are constants here. Counts of synapses are stored per synapse.
                Some(Symbol::Read(read)) => {
                    let NeuronRead { end: of, name } = &model.reads[read];
                    let of_neuron = reads && *of == End::Pre && !COUNTS.contains(&name.as_str());
                    !of_neuron && !layout.uniform.contains(&(*of, name.clone()))
                }
                Some(Symbol::Time | Symbol::Index) => !reads,
                _ => true,
            })
        };
        let rates = |of: &'_ [(usize, Term)], reads: bool| {
            of.iter().filter(|(driven, _)| *driven == variable).all(|(_, rate)| same_for_all(rate, reads))
        };
        let same = rates(&model.equations, true)
            && rates(&model.event_driven, false)
            && self.assigned(end, variable).all(|term| same_for_all(term, false));
        !same
    }
}

impl<'a> Traces<'a> {
    /// `ends` is what [`traces`] found; `add` gives the lane that holds something.
    pub(super) fn new(model: &'a SynapseModel, ends: Vec<Option<End>>, add: &mut dyn FnMut(Register) -> usize) -> Traces<'a> {
        let is_own = |(variable, _): &(usize, Term)| ends[*variable].is_none();
        let own = model.event_driven.iter().any(is_own).then(|| add(Register::Own(STAMP.into())));
        // What a synapse has of such traces follows from its last event, of either side. With delays that differ there are none, as the
        // neuron of a stamp has no single one.
        let are_late = model.event_driven.iter().any(|(variable, _)| ends[*variable].is_some());
        let mut stamp = |end: End| {
            let listens = model.pathways.iter().any(|pathway| pathway.end == end);
            (listens && are_late).then(|| add(Register::Trace(end, STAMP.into())))
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
            let elapsed = since_event();
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

    /// Whether the clock-driven variables are traces: all of them are, or none is.
    pub(super) fn integrate(&self) -> bool {
        self.model.equations.iter().any(|(variable, _)| self.ends[*variable].is_some())
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
