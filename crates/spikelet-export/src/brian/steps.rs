//! Integration that Brian 2 does not have, as statements: it takes the steps from a function of the script.

use std::collections::HashMap;

use spikelet::lang::syntax::parse_expression;
use spikelet::lang::term::{self, Term};

use super::functions::translated;
use super::split::{Subexpressions, coefficient};
use super::text::{Line, unit};
use crate::Lack;
use crate::built::Built;

/// Rates that differ by less are equal for Brian 2, which divides by their difference.
const EQUAL: f64 = 1e-6;

/// Statements of exponential Euler for equations of which one is not linear in its own variable; `None` if all are.
///
/// With f the right-hand side and a the coefficient of x in it, x grows by f·(exp(a·dt) − 1)/a.
pub(super) fn exponential(equations: &[Line]) -> Result<Option<Vec<String>>, Lack> {
    let parsed = |line: &Line| parse_expression("equations", line.right()).ok();
    let subexpressions: Subexpressions = equations
        .iter()
        .filter(|line| line.is_subexpression())
        .filter_map(|line| Some((line.given.clone(), parsed(line)?)))
        .collect();
    let driven: Vec<&Line> = equations.iter().filter(|line| line.is_clock_driven()).collect();
    let mut is_held = false;
    let mut factors = Vec::new();
    for line in &driven {
        let Some(found) = parsed(line).and_then(|of| coefficient(&of, &line.given, &subexpressions)) else { return Ok(None) };
        is_held |= found.is_held;
        factors.push(match found.text {
            Some(text) => format!("dt*exprel(dt*({}))", translated(&text)?),
            None => "dt".to_owned(),
        });
    }
    if !is_held {
        return Ok(None);
    }
    let steps = driven.iter().zip(factors).map(|(line, factor)| (line.name.clone(), format!("{factor}*_rate_{}", line.name)));
    Ok(Some(statements(&driven, steps)?))
}

/// The rates of equations, and the steps that they make.
fn statements(driven: &[&Line], steps: impl Iterator<Item = (String, String)>) -> Result<Vec<String>, Lack> {
    let mut code = Vec::new();
    for line in driven {
        let (name, rate) = (&line.name, translated(line.right())?);
        // While a neuron is refractory, the variable keeps its value.
        let rests = line.flags.iter().any(|flag| flag == "unless refractory");
        code.push(if rests { format!("_rate_{name} = int(not_refractory)*({rate})") } else { format!("_rate_{name} = {rate}") });
    }
    let mut last = Vec::new();
    for (name, step) in steps {
        code.push(format!("_next_{name} = {name} + {step}"));
        last.push(format!("{name} = _next_{name}"));
    }
    code.extend(last);
    Ok(code)
}

/// An exact step with numbers for what Brian 2 would derive.
pub(super) struct Exact {
    /// The statements.
    pub(super) code: Vec<String>,
    /// Factors that differ between neurons, in SI.
    pub(super) factors: Vec<(String, Vec<f64>)>,
}

/// Statements of an exact step, if Brian 2 cannot derive one: it needs rates that differ, and coupled equations that do not depend on the time.
///
/// With f = A·x + b the right-hand sides, x grows by Φ·f, where Φ is the integral of exp(s·A) for s from 0 to dt.
pub(super) fn exact(built: &Built, population: usize, equations: &[Line], rests: bool) -> Result<Option<Exact>, Lack> {
    let model = built.plan.model(population);
    let driven: Vec<&Line> = equations.iter().filter(|line| line.is_clock_driven()).collect();
    let (count, size) = (driven.len(), built.plan.populations[population].size as usize);
    let rates: HashMap<&str, (usize, &Term)> =
        model.equations.iter().map(|(variable, rate)| (model.variables[*variable].name.as_str(), (*variable, rate))).collect();
    let of: Option<Vec<(usize, &Term)>> = driven.iter().map(|line| rates.get(line.given.as_str()).copied()).collect();
    let Some(of) = of.filter(|_| count > 1) else { return Ok(None) };
    let mut matrix = Vec::new();
    for (_, rate) in &of {
        let (mut rest, mut row) = ((*rate).clone(), Vec::new());
        for (variable, _) in &of {
            let Some((coefficient, left)) = term::linear(&rest, *variable) else { return Ok(None) };
            row.push(coefficient);
            rest = left;
        }
        matrix.push(row);
    }
    let is_coupled = (0..count).any(|row| (0..count).any(|column| row != column && !term::is_zero(&matrix[row][column])));
    let numbers = |neuron: usize| -> Vec<Vec<f64>> {
        let value = |entry: &Term| built.plan.exact_term(population, entry, neuron);
        matrix.iter().map(|row| row.iter().map(value).collect()).collect()
    };
    let of_time = equations.iter().any(|line| line.reads("t") || line.reads("lastspike"));
    if !is_coupled || !of_time && !(0..size).any(|neuron| has_equal_rates(&matrix, &numbers(neuron))) {
        return Ok(None);
    }
    let held: Vec<bool> = driven.iter().map(|line| rests && line.flags.iter().any(|flag| flag == "unless refractory")).collect();
    let mixes = held.contains(&true) && held.contains(&false);
    let dt = built.plan.dt_ms;
    let mut free = vec![vec![Vec::with_capacity(size); count]; count];
    let mut resting = free.clone();
    for neuron in 0..size {
        let mut of = numbers(neuron);
        let put = |into: &mut [Vec<Vec<f64>>], of: &[Vec<f64>]| {
            for (row, values) in integral(of, dt).into_iter().enumerate() {
                values.into_iter().enumerate().for_each(|(column, value)| into[row][column].push(value));
            }
        };
        put(&mut free, &of);
        if mixes {
            (0..count).filter(|row| held[*row]).for_each(|row| of[row].fill(0.0));
            put(&mut resting, &of);
        }
    }
    let units: Vec<String> = of.iter().map(|(variable, _)| unit(&model.variables[*variable].dimension.inner_unit())).collect();
    let mut factors = Vec::new();
    let mut steps = Vec::new();
    for (row, line) in driven.iter().enumerate() {
        let mut sum = Vec::new();
        for (column, other) in driven.iter().enumerate() {
            let ratio =
                if units[row] == units[column] { String::new() } else { format!("*({})/({})", units[row], units[column]) };
            let mut number = |kind: &str, values: &[f64]| {
                if crate::python::is_uniform(values) {
                    return format!("{:?}", values.first().copied().unwrap_or(0.0));
                }
                let name = format!("{kind}_{}_{}", line.name, other.name);
                factors.push((name.clone(), values.to_vec()));
                name
            };
            let in_step = &free[row][column];
            let at_rest = &resting[row][column];
            if in_step.iter().chain(at_rest).all(|value| *value == 0.0) {
                continue;
            }
            let factor = number("step", in_step);
            let factor = if mixes && !held[row] && at_rest != in_step {
                let at_rest = number("rest", at_rest);
                format!("({factor}*int(not_refractory) + {at_rest}*int(not not_refractory))")
            } else {
                factor
            };
            sum.push(format!("{factor}*ms{ratio}*_rate_{}", other.name));
        }
        let sum = sum.join(" + ");
        let sum = if held[row] { format!("int(not_refractory)*({sum})") } else { sum };
        steps.push((line.name.clone(), sum));
    }
    Ok(Some(Exact { code: statements(&driven, steps.into_iter())?, factors }))
}

/// Whether rates of coupled equations are equal that are written in different ways.
fn has_equal_rates(matrix: &[Vec<Term>], numbers: &[Vec<f64>]) -> bool {
    let count = numbers.len();
    let mut reaches: Vec<Vec<bool>> = matrix.iter().map(|row| row.iter().map(|entry| !term::is_zero(entry)).collect()).collect();
    for via in 0..count {
        let further = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&further).for_each(|(reached, further)| *reached |= further);
        }
    }
    let is_equal = |x: f64, y: f64| (x - y).abs() <= EQUAL * x.abs().max(y.abs());
    (0..count).flat_map(|row| (0..row).map(move |column| (row, column))).any(|(row, column)| {
        let [a, d] = [numbers[row][row], numbers[column][column]];
        match (reaches[row][column], reaches[column][row]) {
            (false, false) => false,
            (true, true) => {
                let product = 4.0 * numbers[row][column] * numbers[column][row];
                ((a - d).powi(2) + product).abs() <= EQUAL * ((a - d).powi(2) + product.abs())
            }
            _ => is_equal(a, d) && matrix[row][row] != matrix[column][column],
        }
    })
}

/// The integral of exp(s·A) for s from 0 to h: its series for a small part of h, doubled.
fn integral(matrix: &[Vec<f64>], h: f64) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let product = |x: &[Vec<f64>], y: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let entry = |row: &Vec<f64>, column: usize| (0..count).map(|k| row[k] * y[k][column]).sum();
        x.iter().map(|row| (0..count).map(|column| entry(row, column)).collect()).collect()
    };
    let norm = matrix.iter().map(|row| row.iter().map(|entry| entry.abs()).sum::<f64>()).fold(0.0, f64::max) * h;
    let halvings = if norm > 0.1 { (norm / 0.1).log2().ceil() as i32 } else { 0 };
    let part = h * 0.5f64.powi(halvings);
    let diagonal = |value: f64| -> Vec<Vec<f64>> {
        (0..count).map(|row| (0..count).map(|column| if row == column { value } else { 0.0 }).collect()).collect()
    };
    let (mut sum, mut power) = (diagonal(part), diagonal(part));
    for k in 2..16 {
        power = product(&power, matrix);
        power.iter_mut().flatten().for_each(|entry| *entry *= part / f64::from(k));
        sum.iter_mut().flatten().zip(power.iter().flatten()).for_each(|(sum, term)| *sum += term);
    }
    // The integral to 2s is that to s, and once more after exp(s·A) = 1 + A·integral.
    for _ in 0..halvings {
        let mut growth = product(matrix, &sum);
        (0..count).for_each(|row| growth[row][row] += 1.0);
        let second = product(&growth, &sum);
        sum.iter_mut().flatten().zip(second.iter().flatten()).for_each(|(sum, term)| *sum += term);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_of_exponentials_are_those_of_closed_forms() {
        let near = |x: f64, y: f64| assert!((x - y).abs() <= 1e-14 * y.abs().max(1.0), "{x} {y}");
        for h in [0.1, 30.0] {
            // Equal rates: exp(s·A) has the entry c·s·exp(−s/τ) beside the diagonal.
            let (tau, c) = (10.0_f64, 0.3);
            let found = integral(&[vec![-1.0 / tau, c], vec![0.0, -1.0 / tau]], h);
            let e = (-h / tau).exp();
            near(found[0][0], tau * (1.0 - e));
            near(found[1][1], tau * (1.0 - e));
            near(found[1][0], 0.0);
            near(found[0][1], c * tau * (tau - (tau + h) * e));
        }
        near(integral(&[vec![0.0]], 0.1)[0][0], 0.1);
    }
}
