//! Expressions, evaluated as they are written.

use libm::{floor, fmod, round};
use spikelet_lang::host;
use spikelet_lang::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};
use spikelet_lang::unit;

use crate::Error;

/// Times that differ by less than this part of themselves are equal: what f64 makes of 3·0.1 ms and of 0.3 ms (rule 8.7).
const EQUAL_TIMES: f64 = 1.0 / (1_u64 << 44) as f64;

/// Where an expression is evaluated: what its names mean there.
pub(crate) trait Scope {
    /// The value of a name; `None` if it has no meaning here, and may be a unit.
    fn name(&self, name: &str) -> Result<Option<f64>, Error>;

    /// The value of a timed array or of a function of the network.
    fn call(&self, name: &str, arguments: &[f64]) -> Result<Option<f64>, Error>;

    /// The random bits of a place in the text; 0 where nothing is drawn.
    fn words(&self, _site: u32) -> [u32; 2] {
        [0; 2]
    }

    /// Whether a name is a time that grows: `t`, `lastspike`, or a variable that stores such a time.
    fn is_time(&self, _name: &str) -> bool {
        false
    }
}

/// Whether an expression grows with time without end.
pub(crate) fn grows(expression: &Expr, is_time: &dyn Fn(&str) -> bool) -> bool {
    match &expression.kind {
        ExprKind::Name(name) => is_time(name),
        ExprKind::Unary(UnaryOp::Negate, x) | ExprKind::Binary(BinaryOp::Divide, x, _) => grows(x, is_time),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, x, y) => grows(x, is_time) || grows(y, is_time),
        _ => false,
    }
}

/// The value of an expression in inner units; conditions are 1 and 0.
pub(crate) fn evaluate(expression: &Expr, scope: &dyn Scope) -> Result<f64, Error> {
    let value = |x: &Expr| evaluate(x, scope);
    Ok(match &expression.kind {
        ExprKind::Number(number) => *number,
        ExprKind::Boolean(truth) => from(*truth),
        ExprKind::Name(name) => named(name, scope)?,
        ExprKind::Unary(UnaryOp::Negate, x) => -value(x)?,
        ExprKind::Unary(UnaryOp::Not, x) => from(value(x)? == 0.0),
        ExprKind::Binary(op, x, y) => {
            let of_time = |x: &Expr| grows(x, &|name| scope.is_time(name));
            let is_time = of_time(x) || op.is_comparison() && of_time(y);
            binary(*op, value(x)?, value(y)?, is_time)
        }
        ExprKind::Call(name, arguments) => {
            let is_time = arguments.first().is_some_and(|x| grows(x, &|name| scope.is_time(name)));
            let values = arguments.iter().map(value).collect::<Result<Vec<f64>, Error>>()?;
            match scope.call(name, &values)? {
                Some(value) => value,
                None => function(name, &values, scope, is_time)?,
            }
        }
    })
}

fn named(name: &str, scope: &dyn Scope) -> Result<f64, Error> {
    if let Some(value) = scope.name(name)? {
        return Ok(value);
    }
    match (name, unit::lookup(name)) {
        (_, Some(unit)) => Ok(unit.factor),
        ("inf", _) => Ok(f64::INFINITY),
        ("pi", _) => Ok(std::f64::consts::PI),
        _ => Err(Error::Name(name.into())),
    }
}

pub(crate) fn from(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

/// A whole number, if a quotient of times is one but for the rounding of f64.
fn whole(x: f64, is_time: bool) -> f64 {
    let near = round(x);
    if is_time && (x - near).abs() <= EQUAL_TIMES * near.abs() { near } else { x }
}

pub(crate) fn binary(op: BinaryOp, x: f64, y: f64, is_time: bool) -> f64 {
    let is_equal = x == y || is_time && (x - y).abs() <= EQUAL_TIMES * x.abs().max(y.abs());
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Subtract => x - y,
        BinaryOp::Multiply => x * y,
        BinaryOp::Divide => x / y,
        // As in Python: the remainder has the sign of the divisor, and x = y·(x // y) + x % y.
        BinaryOp::FloorDivide if is_time => floor(whole(x / y, true)),
        BinaryOp::Modulo if is_time => x - y * floor(whole(x / y, true)),
        BinaryOp::FloorDivide => round((x - modulo(x, y)) / y),
        BinaryOp::Modulo => modulo(x, y),
        BinaryOp::Power => libm::pow(x, y),
        BinaryOp::Less => from(x < y && !is_equal),
        BinaryOp::LessEqual => from(x <= y || is_equal),
        BinaryOp::Greater => from(x > y && !is_equal),
        BinaryOp::GreaterEqual => from(x >= y || is_equal),
        BinaryOp::Equal => from(is_equal),
        BinaryOp::NotEqual => from(!is_equal),
        BinaryOp::And => from(x != 0.0 && y != 0.0),
        BinaryOp::Or => from(x != 0.0 || y != 0.0),
    }
}

fn modulo(x: f64, y: f64) -> f64 {
    let rest = fmod(x, y);
    if rest != 0.0 && (rest < 0.0) != (y < 0.0) { rest + y } else { rest }
}

/// A uniform number in (0, 1) of random bits (rule 10.6).
pub(crate) fn uniform([high, low]: [u32; 2]) -> f64 {
    host::unit_f64(high, low)
}

/// The standard normal number of random bits.
fn normal([high, low]: [u32; 2]) -> f64 {
    host::normal_f64(host::open_unit_f64(high, low))
}

/// White noise of a step of `dt` ms (rule 4.5).
pub(crate) fn white_noise(bits: [u32; 2], dt: f64) -> f64 {
    normal(bits) * (1.0 / dt.sqrt())
}

/// A function of the language. Random ones have the number of their place in the text as a last argument (see [`crate::sites`]).
fn function(name: &str, values: &[f64], scope: &dyn Scope, is_time: bool) -> Result<f64, Error> {
    let uniform = |site: &f64| uniform(scope.words(*site as u32));
    let normal = |site: &f64| normal(scope.words(*site as u32));
    Ok(match (name, values) {
        ("exp", [x]) => libm::exp(*x),
        ("expm1", [x]) => libm::expm1(*x),
        ("exprel", [x]) => exprel(*x),
        ("sigmoid", [x]) => 1.0 / (1.0 + libm::exp(-x)),
        ("log", [x]) => libm::log(*x),
        ("log10", [x]) => libm::log10(*x),
        ("log1p", [x]) => libm::log1p(*x),
        ("sqrt", [x]) => libm::sqrt(*x),
        ("sin", [x]) => libm::sin(*x),
        ("cos", [x]) => libm::cos(*x),
        ("tan", [x]) => libm::tan(*x),
        ("arcsin", [x]) => libm::asin(*x),
        ("arccos", [x]) => libm::acos(*x),
        ("arctan", [x]) => libm::atan(*x),
        ("sinh", [x]) => libm::sinh(*x),
        ("cosh", [x]) => libm::cosh(*x),
        ("tanh", [x]) => libm::tanh(*x),
        ("abs", [x]) => x.abs(),
        ("sign", [x]) => from(*x > 0.0) - from(*x < 0.0),
        ("floor", [x]) => floor(whole(*x, is_time)),
        ("ceil", [x]) => libm::ceil(whole(*x, is_time)),
        ("int", [x]) => libm::trunc(whole(*x, is_time)),
        ("timestep", [time, step]) => floor((time + 1e-3 * step) / step),
        ("min", [x, y]) => x.min(*y),
        ("max", [x, y]) => x.max(*y),
        ("clip", [x, low, high]) => x.max(*low).min(*high),
        ("rand", [site]) => uniform(site),
        ("randn", [site]) => normal(site),
        ("poisson", [mean, site]) => host::poisson(*mean, uniform(site)),
        ("binomial", [n, p, site]) => host::binomial(*n, *p, uniform(site)),
        ("normal", [mean, sd, site]) => mean + sd * normal(site),
        ("lognormal", [median, sigma, site]) => median * libm::exp(sigma * normal(site)),
        ("uniform", [low, high, site]) => low + (high - low) * uniform(site),
        ("exponential", [mean, site]) => mean * -libm::log1p(-uniform(site)),
        _ => return Err(Error::Name(format!("{name}()"))),
    })
}

/// (exp(x) − 1)/x, 1 at 0.
pub(crate) fn exprel(x: f64) -> f64 {
    match x {
        0.0 => 1.0,
        // e^x overflows before the quotient does.
        x if x > 700.0 => libm::exp(x - libm::log(x)),
        x => libm::expm1(x) / x,
    }
}

#[cfg(test)]
mod tests {
    use spikelet_lang::functions::Function;

    use super::*;

    struct NoNames;

    impl Scope for NoNames {
        fn name(&self, _: &str) -> Result<Option<f64>, Error> {
            Ok(None)
        }

        fn call(&self, _: &str, _: &[f64]) -> Result<Option<f64>, Error> {
            Ok(None)
        }
    }

    /// Each function of the language is written here a second time.
    #[test]
    fn every_function_is_that_of_the_language() {
        for of in Function::written() {
            let row = of.row();
            let mut values = [0.3, 0.7, 0.9][..row.arguments].to_vec();
            if row.is_random {
                values.push(0.0);
            }
            let found = function(row.name, &values, &NoNames, false).unwrap_or_else(|error| panic!("{}: {error}", row.name));
            if row.is_random {
                values[row.arguments] = uniform([0; 2]);
            }
            let expected = host::call(of, &values);
            assert!((found - expected).abs() < 1e-14, "{}{values:?} is {found}, expected {expected}", row.name);
        }
    }
}
