//! Whole numbers. An f32 has all of them up to 2²⁴, an f64 those up to 2⁵³: what is larger becomes infinite, which ends the run, before a
//! rounded number is taken for a whole one.

use super::{Lowering, Storage};
use crate::ir::{Literal, Op, Ref};
use crate::syntax::BinaryOp;
use crate::term::{Function, Node, Symbol, Term};

/// The largest whole number that is exact together with all below it: 2²⁴ in f32. In f64 it is the end of the range of integers.
const LARGEST: Literal = Literal { single: 16_777_216.0, double: 2_147_483_648.0 };

impl Storage {
    /// Whether a term is a whole number, made of integers of the model.
    fn is_whole(&self, term: &Term) -> bool {
        match &**term {
            Node::Number(value) => *value == libm::trunc(*value),
            Node::Symbol(Symbol::Variable(variable)) => self.integers.contains(variable),
            Node::Symbol(Symbol::Index | Symbol::PostIndex | Symbol::Size) | Node::Call(Function::Int | Function::Sign, _) => {
                true
            }
            Node::Negate(x) => self.is_whole(x),
            Node::Binary(op, x, y) => {
                let keeps = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::FloorDivide | BinaryOp::Modulo
                );
                keeps && self.is_whole(x) && self.is_whole(y)
            }
            _ => false,
        }
    }

    fn has_integers(&self, term: &Term) -> bool {
        term.any(|symbol| matches!(symbol, Some(Symbol::Variable(variable)) if self.integers.contains(&variable)))
    }

    /// Whether a term is computed from integers of the model, so that each of its results must be exact.
    pub(super) fn is_exact(&self, term: &Term) -> bool {
        !self.integers.is_empty() && self.is_whole(term) && self.has_integers(term)
    }
}

impl Lowering<'_> {
    /// A term of integers, of which each sum and product is exact or infinite.
    pub(super) fn exact_whole(&mut self, term: &Term) -> Ref {
        match &**term {
            Node::Call(Function::Int, arguments) if self.storage.is_exact(&arguments[0]) => self.exact_whole(&arguments[0]),
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), x, y) if self.storage.is_exact(term) => {
                let (x, y) = (self.exact_whole(x), self.exact_whole(y));
                let value = self.binary(*op, x, y);
                self.in_range(value)
            }
            Node::Negate(x) if self.storage.is_exact(term) => {
                let x = self.exact_whole(x);
                self.op(Op::Negate(x))
            }
            _ => self.term(term),
        }
    }

    /// What arrives at an integer, cut off towards 0.
    pub(crate) fn whole_sum(&mut self, value: Ref) -> Ref {
        let whole = self.op(Op::Call1(Function::Int, value));
        self.in_range(whole)
    }

    /// A whole number, infinite where it may have been rounded.
    fn in_range(&mut self, value: Ref) -> Ref {
        let (size, largest) = (self.op(Op::Call1(Function::Abs, value)), self.op(Op::Literal(LARGEST)));
        let condition = self.binary(BinaryOp::LessEqual, size, largest);
        let infinite = self.op(Op::number(f64::INFINITY));
        let no = self.binary(BinaryOp::Multiply, value, infinite);
        self.op(Op::Select { condition, yes: value, no })
    }
}
