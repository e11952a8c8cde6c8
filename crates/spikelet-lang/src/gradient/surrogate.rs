//! Surrogates of the derivative of the threshold (Neftci, Mostafa & Zenke 2019, IEEE Signal Processing Magazine 36(6)).

use super::{NoGradient, Shape};
use crate::code_builder::CodeBuilder;
use crate::ir::{Code, Op, Ref};
use crate::syntax::BinaryOp::{self, Multiply, Subtract};

/// A surrogate: factor · h(x).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surrogate {
    /// Its shape.
    pub shape: Shape,
    /// The slope k, in 1 per inner unit of the threshold's comparison.
    pub slope: f64,
    /// The factor, without unit.
    pub factor: f64,
}

impl From<Shape> for Surrogate {
    /// With the slope and factor of the source: see [`Shape::defaults`].
    fn from(shape: Shape) -> Surrogate {
        let (slope, factor) = shape.defaults();
        Surrogate { shape, slope, factor }
    }
}

/// The comparison of a threshold: `greater > less`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    pub(super) greater: Ref,
    pub(super) less: Ref,
    at: Ref,
}

impl Comparison {
    /// The only comparison of numbers among the conditions that must hold at `condition`, if there is one.
    fn find(op: &dyn Fn(Ref) -> Op, condition: Ref) -> Option<Comparison> {
        match op(condition) {
            Op::Binary(BinaryOp::Greater | BinaryOp::GreaterEqual, x, y) => {
                Some(Comparison { greater: x, less: y, at: condition })
            }
            Op::Binary(BinaryOp::Less | BinaryOp::LessEqual, x, y) => Some(Comparison { greater: y, less: x, at: condition }),
            Op::Binary(BinaryOp::And, x, y) => match [x, y].map(|side| Comparison::find(op, side)) {
                [Some(found), None] | [None, Some(found)] => Some(found),
                _ => None,
            },
            _ => None,
        }
    }

    /// The conditions that must hold beside it, such as that the neuron is not refractory.
    fn gates(&self, op: &dyn Fn(Ref) -> Op, condition: Ref) -> Vec<Ref> {
        match op(condition) {
            _ if condition == self.at => vec![],
            Op::Binary(BinaryOp::And, x, y) => [x, y].into_iter().flat_map(|side| self.gates(op, side)).collect(),
            _ => vec![condition],
        }
    }

    /// The comparison that a threshold is, and the gates beside it. A gate that compares numbers itself, other than the time since the
    /// last spike, could be meant as well.
    fn of(op: &dyn Fn(Ref) -> Op, condition: Ref) -> Result<(Comparison, Vec<Ref>), NoGradient> {
        let found = Comparison::find(op, condition).ok_or(NoGradient::Threshold)?;
        let gates = found.gates(op, condition);
        if gates.iter().any(|gate| compares(op, *gate)) { Err(NoGradient::Threshold) } else { Ok((found, gates)) }
    }
}

/// Whether a condition is made of an inequality of numbers other than the time since the last spike.
fn compares(op: &dyn Fn(Ref) -> Op, condition: Ref) -> bool {
    match op(condition) {
        Op::Not(x) => compares(op, x),
        Op::Binary(BinaryOp::And | BinaryOp::Or, x, y) => compares(op, x) || compares(op, y),
        Op::Binary(BinaryOp::Greater | BinaryOp::GreaterEqual | BinaryOp::Less | BinaryOp::LessEqual, x, y) => {
            [x, y].iter().all(|side| op(*side) != Op::SinceSpike)
        }
        _ => false,
    }
}

impl Surrogate {
    /// The comparison in the condition of a threshold, and the conditions beside it. Only the first has a gradient.
    pub(super) fn comparison(code: &Code, condition: Ref) -> Result<(Comparison, Vec<Ref>), NoGradient> {
        Comparison::of(&|at| code.ops[at], condition)
    }

    /// factor · h(x).
    pub(super) fn derivative(&self, b: &mut CodeBuilder, x: Ref) -> Ref {
        let slope = self.shape.derivative(b, self.slope, x);
        self.times_factor(b, slope)
    }

    /// The integral of factor · h as the value of a spike, where `condition` is the threshold.
    pub(super) fn soft_spike(&self, b: &mut CodeBuilder, condition: Ref) -> Result<Ref, NoGradient> {
        let (found, gates) = Comparison::of(&|at| b.of(at), condition)?;
        let x = b.binary(Subtract, found.greater, found.less);
        let integral = self.shape.integral(b, self.slope, x);
        let integral = integral.ok_or(NoGradient::Integral(self.shape.name()))?;
        let mut value = self.times_factor(b, integral);
        for gate in gates {
            let zero = b.op(Op::number(0.0));
            value = b.op(Op::Select { condition: gate, yes: value, no: zero });
        }
        Ok(value)
    }

    fn times_factor(&self, b: &mut CodeBuilder, value: Ref) -> Ref {
        if self.factor == 1.0 {
            return value;
        }
        let factor = b.op(Op::number(self.factor));
        b.binary(Multiply, factor, value)
    }
}
