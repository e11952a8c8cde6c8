//! The intermediate code: straight-line code in single-assignment form, with `select` instead of branches.
//!
//! Operands are positions in the list, so that printers only go forward. Identical operations are shared when the code is generated
//! ([`crate::lower`]); values that are the same for a whole population are [constants](Op::Constant) that the host computes in f64.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use crate::host::rest;
use crate::own::MAX_WGSL_ARGUMENTS;
use crate::syntax::BinaryOp;
use crate::term::{Function, Random};

/// Position of an operation in [`Code::ops`].
pub type Ref = usize;

/// A number of the code, in both precisions.
#[derive(Debug, Clone, Copy)]
pub struct Literal {
    /// The number on devices.
    pub single: f32,
    /// The number where code is evaluated in f64.
    pub double: f64,
}

impl Literal {
    /// The part of a number that f32 cannot represent. In f64 it is 0, because the number itself is there in full.
    pub fn low_word(number: f64) -> Literal {
        Literal { single: rest(number) as f32, double: 0.0 }
    }

    /// Both as bits, which equal literals share.
    pub fn bits(self) -> [u64; 2] {
        [u64::from(self.single.to_bits()), self.double.to_bits()]
    }
}

impl From<f64> for Literal {
    fn from(number: f64) -> Literal {
        Literal { single: number as f32, double: number }
    }
}

/// Literals are equal that have the same bits.
impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.bits() == other.bits()
    }
}

/// Maximum number of steps since a spike; beyond it f32 would skip numbers.
pub const LONG_AGO: i32 = 1 << 24;

/// One operation. Numbers are f32; conditions are their own type in WGSL, and 1 or 0 in blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// A number.
    Literal(Literal),
    /// A constant of the population, by index.
    Constant(usize),
    /// A number that is the same for a whole population and changes with time, by index.
    Clock(usize),
    /// A variable's value when this code starts, by index.
    Load(usize),
    /// What arrived at a port, by index, in the variable's unit.
    Port(usize),
    /// Steps since the neuron's last spike, at most [`LONG_AGO`].
    SinceSpike,
    /// The neuron's index in its population.
    Index,
    /// A draw.
    Random(Random, u32),
    /// A standard normal number between two bounds: the random bits are spread evenly over `first` … `first + span − 1`, and those
    /// make a normal number.
    NormalBetween {
        /// 2³² times the probability of a number below the lower bound.
        first: u32,
        /// 2³² times the probability of a number between the bounds.
        span: u32,
        /// Where it is drawn.
        site: u32,
    },
    /// The number of this step, as a stamp that [`Op::Elapsed`] reads.
    Now,
    /// Steps since a stamp was made.
    Elapsed(Ref),
    /// The entry of a table at an index.
    Lookup {
        /// First entry of the table among those of all tables.
        first: usize,
        /// Index from there, a whole number.
        index: Ref,
    },
    /// x, or 0 where |x| < 2⁻¹⁰⁰: decaying state would otherwise end as denormal numbers, which are slow on CPUs and flushed on
    /// some GPUs.
    Flush(Ref),
    /// −x
    Negate(Ref),
    /// not x
    Not(Ref),
    /// x op y, for every operator but powers, which become products or calls.
    Binary(BinaryOp, Ref, Ref),
    /// f(x), for functions of one argument.
    Call1(Function, Ref),
    /// f(x, y): min, max, power, poisson.
    Call2(Function, Ref, Ref),
    /// f(x, y, z): binomial.
    Call3(Function, Ref, Ref, Ref),
    /// condition ? yes : no
    Select {
        /// Decides.
        condition: Ref,
        /// Taken when true.
        yes: Ref,
        /// Taken when false.
        no: Ref,
    },
    /// A call of a function of one's own, for GPUs. All others take its twin.
    Own(OwnCall),
}

/// A call of a function of one's own in WGSL.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnCall {
    /// The number of the function.
    pub number: usize,
    /// The same value by operations.
    pub twin: Ref,
    arguments: [Option<Ref>; MAX_WGSL_ARGUMENTS],
}

impl OwnCall {
    /// A call with at most [`MAX_WGSL_ARGUMENTS`] arguments.
    pub fn new(number: usize, twin: Ref, arguments: &[Ref]) -> OwnCall {
        let mut places = [None; MAX_WGSL_ARGUMENTS];
        places.iter_mut().zip(arguments).for_each(|(place, argument)| *place = Some(*argument));
        OwnCall { number, twin, arguments: places }
    }

    /// Its arguments.
    pub fn arguments(&self) -> impl Iterator<Item = Ref> + use<> {
        self.arguments.into_iter().flatten()
    }
}

impl Op {
    /// A number.
    pub fn number(number: f64) -> Op {
        Op::Literal(Literal::from(number))
    }

    /// The operations whose values this one reads.
    pub fn operands(&self) -> impl Iterator<Item = Ref> + use<> {
        let operands = match *self {
            Op::Literal(_)
            | Op::Constant(_)
            | Op::Clock(_)
            | Op::Load(_)
            | Op::Port(_)
            | Op::SinceSpike
            | Op::Index
            | Op::Random(..)
            | Op::NormalBetween { .. }
            | Op::Now => [None; 5],
            Op::Elapsed(x) | Op::Lookup { index: x, .. } | Op::Flush(x) | Op::Negate(x) | Op::Not(x) | Op::Call1(_, x) => {
                [Some(x), None, None, None, None]
            }
            Op::Binary(_, x, y) | Op::Call2(_, x, y) => [Some(x), Some(y), None, None, None],
            Op::Call3(_, x, y, z) => [Some(x), Some(y), Some(z), None, None],
            Op::Select { condition, yes, no } => [Some(condition), Some(yes), Some(no), None, None],
            Op::Own(OwnCall { twin, arguments: [x, y, z, w], .. }) => [Some(twin), x, y, z, w],
        };
        operands.into_iter().flatten()
    }

    /// The same operation on other values.
    #[must_use]
    pub fn with_operands(self, place: impl Fn(Ref) -> Ref) -> Op {
        match self {
            Op::Flush(x) => Op::Flush(place(x)),
            Op::Negate(x) => Op::Negate(place(x)),
            Op::Not(x) => Op::Not(place(x)),
            Op::Elapsed(x) => Op::Elapsed(place(x)),
            Op::Lookup { first, index } => Op::Lookup { first, index: place(index) },
            Op::Binary(op, x, y) => Op::Binary(op, place(x), place(y)),
            Op::Call1(function, x) => Op::Call1(function, place(x)),
            Op::Call2(function, x, y) => Op::Call2(function, place(x), place(y)),
            Op::Call3(function, x, y, z) => Op::Call3(function, place(x), place(y), place(z)),
            Op::Select { condition, yes, no } => Op::Select { condition: place(condition), yes: place(yes), no: place(no) },
            Op::Own(call) => Op::Own(OwnCall {
                twin: place(call.twin),
                arguments: call.arguments.map(|argument| argument.map(&place)),
                ..call
            }),
            other => other,
        }
    }

    /// Whether the result is true or false.
    pub fn is_condition(&self) -> bool {
        match self {
            Op::Not(_) => true,
            Op::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
            _ => false,
        }
    }
}

/// A piece of straight-line code: operations, then stores all at once. Codes are equal that give the same bits: [literals](Literal) are
/// compared by these.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Code {
    /// Operations; each refers to earlier ones only.
    pub ops: Vec<Op>,
    /// Variable and new value.
    pub stores: Vec<(usize, Ref)>,
    /// The threshold condition, in the code that has one.
    pub condition: Option<Ref>,
}

impl Eq for Code {}

/// A hash of the kinds of operations; equality also compares their operands.
impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ops.iter().for_each(|op| discriminant(op).hash(state));
        (&self.stores, self.condition).hash(state);
    }
}

impl Code {
    /// Whether it reads the array before it starts, or stores to it.
    pub fn touches(&self, array: usize) -> bool {
        self.ops.contains(&Op::Load(array)) || self.stores.iter().any(|(stored, _)| *stored == array)
    }

    /// Whether it draws random numbers.
    pub fn draws(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Random(..)))
    }

    /// The code with the twins of all functions of one's own in place of calls.
    #[must_use]
    pub fn with_twins(&self) -> Code {
        let mut ops: Vec<Op> = Vec::with_capacity(self.ops.len());
        let mut of: Vec<Ref> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            match op {
                Op::Own(call) => of.push(of[call.twin]),
                op => {
                    ops.push(op.with_operands(|operand| of[operand]));
                    of.push(ops.len() - 1);
                }
            }
        }
        let stores = self.stores.iter().map(|(array, value)| (*array, of[*value])).collect();
        Code { ops, stores, condition: self.condition.map(|condition| of[condition]) }
    }

    /// Whether it stores to the array.
    pub fn stores_to(&self, array: usize) -> bool {
        self.stores.iter().any(|(stored, _)| *stored == array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_compared_by_their_bits() {
        let of = |number: f64| Code { ops: vec![Op::number(number)], stores: vec![(0, 0)], condition: None };
        assert_eq!(of(f64::NAN), of(f64::NAN));
        assert_ne!(of(0.0), of(-0.0));
        assert_ne!(of(0.0), Code::default());
    }
}
