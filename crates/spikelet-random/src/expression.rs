//! Random expressions and conditions: trees whose names are chosen when their scope is known, so that every tree is valid everywhere.

use proptest::prelude::*;

/// Numbers of values. They are "irrational", so that sums of them rarely meet a limit exactly.
pub(super) const NUMBERS: [f64; 10] = [0.37, 1.13, 0.61, 0.29, 1.71, 0.83, 0.17, 2.3, 0.053, 0.47];
/// Numbers that conditions compare with; none of them is a number of values.
pub(super) const LIMITS: [f64; 6] = [0.413, 0.771, -0.233, 0.127, 1.09, 0.019];

/// Functions of one argument, simple ones first. All are finite for every argument that networks of this module reach.
const FUNCTIONS: [&str; 23] = [
    "abs(#)",
    "tanh(#)",
    "sin(#)",
    "exp(-abs(#))",
    "sqrt(abs(#))",
    "(#)**2",
    "cos(#)",
    "sigmoid(#)",
    "arctan(#)",
    "log1p(abs(#))",
    "exprel(-abs(#))",
    "clip(#, -0.91, 1.27)",
    "floor(3.1*(#))",
    "sign(#)",
    "expm1(-abs(#))",
    "log(0.31 + abs(#))",
    "log10(0.31 + abs(#))",
    "tan(0.9*sin(#))",
    "arcsin(0.9*sin(#))",
    "arccos(0.9*sin(#))",
    "sinh(sin(#))",
    "cosh(sin(#))",
    "ceil(3.1*(#))",
];
/// The same with two arguments.
const PAIRS: [&str; 6] = ["(#)*(@)", "min(#, @)", "max(#, @)", "(#)/(1.3 + abs(@))", "((#) % (0.7 + abs(@)))", "((#) // 0.31)"];
/// Functions of time.
const TIMES: [&str; 5] = ["sin(1.3*t/ms)", "t/(7.3*ms)", "int(t >= 0.7*ms)", "0.013*timestep(t, dt)", "exp(-t/(2.9*ms))"];
/// Random numbers.
const DRAWS: [&str; 2] = ["rand()", "0.31*randn()"];
/// Conditions on the time, true at multiples of some time steps exactly.
const MOMENTS: [&str; 4] = ["t >= 0.5*ms", "t < 1.3*ms", "t > 0.7*ms", "t % (0.6*ms) < 0.25*ms"];

/// The names that an expression may use, and what else it may contain.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Names of numbers without dimension, or short expressions that stand for one: `0.11*i`.
    pub(super) numbers: Vec<String>,
    /// Names of conditions, or short conditions.
    pub(super) conditions: Vec<String>,
    /// Whether the time is known.
    pub(super) time: bool,
    /// The name of a function with one argument.
    pub(super) function: Option<String>,
    /// Whether random numbers may be drawn.
    pub(super) draws: bool,
}

impl Scope {
    fn number(&self, at: usize) -> String {
        if self.numbers.is_empty() { number(at) } else { self.numbers[at % self.numbers.len()].clone() }
    }
}

/// A number of values, as text.
pub(super) fn number(at: usize) -> String {
    NUMBERS[at % NUMBERS.len()].to_string()
}

/// A number that conditions compare with.
pub(super) fn limit(at: usize) -> String {
    LIMITS[at % LIMITS.len()].to_string()
}

/// An expression without dimension.
#[derive(Debug, Clone)]
pub(super) enum Expression {
    Number(usize),
    Name(usize),
    Time(usize),
    Draw(usize),
    Scaled(usize, Box<Expression>),
    Sum(Box<[Expression; 2]>),
    Difference(Box<[Expression; 2]>),
    Function(usize, Box<Expression>),
    Pair(usize, Box<[Expression; 2]>),
    Own(Box<Expression>),
    Int(Box<Condition>),
}

/// A condition.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    Above(Expression, usize),
    AtMost(Expression, usize),
    Between(Expression),
    Moment(usize),
    Name(usize),
    Not(Box<Condition>),
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
}

impl Expression {
    /// As text, in parentheses where it needs them as an operand.
    pub(super) fn text(&self, scope: &Scope) -> String {
        let both = |pair: &[Expression; 2]| pair.each_ref().map(|of| of.text(scope));
        match self {
            Expression::Number(at) => number(*at),
            Expression::Name(at) => scope.number(*at),
            Expression::Time(at) if scope.time => TIMES[at % TIMES.len()].into(),
            Expression::Draw(at) if scope.draws => DRAWS[at % DRAWS.len()].into(),
            Expression::Time(at) | Expression::Draw(at) => scope.number(*at),
            Expression::Scaled(by, of) => format!("{}*{}", number(*by), of.text(scope)),
            Expression::Sum(pair) => {
                let [x, y] = both(pair);
                format!("({x} + {y})")
            }
            Expression::Difference(pair) => {
                let [x, y] = both(pair);
                format!("({x} - {y})")
            }
            Expression::Function(at, of) => FUNCTIONS[at % FUNCTIONS.len()].replace('#', &of.text(scope)),
            Expression::Pair(at, pair) => {
                let [x, y] = both(pair);
                PAIRS[at % PAIRS.len()].replace('#', &x).replace('@', &y)
            }
            Expression::Own(of) => match &scope.function {
                Some(function) => format!("{function}({})", of.text(scope)),
                None => format!("tanh({})", of.text(scope)),
            },
            Expression::Int(condition) => format!("int({})", condition.text(scope)),
        }
    }

    /// As text of a value between about -1 and 1.
    pub(super) fn bounded(&self, scope: &Scope) -> String {
        match self {
            Expression::Number(at) => number(*at),
            Expression::Int(_) => self.text(scope),
            other => format!("tanh({})", other.text(scope)),
        }
    }
}

impl Condition {
    /// As text, in parentheses where it needs them as an operand.
    pub(super) fn text(&self, scope: &Scope) -> String {
        let both = |pair: &[Condition; 2]| pair.each_ref().map(|of| of.text(scope));
        match self {
            Condition::Above(of, at) => format!("({} > {})", of.text(scope), limit(*at)),
            Condition::AtMost(of, at) => format!("({} <= {})", of.text(scope), limit(*at)),
            // What is drawn in the middle of a chain would be drawn twice.
            Condition::Between(of) => {
                format!("(-0.119 < {} < 0.883)", of.text(&Scope { draws: false, ..scope.clone() }))
            }
            Condition::Moment(at) if scope.time => format!("({})", MOMENTS[at % MOMENTS.len()]),
            Condition::Name(at) if !scope.conditions.is_empty() => scope.conditions[at % scope.conditions.len()].clone(),
            Condition::Moment(at) | Condition::Name(at) => format!("({} > {})", scope.number(*at), limit(*at)),
            Condition::Not(of) => format!("(not {})", of.text(scope)),
            Condition::And(pair) => {
                let [x, y] = both(pair);
                format!("({x} and {y})")
            }
            Condition::Or(pair) => {
                let [x, y] = both(pair);
                format!("({x} or {y})")
            }
        }
    }
}

/// An index into a list whose length is known later; it shrinks to the first entry.
pub(super) fn choice() -> std::ops::Range<usize> {
    0..60
}

/// A number, a name, or a multiple of a name.
fn leaves() -> BoxedStrategy<Expression> {
    prop_oneof![
        1 => choice().prop_map(Expression::Number),
        5 => choice().prop_map(Expression::Name),
        1 => choice().prop_map(Expression::Time),
        1 => choice().prop_map(Expression::Draw),
    ]
    .boxed()
}

/// Conditions of simple expressions; they shrink to a comparison.
pub(super) fn conditions() -> BoxedStrategy<Condition> {
    let simple = prop_oneof![
        3 => (leaves(), choice()).prop_map(|(of, at)| Condition::Above(of, at)),
        1 => (leaves(), choice()).prop_map(|(of, at)| Condition::AtMost(of, at)),
        1 => leaves().prop_map(Condition::Between),
        1 => choice().prop_map(Condition::Moment),
        2 => choice().prop_map(Condition::Name),
    ];
    simple
        .prop_recursive(2, 3, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|of| Condition::Not(Box::new(of))),
                [inner.clone(), inner.clone()].prop_map(|pair| Condition::And(Box::new(pair))),
                [inner.clone(), inner].prop_map(|pair| Condition::Or(Box::new(pair))),
            ]
        })
        .boxed()
}

/// Expressions; they shrink to a number.
pub(super) fn expressions() -> BoxedStrategy<Expression> {
    leaves()
        .prop_recursive(3, 6, 2, |inner| {
            prop_oneof![
                2 => (choice(), inner.clone()).prop_map(|(by, of)| Expression::Scaled(by, Box::new(of))),
                2 => [inner.clone(), inner.clone()].prop_map(|pair| Expression::Sum(Box::new(pair))),
                1 => [inner.clone(), inner.clone()].prop_map(|pair| Expression::Difference(Box::new(pair))),
                2 => (choice(), inner.clone()).prop_map(|(at, of)| Expression::Function(at, Box::new(of))),
                2 => (choice(), [inner.clone(), inner.clone()]).prop_map(|(at, pair)| Expression::Pair(at, Box::new(pair))),
                1 => inner.prop_map(|of| Expression::Own(Box::new(of))),
                1 => conditions().prop_map(|of| Expression::Int(Box::new(of))),
            ]
        })
        .boxed()
}

#[cfg(test)]
mod tests {
    use spikelet::lang::functions::Function;

    use super::*;

    #[test]
    fn every_function_is_drawn() {
        let names = Function::written().map(Function::row).filter(|row| !row.is_random).map(|row| row.name);
        let texts = FUNCTIONS.iter().chain(&PAIRS).chain(&TIMES);
        let words: Vec<&str> = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).collect();
        let missing: Vec<&str> = names.filter(|name| !words.contains(name)).collect();
        assert!(missing.is_empty(), "add {missing:?}");
    }
}
