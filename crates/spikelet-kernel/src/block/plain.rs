//! One operation per loop: the execution of everything that is not fused.

use spikelet_lang::ir::{LONG_AGO, Op};
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{Function, Random};

use super::loops::{self, CHUNK, Source, call, one, three, truth, two};
use super::{LANES, Lanes, NeuronIndices, OperandView, ProgramInputs, arrived};
use crate::math;

/// A loop over lanes that calls a function. (The function by its name alone would be called for each lane, not taken into the loop.)
macro_rules! each {
    ($loop:ident, $out:expr, $x:expr, $function:path $(, $more:expr)?) => {
        $loop(
            $out,
            $x,
            #[inline(always)]
            |x| $function(x),
            $($more)?
        )
    };
}

/// Distributions of counts that were drawn from lately, by their parameters.
#[derive(Debug, Default)]
pub(super) struct Distributions(Vec<([f32; 2], math::Counts)>);

impl Distributions {
    /// Kept at once: more than most models have, few enough to look through.
    const KEPT: usize = 8;

    fn of(&mut self, parameters: [f32; 2], new: impl FnOnce() -> Option<math::Counts>) -> Option<&math::Counts> {
        let known = self.0.iter().position(|(of, _)| *of == parameters);
        let at = match known {
            Some(at) => at,
            None => {
                let counts = new()?;
                if self.0.len() == Self::KEPT {
                    self.0.remove(0);
                }
                self.0.push((parameters, counts));
                self.0.len() - 1
            }
        };
        Some(&self.0[at].1)
    }
}

/// Computes one operation.
#[inline(always)]
pub(super) fn run(op: &Op, view: &OperandView<'_>, counts: &mut Distributions, out: &mut Lanes) {
    match *op {
        Op::Literal(_) | Op::Constant(_) | Op::Clock(_) | Op::Load(_) => unreachable!("lies somewhere already"),
        Op::Own(_) => unreachable!("replaced by its twin"),
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
        Op::Elapsed(x) => one(out, view.source(x), |x| math::elapsed(x, view.inputs.step)),
        Op::Lookup { first, index } => one(out, view.source(index), |index| view.inputs.tables[first + index as usize]),
        Op::Index => match view.inputs.neurons {
            NeuronIndices::From(first) => loops::fill(out, |k| (first + k as u32) as f32),
            NeuronIndices::Each(indices) => loops::fill(out, |k| indices[k] as f32),
        },
        Op::Random(random, site) => {
            let bits = drawn(view.inputs, site);
            match random {
                Random::Uniform => uniform(view.inputs, site, &bits, out),
                Random::Normal => normal(&bits, out),
            }
        }
        Op::NormalBetween { first, span, site } => {
            let bits = drawn(view.inputs, site);
            loops::fill(
                out,
                #[inline(always)]
                |k| math::normal_between(bits[k], first, span),
            );
        }
        Op::Flush(x) => each!(one, out, view.source(x), math::flush),
        Op::Negate(x) => one(out, view.source(x), |x| -x),
        Op::Not(x) => one(out, view.source(x), |x| 1.0 - x),
        Op::Binary(op, x, y) => binary(op, view.source(x), view.source(y), out),
        Op::Call1(function, x) => call1(function, view.source(x), out),
        // The same choice as WGSL's select, so that NaN goes the same way.
        Op::Call2(Function::Min, x, y) => two(out, view.source(x), view.source(y), |x, y| if y < x { y } else { x }),
        Op::Call2(Function::Power, x, y) => two(out, view.source(x), view.source(y), math::power),
        Op::Call2(Function::Poisson, mean, uniform) => {
            let (mean, uniform) = (view.source(mean), view.source(uniform));
            if let (Source::Scalar(mean), Source::Lanes(uniform)) = (mean, uniform)
                && let Some(counts) = counts.of([mean, -1.0], || math::Counts::poisson(mean))
            {
                return counts.draw(uniform, out);
            }
            two(out, mean, uniform, math::poisson);
        }
        Op::Call2(Function::Max, x, y) => two(out, view.source(x), view.source(y), |x, y| if y > x { y } else { x }),
        Op::Call3(Function::Binomial, n, p, uniform) => {
            let (n, p, uniform) = (view.source(n), view.source(p), view.source(uniform));
            if let (Source::Scalar(n), Source::Scalar(p), Source::Lanes(uniform)) = (n, p, uniform)
                && let Some(counts) = counts.of([n, p], || math::Counts::binomial(n, p))
            {
                return counts.draw(uniform, out);
            }
            three(out, n, p, uniform, math::binomial);
        }
        Op::Call2(..) | Op::Call3(..) => unreachable!("of another number of arguments, or never in code"),
        Op::Select { condition, yes, no } => {
            three(
                out,
                view.source(condition),
                view.source(yes),
                view.source(no),
                |condition, yes, no| if condition != 0.0 { yes } else { no },
            );
        }
    }
}

/// The random bits of all lanes: drawn first, so that what is made of them is one vectorised loop.
#[inline(always)]
fn drawn(inputs: &ProgramInputs<'_>, site: u32) -> [u32; LANES] {
    let mut bits = [0; LANES];
    (inputs.bits)(site, &mut bits);
    bits
}

/// Uniform numbers in all lanes: the short way for all, then more bits for the few that are near 0.
#[inline(always)]
fn uniform(inputs: &ProgramInputs<'_>, site: u32, bits: &[u32; LANES], out: &mut Lanes) {
    loops::fill(
        out,
        #[inline(always)]
        |k| math::uniform(bits[k]),
    );
    // As signed numbers, which every processor compares in vectors.
    let least = bits.iter().fold(i32::MAX, |least, bits| least.min((bits ^ (1 << 31)) as i32));
    if least < (math::NEAR_0 ^ (1 << 31)) as i32 {
        for (lane, (out, bits)) in out.iter_mut().zip(bits).enumerate().filter(|(_, (_, bits))| **bits < math::NEAR_0) {
            *out = math::uniform_near_0(*bits, (inputs.more_bits)(site, lane));
        }
    }
}

#[inline(always)]
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

#[inline(always)]
fn call1(function: Function, x: Source<'_>, out: &mut Lanes) {
    match function {
        Function::Exp => exp(out, x),
        Function::Expm1 => each!(call, out, x, math::expm1),
        Function::Exprel => exprel(out, x),
        Function::Sigmoid => each!(call, out, x, math::sigmoid),
        Function::Log => each!(call, out, x, math::log),
        Function::Log10 => each!(call, out, x, math::log10),
        Function::Log1p => each!(call, out, x, math::log1p),
        Function::Sqrt => each!(call, out, x, math::sqrt),
        Function::Sin => each!(angle, out, x, math::sin_near, math::sin),
        Function::Cos => each!(angle, out, x, math::cos_near, math::cos),
        Function::Tan => each!(angle, out, x, math::tan_near, math::tan),
        Function::Arcsin => each!(call, out, x, math::arcsin),
        Function::Arccos => each!(call, out, x, math::arccos),
        Function::Arctan => each!(call, out, x, math::arctan),
        Function::Sinh => each!(call, out, x, math::sinh),
        Function::Cosh => each!(call, out, x, math::cosh),
        Function::Tanh => each!(call, out, x, math::tanh),
        Function::Abs => each!(one, out, x, f32::abs),
        Function::Sign => each!(one, out, x, math::sign),
        Function::Floor => each!(one, out, x, f32::floor),
        Function::Ceil => each!(one, out, x, f32::ceil),
        Function::Int => each!(one, out, x, f32::trunc),
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

/// A function of an angle: the vectorised way for all, then the other one for the lanes that it is not for.
#[inline(always)]
fn angle(out: &mut Lanes, x: Source<'_>, near: impl Fn(f32) -> f32, any: fn(f32) -> f32) {
    call(out, x, near);
    for (lane, out) in out.iter_mut().enumerate() {
        if !math::is_near(x.at(lane)) {
            *out = any(x.at(lane));
        }
    }
}

/// The short way where all arguments of a chunk are moderate, as most are.
#[inline(always)]
fn exp(out: &mut Lanes, x: Source<'_>) {
    let x = match x {
        Source::Scalar(x) => &[x; LANES],
        Source::Lanes(x) => x,
    };
    for (out, x) in out.as_chunks_mut::<CHUNK>().0.iter_mut().zip(x.as_chunks::<CHUNK>().0) {
        let mut all_moderate = true;
        for x in x {
            all_moderate &= math::is_moderate(*x);
        }
        if all_moderate {
            for (out, x) in out.iter_mut().zip(x) {
                *out = math::exp_moderate(*x);
            }
        } else {
            for (out, x) in out.iter_mut().zip(x) {
                *out = math::exp(*x);
            }
        }
    }
}

/// One way for arguments close to 0, as most are (a rate times a time step), and one for others; both where it must be.
#[inline(always)]
fn exprel(out: &mut Lanes, x: Source<'_>) {
    let x = match x {
        Source::Scalar(x) => &[x; LANES],
        Source::Lanes(x) => x,
    };
    for (out, x) in out.as_chunks_mut::<CHUNK>().0.iter_mut().zip(x.as_chunks::<CHUNK>().0) {
        // Each asked in a loop of its own: LLVM 22 has no wasm for what it makes of both in one.
        let (mut all_near, mut all_far) = (true, true);
        for x in x {
            all_near &= math::is_near_0(*x);
        }
        if all_near {
            for (out, x) in out.iter_mut().zip(x) {
                *out = math::exprel_near(*x);
            }
            continue;
        }
        for x in x {
            all_far &= !math::is_near_0(*x) & math::is_moderate(*x);
        }
        if all_far {
            for (out, x) in out.iter_mut().zip(x) {
                *out = math::exprel_moderate(*x);
            }
        } else {
            for (out, x) in out.iter_mut().zip(x) {
                *out = math::exprel(*x);
            }
        }
    }
}

/// The short way for all, then the long one where any number lies far out.
#[inline(always)]
fn normal(bits: &[u32; LANES], out: &mut Lanes) {
    for (out, bits) in out.as_chunks_mut::<CHUNK>().0.iter_mut().zip(bits.as_chunks::<CHUNK>().0) {
        let mut all = true;
        for (out, bits) in out.iter_mut().zip(bits) {
            *out = math::normal_middling(*bits);
            all &= math::is_middling(*bits);
        }
        if !all {
            for (out, bits) in out.iter_mut().zip(bits) {
                *out = math::normal(*bits);
            }
        }
    }
}
