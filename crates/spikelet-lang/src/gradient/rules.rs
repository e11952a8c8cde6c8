//! The derivative of each operation.

use crate::code_builder::CodeBuilder;
use crate::ir::{Op, Ref};
use crate::syntax::BinaryOp::{self, Add, Divide, Multiply, Subtract};
use crate::term::Function;

/// The adjoints of the operands of an operation, from that of its `result`. Operations whose result is constant almost everywhere (floor,
/// comparisons, draws, counts) have none. `places` are the values of the operands in the code that is built. Where `result` or its
/// derivative can be infinite, so can these: see [`safety`](super::safety).
pub(super) fn adjoints(b: &mut CodeBuilder, op: &Op, places: &[Ref], result: Ref, adjoint: Ref) -> Vec<(Ref, Ref)> {
    match *op {
        Op::Flush(x) => vec![(x, adjoint)],
        Op::Own(call) => vec![(call.twin, adjoint)],
        Op::Negate(x) => vec![(x, b.op(Op::Negate(adjoint)))],
        Op::Binary(Add, x, y) => vec![(x, adjoint), (y, adjoint)],
        Op::Binary(Subtract, x, y) => vec![(x, adjoint), (y, b.op(Op::Negate(adjoint)))],
        Op::Binary(Multiply, x, y) => {
            let [of_x, of_y] = [places[y], places[x]].map(|other| b.binary(Multiply, adjoint, other));
            vec![(x, of_x), (y, of_y)]
        }
        Op::Binary(Divide, x, y) => {
            let of_x = b.binary(Divide, adjoint, places[y]);
            let of_y = b.binary(Multiply, of_x, result);
            vec![(x, of_x), (y, b.op(Op::Negate(of_y)))]
        }
        Op::Call1(function, x) => {
            of_function(b, function, places[x], result, adjoint).map(|of_x| (x, of_x)).into_iter().collect()
        }
        // The same choice as the value.
        Op::Call2(function @ (Function::Min | Function::Max), x, y) => {
            let sign = if function == Function::Min { BinaryOp::Less } else { BinaryOp::Greater };
            let (condition, zero) = (b.binary(sign, places[y], places[x]), b.op(Op::number(0.0)));
            let of_y = b.op(Op::Select { condition, yes: adjoint, no: zero });
            let of_x = b.op(Op::Select { condition, yes: zero, no: adjoint });
            vec![(x, of_x), (y, of_y)]
        }
        Op::Call2(Function::Power, x, y) => {
            // d(x**y) = y x**(y − 1) dx + x**y ln(x) dy, in which 0 · ∞ is 0: neither 0**y nor x**0 changes.
            let [one, zero] = [1.0, 0.0].map(|number| b.op(Op::number(number)));
            let less = b.binary(Subtract, places[y], one);
            let power = b.op(Op::Call2(Function::Power, places[x], less));
            let slope = b.binary(Multiply, places[y], power);
            let is_constant = b.binary(BinaryOp::Equal, places[y], zero);
            let slope = b.op(Op::Select { condition: is_constant, yes: zero, no: slope });
            let logarithm = b.op(Op::Call1(Function::Log, places[x]));
            let growth = b.binary(Multiply, result, logarithm);
            let is_zero = b.binary(BinaryOp::Equal, result, zero);
            let growth = b.op(Op::Select { condition: is_zero, yes: zero, no: growth });
            vec![(x, b.binary(Multiply, adjoint, slope)), (y, b.binary(Multiply, adjoint, growth))]
        }
        _ => vec![],
    }
}

fn of_function(b: &mut CodeBuilder, function: Function, x: Ref, result: Ref, adjoint: Ref) -> Option<Ref> {
    let one = b.op(Op::number(1.0));
    let squared = |b: &mut CodeBuilder, value: Ref| b.binary(Multiply, value, value);
    Some(match function {
        Function::Exp => b.binary(Multiply, adjoint, result),
        Function::Expm1 => {
            let slope = b.binary(Add, result, one);
            b.binary(Multiply, adjoint, slope)
        }
        Function::Exprel => {
            let slope = exprel_slope(b, x, result);
            b.binary(Multiply, adjoint, slope)
        }
        Function::Sigmoid => {
            let other = b.binary(Subtract, one, result);
            let slope = b.binary(Multiply, result, other);
            b.binary(Multiply, adjoint, slope)
        }
        Function::Log => b.binary(Divide, adjoint, x),
        Function::Log10 => {
            let ten = b.op(Op::number(std::f64::consts::LN_10));
            let scaled = b.binary(Multiply, x, ten);
            b.binary(Divide, adjoint, scaled)
        }
        Function::Log1p => {
            let sum = b.binary(Add, one, x);
            b.binary(Divide, adjoint, sum)
        }
        Function::Sqrt => {
            let twice = b.binary(Add, result, result);
            b.binary(Divide, adjoint, twice)
        }
        Function::Sin => {
            let slope = b.op(Op::Call1(Function::Cos, x));
            b.binary(Multiply, adjoint, slope)
        }
        Function::Cos => {
            let slope = b.op(Op::Call1(Function::Sin, x));
            let part = b.binary(Multiply, adjoint, slope);
            b.op(Op::Negate(part))
        }
        Function::Tan => {
            let square = squared(b, result);
            let slope = b.binary(Add, one, square);
            b.binary(Multiply, adjoint, slope)
        }
        Function::Arcsin | Function::Arccos => {
            let square = squared(b, x);
            let rest = b.binary(Subtract, one, square);
            let root = b.op(Op::Call1(Function::Sqrt, rest));
            let part = b.binary(Divide, adjoint, root);
            if function == Function::Arcsin { part } else { b.op(Op::Negate(part)) }
        }
        Function::Arctan => {
            let square = squared(b, x);
            let sum = b.binary(Add, one, square);
            b.binary(Divide, adjoint, sum)
        }
        Function::Sinh | Function::Cosh => {
            let slope = b.op(Op::Call1(if function == Function::Sinh { Function::Cosh } else { Function::Sinh }, x));
            b.binary(Multiply, adjoint, slope)
        }
        Function::Tanh => {
            let square = squared(b, result);
            let slope = b.binary(Subtract, one, square);
            b.binary(Multiply, adjoint, slope)
        }
        Function::Abs => {
            let slope = b.op(Op::Call1(Function::Sign, x));
            b.binary(Multiply, adjoint, slope)
        }
        Function::Sign | Function::Floor | Function::Ceil | Function::Int => return None,
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
    })
}

/// The derivative of (exp(x) − 1)/x: (exp(x) − exprel(x))/x, and near 0, where that loses all digits, the sum of xⁿ/(n! (n + 2)).
fn exprel_slope(b: &mut CodeBuilder, x: Ref, result: Ref) -> Ref {
    const TERMS: usize = 11;
    let mut series = None;
    for n in (0..TERMS).rev() {
        let factorial: f64 = (1..=n).map(|k| k as f64).product();
        let coefficient = b.op(Op::number(1.0 / (factorial * (n as f64 + 2.0))));
        series = Some(match series {
            None => coefficient,
            Some(higher) => {
                let product = b.binary(Multiply, higher, x);
                b.binary(Add, product, coefficient)
            }
        });
    }
    let exponential = b.op(Op::Call1(Function::Exp, x));
    let difference = b.binary(Subtract, exponential, result);
    let far = b.binary(Divide, difference, x);
    let (size, half) = (b.op(Op::Call1(Function::Abs, x)), b.op(Op::number(0.5)));
    let condition = b.binary(BinaryOp::Less, size, half);
    b.op(Op::Select { condition, yes: series.unwrap_or(far), no: far })
}
