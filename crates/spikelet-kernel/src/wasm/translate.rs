//! The operations of a code as nodes.

use spikelet_lang::ir::{Code, LONG_AGO, Op, Ref};
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Random};

use super::graph::{Bits, Graph, Mask, Node, Value, Word};
use super::layout;
use super::math;

/// A value of a code: a number, or a condition, which the interpreter of blocks writes as 1 or 0.
#[derive(Clone, Copy)]
pub(super) enum LaneValue<'g> {
    Number(Value<'g>),
    Truth(Mask<'g>),
}

impl<'g> LaneValue<'g> {
    pub(super) fn number(self) -> Value<'g> {
        match self {
            LaneValue::Number(value) => value,
            LaneValue::Truth(mask) => mask.truth(),
        }
    }

    pub(super) fn truth(self) -> Mask<'g> {
        match self {
            LaneValue::Number(value) => value.differs(0.0),
            LaneValue::Truth(mask) => mask,
        }
    }
}

/// What lies in memory, as values of the lanes at hand.
pub(super) trait LaneInputs<'g> {
    /// A variable.
    fn variable(&mut self, array: usize) -> Value<'g>;
    /// The sums of a port, and their remainders.
    fn port(&mut self, port: usize) -> (Bits<'g>, Option<Bits<'g>>);
    /// The steps of the last spikes.
    fn last_spike(&mut self) -> Bits<'g>;
    /// The random bits of a site.
    fn random_bits(&mut self, site: u32) -> Bits<'g>;
    /// A value that was computed before.
    fn given(&mut self, value: Ref) -> Value<'g>;
}

/// Whether there are no instructions for an operation: its value is computed before.
pub(super) fn is_given(op: &Op) -> bool {
    matches!(op, Op::Index | Op::Random(Random::Uniform, _) | Op::Call2(Function::Poisson, ..) | Op::Call3(..))
}

/// The values of a code; `needed` ones, the others are those of the operation before.
pub(super) fn values<'g>(code: &Code, needed: &[bool], graph: &'g Graph, inputs: &mut impl LaneInputs<'g>) -> Vec<LaneValue<'g>> {
    let mut values: Vec<LaneValue<'g>> = Vec::with_capacity(code.ops.len());
    for (at, op) in code.ops.iter().enumerate() {
        let value = if needed[at] { value(op, at, &values, graph, inputs) } else { LaneValue::Number(graph.number(0.0)) };
        values.push(value);
    }
    values
}

fn value<'g>(op: &Op, at: Ref, values: &[LaneValue<'g>], graph: &'g Graph, inputs: &mut impl LaneInputs<'g>) -> LaneValue<'g> {
    let number = |value: Ref| values[value].number();
    let number = match *op {
        Op::Own(call) => return values[call.twin],
        Op::Not(x) => {
            return match values[x] {
                LaneValue::Truth(mask) => LaneValue::Truth(!mask),
                LaneValue::Number(value) => LaneValue::Number(1.0 - value),
            };
        }
        Op::Binary(op, x, y) => return binary(op, values[x], values[y]),
        Op::Select { condition, yes, no } => values[condition].truth().select(number(yes), number(no)),
        _ if is_given(op) => inputs.given(at),
        Op::Literal(value) => graph.number(value.single),
        Op::Constant(index) => uniform(graph, layout::CONSTANTS, index),
        Op::Clock(index) => uniform(graph, layout::CLOCKS, index),
        Op::Load(array) => inputs.variable(array),
        Op::Port(port) => {
            let arrived = |sums: Bits<'g>, at: usize| sums.signed() * uniform(graph, layout::UNITS, 2 * port + at);
            match inputs.port(port) {
                (sums, None) => arrived(sums, 0),
                (sums, Some(fine)) => arrived(sums, 0) + arrived(fine, 1),
            }
        }
        Op::SinceSpike => (step(graph) - inputs.last_spike()).min(LONG_AGO).signed(),
        Op::Random(Random::Normal, site) => math::normal(inputs.random_bits(site)),
        Op::NormalBetween { first, span, site } => math::normal_between(inputs.random_bits(site), first, span),
        Op::Now => (step(graph) + 0x4000_0000_u32).number(),
        Op::Elapsed(x) => {
            let since = step(graph) - (number(x).to_bits() - 0x4000_0000_u32);
            since.signed()
        }
        Op::Lookup { first, index } => graph.vector::<Value<'_>>(Node::Lookup { first: first as u32, index: number(index).id }),
        Op::Flush(x) => math::flush(number(x)),
        Op::Negate(x) => -number(x),
        Op::Call1(function, x) => call(function, number(x)),
        // The same choice as WGSL's select, so that NaN goes the same way.
        Op::Call2(Function::Min, x, y) => number(x).pmin(number(y)),
        Op::Call2(Function::Power, x, y) => math::power(number(x), number(y)),
        Op::Call2(Function::Max, x, y) => number(x).pmax(number(y)),
        Op::Index | Op::Random(Random::Uniform, _) | Op::Call2(..) | Op::Call3(..) => unreachable!("computed before"),
    };
    LaneValue::Number(number)
}

fn binary<'g>(op: BinaryOp, x: LaneValue<'g>, y: LaneValue<'g>) -> LaneValue<'g> {
    if let (LaneValue::Truth(x), LaneValue::Truth(y)) = (x, y) {
        match op {
            BinaryOp::And => return LaneValue::Truth(x & y),
            BinaryOp::Or => return LaneValue::Truth(x | y),
            _ => {}
        }
    }
    let (x, y) = (x.number(), y.number());
    match op {
        BinaryOp::Add => LaneValue::Number(x + y),
        BinaryOp::Subtract => LaneValue::Number(x - y),
        BinaryOp::Multiply | BinaryOp::And => LaneValue::Number(x * y),
        BinaryOp::Divide => LaneValue::Number(x / y),
        BinaryOp::Less => LaneValue::Truth(x.lt(y)),
        BinaryOp::LessEqual => LaneValue::Truth(x.le(y)),
        BinaryOp::Greater => LaneValue::Truth(x.gt(y)),
        BinaryOp::GreaterEqual => LaneValue::Truth(x.ge(y)),
        BinaryOp::Equal => LaneValue::Truth(x.equals(y)),
        BinaryOp::NotEqual => LaneValue::Truth(x.differs(y)),
        BinaryOp::Or => LaneValue::Truth((x + y).differs(0.0)),
        BinaryOp::FloorDivide | BinaryOp::Modulo | BinaryOp::Power => unreachable!("lowered to products and floors"),
    }
}

fn call(function: Function, x: Value<'_>) -> Value<'_> {
    match function {
        Function::Exp => math::exp(x),
        Function::Expm1 => math::expm1(x),
        Function::Exprel => math::exprel(x),
        Function::Sigmoid => math::sigmoid(x),
        Function::Log => math::log(x),
        Function::Log10 => math::log10(x),
        Function::Log1p => math::log1p(x),
        Function::Sqrt => math::sqrt(x),
        Function::Sin => angle(x, math::sin_near(x), layout::SIN),
        Function::Cos => angle(x, math::cos_near(x), layout::COS),
        Function::Tan => angle(x, math::tan_near(x), layout::TAN),
        Function::Arcsin => math::arcsin(x),
        Function::Arccos => math::arccos(x),
        Function::Arctan => math::arctan(x),
        Function::Sinh => math::sinh(x),
        Function::Cosh => math::cosh(x),
        Function::Tanh => math::tanh(x),
        Function::Abs => x.abs(),
        Function::Sign => math::sign(x),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Int => x.trunc(),
        Function::Min
        | Function::Max
        | Function::Clip
        | Function::Power
        | Function::Poisson
        | Function::Binomial
        | Function::TruncatedNormal
        | Function::Gamma
        | Function::Column
        | Function::Rest => unreachable!("of several arguments, or never in code"),
    }
}

/// A function of an angle: the vectorised way where it is for all lanes, else the other one for each of them.
fn angle<'g>(x: Value<'g>, near: Value<'g>, function: u32) -> Value<'g> {
    let any = x.graph().vector::<Value<'_>>(Node::Scalar { function, operands: [Some(x.id), None, None] });
    Value::branch(math::is_near(x), near, any)
}

fn uniform(graph: &Graph, argument: u32, index: usize) -> Value<'_> {
    graph.vector::<Value<'_>>(Node::Uniform(Word { argument, offset: Some(4 * index as u32) }))
}

/// The number of this step.
pub(super) fn step(graph: &Graph) -> Bits<'_> {
    word(graph, layout::STEP)
}

/// An argument in all lanes.
pub(super) fn word(graph: &Graph, argument: u32) -> Bits<'_> {
    graph.vector::<Bits<'_>>(Node::Uniform(Word { argument, offset: None }))
}
