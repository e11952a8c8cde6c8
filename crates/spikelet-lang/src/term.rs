//! Expressions after their names are resolved: plain numbers in inner units, symbols instead of names. The integrators do their
//! algebra on these.

use std::sync::Arc;

use crate::syntax::BinaryOp;

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
    /// The number of neurons in the population.
    Size,
    /// The index of the neuron in its population (of the presynaptic neuron for a synapse).
    Index,
    /// The index of the postsynaptic neuron.
    PostIndex,
    /// The variable's value at the start of the step's refractory test: true while not refractory.
    NotRefractory,
}

/// Functions of the language. Those on numbers exist in `f64` on the host ([`crate::host`]) and in `f32` on devices
/// ([`crate::math`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Function {
    Exp,
    Expm1,
    /// (exp(x) − 1)/x, 1 at 0.
    Exprel,
    /// 1/(1 + exp(−x))
    Sigmoid,
    Log,
    Log10,
    Log1p,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Arcsin,
    Arccos,
    Arctan,
    Sinh,
    Cosh,
    Tanh,
    Abs,
    Sign,
    Floor,
    Ceil,
    /// True → 1, false → 0; a number is cut off towards zero.
    Int,
    Min,
    Max,
    Clip,
    /// x**y where it is no product. It has no name of its own: terms write [`BinaryOp::Power`], code a call of this.
    Power,
    /// How many events where so many are expected; the last argument is the uniform number it is a quantile for.
    Poisson,
    /// How many successes in so many trials of such a probability; likewise.
    Binomial,
}

impl Function {
    /// Every function by the name it is written with, and the number of arguments that are written.
    pub const ALL: [(&'static str, Function, usize); 27] = [
        ("exp", Function::Exp, 1),
        ("expm1", Function::Expm1, 1),
        ("exprel", Function::Exprel, 1),
        ("sigmoid", Function::Sigmoid, 1),
        ("log", Function::Log, 1),
        ("log10", Function::Log10, 1),
        ("log1p", Function::Log1p, 1),
        ("sqrt", Function::Sqrt, 1),
        ("sin", Function::Sin, 1),
        ("cos", Function::Cos, 1),
        ("tan", Function::Tan, 1),
        ("arcsin", Function::Arcsin, 1),
        ("arccos", Function::Arccos, 1),
        ("arctan", Function::Arctan, 1),
        ("sinh", Function::Sinh, 1),
        ("cosh", Function::Cosh, 1),
        ("tanh", Function::Tanh, 1),
        ("abs", Function::Abs, 1),
        ("sign", Function::Sign, 1),
        ("floor", Function::Floor, 1),
        ("ceil", Function::Ceil, 1),
        ("int", Function::Int, 1),
        ("min", Function::Min, 2),
        ("max", Function::Max, 2),
        ("clip", Function::Clip, 3),
        ("poisson", Function::Poisson, 1),
        ("binomial", Function::Binomial, 2),
    ];

    /// Names that other languages have for what is written differently here.
    pub const ELSEWHERE: [(&'static str, &'static str); 12] = [
        ("asin", "arcsin"),
        ("acos", "arccos"),
        ("atan", "arctan"),
        ("ln", "log"),
        ("log2", "log(x)/log(2)"),
        ("pow", "x**y"),
        ("fabs", "abs"),
        ("ceiling", "ceil"),
        ("round", "floor(x + 0.5)"),
        ("logistic", "sigmoid"),
        ("random", "rand"),
        ("normal", "randn"),
    ];

    /// Whether the last argument is a draw that the language adds itself.
    pub fn is_random(self) -> bool {
        matches!(self, Function::Poisson | Function::Binomial)
    }
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

fn value(term: &Term) -> Option<f64> {
    match **term {
        Node::Number(value) => Some(value),
        _ => None,
    }
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
        _ => Arc::new(Node::Binary(BinaryOp::Subtract, left.clone(), right.clone())),
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

/// x · y, with zeros and ones dropped and numbers folded.
pub fn multiply(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) => number(x * y),
        (Some(0.0), _) | (_, Some(0.0)) => number(0.0),
        (Some(1.0), _) => right.clone(),
        (_, Some(1.0)) => left.clone(),
        _ => Arc::new(Node::Binary(BinaryOp::Multiply, left.clone(), right.clone())),
    }
}

/// x / y, likewise.
pub fn divide(left: &Term, right: &Term) -> Term {
    match (value(left), value(right)) {
        (Some(x), Some(y)) if y != 0.0 => number(x / y),
        (Some(0.0), _) => number(0.0),
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
        }
    }

    /// Whether any symbol or random draw in it satisfies `test`; `None` stands for a draw.
    pub fn any(&self, mut test: impl FnMut(Option<Symbol>) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |node| match node {
            Node::Symbol(symbol) => found |= test(Some(*symbol)),
            Node::Random(..) => found |= test(None),
            _ => {}
        });
        found
    }

    /// Whether the variable with this index occurs.
    pub fn mentions(&self, variable: usize) -> bool {
        self.any(|symbol| symbol == Some(Symbol::Variable(variable)))
    }
}

/// coefficient · x + rest, neither of which mentions x; `None` where the term is not linear in x.
pub fn linear(term: &Term, variable: usize) -> Option<(Term, Term)> {
    if !term.mentions(variable) {
        return Some((number(0.0), term.clone()));
    }
    match &**term {
        Node::Symbol(_) => Some((number(1.0), number(0.0))),
        Node::Negate(x) => linear(x, variable).map(|(a, b)| (negate(&a), negate(&b))),
        Node::Binary(op, x, y) => {
            let ((ax, bx), (ay, by)) = (linear(x, variable)?, linear(y, variable)?);
            match op {
                BinaryOp::Add => Some((add(&ax, &ay), add(&bx, &by))),
                BinaryOp::Subtract => Some((subtract(&ax, &ay), subtract(&bx, &by))),
                BinaryOp::Multiply if is_zero(&ax) => Some((multiply(&bx, &ay), multiply(&bx, &by))),
                BinaryOp::Multiply if is_zero(&ay) => Some((multiply(&ax, &by), multiply(&bx, &by))),
                BinaryOp::Divide if is_zero(&ay) => Some((divide(&ax, &by), divide(&bx, &by))),
                _ => None,
            }
        }
        _ => None,
    }
}
