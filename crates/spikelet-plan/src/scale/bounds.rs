//! Upper bounds of the events of synapses with state, derived from their texts: a weight that is always clipped stays within its bounds.
//! Events without a bound use a port with a reserve.

use std::cell::RefCell;
use std::collections::HashMap;

use spikelet_lang::diagnostic::Span;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{Role, SynapseModel, Target};
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Node, Random, Symbol, Term};
use spikelet_lang::{Diagnostic, Kind, half};
use spikelet_network::Error;
use spikelet_rows::ring;

use crate::values::{NamedValues, Values};
use crate::{Plan, ProjectionPlan};

/// Tolerance of f32 values at their bounds.
const ROUNDING: f64 = 1e-5;

/// For each variable of the postsynaptic neuron to which all events of a projection add bounded numbers: the largest of each pathway.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EventBounds {
    bounds: HashMap<usize, Vec<f64>>,
    /// The largest one, if initial events are so much smaller that no single scale fits both.
    loose: HashMap<usize, f64>,
}

impl EventBounds {
    /// The bounds of a projection, from its model and the ranges of its values; empty for synapses without state.
    pub(crate) fn of_values(model: &SynapseModel, values: &NamedValues) -> EventBounds {
        let mut bounds: HashMap<usize, Vec<f64>> = HashMap::new();
        if model.is_static() {
            return EventBounds::default();
        }
        let intervals = Intervals { model, values, open: RefCell::default(), minds_equations: true };
        for (index, pathway) in model.pathways.iter().enumerate() {
            for write in &pathway.statements {
                if let Target::Add(variable) = write.target {
                    let of_pathways = bounds.entry(variable).or_insert_with(|| vec![0.0; model.pathways.len()]);
                    of_pathways[index] += intervals.of(&write.value).largest() * (1.0 + ROUNDING);
                }
            }
        }
        bounds.retain(|_, of_pathways| of_pathways.iter().all(|bound| bound.is_finite()));
        EventBounds { bounds, loose: HashMap::new() }
    }

    /// The largest event of a pathway for a variable, if it is bounded.
    pub(crate) fn get(&self, variable: usize, pathway: usize) -> Option<f64> {
        self.bounds.get(&variable).map(|of_pathways| of_pathways[pathway])
    }

    /// From now on, increments of a variable use a port for events of any size.
    pub(crate) fn loosen(&mut self, variable: usize) {
        if let Some(of_pathways) = self.bounds.remove(&variable) {
            self.loose.insert(variable, of_pathways.into_iter().fold(0.0, f64::max));
        }
    }

    /// The largest event for such a variable; 0 without a bound.
    pub(crate) fn loose(&self, variable: usize) -> f64 {
        self.loose.get(&variable).copied().unwrap_or_default()
    }

    /// Whether all increments of a variable are bounded.
    pub(crate) fn contains(&self, variable: usize) -> bool {
        self.bounds.contains_key(&variable)
    }

    /// Keeps at least the bounds of a revised plan: weights may still have their previous size.
    pub(crate) fn widen(&mut self, old: &ProjectionPlan, plan: &Plan, variable: &dyn Fn(&str) -> Option<usize>) {
        let Some(state) = &old.state else { return };
        let post = &plan.populations[old.post];
        for (pathway, arrival) in state.arrivals.iter().enumerate() {
            for add in &arrival.adds {
                let name = &post.program.variables[post.program.ports[add.port]];
                let Some(variable) = variable(name) else { continue };
                if post.ports[add.port].split_precision {
                    self.loosen(variable);
                } else if let Some(bounds) = self.bounds.get_mut(&variable) {
                    let before = f64::from(add.limit) * f64::from(ring::unit(post.ports[add.port].shift));
                    bounds[pathway] = bounds[pathway].max(before);
                }
            }
        }
    }
}

/// The largest number that statements add where `adds` is true, for the largest weights that the statements allow; also for weights that an
/// equation changes, which may exceed these bounds. 0 if there are none.
pub(crate) fn usual_bound(model: &SynapseModel, values: &NamedValues, adds: &dyn Fn(&Target) -> bool) -> f64 {
    let intervals = Intervals { model, values, open: RefCell::default(), minds_equations: false };
    let writes = model.pathways.iter().flat_map(|pathway| &pathway.statements).filter(|write| adds(&write.target));
    writes.map(|write| intervals.of(&write.value).largest()).filter(|largest| largest.is_finite()).fold(0.0, f64::max)
}

/// The range of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The range of numbers; empty if there are none.
    fn around(numbers: impl IntoIterator<Item = f64>) -> Interval {
        let none = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        // NaN can be anything.
        numbers.into_iter().fold(
            none,
            |Interval { low, high }, x| {
                if x.is_nan() { Interval::ALL } else { Interval { low: low.min(x), high: high.max(x) } }
            },
        )
    }

    fn and(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn largest(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The range of an operation on two ranges, if its extremes are at their ends.
    fn ends(self, other: Interval, operation: impl Fn(f64, f64) -> f64) -> Interval {
        let ends = |x: f64| [operation(x, other.low), operation(x, other.high)];
        Interval::around([ends(self.low), ends(self.high)].concat())
    }
}

/// The ranges of a projection's variables.
struct Intervals<'a> {
    model: &'a SynapseModel,
    values: &'a NamedValues,
    /// Variables being evaluated: one that depends on itself is unbounded.
    open: RefCell<Vec<usize>>,
    /// Whether a variable with its own equation is unbounded.
    minds_equations: bool,
}

impl Intervals<'_> {
    fn of(&self, term: &Term) -> Interval {
        match &**term {
            Node::Number(value) => Interval::around([*value]),
            Node::Boolean(_) | Node::Not(_) | Node::Random(Random::Uniform, _) => Interval { low: 0.0, high: 1.0 },
            Node::Symbol(Symbol::Variable(variable)) => self.variable(*variable),
            Node::Symbol(Symbol::Constant(constant)) => self.value(&self.model.constants[*constant].name),
            Node::Negate(x) => self.of(x).ends(Interval::around([-1.0]), |x, sign| x * sign),
            Node::Binary(op, x, y) => self.binary(*op, x, y),
            Node::Call(function, arguments) => self.call(*function, arguments),
            Node::Symbol(_) | Node::Random(Random::Normal, _) | Node::Lookup(..) | Node::Own(..) => Interval::ALL,
        }
    }

    fn binary(&self, op: BinaryOp, x: &Term, y: &Term) -> Interval {
        if op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Interval { low: 0.0, high: 1.0 };
        }
        let (x, y) = (self.of(x), self.of(y));
        match op {
            BinaryOp::Add => Interval { low: x.low + y.low, high: x.high + y.high },
            BinaryOp::Subtract => Interval { low: x.low - y.high, high: x.high - y.low },
            BinaryOp::Multiply => x.ends(y, |x, y| x * y),
            BinaryOp::Divide if y.low > 0.0 || y.high < 0.0 => x.ends(y, |x, y| x / y),
            _ => Interval::ALL,
        }
    }

    fn call(&self, function: Function, arguments: &[Term]) -> Interval {
        let of = |place: usize| self.of(&arguments[place]);
        let both = |operation: fn(f64, f64) -> f64| {
            let (x, y) = (of(0), of(1));
            Interval { low: operation(x.low, y.low), high: operation(x.high, y.high) }
        };
        match function {
            Function::Clip => {
                let (x, low, high) = (of(0), of(1), of(2));
                Interval { low: x.low.max(low.low).min(high.low), high: x.high.max(low.high).min(high.high) }
            }
            Function::Min => both(f64::min),
            Function::Max => both(f64::max),
            Function::Abs => Interval { low: 0.0, high: of(0).largest() },
            // Cut off towards 0.
            Function::Int => of(0).and(Interval::around([0.0])),
            _ => function.row().range.map_or(Interval::ALL, Interval::around),
        }
    }

    /// Initial values of a variable, and its assignments; one with its own equation is unbounded.
    fn variable(&self, variable: usize) -> Interval {
        let Intervals { model, open, .. } = self;
        let declared = &model.variables[variable];
        if !declared.written && declared.role != Role::Local {
            return self.value(&declared.name);
        }
        let driven = model.equations.iter().chain(&model.event_driven).any(|(driven, _)| *driven == variable);
        if driven && self.minds_equations || open.borrow().contains(&variable) {
            return Interval::ALL;
        }
        open.borrow_mut().push(variable);
        let written = model.statements().filter(|write| write.target == Target::Own(variable)).map(|write| self.of(&write.value));
        let start = if declared.role == Role::Local { Interval::around([]) } else { self.value(&declared.name) };
        let interval = written.fold(start, Interval::and);
        open.borrow_mut().pop();
        // An f16 may be the larger neighbour of a number.
        if declared.half {
            interval.ends(Interval::around([1.0 - half::ERROR, 1.0 + half::ERROR]), |x, factor| x * factor)
        } else {
            interval
        }
    }

    /// A value of the projection.
    fn value(&self, name: &str) -> Interval {
        match self.values.0.get(name) {
            Some((_, Values::Formula(_))) | None => Interval::ALL,
            Some((_, values)) => Interval::around(values.numbers().iter().copied()),
        }
    }
}

/// Rejects bounds in the wrong order, if both are known before the run.
pub(crate) fn check_bounds(path: &str, model: &SynapseModel, values: &NamedValues) -> Result<(), Error> {
    let name = |symbol: Symbol| match symbol {
        Symbol::Variable(variable) if !model.variables[variable].written => Some(&model.variables[variable].name),
        Symbol::Constant(constant) => Some(&model.constants[constant].name),
        _ => None,
    };
    let known = |symbol: Symbol| name(symbol).and_then(|name| values.0.get_key_value(name));
    // Unknown values are NaN, for which comparisons are false.
    let at = |term: &Term, synapse: usize| {
        evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(symbol) => known(symbol).map_or(f64::NAN, |(_, (_, values))| values.at(synapse)),
            _ => f64::NAN,
        })
    };
    let count = |term: &Term| {
        let mut count = 1;
        term.any(|symbol| {
            count = count.max(symbol.and_then(known).map_or(1, |(_, (_, values))| values.numbers().len()));
            false
        });
        count
    };
    let text = |term: &Term, value: f64| match &**term {
        Node::Symbol(symbol) => match known(*symbol) {
            Some((name, (dimension, _))) => format!("{name} = {value} {}", dimension.inner_unit()),
            None => value.to_string(),
        },
        _ => value.to_string(),
    };
    let statements = model.statements().map(|write| &write.value);
    let mut reversed = None;
    for term in statements.chain(model.equations.iter().map(|(_, rate)| rate)) {
        term.walk(&mut |node| {
            let Node::Call(Function::Clip, arguments) = node else { return };
            let [_, low, high] = arguments.as_slice() else { return };
            let bounds = |synapse: usize| (at(low, synapse), at(high, synapse));
            let found = (0..count(low).max(count(high))).map(bounds).find(|(low, high)| low > high);
            reversed = reversed.take().or(found.map(|(from, to)| (text(low, from), text(high, to))));
        });
    }
    let Some((low, high)) = reversed else { return Ok(()) };
    let message = format!("the bounds of `clip` are reversed: the lower one, {low}, is above the upper one, {high}.");
    let help = "Write clip(x, low, high) with low <= high.";
    Err(Error::model(path, vec![Diagnostic::new(Kind::OutOfRange, "synapses", "", Span::default(), message).help(help)]))
}
