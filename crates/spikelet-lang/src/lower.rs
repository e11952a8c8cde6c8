//! Terms → [`ir`](crate::ir). Everything that the host can compute is hoisted: numbers that are the same for all neurons become constants,
//! those that depend on time alone become clocks (in f64, because an f32 time loses precision), and costly constant ones that differ
//! between neurons become arrays. Equal operations are shared.

mod columns;
mod integers;
mod storage;
mod time;
mod truncated;
pub mod value;
mod words;

use std::collections::HashMap;

use crate::code_builder::CodeBuilder;
use crate::ir::{Code, LONG_AGO, Op, OwnCall, Ref};
use crate::program::{ConstantRule, MatrixEntry};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol, Term};

use storage::place;
pub(crate) use storage::{Dependency, Storage, VariableLocation};
pub(crate) use time::times;
pub(crate) use truncated::Truncated;
pub(crate) use words::SplitValue;

/// How code finds out whether a neuron is refractory.
#[derive(Debug, Clone)]
pub(crate) enum RefractoryTest {
    /// For this many steps after a spike.
    Steps(Term),
    /// As long as this array is not 0, and in the step of a spike.
    Flag(usize),
    /// The same with a time that may change: from the update of a step on the array is [`AT_SPIKE`] in neurons that are refractory if they fire.
    Timed(usize),
}

/// Neurons that are not refractory yet, and are once they fire.
pub(crate) const AT_SPIKE: f64 = 2.0;

/// Code in the making.
pub(crate) struct Lowering<'a> {
    pub(crate) storage: &'a mut Storage,
    /// How the model is refractory, if it is.
    rest: Option<RefractoryTest>,
    builder: CodeBuilder,
    /// Current value of each array.
    pub(crate) values: Vec<Ref>,
    /// Current value of each local variable.
    locals: HashMap<usize, Ref>,
    /// Time from the start of this step to when the terms are evaluated, in steps.
    pub(crate) ahead: f64,
    /// Steps since the last event, in the code of a pathway.
    pub(crate) since_event: Option<Ref>,
    /// Whether the neuron is refractory in this step, once it has been computed: its terms must not see later values.
    refractory: Option<Ref>,
    /// Values of the arrays that note columns that do not exist: stages of a method must not undo them.
    notes: HashMap<usize, Ref>,
    /// Whether the column of the entry exists that is looked up next.
    exists: Option<Ref>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(storage: &'a mut Storage, rest: Option<&RefractoryTest>, ahead: f64) -> Self {
        let arrays = storage.written.len();
        let mut lowering = Lowering {
            storage,
            rest: rest.cloned(),
            builder: CodeBuilder::default(),
            values: Vec::new(),
            locals: HashMap::new(),
            ahead,
            since_event: None,
            refractory: None,
            notes: HashMap::new(),
            exists: None,
        };
        lowering.values = (0..arrays).map(|array| lowering.op(Op::Load(array))).collect();
        lowering
    }

    /// The finished code: stores every array that has a new value, drops operations nothing needs.
    pub(crate) fn finish(mut self, condition: Option<Ref>) -> Code {
        self.notes.iter().for_each(|(array, value)| self.values[*array] = *value);
        self.builder.finish(self.values.into_iter().enumerate().collect(), condition)
    }

    /// The operation, shared with an equal one made before.
    pub(crate) fn op(&mut self, op: Op) -> Ref {
        self.builder.op(op)
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, x: Ref, y: Ref) -> Ref {
        self.op(Op::Binary(op, x, y))
    }

    /// Gives a variable of the model a new value.
    pub(crate) fn assign(&mut self, variable: usize, value: Ref) {
        match self.storage.places[variable] {
            VariableLocation::Array(array) => self.values[array] = value,
            VariableLocation::Local => {
                self.locals.insert(variable, value);
            }
            VariableLocation::Constant => {}
        }
    }

    /// Entry of a propagator: the same for all, or one each.
    pub(crate) fn propagator(&mut self, rule: fn(MatrixEntry) -> ConstantRule, entry: MatrixEntry, uniform: bool) -> Ref {
        // Each is requested once.
        let (rule, rules) = (rule(entry), &mut self.storage.rules);
        if uniform {
            rules.constants.push(rule);
            return self.op(Op::Constant(self.storage.rules.constants.len() - 1));
        }
        rules.derived.push(rule);
        self.op(Op::Load(self.storage.written.len() + self.storage.rules.derived.len() - 1))
    }

    /// Whether the neuron is refractory in this step; with a negative `ahead`, in the step before.
    pub(crate) fn is_refractory(&mut self) -> Option<Ref> {
        if self.refractory.is_none() {
            let rest = self.rest.clone()?;
            let since = self.since_spike();
            self.refractory = Some(match rest {
                RefractoryTest::Steps(steps) => {
                    let steps = self.term(&steps);
                    self.binary(BinaryOp::Less, since, steps)
                }
                RefractoryTest::Flag(array) | RefractoryTest::Timed(array) if self.ahead < 0.0 => {
                    // It fired in the step before, after the flag was set.
                    let zero = self.op(Op::number(0.0));
                    let fired = self.binary(BinaryOp::Equal, since, zero);
                    self.stored_refractoriness(&rest, array, fired)
                }
                RefractoryTest::Flag(array) | RefractoryTest::Timed(array) => {
                    let zero = self.op(Op::number(0.0));
                    self.binary(BinaryOp::NotEqual, self.values[array], zero)
                }
            });
        }
        self.refractory
    }

    /// Lets the neuron be refractory as it was in the step before, and if it fired then: what is known at the start of a step.
    pub(crate) fn begin_refractory_as_before(&mut self) {
        let Some(rest) = self.rest.clone() else { return };
        let (one, since) = (self.op(Op::number(1.0)), self.op(Op::SinceSpike));
        self.refractory = Some(match rest {
            RefractoryTest::Steps(steps) => {
                let (steps, since) = (self.term(&steps), self.binary(BinaryOp::Subtract, since, one));
                self.binary(BinaryOp::Less, since, steps)
            }
            RefractoryTest::Flag(array) | RefractoryTest::Timed(array) => {
                let fired = self.binary(BinaryOp::Equal, since, one);
                self.stored_refractoriness(&rest, array, fired)
            }
        });
    }

    /// Whether a neuron is refractory after the step in which it fired or not, by the array that was stored before.
    fn stored_refractoriness(&mut self, rest: &RefractoryTest, array: usize, fired: Ref) -> Ref {
        let zero = self.op(Op::number(0.0));
        let is_set = self.binary(BinaryOp::NotEqual, self.values[array], zero);
        if matches!(rest, RefractoryTest::Flag(_)) {
            return self.binary(BinaryOp::Or, is_set, fired);
        }
        let at_spike = self.op(Op::number(AT_SPIKE));
        let was = self.binary(BinaryOp::NotEqual, self.values[array], at_spike);
        let was_or_fired = self.binary(BinaryOp::Or, was, fired);
        self.binary(BinaryOp::And, is_set, was_or_fired)
    }

    /// Forgets whether the neuron is refractory: a new value of it has been stored.
    pub(crate) fn refractory_anew(&mut self) {
        self.refractory = None;
    }

    /// `value`, or the array's current value while the neuron is refractory.
    pub(crate) fn unless_refractory(&mut self, array: usize, value: Ref) -> Ref {
        match self.is_refractory() {
            Some(condition) => self.op(Op::Select { condition, yes: self.values[array], no: value }),
            None => value,
        }
    }

    /// Steps since the last spike, seen from when the terms are evaluated: in a stage of a method it is a part of a step later.
    pub(crate) fn since_spike(&mut self) -> Ref {
        let since = self.op(Op::SinceSpike);
        if self.ahead == 0.0 {
            return since;
        }
        let steps = self.op(Op::number(self.ahead.abs()));
        if self.ahead < 0.0 {
            return self.binary(BinaryOp::Subtract, since, steps);
        }
        // No spike is longer ago.
        let (later, most) = (self.binary(BinaryOp::Add, since, steps), self.op(Op::number(f64::from(LONG_AGO))));
        self.op(Op::Call2(Function::Min, later, most))
    }

    /// The value of a term as a number: conditions are 1 or 0.
    pub(crate) fn number(&mut self, term: &Term) -> Ref {
        let value = self.term(term);
        if !self.builder.of(value).is_condition() {
            return value;
        }
        let (yes, no) = (self.op(Op::number(1.0)), self.op(Op::number(0.0)));
        self.op(Op::Select { condition: value, yes, no })
    }

    pub(crate) fn term(&mut self, term: &Term) -> Ref {
        match &**term {
            Node::Number(value) => return self.op(Op::number(*value)),
            Node::Boolean(value) => {
                let literal = self.op(Op::number(f64::from(u8::from(*value))));
                let zero = self.op(Op::number(0.0));
                return self.binary(BinaryOp::NotEqual, literal, zero);
            }
            _ => {}
        }
        if !is_condition(term) {
            match self.storage.extent(term) {
                Dependency::Uniform => {
                    let index = self.storage.constant(ConstantRule::Term(term.clone()));
                    return self.op(Op::Constant(index));
                }
                Dependency::Timed => {
                    let term = term::later(term, self.ahead);
                    let index = place(&mut self.storage.rules.clocks, term);
                    return self.op(Op::Clock(index));
                }
                Dependency::Fixed if is_costly(term) => {
                    let array = self.storage.derived(ConstantRule::Term(term.clone()));
                    return self.op(Op::Load(array));
                }
                Dependency::Fixed | Dependency::Varying => {}
            }
        }
        if let Some(value) = self.timed(term) {
            return value;
        }
        match &**term {
            Node::Number(_) | Node::Boolean(_) => unreachable!("handled above"),
            Node::Symbol(symbol) => self.symbol(*symbol),
            Node::Random(random, site) => self.op(Op::Random(*random, *site)),
            Node::Negate(x) => {
                let x = self.term(x);
                self.op(Op::Negate(x))
            }
            Node::Not(x) => {
                let x = self.term(x);
                self.op(Op::Not(x))
            }
            Node::Binary(BinaryOp::Power, x, y) => self.power(x, y),
            // A product with the reciprocal: division is slow everywhere, and not correctly rounded on GPUs.
            Node::Binary(BinaryOp::Divide, x, y) if self.storage.extent(y) <= Dependency::Timed => {
                self.term(&term::multiply(x, &term::divide(&term::number(1.0), y)))
            }
            Node::Binary(BinaryOp::FloorDivide, x, y) => self.floor_divide(x, y),
            Node::Binary(BinaryOp::Modulo, x, y) => {
                let (whole, x, y) = (self.floor_divide(x, y), self.exact_whole(x), self.exact_whole(y));
                let product = self.binary(BinaryOp::Multiply, y, whole);
                self.binary(BinaryOp::Subtract, x, product)
            }
            Node::Binary(op, x, y) => {
                let (x, y) = (self.term(x), self.term(y));
                self.binary(*op, x, y)
            }
            Node::Call(function, arguments) => self.call(*function, arguments),
            Node::Own(number, arguments, twin) => {
                let arguments: Vec<Ref> = arguments.iter().map(|argument| self.number(argument)).collect();
                let twin = self.number(twin);
                self.op(Op::Own(OwnCall::new(*number, twin, &arguments)))
            }
            Node::Lookup(table, index) => {
                let (first, index) = (self.storage.tables[*table], self.term(index));
                let entry = self.op(Op::Lookup { first, index });
                self.existing(entry)
            }
        }
    }

    fn symbol(&mut self, symbol: Symbol) -> Ref {
        match symbol {
            Symbol::Variable(variable) => match self.storage.places[variable] {
                VariableLocation::Array(array) => self.values[array],
                // A local name is read only after it is written: the checker sees to that.
                VariableLocation::Local => self.locals.get(&variable).copied().unwrap_or_else(|| self.op(Op::number(0.0))),
                VariableLocation::Constant => unreachable!("hoisted"),
            },
            Symbol::Read(read) => match self.storage.reads[read] {
                Some(array) => self.values[array],
                None => unreachable!("hoisted"),
            },
            Symbol::NotRefractory => match self.is_refractory() {
                Some(refractory) => self.op(Op::Not(refractory)),
                None => self.term(&std::sync::Arc::new(Node::Boolean(true))),
            },
            Symbol::SinceSpike => self.since_spike(),
            Symbol::SinceEvent => match self.since_event {
                Some(since) => since,
                None => unreachable!("stands in pathways alone"),
            },
            Symbol::Index | Symbol::PostIndex => self.op(Op::Index),
            Symbol::Constant(_) | Symbol::Dt | Symbol::Size | Symbol::Time => unreachable!("hoisted"),
        }
    }

    /// floor(x/y). The quotient is rounded, so that 41·(1/41) is below 1 in f32: what is left over decides whether it is one too
    /// small or too large.
    fn floor_divide(&mut self, x: &Term, y: &Term) -> Ref {
        let reciprocal = (self.storage.extent(y) <= Dependency::Timed).then(|| self.term(&term::divide(&term::number(1.0), y)));
        let (x, y) = (self.exact_whole(x), self.exact_whole(y));
        let quotient = match reciprocal {
            Some(reciprocal) => self.binary(BinaryOp::Multiply, x, reciprocal),
            None => self.binary(BinaryOp::Divide, x, y),
        };
        let floor = self.op(Op::Call1(Function::Floor, quotient));
        let product = self.binary(BinaryOp::Multiply, y, floor);
        let left = self.binary(BinaryOp::Subtract, x, product);
        let (sign, magnitude) = (self.op(Op::Call1(Function::Sign, y)), self.op(Op::Call1(Function::Abs, y)));
        let left = self.binary(BinaryOp::Multiply, left, sign);
        let (zero, one) = (self.op(Op::number(0.0)), self.op(Op::number(1.0)));
        let small = self.binary(BinaryOp::GreaterEqual, left, magnitude);
        let more = self.op(Op::Select { condition: small, yes: one, no: zero });
        let large = self.binary(BinaryOp::Less, left, zero);
        let less = self.op(Op::Select { condition: large, yes: one, no: zero });
        let raised = self.binary(BinaryOp::Add, floor, more);
        self.binary(BinaryOp::Subtract, raised, less)
    }

    fn power(&mut self, base: &Term, exponent: &Term) -> Ref {
        if let Node::Number(value) = **exponent
            && value == value.round()
            && value.abs() <= 32.0
        {
            let base = self.term(base);
            let mut result = None;
            // Square and multiply, from the lowest bit.
            let (mut square, mut left) = (base, value.abs() as u32);
            while left > 0 {
                if left & 1 == 1 {
                    result = Some(result.map_or(square, |result| self.binary(BinaryOp::Multiply, result, square)));
                }
                left >>= 1;
                if left > 0 {
                    square = self.binary(BinaryOp::Multiply, square, square);
                }
            }
            let one = self.op(Op::number(1.0));
            let result = result.unwrap_or(one);
            return if value < 0.0 { self.binary(BinaryOp::Divide, one, result) } else { result };
        }
        if **exponent == Node::Number(0.5) {
            return self.call(Function::Sqrt, std::slice::from_ref(base));
        }
        let (base, exponent) = (self.term(base), self.term(exponent));
        self.op(Op::Call2(Function::Power, base, exponent))
    }

    fn call(&mut self, function: Function, arguments: &[Term]) -> Ref {
        match function {
            Function::TruncatedNormal => return self.truncated_normal(arguments),
            Function::Column => return self.column(arguments),
            _ => {}
        }
        let values: Vec<Ref> = arguments.iter().map(|argument| self.term(argument)).collect();
        match (function, values.as_slice()) {
            (Function::Min | Function::Max | Function::Clip, _) => self.bounded(function, &values),
            (Function::Int, &[x]) if self.builder.of(x).is_condition() => self.number(&arguments[0]),
            (_, &[x]) => self.op(Op::Call1(function, x)),
            (_, &[x, y]) => self.op(Op::Call2(function, x, y)),
            (_, &[x, y, z]) => self.op(Op::Call3(function, x, y, z)),
            _ => unreachable!("functions of code have one to three arguments"),
        }
    }
}

/// Whether computing the term once and keeping it is worth an array.
fn is_costly(term: &Term) -> bool {
    let mut costly = false;
    term.walk(&mut |node| {
        costly |= matches!(
            node,
            Node::Call(..) | Node::Lookup(..) | Node::Own(..) | Node::Binary(BinaryOp::Divide | BinaryOp::Power, ..)
        );
    });
    costly
}

pub(crate) fn is_condition(term: &Term) -> bool {
    match &**term {
        Node::Boolean(_) | Node::Not(_) => true,
        Node::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        Node::Symbol(Symbol::NotRefractory) => true,
        _ => false,
    }
}
