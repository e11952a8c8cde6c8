//! Expressions after their names are resolved: plain numbers in inner units, symbols instead of names. The integrators do their
//! algebra on these.

mod linear;

use std::sync::Arc;

use crate::syntax::BinaryOp;

pub use crate::functions::Function;
pub use linear::{addends, linear, linear_with_held_parts, product_of_finite, without_zeros};

/// A shared, resolved expression.
pub type Term = Arc<Node>;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// A variable of the neuron or synapse, by index: state, or a parameter of its own.
    Variable(usize),
    /// A constant of the population or projection, by index.
    Constant(usize),
    /// The time step in ms.
    Dt,
    /// The time at the start of the step, in ms.
    Time,
    /// Steps since the neuron's last spike, at most 2²⁴.
    SinceSpike,
    /// Steps since the synapse's last event.
    SinceEvent,
    /// A value of the neuron at either end of a synapse, by index of [`SynapseModel::reads`](crate::SynapseModel::reads).
    Read(usize),
    /// The number of neurons in the population.
    Size,
    /// The index of the neuron in its population (of the presynaptic neuron for a synapse).
    Index,
    /// The index of the postsynaptic neuron.
    PostIndex,
    /// The variable's value at the start of the step's refractory test: true while not refractory.
    NotRefractory,
}

/// Random functions: each place they are written is a site with draws of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Random {
    /// `rand()`: uniform in [0, 1).
    Uniform,
    /// `randn()`: standard normal.
    Normal,
}

/// One resolved expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A number in inner units.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A name.
    Symbol(Symbol),
    /// −x
    Negate(Term),
    /// not x
    Not(Term),
    /// x op y
    Binary(BinaryOp, Term, Term),
    /// f(x, …)
    Call(Function, Vec<Term>),
    /// A draw at a site.
    Random(Random, u32),
    /// The entry of a table, by its number: tables hold timed arrays, row by row.
    Lookup(usize, Term),
    /// A call, on GPUs, of a function of one's own by its number, and the same as an expression for all others.
    Own(usize, Vec<Term>, Term),
}

/// A number.
pub fn number(value: f64) -> Term {
    Arc::new(Node::Number(value))
}

/// A symbol.
pub fn symbol(symbol: Symbol) -> Term {
    Arc::new(Node::Symbol(symbol))
}

/// A function of one argument.
pub fn call(function: Function, argument: Term) -> Term {
    Arc::new(Node::Call(function, vec![argument]))
}

/// The term cut off towards 0, as what is assigned to an integer.
pub fn cut_off(term: &Term) -> Term {
    match &**term {
        Node::Number(value) => number(libm::trunc(*value)),
        Node::Call(function, _) if function.row().is_stepwise => term.clone(),
        _ => call(Function::Int, term.clone()),
    }
}

fn value(term: &Term) -> Option<f64> {
    match **term {
        Node::Number(value) => Some(value),
        _ => None,
    }
}

/// Whether the term is a [`Function::Rest`]: a lower word, which is 0 where numbers are not rounded to f32.
pub fn is_rest(term: &Term) -> bool {
    matches!(**term, Node::Call(Function::Rest, _))
}

/// Whether the term is the number 0.
pub fn is_zero(term: &Term) -> bool {
    value(term) == Some(0.0)
}

/// x + y, with zeros dropped and numbers folded.
pub fn add(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) => number(x + y),
        (Some(0.0), _) => right.clone(),
        (_, Some(0.0)) => left.clone(),
        _ => Arc::new(Node::Binary(BinaryOp::Add, left.clone(), right.clone())),
    }
}

/// x − y, likewise.
pub fn subtract(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) => number(x - y),
        (Some(0.0), _) => negate(right),
        (_, Some(0.0)) => left.clone(),
        _ => match (&**left, &**right) {
            // t − (t − x): the time since something, without the rounding of a long time.
            (Node::Symbol(Symbol::Time), Node::Binary(BinaryOp::Subtract, from, x)) if **from == Node::Symbol(Symbol::Time) => {
                x.clone()
            }
            _ => Arc::new(Node::Binary(BinaryOp::Subtract, left.clone(), right.clone())),
        },
    }
}

/// −x, likewise.
pub fn negate(operand: &Term) -> Term {
    match &**operand {
        Node::Number(x) => number(-x),
        Node::Negate(inner) => inner.clone(),
        _ => Arc::new(Node::Negate(operand.clone())),
    }
}

/// x · y, with ones dropped and numbers folded. A factor of 0 stays: 0 · x is NaN where x is infinite or NaN.
pub fn multiply(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) => number(x * y),
        (Some(1.0), _) => right.clone(),
        (_, Some(1.0)) => left.clone(),
        _ => Arc::new(Node::Binary(BinaryOp::Multiply, left.clone(), right.clone())),
    }
}

/// x / y, likewise. A quotient by the number 0 stays.
pub fn divide(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) if y != 0.0 => number(x / y),
        (_, Some(1.0)) => left.clone(),
        _ => Arc::new(Node::Binary(BinaryOp::Divide, left.clone(), right.clone())),
    }
}

impl Node {
    /// Calls `visit` on this term and everything below it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        match self {
            Node::Number(_) | Node::Boolean(_) | Node::Symbol(_) | Node::Random(..) => {}
            Node::Negate(x) | Node::Not(x) => x.walk(visit),
            Node::Binary(_, x, y) => {
                x.walk(visit);
                y.walk(visit);
            }
            Node::Call(_, arguments) => arguments.iter().for_each(|argument| argument.walk(visit)),
            Node::Lookup(_, index) => index.walk(visit),
            Node::Own(_, arguments, twin) => arguments.iter().chain([twin]).for_each(|term| term.walk(visit)),
        }
    }

    /// The number of operations, counted up to `most`: a name used twice is counted twice, as it will be visited twice.
    pub fn size(&self, most: usize) -> usize {
        let add = |sum: usize, term: &Term| if sum >= most { sum } else { sum + term.size(most - sum) };
        match self {
            Node::Number(_) | Node::Boolean(_) | Node::Symbol(_) | Node::Random(..) => 1,
            Node::Negate(x) | Node::Not(x) | Node::Lookup(_, x) => add(1, x),
            Node::Binary(_, x, y) => add(add(1, x), y),
            Node::Call(_, arguments) => arguments.iter().fold(1, add),
            Node::Own(_, arguments, twin) => arguments.iter().chain([twin]).fold(1, add),
        }
    }

    /// Whether any symbol or random draw in it satisfies `test`; `None` stands for a draw, or a call that only the device can do.
    pub fn any(&self, mut test: impl FnMut(Option<Symbol>) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |node| match node {
            Node::Symbol(symbol) => found |= test(Some(*symbol)),
            Node::Random(..) | Node::Own(..) => found |= test(None),
            _ => {}
        });
        found
    }

    /// Whether the variable with this index occurs.
    pub fn mentions(&self, variable: usize) -> bool {
        self.any(|symbol| symbol == Some(Symbol::Variable(variable)))
    }
}

/// The term with every symbol replaced by what `to` gives for it.
pub fn substitute(term: &Term, to: &dyn Fn(Symbol) -> Term) -> Term {
    replace(term, &|leaf| if let Node::Symbol(symbol) = leaf { Some(to(*symbol)) } else { None })
}

/// The term with symbols and draws replaced by what `to` gives for them, if anything.
pub fn replace(term: &Term, to: &dyn Fn(&Node) -> Option<Term>) -> Term {
    let again = |term: &Term| replace(term, to);
    match &**term {
        leaf @ (Node::Symbol(_) | Node::Random(..)) => to(leaf).unwrap_or_else(|| term.clone()),
        Node::Number(_) | Node::Boolean(_) => term.clone(),
        Node::Negate(x) => negate(&again(x)),
        Node::Not(x) => Arc::new(Node::Not(again(x))),
        Node::Binary(BinaryOp::Add, x, y) => add(&again(x), &again(y)),
        Node::Binary(BinaryOp::Subtract, x, y) => subtract(&again(x), &again(y)),
        Node::Binary(BinaryOp::Multiply, x, y) => multiply(&again(x), &again(y)),
        Node::Binary(BinaryOp::Divide, x, y) => divide(&again(x), &again(y)),
        Node::Binary(op, x, y) => Arc::new(Node::Binary(*op, again(x), again(y))),
        Node::Call(function, arguments) => Arc::new(Node::Call(*function, arguments.iter().map(again).collect())),
        Node::Lookup(table, index) => Arc::new(Node::Lookup(*table, again(index))),
        Node::Own(number, arguments, twin) => Arc::new(Node::Own(*number, arguments.iter().map(again).collect(), again(twin))),
    }
}

/// The term as it is `ahead` steps later in time, everything but the time held.
pub fn later(term: &Term, ahead: f64) -> Term {
    if ahead == 0.0 {
        return term.clone();
    }
    let then = add(&symbol(Symbol::Time), &multiply(&number(ahead), &symbol(Symbol::Dt)));
    substitute(term, &|found| if found == Symbol::Time { then.clone() } else { symbol(found) })
}

/// Times that differ by less than this part of themselves are equal: it is what f64 makes of equal times.
pub(crate) const EQUAL_TIMES: f64 = 1.0 / (1u64 << 44) as f64;

/// Whether a term grows with time without end, as variables do that `is_time`.
#[inline]
pub(crate) fn grows(term: &Term, is_time: &dyn Fn(usize) -> bool) -> bool {
    match &**term {
        Node::Symbol(Symbol::Time) => true,
        Node::Symbol(Symbol::Variable(variable)) => is_time(*variable),
        Node::Negate(x) | Node::Binary(BinaryOp::Divide, x, _) => grows(x, is_time),
        Node::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, x, y) => grows(x, is_time) || grows(y, is_time),
        _ => false,
    }
}
