//! The methods of integration (rules 4.1 to 4.8), as formulas.

use std::collections::{HashMap, HashSet};

use spikelet_lang::Method;
use spikelet_lang::host::matrix_exponential;
use spikelet_lang::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

use crate::expression::exprel;
use crate::sites::draws;
use crate::text::{Model, names};
use crate::{Error, World};

/// How the equations of a model are integrated.
pub(crate) enum Scheme {
    /// A·x + b: the entries of A, and b.
    Exact {
        matrix: Vec<Vec<Expr>>,
        rest: Vec<Expr>,
    },
    /// a·x + b of each equation.
    ExponentialEuler(Vec<(Expr, Expr)>),
    /// Drift, and noise with 1 in place of its number, with this number.
    Milstein(Vec<(Expr, Option<(Expr, Expr)>)>),
    Euler,
    Heun,
    Rk2,
    Rk4,
}

/// Where equations are evaluated: an expression, with other values of variables, this part of a step later.
pub(crate) type Evaluate<'a> = &'a dyn Fn(&Expr, &HashMap<String, f64>, f64) -> Result<f64, Error>;

impl Scheme {
    /// The method of a model (rule 4.1). `written` are the names that change during a run.
    pub(crate) fn of(model: &Model, written: &HashSet<String>, world: &World) -> Result<Option<Scheme>, Error> {
        let inlined = |rate: &Expr| world.expanded(&model.inlined(rate));
        let rates: Vec<(&str, Expr)> = model.differential.iter().map(|(name, rate)| (name.as_str(), inlined(rate))).collect();
        if rates.is_empty() {
            return Ok(None);
        }
        let changes = |x: &Expr| {
            let mut found = draws(x);
            names(x, &mut |name| {
                let of_time = ["t", "lastspike", "not_refractory", "xi"].contains(&name) || model.tables.contains_key(name);
                found |= of_time
                    || written.contains(name)
                    || name.ends_with("_pre")
                    || name.ends_with("_post")
                    || name.ends_with("_third");
            });
            found
        };
        let noisy: Vec<bool> = rates.iter().map(|(_, rate)| rate.mentions("xi")).collect();
        let linear_system = || {
            let (mut matrix, mut rest) = (Vec::new(), Vec::new());
            for (_, rate) in &rates {
                let (mut row, mut left) = (Vec::new(), rate.clone());
                for (name, _) in &rates {
                    let (coefficient, others) = linear(&left, name)?;
                    if changes(&coefficient) {
                        return None;
                    }
                    row.push(coefficient);
                    left = others;
                }
                matrix.push(row);
                rest.push(left);
            }
            Some(Scheme::Exact { matrix, rest })
        };
        let exponential = |split: fn(&Expr, &str) -> Option<(Expr, Expr)>| {
            let parts = rates.iter().map(|(name, rate)| split(rate, name)).collect::<Option<Vec<_>>>();
            parts.map(Scheme::ExponentialEuler)
        };
        let unsuitable = || Error::Unsupported(format!("the method {:?} for these equations", model.method));
        Ok(Some(match model.method {
            Some(Method::Exact) => linear_system().ok_or_else(unsuitable)?,
            Some(Method::ExponentialEuler) => exponential(linear_with_held_parts).ok_or_else(unsuitable)?,
            Some(Method::Euler) => Scheme::Euler,
            Some(Method::Heun) => Scheme::Heun,
            Some(Method::Milstein) => Scheme::Milstein(rates.iter().map(|(_, rate)| parted(rate)).collect()),
            Some(Method::Rk2) => Scheme::Rk2,
            Some(Method::Rk4) => Scheme::Rk4,
            None if noisy.contains(&true) => {
                let depends = |x: &Expr| {
                    let mut found = false;
                    names(x, &mut |name| found |= written.contains(name));
                    found
                };
                let parts = rates.iter().flat_map(|(_, rate)| addends(rate));
                if parts.filter(|part| part.mentions("xi")).any(|part| depends(&part)) { Scheme::Heun } else { Scheme::Euler }
            }
            None => linear_system().or_else(|| exponential(linear)).unwrap_or(Scheme::Rk4),
        }))
    }

    /// The values at the end of a step of `dt` ms. Variables that are `fixed` stay as they are.
    pub(crate) fn step(
        &self,
        model: &Model,
        old: &[f64],
        fixed: &[bool],
        dt: f64,
        evaluate: Evaluate<'_>,
    ) -> Result<Vec<f64>, Error> {
        let count = old.len();
        let names: Vec<&String> = model.differential.iter().map(|(name, _)| name).collect();
        let overlay = |values: &[f64]| names.iter().map(|name| (*name).clone()).zip(values.iter().copied()).collect();
        let slopes = |values: &[f64], ahead: f64| -> Result<Vec<f64>, Error> {
            let overlay = overlay(values);
            model.differential.iter().map(|(_, rate)| evaluate(rate, &overlay, ahead)).collect()
        };
        let now = |x: &Expr| evaluate(x, &HashMap::new(), 0.0);
        let moved = |slopes: &[f64], length: f64| -> Vec<f64> {
            (0..count).map(|k| if fixed[k] { old[k] } else { old[k] + slopes[k] * length }).collect()
        };
        Ok(match self {
            Scheme::Exact { matrix, rest } => {
                // exp([A 1; 0 0] dt) has exp(A dt), and beside it its integral.
                let mut whole = vec![vec![0.0; 2 * count]; 2 * count];
                for row in (0..count).filter(|row| !fixed[*row]) {
                    for column in 0..count {
                        whole[row][column] = now(&matrix[row][column])? * dt;
                    }
                    whole[row][count + row] = dt;
                }
                let propagator = matrix_exponential(&whole);
                let rest = rest.iter().map(now).collect::<Result<Vec<f64>, Error>>()?;
                let advanced = |row: usize| -> f64 {
                    let sum: f64 = (0..count).map(|column| propagator[row][column] * old[column]).sum();
                    sum + (0..count).map(|column| propagator[row][count + column] * rest[column]).sum::<f64>()
                };
                (0..count).map(|row| if fixed[row] { old[row] } else { advanced(row) }).collect()
            }
            Scheme::ExponentialEuler(parts) => {
                let mut fresh = old.to_vec();
                for (row, (a, b)) in parts.iter().enumerate().filter(|(row, _)| !fixed[*row]) {
                    let (a, b) = (now(a)?, now(b)?);
                    fresh[row] = libm::exp(a * dt) * old[row] + dt * exprel(a * dt) * b;
                }
                fresh
            }
            Scheme::Euler => moved(&slopes(old, 0.0)?, dt),
            Scheme::Heun => {
                let first = slopes(old, 0.0)?;
                let second = slopes(&moved(&first, dt), 1.0)?;
                let sum: Vec<f64> = first.iter().zip(&second).map(|(x, y)| x + y).collect();
                moved(&sum, 0.5 * dt)
            }
            Scheme::Milstein(parts) => {
                let first = parts.iter().map(|(drift, noise)| {
                    let noise = noise.as_ref().map(|(noise, number)| Ok::<_, Error>((now(noise)?, now(number)?))).transpose()?;
                    Ok((now(drift)?, noise))
                });
                let first = first.collect::<Result<Vec<(f64, Option<(f64, f64)>)>, Error>>()?;
                let together: Vec<f64> =
                    first.iter().map(|(drift, noise)| drift + noise.map_or(0.0, |(noise, _)| noise)).collect();
                let support: HashMap<String, f64> = overlay(&moved(&together, dt));
                let mut slopes = Vec::new();
                for ((drift, noise), (_, text)) in first.iter().zip(parts) {
                    slopes.push(match (noise, text) {
                        (Some((noise, number)), Some((text, _))) => {
                            let change = evaluate(text, &support, 0.0)? - noise;
                            drift + (noise + change * 0.5 * number) * number
                        }
                        _ => *drift,
                    });
                }
                moved(&slopes, dt)
            }
            Scheme::Rk2 => {
                let half = moved(&slopes(old, 0.0)?, 0.5 * dt);
                moved(&slopes(&half, 0.5)?, dt)
            }
            Scheme::Rk4 => {
                let a = slopes(old, 0.0)?;
                let b = slopes(&moved(&a, 0.5 * dt), 0.5)?;
                let c = slopes(&moved(&b, 0.5 * dt), 0.5)?;
                let d = slopes(&moved(&c, dt), 1.0)?;
                let mean: Vec<f64> = (0..count).map(|k| (a[k] + d[k] + (b[k] + c[k]) * 2.0) * (1.0 / 6.0)).collect();
                moved(&mean, dt)
            }
        })
    }
}

/// dx/dt = drift + noise·number; `None` without noise.
fn parted(rate: &Expr) -> (Expr, Option<(Expr, Expr)>) {
    let (noisy, drift): (Vec<Expr>, Vec<Expr>) = addends(rate).into_iter().partition(|part| part.mentions("xi"));
    let sum = |parts: Vec<Expr>| parts.iter().fold(number(0.0), |sum, part| add(&sum, part));
    let mut draw = None;
    let noise = with_one(&sum(noisy), &mut draw);
    (sum(drift), draw.map(|draw| (noise, draw)))
}

/// The expression with 1 in place of its noise.
fn with_one(x: &Expr, draw: &mut Option<Expr>) -> Expr {
    let kind = match &x.kind {
        ExprKind::Call(name, _) if name == "xi" => {
            *draw = Some(x.clone());
            ExprKind::Number(1.0)
        }
        ExprKind::Unary(op, inner) => ExprKind::Unary(*op, Box::new(with_one(inner, draw))),
        ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, Box::new(with_one(x, draw)), Box::new(with_one(y, draw))),
        other => other.clone(),
    };
    Expr { kind, span: x.span }
}

fn number(value: f64) -> Expr {
    Expr { kind: ExprKind::Number(value), span: Default::default() }
}

fn is(x: &Expr, value: f64) -> bool {
    x.kind == ExprKind::Number(value)
}

fn node(op: BinaryOp, x: &Expr, y: &Expr) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(x.clone()), Box::new(y.clone())), span: x.span }
}

fn add(x: &Expr, y: &Expr) -> Expr {
    if is(x, 0.0) {
        y.clone()
    } else if is(y, 0.0) {
        x.clone()
    } else {
        node(BinaryOp::Add, x, y)
    }
}

fn negate(x: &Expr) -> Expr {
    if is(x, 0.0) { x.clone() } else { Expr { kind: ExprKind::Unary(UnaryOp::Negate, Box::new(x.clone())), span: x.span } }
}

/// Coefficient and rest of a·x + b; one that does not occur is missing. A 0 that is written is a number like any other (rule 8.5).
type LinearParts = (Option<Expr>, Option<Expr>);

fn terms((a, b): LinearParts) -> (Expr, Expr) {
    (a.unwrap_or_else(|| number(0.0)), b.unwrap_or_else(|| number(0.0)))
}

fn each((a, b): LinearParts, of: impl Fn(&Expr) -> Expr) -> LinearParts {
    (a.as_ref().map(&of), b.as_ref().map(&of))
}

/// x + y, or x − y.
fn sum(op: BinaryOp, x: LinearParts, y: LinearParts) -> LinearParts {
    let y = if op == BinaryOp::Subtract { each(y, negate) } else { y };
    let of = |x: Option<Expr>, y: Option<Expr>| match (x, y) {
        (Some(x), Some(y)) => Some(add(&x, &y)),
        (x, y) => x.or(y),
    };
    (of(x.0, y.0), of(x.1, y.1))
}

/// a and b of a·x + b, neither of which mentions x; `None` where the expression is not linear in x.
pub(crate) fn linear(expression: &Expr, name: &str) -> Option<(Expr, Expr)> {
    linear_parts(expression, name).map(terms)
}

fn linear_parts(expression: &Expr, name: &str) -> Option<LinearParts> {
    if !expression.mentions(name) {
        return Some((None, Some(expression.clone())));
    }
    match &expression.kind {
        ExprKind::Name(_) => Some((Some(number(1.0)), None)),
        ExprKind::Unary(UnaryOp::Negate, x) => linear_parts(x, name).map(|parts| each(parts, negate)),
        ExprKind::Binary(op, x, y) => {
            let (left, right) = (linear_parts(x, name)?, linear_parts(y, name)?);
            match op {
                BinaryOp::Add | BinaryOp::Subtract => Some(sum(*op, left, right)),
                BinaryOp::Multiply if !x.mentions(name) => Some(each(right, |part| node(BinaryOp::Multiply, x, part))),
                BinaryOp::Multiply if !y.mentions(name) => Some(each(left, |part| node(BinaryOp::Multiply, part, y))),
                BinaryOp::Divide if !y.mentions(name) => Some(each(left, |part| node(BinaryOp::Divide, part, y))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The same, where x may also stand in functions and denominators of a and b: there it has its old value (rule 4.4).
fn linear_with_held_parts(expression: &Expr, name: &str) -> Option<(Expr, Expr)> {
    held_parts(expression, name).map(terms)
}

fn held_parts(expression: &Expr, name: &str) -> Option<LinearParts> {
    let again = |x: &Expr| held_parts(x, name);
    if let Some(parts) = linear_parts(expression, name) {
        return Some(parts);
    }
    match &expression.kind {
        ExprKind::Unary(UnaryOp::Negate, x) => again(x).map(|parts| each(parts, negate)),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) => Some(sum(*op, again(x)?, again(y)?)),
        ExprKind::Binary(BinaryOp::Multiply, x, y) => {
            // The only factor with x is split; of two the right one if it is linear, else the left one.
            let splits_right = !x.mentions(name) || y.mentions(name) && linear_parts(y, name).is_some();
            let (carrier, held) = if splits_right { (y, x) } else { (x, y) };
            again(carrier).map(|parts| each(parts, |part| node(BinaryOp::Multiply, part, held)))
        }
        ExprKind::Binary(BinaryOp::Divide, x, y) => again(x).map(|parts| each(parts, |part| node(BinaryOp::Divide, part, y))),
        ExprKind::Call(..) => Some((None, Some(expression.clone()))),
        _ => None,
    }
}

/// The expressions whose sum this is.
fn addends(x: &Expr) -> Vec<Expr> {
    let is_sum = |x: &Expr| addends(x).len() > 1;
    let scaled = |sum: &Expr, scale: &dyn Fn(&Expr) -> Expr| addends(sum).iter().map(scale).collect::<Vec<Expr>>();
    let product = |x: &Expr, y: &Expr| node(BinaryOp::Multiply, x, y);
    match &x.kind {
        ExprKind::Number(0.0) => Vec::new(),
        ExprKind::Unary(UnaryOp::Negate, inner) => scaled(inner, &negate),
        ExprKind::Binary(BinaryOp::Add, x, y) => [addends(x), addends(y)].concat(),
        ExprKind::Binary(BinaryOp::Subtract, x, y) => [addends(x), scaled(y, &negate)].concat(),
        ExprKind::Binary(BinaryOp::Divide, x, y) if is_sum(x) => scaled(x, &|part| node(BinaryOp::Divide, part, y)),
        ExprKind::Binary(BinaryOp::Multiply, x, y) if is_sum(x) => scaled(x, &|part| product(part, y)),
        ExprKind::Binary(BinaryOp::Multiply, x, y) if is_sum(y) => scaled(y, &|part| product(x, part)),
        _ => vec![x.clone()],
    }
}
