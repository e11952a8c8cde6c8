//! Where an adjoint that is 0 meets a derivative that is infinite. A side that was not selected may be 1/0 or sqrt(−1): its adjoint is 0,
//! and 0 · ∞, which is not a number, must not become a part of any other.

use crate::functions::{Finite, Function};
use crate::ir::{Code, Op, Ref};
use crate::syntax::BinaryOp;

/// For each operation whether its adjoints have to be 0 where that of its result is.
pub(super) fn hazards(step: &Code) -> Vec<bool> {
    let (is_finite, is_selected) = (finite(step), selected(step));
    let operations = step.ops.iter().enumerate();
    operations
        .map(|(at, op)| match op {
            Op::Call1(function, _) | Op::Call2(function, ..) if function.row().finite == Finite::SteepAtLimits => true,
            // The spike of the step before has the difference of both sides as its derivative.
            Op::Select { yes, no, .. } => !(is_finite[*yes] && is_finite[*no]),
            Op::Binary(BinaryOp::Multiply | BinaryOp::Divide, ..) | Op::Call1(..) => {
                is_selected[at] && !(is_finite[at] && op.operands().all(|operand| is_finite[operand]))
            }
            _ => false,
        })
        .collect()
}

/// For each operation whether its value is finite as long as that of the state is: nothing on the way divides or grows without bounds.
fn finite(step: &Code) -> Vec<bool> {
    let mut is_finite: Vec<bool> = Vec::with_capacity(step.ops.len());
    let is_number = |at: Ref| match step.ops[at] {
        Op::Literal(number) => number.double != 0.0,
        _ => false,
    };
    for op in &step.ops {
        let own = match *op {
            Op::Binary(BinaryOp::Divide, _, y) => is_number(y),
            Op::Call1(function, _) | Op::Call2(function, ..) | Op::Call3(function, ..) => {
                function.row().finite == Finite::Everywhere
            }
            _ => true,
        };
        is_finite.push(own && op.operands().all(|operand| is_finite[operand]));
    }
    is_finite
}

/// For each operation whether its value is one of several of which one is selected, or a part of such a value.
fn selected(step: &Code) -> Vec<bool> {
    let mut is_selected = vec![false; step.ops.len()];
    for at in (0..step.ops.len()).rev() {
        let selects = matches!(step.ops[at], Op::Select { .. } | Op::Call2(Function::Min | Function::Max, ..));
        if selects || is_selected[at] {
            step.ops[at].operands().for_each(|operand| is_selected[operand] = true);
        }
    }
    is_selected
}
