//! Terms → [`ir`](crate::ir). Whatever is the same for all neurons is hoisted into constants, equal operations are shared.

use std::collections::HashMap;

use crate::ir::{Code, Op, Ref};
use crate::program::{ConstantRule, LinearSystem};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol, Term};

/// Where the symbols of a model lie.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// For each variable of the model: its array, or `None` when it is a constant of the population.
    pub(crate) arrays: Vec<Option<usize>>,
    /// How the constants are computed.
    pub(crate) constants: Vec<ConstantRule>,
    /// Systems that propagators come from.
    pub(crate) systems: Vec<LinearSystem>,
}

impl Storage {
    /// Whether the term has the same value for all neurons and at all times.
    pub(crate) fn is_uniform(&self, term: &Term) -> bool {
        !term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => self.arrays[variable].is_some(),
            Some(Symbol::Index | Symbol::PostIndex | Symbol::NotRefractory) | None => true,
            Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size) => false,
        })
    }

    fn constant(&mut self, rule: ConstantRule) -> usize {
        self.constants.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.constants.push(rule);
            self.constants.len() - 1
        })
    }
}

/// Code in the making.
pub(crate) struct Lowering<'a> {
    pub(crate) storage: &'a mut Storage,
    /// Refractory time in steps, when the model has one.
    refractory: Option<Term>,
    code: Code,
    shared: HashMap<Vec<u64>, Ref>,
    /// Current value of each array.
    pub(crate) values: Vec<Ref>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(storage: &'a mut Storage, arrays: usize, refractory: Option<&Term>) -> Self {
        let mut lowering = Lowering {
            storage,
            refractory: refractory.cloned(),
            code: Code::default(),
            shared: HashMap::new(),
            values: Vec::new(),
        };
        lowering.values = (0..arrays).map(|array| lowering.op(Op::Load(array))).collect();
        lowering
    }

    /// The finished code: stores every array that has a new value, drops operations nothing needs.
    pub(crate) fn finish(mut self, condition: Option<Ref>) -> Code {
        self.code.condition = condition;
        self.code.stores = self
            .values
            .iter()
            .enumerate()
            .filter(|(array, value)| self.code.ops[**value] != Op::Load(*array))
            .map(|(a, v)| (a, *v))
            .collect();
        prune(&self.code)
    }

    /// The operation, shared with an equal one made before.
    pub(crate) fn op(&mut self, op: Op) -> Ref {
        let key = key(&op);
        if let Some(known) = self.shared.get(&key) {
            return *known;
        }
        self.code.ops.push(op);
        self.shared.insert(key, self.code.ops.len() - 1);
        self.code.ops.len() - 1
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, x: Ref, y: Ref) -> Ref {
        self.op(Op::Binary(op, x, y))
    }

    pub(crate) fn propagator(&mut self, system: usize, row: usize, column: usize) -> Ref {
        let index = self.storage.constant(ConstantRule::Propagator { system, row, column });
        self.op(Op::Constant(index))
    }

    /// Whether the neuron is refractory `ago` steps before this one.
    pub(crate) fn is_refractory(&mut self, ago: f32) -> Option<Ref> {
        let steps = self.refractory.clone()?;
        let mut since = self.op(Op::SinceSpike);
        if ago != 0.0 {
            let ago = self.op(Op::Literal(ago));
            since = self.binary(BinaryOp::Subtract, since, ago);
        }
        let steps = self.term(&steps);
        Some(self.binary(BinaryOp::Less, since, steps))
    }

    /// `value`, or the array's current value while the neuron is refractory.
    pub(crate) fn unless_refractory(&mut self, array: usize, value: Ref, ago: f32) -> Ref {
        match self.is_refractory(ago) {
            Some(condition) => self.op(Op::Select { condition, yes: self.values[array], no: value }),
            None => value,
        }
    }

    pub(crate) fn term(&mut self, term: &Term) -> Ref {
        match &**term {
            Node::Number(value) => return self.op(Op::Literal(*value as f32)),
            Node::Boolean(value) => {
                let literal = self.op(Op::Literal(f32::from(u8::from(*value))));
                let zero = self.op(Op::Literal(0.0));
                return self.binary(BinaryOp::NotEqual, literal, zero);
            }
            _ => {}
        }
        if self.storage.is_uniform(term) && !is_condition(term) {
            let index = self.storage.constant(ConstantRule::Term(term.clone()));
            return self.op(Op::Constant(index));
        }
        match &**term {
            Node::Number(_) | Node::Boolean(_) => unreachable!("handled above"),
            Node::Symbol(Symbol::Variable(variable)) => match self.storage.arrays[*variable] {
                Some(array) => self.values[array],
                None => unreachable!("a uniform variable is hoisted above"),
            },
            Node::Symbol(Symbol::NotRefractory) => match self.is_refractory(0.0) {
                Some(refractory) => self.op(Op::Not(refractory)),
                None => self.term(&std::sync::Arc::new(Node::Boolean(true))),
            },
            Node::Symbol(_) => self.op(Op::Index),
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
            Node::Binary(BinaryOp::Divide, x, y) if self.storage.is_uniform(y) => {
                self.term(&term::multiply(x, &term::divide(&term::number(1.0), y)))
            }
            Node::Binary(BinaryOp::Modulo, x, y) => {
                let floor = term::call(Function::Floor, term::divide(x, y));
                self.term(&term::subtract(x, &term::multiply(y, &floor)))
            }
            Node::Binary(op, x, y) => {
                let (x, y) = (self.term(x), self.term(y));
                self.binary(*op, x, y)
            }
            Node::Call(function, arguments) => self.call(*function, arguments),
        }
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
            let one = self.op(Op::Literal(1.0));
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
        let x = self.term(&arguments[0]);
        match function {
            Function::Min | Function::Max | Function::Power | Function::Poisson => {
                let y = self.term(&arguments[1]);
                self.op(Op::Call2(function, x, y))
            }
            Function::Clip => {
                let (low, high) = (self.term(&arguments[1]), self.term(&arguments[2]));
                let raised = self.op(Op::Call2(Function::Max, x, low));
                self.op(Op::Call2(Function::Min, raised, high))
            }
            Function::Binomial => {
                let (p, uniform) = (self.term(&arguments[1]), self.term(&arguments[2]));
                self.op(Op::Call3(function, x, p, uniform))
            }
            Function::Int if self.code.ops[x].is_condition() => {
                let (yes, no) = (self.op(Op::Literal(1.0)), self.op(Op::Literal(0.0)));
                self.op(Op::Select { condition: x, yes, no })
            }
            _ => self.op(Op::Call1(function, x)),
        }
    }
}

fn is_condition(term: &Term) -> bool {
    match &**term {
        Node::Boolean(_) | Node::Not(_) => true,
        Node::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        Node::Symbol(Symbol::NotRefractory) => true,
        _ => false,
    }
}

/// A key that is equal exactly for equal operations (f32 literals by their bits).
fn key(op: &Op) -> Vec<u64> {
    let (tag, rest): (u64, Vec<u64>) = match *op {
        Op::Literal(value) => (0, vec![u64::from(value.to_bits())]),
        Op::Constant(index) => (1, vec![index as u64]),
        Op::Load(index) => (2, vec![index as u64]),
        Op::Port(index) => (3, vec![index as u64]),
        Op::SinceSpike => (4, vec![]),
        Op::Index => (5, vec![]),
        Op::Random(random, site) => (6, vec![random as u64, u64::from(site)]),
        Op::Negate(x) => (7, vec![x as u64]),
        Op::Not(x) => (8, vec![x as u64]),
        Op::Binary(op, x, y) => (9, vec![op as u64, x as u64, y as u64]),
        Op::Call1(function, x) => (10, vec![function as u64, x as u64]),
        Op::Call2(function, x, y) => (11, vec![function as u64, x as u64, y as u64]),
        Op::Flush(x) => (13, vec![x as u64]),
        Op::Call3(function, x, y, z) => (14, vec![function as u64, x as u64, y as u64, z as u64]),
        Op::Select { condition, yes, no } => (12, vec![condition as u64, yes as u64, no as u64]),
    };
    std::iter::once(tag).chain(rest).collect()
}

/// Operands of an operation, for reading and rewriting.
fn operands(op: &mut Op) -> Vec<&mut Ref> {
    match op {
        Op::Flush(x) | Op::Negate(x) | Op::Not(x) | Op::Call1(_, x) => vec![x],
        Op::Binary(_, x, y) | Op::Call2(_, x, y) => vec![x, y],
        Op::Call3(_, x, y, z) => vec![x, y, z],
        Op::Select { condition, yes, no } => vec![condition, yes, no],
        _ => vec![],
    }
}

/// The code without operations that no store and no condition needs.
fn prune(code: &Code) -> Code {
    let mut needed = vec![false; code.ops.len()];
    for root in code.stores.iter().map(|(_, value)| *value).chain(code.condition) {
        needed[root] = true;
    }
    for at in (0..code.ops.len()).rev() {
        if needed[at] {
            let mut op = code.ops[at];
            operands(&mut op).into_iter().for_each(|operand| needed[*operand] = true);
        }
    }
    let mut moved = vec![0; code.ops.len()];
    let mut ops: Vec<Op> = Vec::new();
    for (at, op) in code.ops.iter().enumerate().filter(|(at, _)| needed[*at]) {
        let mut op = *op;
        operands(&mut op).into_iter().for_each(|operand| *operand = moved[*operand]);
        moved[at] = ops.len();
        ops.push(op);
    }
    Code {
        ops,
        stores: code.stores.iter().map(|(array, value)| (*array, moved[*value])).collect(),
        condition: code.condition.map(|condition| moved[condition]),
    }
}
