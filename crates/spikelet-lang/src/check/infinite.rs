//! `inf`: bounds that are none. Devices need not compute with infinities (WGSL, section "Floating point evaluation"), so what they mean is decided
//! here, and no term has any.

use std::sync::Arc;

use crate::host;
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Term};

/// What to write in place of an infinite value.
pub(super) const HELP: &str =
    "Use a finite number, such as 1e30 or -1e4*second; `inf` is for comparisons and bounds, as in `min(x, inf)`.";

/// Whether a name is that of infinity.
pub(super) fn is_name(name: &str) -> bool {
    name == "inf"
}

/// A term that is infinite.
pub(super) fn value(term: &Term) -> Option<f64> {
    match **term {
        Node::Number(number) if number.is_infinite() => Some(number),
        _ => None,
    }
}

/// An operation of which an operand is infinite, if all finite values of the other give the same; `None` without an infinite operand.
pub(super) fn binary(op: BinaryOp, x: &Term, y: &Term) -> Option<Result<Term, ()>> {
    let (left, right) = (value(x), value(y));
    if left.is_none() && right.is_none() {
        return None;
    }
    let number = |term: &Term| if let Node::Number(number) = **term { Some(number) } else { None };
    // Any finite number stands for an operand that is not known, where its size does not matter.
    let of = |term: &Term| number(term).unwrap_or(1.0);
    let known = number(x).is_some() && number(y).is_some();
    let result = host::binary(op, of(x), of(y));
    Some(match op {
        _ if op.is_comparison() => Ok(Arc::new(Node::Boolean(result != 0.0))),
        BinaryOp::Add | BinaryOp::Subtract if !result.is_nan() => Ok(term::number(result)),
        BinaryOp::Divide if left.is_none() => Ok(term::number(0.0)),
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Power if known && !result.is_nan() => Ok(term::number(result)),
        _ => Err(()),
    })
}

/// The same for a function.
pub(super) fn call(function: Function, arguments: &[Term]) -> Option<Result<Term, ()>> {
    if arguments.iter().all(|argument| value(argument).is_none()) {
        return None;
    }
    let bound = |function: Function, x: &Term, bound: &Term| match (value(x), value(bound)) {
        // Which one it is does not depend on the other.
        (None, Some(infinite)) => Ok(if (infinite > 0.0) == (function == Function::Min) { x.clone() } else { bound.clone() }),
        (Some(infinite), None) => Ok(if (infinite > 0.0) == (function == Function::Min) { bound.clone() } else { x.clone() }),
        (Some(one), Some(other)) => Ok(term::number(if function == Function::Min { one.min(other) } else { one.max(other) })),
        (None, None) => Ok(Arc::new(Node::Call(function, vec![x.clone(), bound.clone()])) as Term),
    };
    Some(match (function, arguments) {
        (Function::Min | Function::Max, [x, y]) => bound(function, x, y),
        (Function::Clip, [x, low, high]) => bound(Function::Max, x, low).and_then(|above| bound(Function::Min, &above, high)),
        // The limit, if there is one.
        (function, [x]) => {
            value(x).map(|x| host::call(function, &[x])).filter(|limit| !limit.is_nan()).map(term::number).ok_or(())
        }
        _ => Err(()),
    })
}
