//! Evaluation on the host in f64: constants, initial values, weights. Only correctly rounded operations and [`libm`] are used, so that
//! native and wasm builds agree bit by bit.
//!
//! Functions that others call in steps, for clocks and in f64, are `#[inline]`: they are optimised as the crate is that calls them.

mod counts;
mod gamma;
mod normal;
mod uniform;

pub use counts::{binomial, poisson};
pub use gamma::gamma;
pub use normal::{normal_f64, probability, truncated_normal};
pub use uniform::{open_unit_f64, unit_f64};

use crate::syntax::BinaryOp;
use crate::term::{EQUAL_TIMES, Function, Node, Random, Symbol, Term, grows};

/// The environment of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Leaf {
    /// The value of a symbol.
    Symbol(Symbol),
    /// A draw at a site.
    Random(Random, u32),
    /// An entry of a table.
    Lookup(usize, f64),
    /// A draw, at a site, of the gamma distribution of this shape and scale 1: see the module `gamma`.
    Gamma(f64, u32),
}

/// The value of `term`; conditions are 1 or 0.
#[inline]
pub fn evaluate(term: &Term, leaf: &mut dyn FnMut(Leaf) -> f64) -> f64 {
    match &**term {
        Node::Number(value) => *value,
        Node::Boolean(value) => f64::from(u8::from(*value)),
        Node::Symbol(symbol) => leaf(Leaf::Symbol(*symbol)),
        Node::Random(random, site) => leaf(Leaf::Random(*random, *site)),
        Node::Lookup(table, index) => {
            let index = evaluate(index, leaf);
            // A column that does not exist.
            if index.is_nan() { index } else { leaf(Leaf::Lookup(*table, index)) }
        }
        Node::Own(_, _, twin) => evaluate(twin, leaf),
        Node::Negate(x) => -evaluate(x, leaf),
        Node::Not(x) => f64::from(u8::from(evaluate(x, leaf) == 0.0)),
        Node::Binary(op, x, y) => {
            let is_time = match op {
                BinaryOp::FloorDivide | BinaryOp::Modulo => is_time(x),
                op => op.is_comparison() && (is_time(x) || is_time(y)),
            };
            let (x, y) = (evaluate(x, leaf), evaluate(y, leaf));
            if is_time { binary_of_times(*op, x, y) } else { binary(*op, x, y) }
        }
        Node::Call(function @ (Function::Floor | Function::Ceil | Function::Int), arguments) if is_time(&arguments[0]) => {
            call(*function, &[whole(evaluate(&arguments[0], leaf))])
        }
        Node::Call(Function::Gamma, arguments) => {
            let shape = evaluate(&arguments[0], leaf);
            // How many random numbers it takes is known only to who draws them.
            if let Node::Random(_, site) = *arguments[1] { leaf(Leaf::Gamma(shape, site)) } else { f64::NAN }
        }
        Node::Call(function, arguments) => {
            let values: Vec<f64> = arguments.iter().map(|argument| evaluate(argument, leaf)).collect();
            call(*function, &values)
        }
    }
}

/// Whether a term is a time, or counts something by it.
#[inline]
fn is_time(term: &Term) -> bool {
    grows(term, &|_| false)
}

/// The whole number that a quotient of times is, but for the rounding of f64.
#[inline]
fn whole(x: f64) -> f64 {
    let near = libm::round(x);
    if (x - near).abs() <= EQUAL_TIMES * near.abs() { near } else { x }
}

/// An operation on times: those that are equal but for the rounding of f64 are equal.
#[inline]
fn binary_of_times(op: BinaryOp, x: f64, y: f64) -> f64 {
    match op {
        BinaryOp::FloorDivide => libm::floor(whole(x / y)),
        BinaryOp::Modulo => x - y * libm::floor(whole(x / y)),
        _ if (x - y).abs() <= EQUAL_TIMES * x.abs().max(y.abs()) => binary(op, x, x),
        _ => binary(op, x, y),
    }
}

/// The value of an operation on numbers that are no times; conditions are 1 or 0.
#[inline]
pub fn binary(op: BinaryOp, x: f64, y: f64) -> f64 {
    let truth = |condition: bool| f64::from(u8::from(condition));
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Subtract => x - y,
        BinaryOp::Multiply => x * y,
        BinaryOp::Divide => x / y,
        BinaryOp::FloorDivide => libm::floor(x / y),
        // The sign of the divisor, as in Python.
        BinaryOp::Modulo => x - y * libm::floor(x / y),
        BinaryOp::Power => libm::pow(x, y),
        BinaryOp::Less => truth(x < y),
        BinaryOp::LessEqual => truth(x <= y),
        BinaryOp::Greater => truth(x > y),
        BinaryOp::GreaterEqual => truth(x >= y),
        BinaryOp::Equal => truth(x == y),
        BinaryOp::NotEqual => truth(x != y),
        BinaryOp::And => truth(x != 0.0 && y != 0.0),
        BinaryOp::Or => truth(x != 0.0 || y != 0.0),
    }
}

/// The value of a function for arguments of the right number; [`Function::Gamma`] is drawn elsewhere.
#[inline]
pub fn call(function: Function, values: &[f64]) -> f64 {
    let x = values[0];
    match function {
        Function::Exp => libm::exp(x),
        Function::Expm1 => libm::expm1(x),
        Function::Exprel => exprel(x),
        Function::Sigmoid => 1.0 / (1.0 + libm::exp(-x)),
        Function::Log => libm::log(x),
        Function::Log10 => libm::log10(x),
        Function::Log1p => libm::log1p(x),
        Function::Sqrt => libm::sqrt(x),
        Function::Sin => libm::sin(x),
        Function::Cos => libm::cos(x),
        Function::Tan => libm::tan(x),
        Function::Arcsin => libm::asin(x),
        Function::Arccos => libm::acos(x),
        Function::Arctan => libm::atan(x),
        Function::Sinh => libm::sinh(x),
        Function::Cosh => libm::cosh(x),
        Function::Tanh => libm::tanh(x),
        Function::Abs => x.abs(),
        Function::Sign => f64::from(u8::from(x > 0.0)) - f64::from(u8::from(x < 0.0)),
        Function::Floor => libm::floor(x),
        Function::Ceil => libm::ceil(x),
        Function::Int => libm::trunc(x),
        Function::Min => x.min(values[1]),
        Function::Max => x.max(values[1]),
        Function::Clip => x.max(values[1]).min(values[2]),
        Function::Power => libm::pow(x, values[1]),
        Function::Poisson => poisson(x, values[1]),
        Function::Binomial => binomial(x, values[1], values[2]),
        Function::TruncatedNormal => truncated_normal([x, values[1]], [values[2], values[3]], values[4]),
        Function::Gamma => unreachable!("drawn above"),
        Function::Column => {
            let exists = x >= 0.0 && x < values[2] && x == libm::floor(x);
            if exists { x } else { f64::NAN }
        }
        Function::Rest => rest(x),
    }
}

/// What an f32 cannot hold of a number.
#[inline]
pub fn rest(x: f64) -> f64 {
    let rounded = x as f32;
    if rounded.is_finite() { x - f64::from(rounded) } else { 0.0 }
}

#[inline]
fn exprel(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x > 700.0 {
        // e^x overflows before the quotient does.
        libm::exp(x - libm::log(x))
    } else {
        libm::expm1(x) / x
    }
}

/// exp(matrix), row by row, by scaling, a Taylor series and squaring: accurate to a few ulp for the small matrices of neuron
/// models, and made of additions and products only.
pub fn matrix_exponential(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (small, halvings) = scaled(matrix);
    let mut sum = series(&small, 1);
    for _ in 0..halvings {
        sum = product(&sum, &sum);
    }
    sum
}

/// exp(matrix) − 1, likewise, also where that is so small that the exponential has lost its digits.
pub fn matrix_exponential_less_one(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (small, halvings) = scaled(matrix);
    let mut change = product(&small, &series(&small, 2));
    for _ in 0..halvings {
        // (1 + x)² − 1
        let squared = product(&change, &change);
        change.iter_mut().flatten().zip(squared.iter().flatten()).for_each(|(x, square)| *x = 2.0 * *x + square);
    }
    change
}

/// Row by row of b, in the order of the sum's terms: as fast as memory is read.
fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |a: &Vec<f64>| {
        let mut sums = vec![0.0; b.len()];
        for (factor, b) in a.iter().zip(b) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += factor * b);
        }
        sums
    };
    a.iter().map(row).collect()
}

/// The matrix, halved so often that series converge quickly, and how often that was.
fn scaled(matrix: &[Vec<f64>]) -> (Vec<Vec<f64>>, usize) {
    let norm = matrix.iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut halvings = 0;
    let mut scale = 1.0;
    while norm * scale > 0.125 && halvings < 1000 {
        scale *= 0.5;
        halvings += 1;
    }
    (matrix.iter().map(|row| row.iter().map(|x| x * scale).collect()).collect(), halvings)
}

/// 1 + m/from (1 + m/(from + 1) (1 + …)).
fn series(small: &[Vec<f64>], from: u32) -> Vec<Vec<f64>> {
    let n = small.len();
    let identity: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    // 0.125^18/18! is far below the last bit of 1.
    let mut sum = identity.clone();
    for order in (from..=18).rev() {
        let scaled = product(small, &sum);
        let order = f64::from(order);
        sum = (0..n).map(|i| (0..n).map(|j| identity[i][j] + scaled[i][j] / order).collect()).collect();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_exponential_of_a_cascade() {
        // x' = -x/5, v' = (x - v)/20 over 0.1: closed form.
        let h: f64 = 0.1;
        let p = matrix_exponential(&[vec![-h / 5.0, 0.0], vec![h / 20.0, -h / 20.0]]);
        let (fast, slow) = ((-h / 5.0).exp(), (-h / 20.0).exp());
        let cross = (1.0 / 20.0) / (1.0 / 20.0 - 1.0 / 5.0) * (fast - slow);
        assert!((p[0][0] - fast).abs() < 1e-15 && (p[1][1] - slow).abs() < 1e-15);
        assert!((p[1][0] - cross).abs() < 1e-15, "{} {cross}", p[1][0]);
    }

    #[test]
    fn times_that_are_equal_up_to_rounding_are_equal() {
        use crate::term::{call, divide, number, symbol};
        let node = |op, x: &Term, y: &Term| std::sync::Arc::new(Node::Binary(op, x.clone(), y.clone())) as Term;
        let (t, limit) = (symbol(Symbol::Time), number(0.3));
        let at = |term: &Term, step: f64| evaluate(term, &mut |_| step * 0.1);
        for (op, expected) in [
            (BinaryOp::Greater, [0.0, 0.0, 1.0]),
            (BinaryOp::GreaterEqual, [0.0, 1.0, 1.0]),
            (BinaryOp::Equal, [0.0, 1.0, 0.0]),
            (BinaryOp::Less, [1.0, 0.0, 0.0]),
        ] {
            let found = [2.0, 3.0, 4.0].map(|step| at(&node(op, &t, &limit), step));
            assert_eq!(found, expected, "{op:?}");
        }
        let quotient = divide(&t, &number(0.1));
        assert_eq!((at(&call(Function::Floor, quotient.clone()), 3.0), at(&call(Function::Ceil, quotient), 3.0)), (3.0, 3.0));
        assert_eq!(
            (at(&node(BinaryOp::FloorDivide, &t, &limit), 6.0), at(&node(BinaryOp::FloorDivide, &t, &limit), 5.0)),
            (2.0, 1.0)
        );
        // Other numbers are compared exactly.
        assert_eq!(evaluate(&node(BinaryOp::Greater, &symbol(Symbol::Index), &limit), &mut |_| 3.0 * 0.1), 1.0);
    }

    #[test]
    fn less_one_keeps_small_digits() {
        for h in [0.1, 1e-9, 1e-14] {
            let change = matrix_exponential_less_one(&[vec![-h / 20.0, 0.0], vec![h / 5.0, -h / 5.0]]);
            for (at, exact) in [(0, (-h / 20.0).exp_m1()), (1, (-h / 5.0).exp_m1())] {
                assert!((change[at][at] / exact - 1.0).abs() < 1e-15, "{} {exact}", change[at][at]);
            }
        }
        let change = matrix_exponential_less_one(&[vec![-3.0]]);
        assert!((change[0][0] - (-3.0_f64).exp_m1()).abs() < 1e-15, "{change:?}");
    }

    #[test]
    fn matrix_exponential_of_a_large_singular_matrix() {
        let p = matrix_exponential(&[vec![-30.0, 60.0], vec![0.0, 0.0]]);
        assert!((p[0][0] - (-30.0_f64).exp()).abs() < 1e-14);
        assert!((p[0][1] - 2.0 * (1.0 - (-30.0_f64).exp())).abs() < 1e-13);
    }
}
