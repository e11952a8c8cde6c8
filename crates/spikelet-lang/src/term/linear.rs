//! Terms as sums, and as linear functions of a variable.
//!
//! Parts that do not occur are dropped, and no others: a 0 that is written is a number like any other, since 0/b is NaN for b = 0.

use std::sync::Arc;

use super::{Node, Term, add, divide, is_zero, multiply, negate, number, subtract};
use crate::syntax::BinaryOp;

/// x · y of terms that are always finite: nothing is left of it where one of them is the number 0.
pub fn product_of_finite(x: &Term, y: &Term) -> Term {
    if is_zero(x) || is_zero(y) { number(0.0) } else { multiply(x, y) }
}

/// The term without products and quotients of the number 0, where all its values are finite.
pub fn without_zeros(term: &Term) -> Term {
    let again = without_zeros;
    match &**term {
        Node::Negate(x) => negate(&again(x)),
        Node::Binary(BinaryOp::Add, x, y) => add(&again(x), &again(y)),
        Node::Binary(BinaryOp::Subtract, x, y) => subtract(&again(x), &again(y)),
        Node::Binary(BinaryOp::Multiply, x, y) => product_of_finite(&again(x), &again(y)),
        Node::Binary(BinaryOp::Divide, x, y) => {
            let x = again(x);
            if is_zero(&x) { x } else { divide(&x, &again(y)) }
        }
        Node::Binary(op, x, y) => Arc::new(Node::Binary(*op, again(x), again(y))),
        Node::Call(function, arguments) => Arc::new(Node::Call(*function, arguments.iter().map(again).collect())),
        _ => term.clone(),
    }
}

/// The terms whose sum this is; products and quotients of sums are multiplied out as far as their other factor allows.
pub fn addends(term: &Term) -> Vec<Term> {
    let scaled = |sum: &Term, scale: &dyn Fn(&Term) -> Term| addends(sum).iter().map(scale).collect::<Vec<_>>();
    match &**term {
        Node::Number(value) if *value == 0.0 => Vec::new(),
        Node::Negate(x) => scaled(x, &negate),
        Node::Binary(BinaryOp::Add, x, y) => [addends(x), addends(y)].concat(),
        Node::Binary(BinaryOp::Subtract, x, y) => [addends(x), scaled(y, &negate)].concat(),
        Node::Binary(BinaryOp::Divide, x, y) if is_sum(x) => scaled(x, &|part| divide(part, y)),
        Node::Binary(BinaryOp::Multiply, x, y) if is_sum(x) => scaled(x, &|part| multiply(part, y)),
        Node::Binary(BinaryOp::Multiply, x, y) if is_sum(y) => scaled(y, &|part| multiply(x, part)),
        _ => vec![term.clone()],
    }
}

fn is_sum(term: &Term) -> bool {
    match &**term {
        Node::Negate(x) | Node::Binary(BinaryOp::Divide, x, _) => is_sum(x),
        Node::Binary(BinaryOp::Multiply, x, y) => is_sum(x) || is_sum(y),
        Node::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Subtract),
        _ => false,
    }
}

/// coefficient · x + rest, neither of which mentions x; `None` where the term is not linear in x.
pub fn linear(term: &Term, variable: usize) -> Option<(Term, Term)> {
    LinearParts::linear(term, variable).map(LinearParts::into_terms)
}

/// coefficient · x + rest, where x may also stand inside functions and denominators of the two: these parts are held at the
/// old value of x (an exponential Euler step of a cell with an NMDA current, say). `None` where x cannot be factored out.
pub fn linear_with_held_parts(term: &Term, variable: usize) -> Option<(Term, Term)> {
    LinearParts::with_held(term, variable).map(LinearParts::into_terms)
}

/// Coefficient and rest; those that do not occur are missing.
struct LinearParts {
    coefficient: Option<Term>,
    rest: Option<Term>,
}

impl LinearParts {
    fn into_terms(self) -> (Term, Term) {
        let or_zero = |part: Option<Term>| part.unwrap_or_else(|| number(0.0));
        (or_zero(self.coefficient), or_zero(self.rest))
    }

    fn constant(term: &Term) -> LinearParts {
        LinearParts { coefficient: None, rest: Some(term.clone()) }
    }

    fn map(self, of: impl Fn(&Term) -> Term) -> LinearParts {
        LinearParts { coefficient: self.coefficient.as_ref().map(&of), rest: self.rest.as_ref().map(&of) }
    }

    /// x + y, or x − y.
    fn sum(op: BinaryOp, x: LinearParts, y: LinearParts) -> LinearParts {
        let of = |x: Option<Term>, y: Option<Term>| match (x, y, op) {
            (Some(x), Some(y), BinaryOp::Subtract) => Some(subtract(&x, &y)),
            (Some(x), Some(y), _) => Some(add(&x, &y)),
            (None, Some(y), BinaryOp::Subtract) => Some(negate(&y)),
            (x, y, _) => x.or(y),
        };
        LinearParts { coefficient: of(x.coefficient, y.coefficient), rest: of(x.rest, y.rest) }
    }

    fn linear(term: &Term, variable: usize) -> Option<LinearParts> {
        if !term.mentions(variable) {
            return Some(LinearParts::constant(term));
        }
        match &**term {
            Node::Symbol(_) => Some(LinearParts { coefficient: Some(number(1.0)), rest: None }),
            Node::Negate(x) => LinearParts::linear(x, variable).map(|parts| parts.map(negate)),
            Node::Binary(op, x, y) => {
                let is_constant = [x, y].map(|operand| !operand.mentions(variable));
                let (left, right) = (LinearParts::linear(x, variable)?, LinearParts::linear(y, variable)?);
                match (op, is_constant) {
                    (BinaryOp::Add | BinaryOp::Subtract, _) => Some(LinearParts::sum(*op, left, right)),
                    (BinaryOp::Multiply, [true, _]) => Some(right.map(|part| multiply(x, part))),
                    (BinaryOp::Multiply, [_, true]) => Some(left.map(|part| multiply(part, y))),
                    (BinaryOp::Divide, [_, true]) => Some(left.map(|part| divide(part, y))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn with_held(term: &Term, variable: usize) -> Option<LinearParts> {
        if let Some(parts) = LinearParts::linear(term, variable) {
            return Some(parts);
        }
        let again = |x: &Term| LinearParts::with_held(x, variable);
        match &**term {
            Node::Negate(x) => again(x).map(|parts| parts.map(negate)),
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) => {
                again(x).zip(again(y)).map(|(x, y)| LinearParts::sum(*op, x, y))
            }
            Node::Binary(BinaryOp::Multiply, x, y) => {
                // One factor is split. Of two that mention x it is the right one if it is linear, else the left one; the other is held.
                let splits_right = !x.mentions(variable) || y.mentions(variable) && LinearParts::linear(y, variable).is_some();
                if splits_right {
                    again(y).map(|parts| parts.map(|part| multiply(part, x)))
                } else {
                    again(x).map(|parts| parts.map(|part| multiply(part, y)))
                }
            }
            Node::Binary(BinaryOp::Divide, x, y) => again(x).map(|parts| parts.map(|part| divide(part, y))),
            // A function of x by itself is held.
            Node::Call(..) | Node::Lookup(..) => Some(LinearParts::constant(term)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Function, Symbol, call, symbol};

    fn x() -> Term {
        symbol(Symbol::Variable(0))
    }

    fn b() -> Term {
        symbol(Symbol::Constant(0))
    }

    fn difference() -> Term {
        subtract(&x(), &call(Function::Exp, x()))
    }

    #[test]
    fn a_zero_that_is_written_is_a_number() {
        let product = multiply(&number(0.0), &x());
        assert!(!is_zero(&product) && !is_zero(&divide(&number(0.0), &b())));
        let (coefficient, rest) = linear(&divide(&product, &b()), 0).unwrap();
        assert_eq!(coefficient, divide(&number(0.0), &b()));
        assert!(is_zero(&rest));
        assert!(is_zero(&without_zeros(&divide(&product, &b()))));
    }

    #[test]
    fn parts_that_do_not_occur_are_dropped() {
        let rate = divide(&subtract(&b(), &x()), &symbol(Symbol::Constant(1)));
        let (coefficient, rest) = linear(&rate, 0).unwrap();
        assert_eq!(coefficient, divide(&number(-1.0), &symbol(Symbol::Constant(1))));
        assert_eq!(rest, divide(&b(), &symbol(Symbol::Constant(1))));
        let (coefficient, rest) = linear(&rate, 7).unwrap();
        assert!(is_zero(&coefficient) && rest == rate);
    }

    #[test]
    fn addends_keep_a_quotient_of_zero() {
        let quotient = divide(&number(0.0), &b());
        assert_eq!(addends(&quotient), std::slice::from_ref(&quotient));
        assert_eq!(addends(&add(&quotient, &x())), [quotient, x()]);
    }

    #[test]
    fn a_factor_without_the_variable_is_the_same_on_either_side() {
        let (left, right) = (multiply(&number(2.0), &difference()), multiply(&difference(), &number(2.0)));
        for product in [&left, &right] {
            let (coefficient, _) = linear_with_held_parts(product, 0).unwrap();
            assert_eq!(coefficient, number(2.0), "{product:?}");
        }
    }

    #[test]
    fn of_two_factors_the_right_one_is_split_if_it_is_linear() {
        let plain = subtract(&b(), &x());
        let (coefficient, _) = linear_with_held_parts(&multiply(&difference(), &plain), 0).unwrap();
        assert_eq!(coefficient, multiply(&number(-1.0), &difference()));
        let (coefficient, _) = linear_with_held_parts(&multiply(&plain, &difference()), 0).unwrap();
        assert_eq!(coefficient, multiply(&number(-1.0), &difference()));
        // None of them is linear.
        let square = multiply(&difference(), &add(&b(), &call(Function::Exp, x())));
        let (coefficient, _) = linear_with_held_parts(&square, 0).unwrap();
        assert_eq!(coefficient, add(&b(), &call(Function::Exp, x())));
    }
}
