//! Algebra without rounding, for codes of gradients: the adjoints of a step have many terms that are 0, and factors that are 1.
//!
//! Results are those of the written operation but for the sign of 0; 0 · x is 0 whatever x is.

use super::CodeBuilder;
use crate::ir::{Literal, Op, Ref};
use crate::syntax::BinaryOp::{self, Add, Divide, Multiply, Subtract};

impl CodeBuilder {
    /// A value equal to that of the operation that takes fewer operations, if there is one.
    pub(super) fn simpler(&mut self, op: Op) -> Option<Ref> {
        match op {
            Op::Negate(x) => match self.of(x) {
                Op::Negate(inner) => Some(inner),
                Op::Literal(Literal { single, double }) => {
                    Some(self.op(Op::Literal(Literal { single: -single, double: -double })))
                }
                Op::Binary(Subtract, x, y) => Some(self.binary(Subtract, y, x)),
                _ => None,
            },
            Op::Binary(op, x, y) => self.simpler_binary(op, x, y),
            Op::Select { yes, no, .. } if yes == no => Some(yes),
            Op::Select { condition, yes, no } => {
                if let Op::Not(condition) = self.of(condition) {
                    return Some(self.op(Op::Select { condition, yes: no, no: yes }));
                }
                let [(first, _), (_, second)] = [yes, no].map(|side| self.sides(side, condition).unwrap_or((side, side)));
                let is_simpler = first != yes || second != no;
                is_simpler.then(|| self.op(Op::Select { condition, yes: first, no: second }))
            }
            _ => None,
        }
    }

    fn simpler_binary(&mut self, op: BinaryOp, x: Ref, y: Ref) -> Option<Ref> {
        let negated = |value: Ref| if let Op::Negate(inner) = self.of(value) { Some(inner) } else { None };
        match (op, negated(x), negated(y)) {
            (Add, ..) if self.is(x, 0.0) => Some(y),
            (Add | Subtract, ..) if self.is(y, 0.0) => Some(x),
            (Subtract, ..) if self.is(x, 0.0) => Some(self.op(Op::Negate(y))),
            (Add, _, Some(y)) => Some(self.binary(Subtract, x, y)),
            (Add, Some(x), _) => Some(self.binary(Subtract, y, x)),
            (Subtract, _, Some(y)) => Some(self.binary(Add, x, y)),
            (Subtract, Some(x), _) => {
                let sum = self.binary(Add, x, y);
                Some(self.op(Op::Negate(sum)))
            }
            (Add, ..) => self.sum_of_selects(x, y),
            (Multiply | Divide, ..) if self.is(x, 0.0) => Some(x),
            (Multiply, ..) if self.is(y, 0.0) => Some(y),
            (Multiply | Divide, ..) if self.is(y, 1.0) => Some(x),
            (Multiply, ..) if self.is(x, 1.0) => Some(y),
            (Multiply | Divide, Some(x), _) => {
                let positive = self.binary(op, x, y);
                Some(self.op(Op::Negate(positive)))
            }
            (Multiply | Divide, _, Some(y)) => {
                let positive = self.binary(op, x, y);
                Some(self.op(Op::Negate(positive)))
            }
            _ => None,
        }
    }

    /// One selection instead of two by the same condition, where it saves an addition.
    fn sum_of_selects(&mut self, x: Ref, y: Ref) -> Option<Ref> {
        let Op::Select { condition, yes, no } = self.of(x) else { return None };
        let (other_yes, other_no) = self.sides(y, condition)?;
        if ![yes, no, other_yes, other_no].iter().any(|side| self.is(*side, 0.0)) {
            return None;
        }
        let (yes, no) = (self.binary(Add, yes, other_yes), self.binary(Add, no, other_no));
        Some(self.op(Op::Select { condition, yes, no }))
    }

    /// Both sides of a value that is selected by this condition.
    fn sides(&self, value: Ref, condition: Ref) -> Option<(Ref, Ref)> {
        match self.of(value) {
            Op::Select { condition: same, yes, no } if same == condition => Some((yes, no)),
            _ => None,
        }
    }

    /// Whether a value is this literal, in both precisions.
    fn is(&self, value: Ref, number: f32) -> bool {
        matches!(self.of(value), Op::Literal(Literal { single, double }) if single == number && double == f64::from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_lose_what_does_nothing() {
        let mut b = CodeBuilder::default();
        b.simplify();
        let [x, y, c] = [0, 1, 2].map(|array| b.op(Op::Load(array)));
        let [zero, one] = [0.0, 1.0].map(|number| b.op(Op::number(number)));
        let condition = b.binary(BinaryOp::Greater, c, zero);
        let negative = b.op(Op::Negate(x));
        let difference = b.binary(Subtract, y, x);
        let product = b.binary(Multiply, x, y);
        for (op, expected) in [
            (Op::Binary(Add, zero, x), x),
            (Op::Binary(Subtract, x, zero), x),
            (Op::Binary(Subtract, zero, x), negative),
            (Op::Binary(Add, negative, y), difference),
            (Op::Binary(Multiply, one, x), x),
            (Op::Binary(Multiply, x, zero), zero),
            (Op::Binary(Divide, x, one), x),
            (Op::Negate(negative), x),
            (Op::Select { condition, yes: y, no: y }, y),
        ] {
            assert_eq!(b.op(op), expected, "{op:?}");
        }
        let minus = b.binary(Multiply, negative, y);
        assert_eq!(b.of(minus), Op::Negate(product));

        let [first, second] = [(x, zero), (zero, y)].map(|(yes, no)| b.op(Op::Select { condition, yes, no }));
        let sum = b.binary(Add, first, second);
        assert_eq!(b.of(sum), Op::Select { condition, yes: x, no: y });
        let not = b.op(Op::Not(condition));
        let nested = b.op(Op::Select { condition: not, yes: sum, no: c });
        assert_eq!(b.of(nested), Op::Select { condition, yes: c, no: y });
    }

    #[test]
    fn nothing_is_simplified_in_a_simulation() {
        let mut b = CodeBuilder::default();
        let (x, zero) = (b.op(Op::Load(0)), b.op(Op::number(0.0)));
        let sum = b.binary(Add, x, zero);
        assert_eq!(b.of(sum), Op::Binary(Add, x, zero));
    }
}
