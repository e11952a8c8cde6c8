//! The CPU's printer: code as a register program over blocks of [`LANES`] neurons. Each instruction is one tight loop that the
//! compiler vectorises; conditions are 1 or 0.

use crate::ir::{Code, Op};
use crate::math;
use crate::syntax::BinaryOp;
use crate::term::{Function, Random};

/// Neurons in a block.
pub const LANES: usize = 256;

/// One value for each neuron of a block.
pub type Lanes = [f32; LANES];

/// What a program reads and writes while it runs over one block.
pub struct Block<'a> {
    /// The arrays of the population, by index of [`Program::variables`](crate::Program::variables).
    pub variables: &'a mut [Lanes],
    /// What arrived at the ports.
    pub ports: &'a [Lanes],
    /// Steps since each neuron's last spike, at most 2²⁴.
    pub since_spike: &'a Lanes,
    /// Constants of the population.
    pub constants: &'a [f32],
    /// Its clocks, as they are in this step.
    pub clocks: &'a [f32],
    /// Entries of its tables, one table after the other.
    pub tables: &'a [f32],
    /// The number of this step.
    pub step: u32,
    /// Index in its population of the neuron in lane 0.
    pub first: u32,
    /// 32 random bits for a lane and a site.
    pub bits: &'a dyn Fn(usize, u32) -> u32,
}

/// An operand of an instruction: one value for all lanes, or one each.
#[derive(Clone, Copy)]
enum Source<'a> {
    Scalar(f32),
    Lanes(&'a Lanes),
}

impl Source<'_> {
    fn at(self, lane: usize) -> f32 {
        match self {
            Source::Scalar(value) => value,
            Source::Lanes(lanes) => lanes[lane],
        }
    }

    fn to_lanes(self) -> Lanes {
        match self {
            Source::Scalar(value) => [value; LANES],
            Source::Lanes(lanes) => *lanes,
        }
    }
}

/// Scratch memory of a running program; kept between blocks so that nothing is allocated in a step.
#[derive(Debug, Default)]
pub struct Registers(Vec<Lanes>);

impl Registers {
    /// Room for all these codes.
    pub fn for_codes<'a>(codes: impl IntoIterator<Item = &'a Code>) -> Self {
        let most = codes.into_iter().map(|code| code.ops.len()).max().unwrap_or(0);
        Registers(vec![[0.0; LANES]; most])
    }
}

/// Runs `code` over a block. Where `only` is given, stores change just the lanes in which it is true.
///
/// Returns the lanes of the condition, if the code has one.
pub fn run<'a>(
    code: &Code,
    block: &mut Block<'_>,
    registers: &'a mut Registers,
    only: Option<&[bool; LANES]>,
) -> Option<&'a Lanes> {
    for (at, op) in code.ops.iter().enumerate() {
        let (done, rest) = registers.0.split_at_mut(at);
        instruction(op, &code.ops, block, done, &mut rest[0]);
    }
    // An input may lie in an array that another store changes: all are read before any is written.
    let inputs: Vec<Option<Box<Lanes>>> = code
        .stores
        .iter()
        .map(|(_, value)| {
            let input = code.ops[*value].is_input();
            input.then(|| Box::new(source(*value, &code.ops, block, &registers.0).to_lanes()))
        })
        .collect();
    for ((array, value), input) in code.stores.iter().zip(&inputs) {
        let new = input.as_deref().unwrap_or(&registers.0[*value]);
        let old = &mut block.variables[*array];
        match only {
            None => *old = *new,
            Some(mask) => {
                for ((old, new), chosen) in old.iter_mut().zip(new).zip(mask) {
                    if *chosen {
                        *old = *new;
                    }
                }
            }
        }
    }
    code.condition.map(|condition| &registers.0[condition])
}

fn source<'a>(operand: usize, ops: &[Op], block: &'a Block<'_>, registers: &'a [Lanes]) -> Source<'a> {
    match ops[operand] {
        Op::Literal(value) => Source::Scalar(value),
        Op::Constant(index) => Source::Scalar(block.constants[index]),
        Op::Clock(index) => Source::Scalar(block.clocks[index]),
        Op::Load(array) => Source::Lanes(&block.variables[array]),
        Op::Port(port) => Source::Lanes(&block.ports[port]),
        Op::SinceSpike => Source::Lanes(block.since_spike),
        _ => Source::Lanes(&registers[operand]),
    }
}

fn instruction(op: &Op, ops: &[Op], block: &Block<'_>, done: &[Lanes], out: &mut Lanes) {
    let read = |operand: usize| source(operand, ops, block, done);
    match *op {
        Op::Literal(_) | Op::Constant(_) | Op::Clock(_) | Op::Load(_) | Op::Port(_) | Op::SinceSpike => {}
        Op::Now => *out = [math::stamp(block.step); LANES],
        Op::Elapsed(x) => map(read(x), out, |x| math::elapsed(x, block.step)),
        Op::Lookup { first, index } => map(read(index), out, |index| block.tables[first + index as usize]),
        Op::Index => {
            for (lane, out) in out.iter_mut().enumerate() {
                *out = (block.first + lane as u32) as f32;
            }
        }
        Op::Random(random, site) => {
            for (lane, out) in out.iter_mut().enumerate() {
                let bits = (block.bits)(lane, site);
                *out = match random {
                    Random::Uniform => math::uniform(bits),
                    Random::Normal => math::normal(bits),
                };
            }
        }
        Op::Flush(x) => map(read(x), out, math::flush),
        Op::Negate(x) => map(read(x), out, |x| -x),
        Op::Not(x) => map(read(x), out, |x| 1.0 - x),
        Op::Binary(op, x, y) => binary(op, read(x), read(y), out),
        Op::Call1(function, x) => call1(function, read(x), out),
        // The same choice as WGSL's select, so that NaN goes the same way.
        Op::Call2(Function::Min, x, y) => zip(read(x), read(y), out, |x, y| if y < x { y } else { x }),
        Op::Call2(Function::Power, x, y) => zip(read(x), read(y), out, math::power),
        Op::Call2(Function::Poisson, x, y) => zip(read(x), read(y), out, math::poisson),
        Op::Call2(_, x, y) => zip(read(x), read(y), out, |x, y| if y > x { y } else { x }),
        Op::Call3(_, n, p, uniform) => {
            let (n, p, uniform) = (read(n), read(p), read(uniform));
            for (lane, out) in out.iter_mut().enumerate() {
                *out = math::binomial(n.at(lane), p.at(lane), uniform.at(lane));
            }
        }
        Op::Select { condition, yes, no } => select(read(condition), read(yes), read(no), out),
    }
}

#[inline]
fn map(x: Source<'_>, out: &mut Lanes, f: impl Fn(f32) -> f32) {
    match x {
        Source::Scalar(x) => *out = [f(x); LANES],
        Source::Lanes(x) => {
            for (out, x) in out.iter_mut().zip(x) {
                *out = f(*x);
            }
        }
    }
}

#[inline]
fn zip(x: Source<'_>, y: Source<'_>, out: &mut Lanes, f: impl Fn(f32, f32) -> f32) {
    match (x, y) {
        (Source::Scalar(x), Source::Scalar(y)) => *out = [f(x, y); LANES],
        (Source::Scalar(x), Source::Lanes(y)) => {
            for (out, y) in out.iter_mut().zip(y) {
                *out = f(x, *y);
            }
        }
        (Source::Lanes(x), Source::Scalar(y)) => {
            for (out, x) in out.iter_mut().zip(x) {
                *out = f(*x, y);
            }
        }
        (Source::Lanes(x), Source::Lanes(y)) => {
            for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
                *out = f(*x, *y);
            }
        }
    }
}

fn binary(op: BinaryOp, x: Source<'_>, y: Source<'_>, out: &mut Lanes) {
    let truth = |condition: bool| if condition { 1.0 } else { 0.0 };
    match op {
        BinaryOp::Add => zip(x, y, out, |x, y| x + y),
        BinaryOp::Subtract => zip(x, y, out, |x, y| x - y),
        BinaryOp::Multiply | BinaryOp::And => zip(x, y, out, |x, y| x * y),
        BinaryOp::Divide => zip(x, y, out, |x, y| x / y),
        BinaryOp::Less => zip(x, y, out, |x, y| truth(x < y)),
        BinaryOp::LessEqual => zip(x, y, out, |x, y| truth(x <= y)),
        BinaryOp::Greater => zip(x, y, out, |x, y| truth(x > y)),
        BinaryOp::GreaterEqual => zip(x, y, out, |x, y| truth(x >= y)),
        BinaryOp::Equal => zip(x, y, out, |x, y| truth(x == y)),
        BinaryOp::NotEqual => zip(x, y, out, |x, y| truth(x != y)),
        BinaryOp::Or => zip(x, y, out, |x, y| truth(x + y != 0.0)),
        BinaryOp::FloorDivide | BinaryOp::Modulo | BinaryOp::Power => unreachable!("lowered to products and floors"),
    }
}

fn call1(function: Function, x: Source<'_>, out: &mut Lanes) {
    match function {
        Function::Exp => map(x, out, math::exp),
        Function::Expm1 => map(x, out, math::expm1),
        Function::Exprel => map(x, out, math::exprel),
        Function::Sigmoid => map(x, out, math::sigmoid),
        Function::Log => map(x, out, math::log),
        Function::Log10 => map(x, out, math::log10),
        Function::Log1p => map(x, out, math::log1p),
        Function::Sqrt => map(x, out, math::sqrt),
        Function::Sin => angle(x, out, math::sin_near, math::sin),
        Function::Cos => angle(x, out, math::cos_near, math::cos),
        Function::Tan => angle(x, out, math::tan_near, math::tan),
        Function::Arcsin => map(x, out, math::arcsin),
        Function::Arccos => map(x, out, math::arccos),
        Function::Arctan => map(x, out, math::arctan),
        Function::Sinh => map(x, out, math::sinh),
        Function::Cosh => map(x, out, math::cosh),
        Function::Tanh => map(x, out, math::tanh),
        Function::Abs => map(x, out, f32::abs),
        Function::Sign => map(x, out, math::sign),
        Function::Floor => map(x, out, f32::floor),
        Function::Ceil => map(x, out, f32::ceil),
        Function::Int => map(x, out, f32::trunc),
        Function::Min | Function::Max | Function::Clip | Function::Power | Function::Poisson | Function::Binomial => {
            unreachable!("functions of several arguments")
        }
    }
}

/// A function of an angle: the vectorised way for all, then the other one for the lanes that it is not for.
fn angle(x: Source<'_>, out: &mut Lanes, near: impl Fn(f32) -> f32, any: fn(f32) -> f32) {
    map(x, out, near);
    for (lane, out) in out.iter_mut().enumerate() {
        if !math::is_near(x.at(lane)) {
            *out = any(x.at(lane));
        }
    }
}

fn select(condition: Source<'_>, yes: Source<'_>, no: Source<'_>, out: &mut Lanes) {
    let condition = match condition {
        Source::Scalar(condition) => return map(if condition != 0.0 { yes } else { no }, out, |x| x),
        Source::Lanes(condition) => condition,
    };
    let pick = |condition: f32, yes: f32, no: f32| if condition != 0.0 { yes } else { no };
    match (yes, no) {
        (Source::Lanes(yes), Source::Lanes(no)) => {
            for (((out, condition), yes), no) in out.iter_mut().zip(condition).zip(yes).zip(no) {
                *out = pick(*condition, *yes, *no);
            }
        }
        (Source::Scalar(yes), no) => zip(Source::Lanes(condition), no, out, |condition, no| pick(condition, yes, no)),
        (yes, Source::Scalar(no)) => zip(Source::Lanes(condition), yes, out, |condition, yes| pick(condition, yes, no)),
    }
}
