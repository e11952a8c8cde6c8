//! Differential equations → the assignments of one step.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::ir::{Op, Ref};
use crate::lower::{Lowering, Storage};
use crate::model::{Method, NeuronModel};
use crate::program::{Layout, LinearSystem, Program};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol, Term};

/// Steps of a refractory time, by the rule of the conformance corpus: floor(x/dt + 0.001), so that 2.25 ms at 0.1 ms is 22.
fn refractory_steps(time: &Term) -> Term {
    let steps = term::add(&term::divide(time, &term::symbol(Symbol::Dt)), &term::number(0.001));
    term::call(Function::Floor, steps)
}

impl NeuronModel {
    /// The straight-line code of one step. `layout` says which variables hold one value for all neurons and which are ports.
    ///
    /// # Errors
    /// The method cannot integrate these equations.
    pub fn compile(&self, layout: &Layout) -> Result<Program, Diagnostic> {
        compile(self, layout)
    }
}

fn compile(model: &NeuronModel, layout: &Layout) -> Result<Program, Diagnostic> {
    if let (Some((variable, _)), false) = (model.equations.first(), model.update.is_empty()) {
        let name = &model.variables[*variable].name;
        let message = format!("an `update` block replaces differential equations, but there is also `d{name}/dt`.");
        return Err(Diagnostic::new(Kind::Unsupported, "update", "", Span::default(), message));
    }
    let mut storage = Storage::default();
    let mut variables = Vec::new();
    for variable in &model.variables {
        let name = &variable.name;
        let keeps_array = variable.written || layout.per_neuron.contains(name) || layout.ports.contains(name);
        storage.arrays.push(keeps_array.then_some(variables.len()));
        if keeps_array {
            variables.push(name.clone());
        }
    }
    let ports: Vec<usize> = layout.ports.iter().filter_map(|port| variables.iter().position(|name| name == port)).collect();
    let refractory = model.refractory.as_ref().map(refractory_steps);
    let declared = |array: usize| model.variables.iter().find(|variable| variable.name == variables[array]);

    let mut take = Lowering::new(&mut storage, variables.len(), refractory.as_ref());
    for (port, array) in ports.iter().enumerate() {
        let arrived = take.op(Op::Port(port));
        let mut sum = take.binary(BinaryOp::Add, take.values[*array], arrived);
        if declared(*array).is_some_and(|variable| variable.unless_refractory) {
            // What arrived did so in the step before.
            sum = take.unless_refractory(*array, sum, 1.0);
        }
        take.values[*array] = sum;
    }
    let take = take.finish(None);

    let mut reset = Lowering::new(&mut storage, variables.len(), refractory.as_ref());
    assign(&mut reset, &model.reset);
    let reset = reset.finish(None);

    let method = choose(model, &storage)?;
    let mut update = Lowering::new(&mut storage, variables.len(), refractory.as_ref());
    match method {
        Some(Method::Exact) => exact(model, &mut update),
        Some(method) => step(model, method, &mut update)?,
        None => {}
    }
    assign(&mut update, &model.update);
    let condition = model.threshold.as_ref().map(|threshold| {
        let above = update.term(threshold);
        match update.is_refractory(0.0) {
            Some(refractory) => {
                let free = update.op(Op::Not(refractory));
                update.binary(BinaryOp::And, above, free)
            }
            None => above,
        }
    });
    let update = update.finish(condition);
    Ok(Program { variables, ports, constants: storage.constants, systems: storage.systems, take, reset, update, method })
}

/// Statements one after the other, each seeing what the ones before wrote.
fn assign(code: &mut Lowering<'_>, statements: &[(usize, Term)]) {
    for (variable, value) in statements {
        let value = code.term(value);
        if let Some(array) = code.storage.arrays[*variable] {
            code.values[array] = value;
        }
    }
}

/// The method asked for, if it can integrate these equations; without a wish, exact for linear equations, exponential Euler
/// where each variable enters its own equation linearly, else fourth-order Runge–Kutta.
fn choose(model: &NeuronModel, storage: &Storage) -> Result<Option<Method>, Diagnostic> {
    if model.equations.is_empty() {
        return Ok(None);
    }
    let unsuitable = |method: Method, why: String| {
        let help = "Leave `method` out, or write `euler` or `rk4`.";
        Err(Diagnostic::new(Kind::UnsuitableMethod, "method", "", Span::default(), format!("`{}`: {why}.", method.name()))
            .help(help))
    };
    let nonlinear = model.equations.iter().find(|(variable, rate)| term::linear(rate, *variable).is_none());
    match model.method {
        Some(Method::Exact) if linear_system(model, storage).is_none() => {
            unsuitable(Method::Exact, "the equations are not linear with constant coefficients".into())
        }
        Some(Method::ExponentialEuler) if nonlinear.is_some() => {
            let name = nonlinear.map_or("", |(variable, _)| &model.variables[*variable].name);
            unsuitable(Method::ExponentialEuler, format!("the equation of `{name}` is not linear in `{name}`"))
        }
        Some(method) => Ok(Some(method)),
        None if linear_system(model, storage).is_some() => Ok(Some(Method::Exact)),
        None if nonlinear.is_none() => Ok(Some(Method::ExponentialEuler)),
        None => Ok(Some(Method::Rk4)),
    }
}

/// The augmented matrix of the equations, if they are linear with coefficients that are the same for all neurons.
fn linear_system(model: &NeuronModel, storage: &Storage) -> Option<Vec<Vec<Term>>> {
    let mut matrix = Vec::new();
    for (_, rate) in &model.equations {
        let mut rest = rate.clone();
        let mut row = Vec::new();
        for (column, _) in &model.equations {
            let (coefficient, left) = term::linear(&rest, *column)?;
            row.push(coefficient);
            rest = left;
        }
        row.push(rest);
        if !row.iter().all(|entry| storage.is_uniform(entry)) {
            return None;
        }
        matrix.push(row);
    }
    matrix.push(vec![term::number(0.0); matrix.len() + 1]);
    Some(matrix)
}

/// Exact integration: x(t + dt) = exp(A dt) x(t), with the variables that are clamped while refractory held constant then.
fn exact(model: &NeuronModel, code: &mut Lowering<'_>) {
    let Some(matrix) = linear_system(model, code.storage) else { return };
    let n = model.equations.len();
    let clamped: Vec<bool> = model
        .equations
        .iter()
        .map(|(variable, _)| model.refractory.is_some() && model.variables[*variable].unless_refractory)
        .collect();
    // Entries of the propagator that are not zero by structure: the variable is reached through other equations.
    let mut reaches: Vec<Vec<bool>> = matrix.iter().map(|row| row.iter().map(|entry| !term::is_zero(entry)).collect()).collect();
    for (k, row) in reaches.iter_mut().enumerate() {
        row[k] = true;
    }
    for via in 0..n {
        for from in 0..n {
            if reaches[from][via] {
                let further = reaches[via].clone();
                reaches[from].iter_mut().zip(further).for_each(|(reached, further)| *reached |= further);
            }
        }
    }
    let held: Vec<Vec<Term>> =
        (0..=n).map(|row| if row < n && clamped[row] { vec![term::number(0.0); n + 1] } else { matrix[row].clone() }).collect();
    let free = code.storage.systems.len();
    code.storage.systems.push(LinearSystem { matrix });
    let needs_held = (0..n).any(|row| !clamped[row] && (0..n).any(|k| reaches[row][k] && clamped[k]));
    if needs_held {
        code.storage.systems.push(LinearSystem { matrix: held });
    }
    let arrays: Vec<usize> = model.equations.iter().filter_map(|(variable, _)| code.storage.arrays[*variable]).collect();
    let old: Vec<Ref> = arrays.iter().map(|array| code.values[*array]).collect();
    let mut fresh = old.clone();
    for row in 0..n {
        let mut advanced = |system: usize| {
            let mut sum = None;
            // The variable itself first, the inhomogeneity last.
            for column in
                std::iter::once(row).chain((0..n).filter(|column| *column != row)).filter(|column| reaches[row][*column])
            {
                let factor = code.propagator(system, row, column);
                let product = code.binary(BinaryOp::Multiply, factor, old[column]);
                sum = Some(sum.map_or(product, |sum| code.binary(BinaryOp::Add, sum, product)));
            }
            let sum = sum.unwrap_or(old[row]);
            if reaches[row][n] {
                let constant = code.propagator(system, row, n);
                return code.binary(BinaryOp::Add, sum, constant);
            }
            sum
        };
        let mut value = advanced(free);
        if (0..n).any(|k| reaches[row][k] && clamped[k]) {
            let while_refractory = if clamped[row] { old[row] } else { advanced(free + 1) };
            if let Some(condition) = code.is_refractory(0.0) {
                value = code.op(Op::Select { condition, yes: while_refractory, no: value });
            }
        }
        fresh[row] = code.op(Op::Flush(value));
    }
    for (array, value) in arrays.into_iter().zip(fresh) {
        code.values[array] = value;
    }
}

/// One step of every other method. All right-hand sides see the old values.
fn step(model: &NeuronModel, method: Method, code: &mut Lowering<'_>) -> Result<(), Diagnostic> {
    let old = code.values.clone();
    let dt = term::symbol(Symbol::Dt);
    let mut fresh = old.clone();
    match method {
        Method::ExponentialEuler => {
            for (variable, rate) in &model.equations {
                let Some(array) = code.storage.arrays[*variable] else { continue };
                let value = exponential(code, *variable, rate, &dt);
                fresh[array] = held_or(model, code, *variable, array, value);
            }
        }
        Method::Exact | Method::Euler => {
            let slopes = slopes(model, code);
            fresh = moved(model, code, &old, &slopes, &dt);
        }
        Method::Rk2 => {
            let half = term::multiply(&term::number(0.5), &dt);
            let first = slopes(model, code);
            code.values = moved(model, code, &old, &first, &half);
            let second = slopes(model, code);
            code.values.clone_from(&old);
            fresh = moved(model, code, &old, &second, &dt);
        }
        Method::Rk4 => {
            let half = term::multiply(&term::number(0.5), &dt);
            let mut stages = vec![slopes(model, code)];
            for length in [&half, &half, &dt] {
                let last = stages[stages.len() - 1].clone();
                code.values.clone_from(&old);
                code.values = moved(model, code, &old, &last, length);
                stages.push(slopes(model, code));
            }
            code.values.clone_from(&old);
            let two = code.op(Op::Literal(2.0));
            let sixth = code.op(Op::Literal(1.0 / 6.0));
            let mut weighted = |(first, second, third, fourth): (Ref, Ref, Ref, Ref)| {
                let middle = code.binary(BinaryOp::Add, second, third);
                let middle = code.binary(BinaryOp::Multiply, middle, two);
                let ends = code.binary(BinaryOp::Add, first, fourth);
                let sum = code.binary(BinaryOp::Add, ends, middle);
                code.binary(BinaryOp::Multiply, sum, sixth)
            };
            let [first, second, third, fourth] = [0, 1, 2, 3].map(|stage: usize| stages[stage].iter().copied());
            let each = first.zip(second).zip(third).zip(fourth).map(|(((a, b), c), d)| (a, b, c, d));
            let mean: Vec<Ref> = each.map(&mut weighted).collect();
            fresh = moved(model, code, &old, &mean, &dt);
        }
    }
    for (variable, _) in &model.equations {
        if let Some(array) = code.storage.arrays[*variable] {
            fresh[array] = code.op(Op::Flush(fresh[array]));
        }
    }
    code.values = fresh;
    Ok(())
}

/// The right-hand sides at the current values.
fn slopes(model: &NeuronModel, code: &mut Lowering<'_>) -> Vec<Ref> {
    model.equations.iter().map(|(_, rate)| code.term(rate)).collect()
}

/// `from` moved along `slopes` for `length` ms.
fn moved(model: &NeuronModel, code: &mut Lowering<'_>, from: &[Ref], slopes: &[Ref], length: &Term) -> Vec<Ref> {
    let mut values = from.to_vec();
    let length = code.term(length);
    for ((variable, _), slope) in model.equations.iter().zip(slopes) {
        let Some(array) = code.storage.arrays[*variable] else { continue };
        let change = code.binary(BinaryOp::Multiply, *slope, length);
        let value = code.binary(BinaryOp::Add, from[array], change);
        values[array] = match code.is_refractory(0.0) {
            Some(condition) if model.variables[*variable].unless_refractory => {
                code.op(Op::Select { condition, yes: from[array], no: value })
            }
            _ => value,
        };
    }
    values
}

/// x → x exp(a dt) + b dt exprel(a dt) for dx/dt = a x + b, with the coefficients hoisted where all neurons share them.
fn exponential(code: &mut Lowering<'_>, variable: usize, rate: &Term, dt: &Term) -> Ref {
    let x = term::symbol(Symbol::Variable(variable));
    let Some((a, b)) = term::linear(rate, variable) else { return code.term(&x) };
    let a_dt = term::multiply(&a, dt);
    let reach = term::multiply(dt, &term::call(Function::Exprel, a_dt.clone()));
    let value = if term::is_zero(&a) {
        term::add(&x, &term::multiply(&b, dt))
    } else if code.storage.is_uniform(&a) {
        let decay = term::call(Function::Exp, a_dt);
        term::add(&term::multiply(&decay, &x), &term::multiply(&reach, &b))
    } else {
        // exprel of a small argument keeps all its digits where exp(a dt) − 1 would lose them.
        let slope: Term = Arc::new(Node::Binary(BinaryOp::Multiply, reach, rate.clone()));
        term::add(&x, &slope)
    };
    code.term(&value)
}

fn held_or(model: &NeuronModel, code: &mut Lowering<'_>, variable: usize, array: usize, value: Ref) -> Ref {
    if model.variables[variable].unless_refractory { code.unless_refractory(array, value, 0.0) } else { value }
}
