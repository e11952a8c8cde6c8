//! Random counts, which have no gradient.

use super::NoGradient;
use crate::ir::{Code, Op};
use crate::term::Function;

/// Checks that no count of a step, `poisson` or `binomial`, has a mean that follows the values for which `varies` is true: loads, ports
/// or constants. A count is a whole number at every mean, so that its own derivative is 0 and that of its expectation is lost.
///
/// # Errors
/// [`NoGradient::Count`] with the name of the function.
pub fn check_counts(step: &Code, varies: impl Fn(&Op) -> bool) -> Result<(), NoGradient> {
    let mut follows: Vec<bool> = Vec::with_capacity(step.ops.len());
    for op in &step.ops {
        let follow = match *op {
            Op::Call2(Function::Poisson, mean, _) if follows[mean] => return Err(NoGradient::Count("poisson")),
            Op::Call3(Function::Binomial, n, p, _) if follows[n] || follows[p] => return Err(NoGradient::Count("binomial")),
            Op::Select { yes, no, .. } => follows[yes] || follows[no],
            // Constant but for jumps.
            Op::Call1(function, _) if function.row().is_stepwise => false,
            Op::Lookup { .. } | Op::Elapsed(_) => false,
            op if op.is_condition() => false,
            op => varies(&op) || op.operands().any(|operand| follows[operand]),
        };
        follows.push(follow);
    }
    Ok(())
}
