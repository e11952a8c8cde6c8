//! Truncated normal numbers in code: their bounds become ranges of random bits.

use super::Lowering;
use crate::host;
use crate::ir::{Op, Ref};
use crate::syntax::BinaryOp;
use crate::term::{Function, Node, Term};

/// Fewer values than that many would be left of the 2²⁴ that a normal number has.
const FEWEST_BITS: u32 = 1 << 22;

/// A truncated normal number whose mean, standard deviation and bounds are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truncated {
    mean: f64,
    sd: f64,
    bounds: [f64; 2],
    first: u32,
    span: u32,
    site: u32,
}

impl Truncated {
    /// The arguments of [`Function::TruncatedNormal`] as numbers. `None` where they differ between synapses, and where the
    /// interval's probability is below 2⁻¹⁰: 24 bits would be too coarse for it.
    pub(crate) fn new(arguments: &[Term]) -> Option<Truncated> {
        let [mean, sd, low, high, draw] = arguments else { return None };
        let Node::Random(_, site) = **draw else { return None };
        if [mean, sd, low, high].into_iter().any(|argument| argument.any(|_| true)) {
            return None;
        }
        let [mean, sd, low, high] = [mean, sd, low, high].map(|argument| host::evaluate(argument, &mut |_| f64::NAN));
        // Probabilities up to 2³² − 1 of 2³².
        let bits = |bound: f64| (host::probability([mean, sd], [f64::NEG_INFINITY, bound]) * 4_294_967_296.0) as u32;
        let (first, last) = (bits(low), bits(high));
        let span = last.checked_sub(first)?;
        (span >= FEWEST_BITS).then_some(Truncated { mean, sd, bounds: [low, high], first, span, site })
    }
}

impl Lowering<'_> {
    /// mean + sd · z, for z from the part of the normal distribution between the bounds; held between them, as rounding may leave
    /// the interval.
    pub(super) fn truncated_normal(&mut self, arguments: &[Term]) -> Ref {
        let Some(Truncated { mean, sd, bounds, first, span, site }) = Truncated::new(arguments) else {
            unreachable!("seen to before code is made")
        };
        let z = self.op(Op::NormalBetween { first, span, site });
        let [mean, sd, low, high] = [mean, sd, bounds[0], bounds[1]].map(|number| self.op(Op::number(number)));
        let scaled = self.binary(BinaryOp::Multiply, sd, z);
        let moved = self.binary(BinaryOp::Add, mean, scaled);
        let raised = self.op(Op::Call2(Function::Max, moved, low));
        self.op(Op::Call2(Function::Min, raised, high))
    }
}
