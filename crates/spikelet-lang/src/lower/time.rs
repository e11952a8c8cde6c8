//! Times combined with values that differ between neurons. An f32 cannot represent half an hour and a fraction of a step at once, so sums
//! and differences of times, remainders by a period, and comparisons are computed in two words, from f64 numbers of the host.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Dependency, Lowering, Storage, VariableLocation, is_condition};
use crate::ir::{Literal, Op, Ref};
use crate::model::{Role, Variable};
use crate::syntax::BinaryOp;
use crate::term::{self, EQUAL_TIMES, Function, Node, Symbol, Term, grows};
use crate::unit::Dimension;

/// The variables that hold times: those measured as times that are assigned, or stand beside, what grows with time. `terms` are all of
/// a model, `statements` what is assigned; those in `known` hold times anyway.
pub(crate) fn times<'a>(
    variables: &[Variable],
    terms: &[&Term],
    statements: &(impl Iterator<Item = &'a (usize, Term)> + Clone),
    known: impl Fn(&Variable) -> bool,
) -> HashSet<usize> {
    let is_time =
        |variable: &Variable| variable.written && variable.role == Role::Declared && variable.dimension == Dimension::TIME;
    let candidates: Vec<usize> = (0..variables.len()).filter(|at| is_time(&variables[*at])).collect();
    let mut times: HashSet<usize> = candidates.iter().copied().filter(|at| known(&variables[*at])).collect();
    loop {
        let grows = |term: &Term| grows(term, &|variable| times.contains(&variable));
        let is_beside = |term: &Term, variable: usize| {
            let mut found = false;
            term.walk(&mut |node| {
                if let Node::Binary(op, x, y) = node
                    && (op.is_comparison() || matches!(op, BinaryOp::Add | BinaryOp::Subtract))
                {
                    found |= grows(x) && y.mentions(variable) || grows(y) && x.mentions(variable);
                }
            });
            found
        };
        let assigned = |variable: usize| statements.clone().any(|(to, term)| *to == variable && grows(term));
        let more = |variable: usize| assigned(variable) || terms.iter().any(|term| is_beside(term, variable));
        let more: Vec<usize> = candidates.iter().copied().filter(|at| !times.contains(at) && more(*at)).collect();
        if more.is_empty() {
            return times;
        }
        times.extend(more);
    }
}

impl Storage {
    /// Whether the term grows with time without end.
    fn grows(&self, term: &Term) -> bool {
        grows(term, &|variable| matches!(self.places[variable], VariableLocation::Array(array) if self.times.contains(&array)))
    }

    /// Whether it is made of times, and of numbers that differ between neurons: of no other state, which is as coarse as an f32 anyway.
    fn is_time(&self, term: &Term) -> bool {
        let state = term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => match self.places[variable] {
                VariableLocation::Array(array) => self.written[array] && !self.times.contains(&array),
                VariableLocation::Local => true,
                VariableLocation::Constant => false,
            },
            Some(Symbol::Read(read)) => self.reads[read].is_some(),
            Some(Symbol::NotRefractory | Symbol::SinceEvent) | None => true,
            Some(_) => false,
        });
        self.grows(term) && !state
    }
}

impl Lowering<'_> {
    /// The value of a term in which time stands beside what differs between neurons, if it is one.
    pub(super) fn timed(&mut self, term: &Term) -> Option<Ref> {
        let is_drawn = |term: &Term| term.any(|symbol| symbol.is_none());
        match &**term {
            Node::Binary(op, x, y)
                if op.is_comparison() && !is_drawn(term) && (self.storage.grows(x) || self.storage.grows(y)) =>
            {
                Some(self.compare(*op, x, y))
            }
            Node::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) if self.storage.is_time(term) => Some(self.wide(term)[0]),
            Node::Binary(BinaryOp::Modulo, x, y) if self.storage.grows(x) => Some(self.divided(x, y)[1]),
            Node::Binary(BinaryOp::FloorDivide, x, y) if self.storage.grows(x) => Some(self.divided(x, y)[0]),
            Node::Call(function @ (Function::Sin | Function::Cos), arguments) if self.storage.grows(&arguments[0]) => {
                Some(self.turned(*function, &arguments[0]))
            }
            Node::Call(function @ (Function::Floor | Function::Ceil | Function::Int), arguments)
                if self.storage.grows(&arguments[0]) =>
            {
                Some(self.whole(*function, &arguments[0]))
            }
            _ => None,
        }
    }

    /// A term in two words.
    pub(super) fn wide(&mut self, term: &Term) -> [Ref; 2] {
        let zero = self.op(Op::number(0.0));
        if is_condition(term) {
            return [self.number(term), zero];
        }
        if let Node::Number(value) = **term {
            return [Literal::from(value), Literal::low_word(value)].map(|word| self.op(Op::Literal(word)));
        }
        let rest = term::call(Function::Rest, term.clone());
        match (self.storage.extent(term), &**term) {
            (_, Node::Symbol(Symbol::Index | Symbol::PostIndex)) => [self.term(term), zero],
            (Dependency::Uniform | Dependency::Timed, _) => [self.term(term), self.term(&rest)],
            (Dependency::Fixed, _) => {
                let arrays = [term.clone(), rest].map(|term| self.storage.derived(crate::program::ConstantRule::Term(term)));
                arrays.map(|array| self.op(Op::Load(array)))
            }
            (_, Node::Symbol(Symbol::Variable(variable))) => match self.storage.places[*variable] {
                VariableLocation::Array(array) => [self.values[array], self.low(array).unwrap_or(zero)],
                VariableLocation::Local | VariableLocation::Constant => [self.term(term), zero],
            },
            (_, Node::Negate(x)) => self.wide(x).map(|word| self.op(Op::Negate(word))),
            (_, Node::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y)) => {
                let (x, y) = (self.wide(x), self.wide(y));
                self.sum(*op, x, y)
            }
            (_, Node::Binary(BinaryOp::Multiply, x, y)) => {
                let (x, y) = (self.wide(x), self.wide(y));
                self.product(x, y)
            }
            (_, Node::Binary(BinaryOp::Divide, x, y)) if self.storage.extent(y) <= Dependency::Timed => {
                self.wide(&Arc::new(Node::Binary(BinaryOp::Multiply, x.clone(), term::divide(&term::number(1.0), y))))
            }
            _ => [self.term(term), zero],
        }
    }

    /// The sum or difference of numbers in two words.
    fn sum(&mut self, op: BinaryOp, x: [Ref; 2], y: [Ref; 2]) -> [Ref; 2] {
        let y = if op == BinaryOp::Subtract { y.map(|word| self.op(Op::Negate(word))) } else { y };
        let [high, lost] = self.two_sum(x[0], y[0]);
        let low = self.binary(BinaryOp::Add, x[1], y[1]);
        let low = self.binary(BinaryOp::Add, lost, low);
        self.two_sum(high, low)
    }

    /// The product of numbers in two words.
    fn product(&mut self, x: [Ref; 2], y: [Ref; 2]) -> [Ref; 2] {
        let [high, lost] = self.two_product(x[0], y[0]);
        let crossed = [(x[0], y[1]), (x[1], y[0])].map(|(x, y)| self.binary(BinaryOp::Multiply, x, y));
        let low = self.binary(BinaryOp::Add, crossed[0], crossed[1]);
        let low = self.binary(BinaryOp::Add, lost, low);
        self.two_sum(high, low)
    }

    /// The product, and what it has lost (Dekker 1971; Veltkamp's splitting).
    fn two_product(&mut self, x: Ref, y: Ref) -> [Ref; 2] {
        let product = self.binary(BinaryOp::Multiply, x, y);
        let splitter = self.op(Op::number(4097.0));
        let [[x_high, x_low], [y_high, y_low]] = [x, y].map(|x| {
            let scaled = self.binary(BinaryOp::Multiply, splitter, x);
            let above = self.binary(BinaryOp::Subtract, scaled, x);
            let high = self.binary(BinaryOp::Subtract, scaled, above);
            [high, self.binary(BinaryOp::Subtract, x, high)]
        });
        let parts = [(x_high, y_high), (x_high, y_low), (x_low, y_high), (x_low, y_low)];
        let [whole, first, second, last] = parts.map(|(x, y)| self.binary(BinaryOp::Multiply, x, y));
        let lost = self.binary(BinaryOp::Subtract, whole, product);
        let lost = [first, second, last].into_iter().fold(lost, |lost, part| self.binary(BinaryOp::Add, lost, part));
        [product, lost]
    }

    /// The noise of the host in a term: that of its longest times, from which differences may have left little.
    fn noise(&mut self, term: &Term) -> Ref {
        let magnitude = |term: &Term| term::call(Function::Abs, term.clone());
        let (known, others): (Vec<Term>, Vec<Term>) = term::addends(term)
            .into_iter()
            .filter(|part| self.storage.grows(part))
            .partition(|part| self.storage.extent(part) == Dependency::Timed);
        let known = known.iter().fold(term::number(0.0), |sum, part| term::add(&sum, &magnitude(part)));
        let mut sum = self.term(&known);
        for part in others {
            let [high, _] = self.wide(&part);
            let size = self.op(Op::Call1(Function::Abs, high));
            sum = self.binary(BinaryOp::Add, sum, size);
        }
        let noise = self.op(Op::number(EQUAL_TIMES));
        self.binary(BinaryOp::Multiply, sum, noise)
    }

    /// x op y.
    fn compare(&mut self, op: BinaryOp, x: &Term, y: &Term) -> Ref {
        let between = term::subtract(x, y);
        let difference = match self.storage.extent(&between) {
            Dependency::Timed => self.term(&between),
            _ => self.wide(&between)[0],
        };
        let (noise, zero) = (self.noise(&between), self.op(Op::number(0.0)));
        let size = self.op(Op::Call1(Function::Abs, difference));
        let condition = self.binary(BinaryOp::LessEqual, size, noise);
        let difference = self.op(Op::Select { condition, yes: zero, no: difference });
        self.binary(op, difference, zero)
    }

    /// x // y and x % y, as in Python.
    fn divided(&mut self, x: &Term, y: &Term) -> [Ref; 2] {
        let noise = self.noise(x);
        let (x, y) = (self.wide(x), self.wide(y));
        let (zero, one) = (self.op(Op::number(0.0)), self.op(Op::number(1.0)));
        let mut quotient = zero;
        let mut left = x;
        let mut take = |code: &mut Self, times: Ref, left: [Ref; 2]| {
            quotient = code.binary(BinaryOp::Add, quotient, times);
            let taken = code.product([times, zero], y);
            code.sum(BinaryOp::Subtract, left, taken)
        };
        // Of a long time the first quotient is rounded.
        for _ in 0..2 {
            let times = self.binary(BinaryOp::Divide, left[0], y[0]);
            let times = self.op(Op::Call1(Function::Floor, times));
            left = take(self, times, left);
        }
        // Rounded, it may have been one too many or too few.
        let sign = self.op(Op::Call1(Function::Sign, y[0]));
        let magnitude = self.op(Op::Call1(Function::Abs, y[0]));
        let size = self.binary(BinaryOp::Multiply, left[0], sign);
        let size = self.binary(BinaryOp::Add, size, noise);
        let more = self.binary(BinaryOp::GreaterEqual, size, magnitude);
        let more = self.op(Op::Select { condition: more, yes: one, no: zero });
        let less = self.binary(BinaryOp::Less, size, zero);
        let less = self.op(Op::Select { condition: less, yes: one, no: zero });
        let times = self.binary(BinaryOp::Subtract, more, less);
        let [left, _] = take(self, times, left);
        // What noise has put below 0.
        let size = self.binary(BinaryOp::Multiply, left, sign);
        let condition = self.binary(BinaryOp::Less, size, zero);
        [quotient, self.op(Op::Select { condition, yes: zero, no: left })]
    }

    /// The sine or cosine of a long angle.
    fn turned(&mut self, function: Function, angle: &Term) -> Ref {
        let [high, low] = self.wide(angle);
        let [sin, cos] =
            [Function::Sin, Function::Cos].map(|function| [high, low].map(|word| self.op(Op::Call1(function, word))));
        let (op, [first, second]) = match function {
            Function::Sin => (BinaryOp::Add, [(sin[0], cos[1]), (cos[0], sin[1])]),
            _ => (BinaryOp::Subtract, [(cos[0], cos[1]), (sin[0], sin[1])]),
        };
        let (first, second) =
            (self.binary(BinaryOp::Multiply, first.0, first.1), self.binary(BinaryOp::Multiply, second.0, second.1));
        self.binary(op, first, second)
    }

    /// The whole number below, above, or towards 0.
    fn whole(&mut self, function: Function, x: &Term) -> Ref {
        let x = self.wide(x);
        let minus = x.map(|word| self.op(Op::Negate(word)));
        let below = self.below(x);
        let above = self.below(minus);
        let above = self.op(Op::Negate(above));
        match function {
            Function::Floor => below,
            Function::Ceil => above,
            _ => {
                let zero = self.op(Op::number(0.0));
                let condition = self.binary(BinaryOp::Less, x[0], zero);
                self.op(Op::Select { condition, yes: above, no: below })
            }
        }
    }

    fn below(&mut self, [high, low]: [Ref; 2]) -> Ref {
        let [below, step] = [high, low].map(|word| self.op(Op::Call1(Function::Floor, word)));
        let is_whole = self.binary(BinaryOp::Equal, below, high);
        let zero = self.op(Op::number(0.0));
        let step = self.op(Op::Select { condition: is_whole, yes: step, no: zero });
        self.binary(BinaryOp::Add, below, step)
    }
}
