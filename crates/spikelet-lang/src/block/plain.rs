//! One operation, one loop: what everything that is not fused runs as.

use super::loops::{self, Source, call, one, three, truth, two};
use super::{LANES, LONG_AGO, Lanes, View, arrived};
use crate::ir::Op;
use crate::math;
use crate::syntax::BinaryOp;
use crate::term::{Function, Random};

/// Computes one operation.
pub(super) fn run(op: &Op, view: &View<'_>, out: &mut Lanes) {
    let read = |operand: usize| view.source(operand);
    match *op {
        Op::Literal(_) | Op::Constant(_) | Op::Clock(_) | Op::Load(_) => unreachable!("lies somewhere already"),
        Op::Port(port) => {
            let ((sums, unit), left_over) = view.port(port);
            loops::fill(out, |k| arrived(sums[k], unit));
            if let Some((sums, unit)) = left_over {
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out += arrived(*sum, unit));
            }
        }
        Op::SinceSpike => {
            let (last_spike, now) = (view.inputs.last_spike, view.inputs.step as i32);
            loops::fill(out, |k| now.wrapping_sub(last_spike[k]).min(LONG_AGO) as f32);
        }
        Op::Now => *out = [math::stamp(view.inputs.step); LANES],
        Op::Elapsed(x) => one(out, read(x), |x| math::elapsed(x, view.inputs.step)),
        Op::Lookup { first, index } => one(out, read(index), |index| view.inputs.tables[first + index as usize]),
        Op::Index => loops::fill(out, |k| (view.inputs.first + k as u32) as f32),
        Op::Random(random, site) => {
            let bits = drawn(view, site);
            match random {
                Random::Uniform => loops::fill(out, |k| math::uniform(bits[k])),
                Random::Normal => loops::fill(out, |k| math::normal(bits[k])),
            }
        }
        Op::NormalBetween { first, span, site } => {
            let bits = drawn(view, site);
            loops::fill(out, |k| math::normal_between(bits[k], first, span));
        }
        Op::Flush(x) => one(out, read(x), math::flush),
        Op::Negate(x) => one(out, read(x), |x| -x),
        Op::Not(x) => one(out, read(x), |x| 1.0 - x),
        Op::Binary(op, x, y) => binary(op, read(x), read(y), out),
        Op::Call1(function, x) => call1(function, read(x), out),
        // The same choice as WGSL's select, so that NaN goes the same way.
        Op::Call2(Function::Min, x, y) => two(out, read(x), read(y), |x, y| if y < x { y } else { x }),
        Op::Call2(Function::Power, x, y) => two(out, read(x), read(y), math::power),
        Op::Call2(Function::Poisson, x, y) => two(out, read(x), read(y), math::poisson),
        Op::Call2(_, x, y) => two(out, read(x), read(y), |x, y| if y > x { y } else { x }),
        Op::Call3(_, n, p, uniform) => three(out, read(n), read(p), read(uniform), math::binomial),
        Op::Select { condition, yes, no } => {
            three(out, read(condition), read(yes), read(no), |condition, yes, no| if condition != 0.0 { yes } else { no });
        }
    }
}

/// The random bits of all lanes: drawn first, so that what is made of them is one vectorised loop.
fn drawn(view: &View<'_>, site: u32) -> [u32; LANES] {
    std::array::from_fn(|lane| (view.inputs.bits)(lane, site))
}

fn binary(op: BinaryOp, x: Source<'_>, y: Source<'_>, out: &mut Lanes) {
    match op {
        BinaryOp::Add => two(out, x, y, |x, y| x + y),
        BinaryOp::Subtract => two(out, x, y, |x, y| x - y),
        BinaryOp::Multiply | BinaryOp::And => two(out, x, y, |x, y| x * y),
        BinaryOp::Divide => two(out, x, y, |x, y| x / y),
        BinaryOp::Less => two(out, x, y, |x, y| truth(x < y)),
        BinaryOp::LessEqual => two(out, x, y, |x, y| truth(x <= y)),
        BinaryOp::Greater => two(out, x, y, |x, y| truth(x > y)),
        BinaryOp::GreaterEqual => two(out, x, y, |x, y| truth(x >= y)),
        BinaryOp::Equal => two(out, x, y, |x, y| truth(x == y)),
        BinaryOp::NotEqual => two(out, x, y, |x, y| truth(x != y)),
        BinaryOp::Or => two(out, x, y, |x, y| truth(x + y != 0.0)),
        BinaryOp::FloorDivide | BinaryOp::Modulo | BinaryOp::Power => unreachable!("lowered to products and floors"),
    }
}

fn call1(function: Function, x: Source<'_>, out: &mut Lanes) {
    match function {
        Function::Exp => call(out, x, math::exp),
        Function::Expm1 => call(out, x, math::expm1),
        Function::Exprel => call(out, x, math::exprel),
        Function::Sigmoid => call(out, x, math::sigmoid),
        Function::Log => call(out, x, math::log),
        Function::Log10 => call(out, x, math::log10),
        Function::Log1p => call(out, x, math::log1p),
        Function::Sqrt => call(out, x, math::sqrt),
        Function::Sin => angle(x, out, math::sin_near, math::sin),
        Function::Cos => angle(x, out, math::cos_near, math::cos),
        Function::Tan => angle(x, out, math::tan_near, math::tan),
        Function::Arcsin => call(out, x, math::arcsin),
        Function::Arccos => call(out, x, math::arccos),
        Function::Arctan => call(out, x, math::arctan),
        Function::Sinh => call(out, x, math::sinh),
        Function::Cosh => call(out, x, math::cosh),
        Function::Tanh => call(out, x, math::tanh),
        Function::Abs => one(out, x, f32::abs),
        Function::Sign => one(out, x, math::sign),
        Function::Floor => one(out, x, f32::floor),
        Function::Ceil => one(out, x, f32::ceil),
        Function::Int => one(out, x, f32::trunc),
        Function::Min
        | Function::Max
        | Function::Clip
        | Function::Power
        | Function::Poisson
        | Function::Binomial
        | Function::TruncatedNormal
        | Function::Gamma => unreachable!("functions of several arguments"),
    }
}

/// A function of an angle: the vectorised way for all, then the other one for the lanes that it is not for.
fn angle(x: Source<'_>, out: &mut Lanes, near: impl Fn(f32) -> f32, any: fn(f32) -> f32) {
    call(out, x, near);
    for (lane, out) in out.iter_mut().enumerate() {
        if !math::is_near(x.at(lane)) {
            *out = any(x.at(lane));
        }
    }
}
