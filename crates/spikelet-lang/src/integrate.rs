//! Differential equations → the assignments of one step.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::ir::{Op, Ref};
use crate::lower::{Dependency, Lowering, SplitValue, Storage, VariableLocation};
use crate::model::{Method, Variable};
use crate::program::{ConstantRule, LinearSystem, MatrixEntry};
use crate::syntax::BinaryOp;
use crate::term::{self, Function, Node, Symbol, Term};

/// Equations that are integrated together.
pub(crate) struct Equations<'a> {
    /// Variable and right-hand side of each, per ms.
    pub(crate) rates: &'a [(usize, Term)],
    /// The variables of the model.
    pub(crate) variables: &'a [Variable],
    /// Whether variables that are `unless refractory` are ever held.
    pub(crate) rests: bool,
    /// Sites of the draws that are white noise.
    pub(crate) noise: &'a [u32],
}

/// Equations that are integrated exactly together, at most, where they are coupled: each needs what all others were.
pub const MAX_COUPLED: usize = 200;

/// Equations as dx/dt = A x + b + inputs.
struct Linear {
    /// A, row by row.
    matrix: Vec<Vec<Term>>,
    /// Whether A is the same for all neurons.
    uniform: bool,
    /// What does not change with time and enters the propagators.
    constant: Vec<Term>,
    /// What is held at its value at the start of a step.
    inputs: Vec<Term>,
}

impl Linear {
    /// How many equations the largest of its blocks has.
    fn max_coupled(&self) -> usize {
        coupled(&self.matrix).iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The blocks of equations that are coupled with each other, however indirectly, and with no others.
fn coupled(matrix: &[Vec<Term>]) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut is_placed = vec![false; matrix.len()];
    for first in 0..matrix.len() {
        if is_placed[first] {
            continue;
        }
        is_placed[first] = true;
        let (mut block, mut at) = (vec![first], 0);
        while let Some(row) = block.get(at).copied() {
            for other in 0..matrix.len() {
                let is_coupled = !term::is_zero(&matrix[row][other]) || !term::is_zero(&matrix[other][row]);
                if is_coupled && !is_placed[other] {
                    is_placed[other] = true;
                    block.push(other);
                }
            }
            at += 1;
        }
        block.sort_unstable();
        blocks.push(block);
    }
    blocks
}

impl Equations<'_> {
    /// The requested method, if it can integrate these equations. By default: exact for linear equations, exponential Euler if each
    /// variable is linear in its own equation, else fourth-order Runge–Kutta; with noise, Euler–Maruyama if it is additive, else Heun.
    pub(crate) fn choose(&self, wanted: Option<Method>, storage: &Storage) -> Result<Option<Method>, Diagnostic> {
        if self.rates.is_empty() {
            return Ok(None);
        }
        let unsuitable = |method: Method, why: &str, instead: &str| {
            let message = format!("`{}`: {why}.", method.name());
            let help = format!("Leave out `method`, or write {instead}.");
            Err(Diagnostic::new(Kind::UnsuitableMethod, "method", method.name(), Span::default(), message).help(help))
        };
        let name = |variable: &usize| &self.variables[*variable].name;
        let nonlinear = |split: fn(&Term, usize) -> Option<(Term, Term)>| {
            self.rates.iter().find(|(variable, rate)| split(rate, *variable).is_none()).map(|(variable, _)| name(variable))
        };
        if self.rates.iter().any(|(_, rate)| self.is_noisy(rate)) {
            return match wanted {
                Some(method @ (Method::Euler | Method::Heun)) => Ok(Some(method)),
                Some(Method::Milstein) if self.has_diagonal_noise() => Ok(wanted),
                Some(Method::Milstein) => {
                    let why = "each variable must have noise of its own, as in `dx/dt = -x/tau + s*x*xi_1 : 1`";
                    unsuitable(Method::Milstein, why, "`heun`")
                }
                Some(method) => unsuitable(method, "it cannot integrate noise (`xi`)", "`euler`, `heun` or `milstein`"),
                None if self.has_multiplicative_noise() => Ok(Some(Method::Heun)),
                None => Ok(Some(Method::Euler)),
            };
        }
        match wanted {
            Some(Method::Exact) => match self.linear(storage) {
                None => unsuitable(Method::Exact, "the equations are not linear with constant coefficients", "`euler` or `rk4`"),
                Some(linear) if linear.max_coupled() > MAX_COUPLED => {
                    let (coupled, others) = (linear.max_coupled(), "`exponential_euler` or `rk4`");
                    unsuitable(Method::Exact, &format!("{coupled} equations are coupled; the maximum is {MAX_COUPLED}"), others)
                }
                Some(_) => Ok(wanted),
            },
            Some(Method::ExponentialEuler) => match nonlinear(term::linear_with_held_parts) {
                None => Ok(wanted),
                Some(name) => {
                    let why = format!("the equation of `{name}` is not linear in `{name}`");
                    unsuitable(Method::ExponentialEuler, &why, "`euler` or `rk4`")
                }
            },
            Some(method) => Ok(Some(method)),
            None if self.linear(storage).is_some_and(|linear| linear.max_coupled() <= MAX_COUPLED) => Ok(Some(Method::Exact)),
            None if nonlinear(term::linear).is_none() => Ok(Some(Method::ExponentialEuler)),
            None => Ok(Some(Method::Rk4)),
        }
    }

    /// Gives every variable its value at the end of the step.
    pub(crate) fn advance(&self, method: Method, code: &mut Lowering<'_>) {
        // Before any value moves.
        code.is_refractory();
        match (method, self.linear(code.storage)) {
            (Method::Exact, Some(linear)) => self.exact(&linear, code),
            _ => self.step(method, code),
        }
    }

    fn is_noisy(&self, term: &Term) -> bool {
        let mut noisy = false;
        term.walk(&mut |node| noisy |= matches!(node, Node::Random(_, site) if self.noise.contains(site)));
        noisy
    }

    fn has_multiplicative_noise(&self) -> bool {
        self.rates.iter().flat_map(|(_, rate)| term::addends(rate)).any(|part| {
            self.is_noisy(&part) && part.any(|symbol| matches!(symbol, Some(Symbol::Variable(at)) if self.variables[at].written))
        })
    }

    /// Whether each equation has noise of one name at most, once, and no two have the same.
    fn has_diagonal_noise(&self) -> bool {
        let mut met = Vec::new();
        self.rates.iter().all(|(_, rate)| {
            let mut own = Vec::new();
            rate.walk(&mut |node| {
                if let Node::Random(_, site) = node
                    && self.noise.contains(site)
                    && !own.contains(site)
                {
                    own.push(*site);
                }
            });
            let is_new = own.len() <= 1 && own.iter().all(|site| !met.contains(site));
            met.extend(own);
            // Noise is a factor: without it nothing is left.
            let parts = term::addends(rate);
            is_new && parts.iter().filter(|part| self.is_noisy(part)).all(|part| self.has_noise_as_factor(part))
        })
    }

    /// Whether nothing is left of a term without its noise.
    fn has_noise_as_factor(&self, term: &Term) -> bool {
        let again = |term: &Term| self.has_noise_as_factor(term);
        match &**term {
            Node::Random(_, site) => self.noise.contains(site),
            Node::Negate(x) | Node::Binary(BinaryOp::Divide, x, _) => again(x),
            Node::Binary(BinaryOp::Multiply, x, y) => again(x) || again(y),
            Node::Binary(BinaryOp::Add | BinaryOp::Subtract, x, y) => again(x) && again(y),
            _ => false,
        }
    }

    /// A term with a number in place of its noise.
    fn with_noise(&self, term: &Term, number: f64) -> Term {
        term::replace(term, &|leaf| match leaf {
            Node::Random(_, site) if self.noise.contains(site) => Some(term::number(number)),
            _ => None,
        })
    }

    /// Drift f, noise g for the number 1, and that number N, of each equation dx/dt = f + g·N; `None` without noise.
    fn parted(&self) -> Vec<(Term, Option<(Term, Term)>)> {
        let sum = |parts: &[Term]| parts.iter().fold(term::number(0.0), |sum, part| term::add(&sum, part));
        let parted = self.rates.iter().map(|(_, rate)| {
            let (noisy, drift): (Vec<Term>, Vec<Term>) = term::addends(rate).into_iter().partition(|part| self.is_noisy(part));
            let mut draw = None;
            rate.walk(&mut |node| {
                if matches!(node, Node::Random(_, site) if self.noise.contains(site)) {
                    draw = Some(Arc::new(node.clone()) as Term);
                }
            });
            let noise = draw.map(|draw| (self.with_noise(&sum(&noisy), 1.0), draw));
            (sum(&drift), noise)
        });
        parted.collect()
    }

    fn array(&self, variable: usize, storage: &Storage) -> Option<usize> {
        match storage.places[variable] {
            VariableLocation::Array(array) => Some(array),
            VariableLocation::Local | VariableLocation::Constant => None,
        }
    }

    /// The equations as a linear system, if they are one with coefficients that do not change with time.
    fn linear(&self, storage: &Storage) -> Option<Linear> {
        let mut matrix = Vec::new();
        let mut rests = Vec::new();
        for (_, rate) in self.rates {
            let mut rest = rate.clone();
            let mut row = Vec::new();
            for (column, _) in self.rates {
                let (coefficient, left) = term::linear(&rest, *column)?;
                row.push(coefficient);
                rest = left;
            }
            if row.iter().any(|entry| storage.extent(entry) > Dependency::Fixed) {
                return None;
            }
            matrix.push(row);
            rests.push(rest);
        }
        let uniform = matrix.iter().flatten().all(|entry| storage.extent(entry) == Dependency::Uniform);
        let most = if uniform { Dependency::Uniform } else { Dependency::Fixed };
        let sum = |parts: Vec<Term>| parts.iter().fold(term::number(0.0), |sum, part| term::add(&sum, part));
        let (constant, inputs) = rests
            .iter()
            .map(|rest| {
                let (constant, input): (Vec<Term>, Vec<Term>) =
                    term::addends(rest).into_iter().partition(|part| storage.extent(part) <= most);
                (sum(constant), sum(input))
            })
            .unzip();
        Some(Linear { matrix, uniform, constant, inputs })
    }

    /// Exact integration: x(t + dt) = exp(A dt) x(t), with the variables that are clamped while refractory held constant then.
    /// Columns after those of the variables are the constant part, then one for each input.
    fn exact(&self, linear: &Linear, code: &mut Lowering<'_>) {
        let arrays: Vec<usize> = self.rates.iter().filter_map(|(variable, _)| self.array(*variable, code.storage)).collect();
        let old: Vec<Ref> = arrays.iter().map(|array| code.values[*array]).collect();
        let inputs: Vec<Option<Ref>> =
            linear.inputs.iter().map(|input| (!term::is_zero(input)).then(|| code.term(input))).collect();
        let mut fresh = code.values.clone();
        for block in coupled(&linear.matrix) {
            self.exact_block(linear, &block, (&arrays, &old, &inputs), &mut fresh, code);
        }
        code.values = fresh;
    }

    /// The same of equations that are coupled with each other, and with no others; `block` names them. `arrays`, `old` and `inputs` are
    /// those of all, `fresh` gets the new values.
    fn exact_block(
        &self,
        linear: &Linear,
        block: &[usize],
        (arrays, old, inputs): (&[usize], &[Ref], &[Option<Ref>]),
        fresh: &mut [Ref],
        code: &mut Lowering<'_>,
    ) {
        let n = block.len();
        let driven: Vec<usize> = (0..n).filter(|row| inputs[block[*row]].is_some()).collect();
        let width = n + 1 + driven.len();
        let is_clamped = |row: &usize| self.rests && self.variables[self.rates[*row].0].unless_refractory;
        let clamped: Vec<bool> = block.iter().map(is_clamped).collect();
        let zero = term::number(0.0);
        let system = |hold: bool| {
            let mut matrix = vec![vec![zero.clone(); width]; width];
            for row in (0..n).filter(|row| !(hold && clamped[*row])) {
                for (column, of) in block.iter().enumerate() {
                    matrix[row][column] = linear.matrix[block[row]][*of].clone();
                }
                matrix[row][n] = linear.constant[block[row]].clone();
                if let Some(input) = driven.iter().position(|driven| *driven == row) {
                    matrix[row][n + 1 + input] = term::number(1.0);
                }
            }
            LinearSystem { matrix }
        };
        let matrix = system(false).matrix;
        // Entries of the propagator that are not zero by structure: the variable is reached through other equations.
        let mut reaches: Vec<Vec<bool>> =
            matrix.iter().map(|row| row.iter().map(|entry| !term::is_zero(entry)).collect()).collect();
        for (k, row) in reaches.iter_mut().enumerate() {
            row[k] = true;
        }
        for via in 0..n {
            let further = reaches[via].clone();
            for row in reaches.iter_mut().filter(|row| row[via]) {
                row.iter_mut().zip(&further).for_each(|(reached, further)| *reached |= further);
            }
        }
        let free = code.storage.rules.systems.len();
        code.storage.rules.systems.push(LinearSystem { matrix });
        let touches_clamped = |row: usize| (0..n).any(|k| reaches[row][k] && clamped[k]);
        if (0..n).any(|row| !clamped[row] && touches_clamped(row)) {
            code.storage.rules.systems.push(system(true));
        }
        for row in 0..n {
            // Kept in two words, a variable is moved on by a change.
            let array = arrays[block[row]];
            let two = code.has_two(array);
            let rule = if two { ConstantRule::Change } else { ConstantRule::Propagator };
            let still = if two { code.op(Op::number(0.0)) } else { old[block[row]] };
            let mut advanced = |system: usize| {
                let mut sum = None;
                // The variable itself first, then the others, then the inputs, the constant part last.
                let others = (0..n).filter(|column| *column != row);
                let columns = std::iter::once(row).chain(others).map(|column| (column, old[block[column]]));
                let inputs = driven.iter().enumerate().filter_map(|(k, row)| Some((n + 1 + k, inputs[block[*row]]?)));
                for (column, value) in columns.chain(inputs).filter(|(column, _)| reaches[row][*column]) {
                    let factor = code.propagator(rule, MatrixEntry { system, row, column }, linear.uniform);
                    let product = code.binary(BinaryOp::Multiply, factor, value);
                    sum = Some(sum.map_or(product, |sum| code.binary(BinaryOp::Add, sum, product)));
                }
                let sum = sum.unwrap_or(old[block[row]]);
                if reaches[row][n] {
                    let constant = code.propagator(rule, MatrixEntry { system, row, column: n }, linear.uniform);
                    return code.binary(BinaryOp::Add, sum, constant);
                }
                sum
            };
            let mut value = advanced(free);
            if touches_clamped(row) {
                let while_refractory = if clamped[row] { still } else { advanced(free + 1) };
                if let Some(condition) = code.is_refractory() {
                    value = code.op(Op::Select { condition, yes: while_refractory, no: value });
                }
            }
            let words = if two { code.plus(array, value) } else { SplitValue { high: value, low: None } };
            let high = code.op(Op::Flush(words.high));
            code.put(fresh, array, SplitValue { high, ..words });
        }
    }

    /// One step of all other methods. All right-hand sides use the old values.
    fn step(&self, method: Method, code: &mut Lowering<'_>) {
        let old = code.values.clone();
        let dt = term::symbol(Symbol::Dt);
        let half = term::multiply(&term::number(0.5), &dt);
        let mut fresh = old.clone();
        match method {
            Method::ExponentialEuler => {
                for (variable, rate) in self.rates {
                    let Some(array) = self.array(*variable, code.storage) else { continue };
                    let words = exponential(code, (*variable, array), rate, &dt);
                    let held = self.variables[*variable].unless_refractory;
                    let words = if held { code.words_unless_refractory(array, words) } else { words };
                    code.put(&mut fresh, array, words);
                }
            }
            Method::Exact | Method::Euler => {
                let slopes = self.slopes(code, 0.0);
                fresh = self.advanced(code, &slopes, &dt);
            }
            Method::Heun => {
                let first = self.slopes(code, 0.0);
                code.values = self.moved(code, &old, &first, &dt);
                let second = self.slopes(code, 1.0);
                code.values.clone_from(&old);
                let sums: Vec<Ref> = first.iter().zip(&second).map(|(x, y)| code.binary(BinaryOp::Add, *x, *y)).collect();
                fresh = self.advanced(code, &sums, &half);
            }
            // x + dt·(f + g·N + (g(x') − g)·N²/2) with x' = x + dt·(f + g): Brian 2's form, with g times dt^(-1/2) as a draw has it here.
            Method::Milstein => {
                let parted = self.parted();
                let number = |code: &mut Lowering<'_>, term: &Option<(Term, Term)>| {
                    term.as_ref().map(|(noise, draw)| (code.term(noise), code.term(draw)))
                };
                let first: Vec<(Ref, Option<(Ref, Ref)>)> =
                    parted.iter().map(|(drift, noise)| (code.term(drift), number(code, noise))).collect();
                let together = first
                    .iter()
                    .map(|(drift, noise)| noise.map_or(*drift, |(noise, _)| code.binary(BinaryOp::Add, *drift, noise)));
                let together: Vec<Ref> = together.collect();
                code.values = self.moved(code, &old, &together, &dt);
                let supported: Vec<Option<Ref>> =
                    parted.iter().map(|(_, noise)| noise.as_ref().map(|(noise, _)| code.term(noise))).collect();
                code.values.clone_from(&old);
                let half = code.op(Op::number(0.5));
                let slopes = first.iter().zip(supported).map(|((drift, noise), supported)| {
                    let (Some((noise, draw)), Some(supported)) = (noise, supported) else { return *drift };
                    let change = code.binary(BinaryOp::Subtract, supported, *noise);
                    let change = code.binary(BinaryOp::Multiply, change, half);
                    let change = code.binary(BinaryOp::Multiply, change, *draw);
                    let noise = code.binary(BinaryOp::Add, *noise, change);
                    let noise = code.binary(BinaryOp::Multiply, noise, *draw);
                    code.binary(BinaryOp::Add, *drift, noise)
                });
                let slopes: Vec<Ref> = slopes.collect();
                fresh = self.advanced(code, &slopes, &dt);
            }
            Method::Rk2 => {
                let first = self.slopes(code, 0.0);
                code.values = self.moved(code, &old, &first, &half);
                let second = self.slopes(code, 0.5);
                code.values.clone_from(&old);
                fresh = self.advanced(code, &second, &dt);
            }
            Method::Rk4 => {
                let mut stages = vec![self.slopes(code, 0.0)];
                for (length, ahead) in [(&half, 0.5), (&half, 0.5), (&dt, 1.0)] {
                    let last = stages[stages.len() - 1].clone();
                    code.values.clone_from(&old);
                    code.values = self.moved(code, &old, &last, length);
                    stages.push(self.slopes(code, ahead));
                }
                code.values.clone_from(&old);
                let two = code.op(Op::number(2.0));
                let sixth = code.op(Op::number(1.0 / 6.0));
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
                fresh = self.advanced(code, &mean, &dt);
            }
        }
        for (variable, _) in self.rates {
            if let Some(array) = self.array(*variable, code.storage) {
                fresh[array] = code.op(Op::Flush(fresh[array]));
            }
        }
        code.values = fresh;
    }

    /// The right-hand sides at the current values, `ahead` steps into the step.
    fn slopes(&self, code: &mut Lowering<'_>, ahead: f64) -> Vec<Ref> {
        code.ahead = ahead;
        let slopes = self.rates.iter().map(|(_, rate)| code.term(rate)).collect();
        code.ahead = 0.0;
        slopes
    }

    /// The current values at the end of the step, moved along `slopes` for `length` ms.
    fn advanced(&self, code: &mut Lowering<'_>, slopes: &[Ref], length: &Term) -> Vec<Ref> {
        let mut values = code.values.clone();
        let length = code.term(length);
        for ((variable, _), slope) in self.rates.iter().zip(slopes) {
            let Some(array) = self.array(*variable, code.storage) else { continue };
            let change = code.binary(BinaryOp::Multiply, *slope, length);
            let words = code.plus(array, change);
            let held = self.variables[*variable].unless_refractory;
            let words = if held { code.words_unless_refractory(array, words) } else { words };
            code.put(&mut values, array, words);
        }
        values
    }

    /// `from` moved along `slopes` for `length` ms, on the way there.
    fn moved(&self, code: &mut Lowering<'_>, from: &[Ref], slopes: &[Ref], length: &Term) -> Vec<Ref> {
        let mut values = from.to_vec();
        let length = code.term(length);
        for ((variable, _), slope) in self.rates.iter().zip(slopes) {
            let Some(array) = self.array(*variable, code.storage) else { continue };
            let change = code.binary(BinaryOp::Multiply, *slope, length);
            let value = code.binary(BinaryOp::Add, from[array], change);
            values[array] = match code.is_refractory() {
                Some(condition) if self.variables[*variable].unless_refractory => {
                    code.op(Op::Select { condition, yes: from[array], no: value })
                }
                _ => value,
            };
        }
        values
    }
}

/// x → x exp(a dt) + b dt exprel(a dt) for dx/dt = a x + b, with the coefficients hoisted where they do not change with time.
fn exponential(code: &mut Lowering<'_>, (variable, array): (usize, usize), rate: &Term, dt: &Term) -> SplitValue {
    let x = term::symbol(Symbol::Variable(variable));
    let still = SplitValue { high: code.values[array], low: None };
    let Some((a, b)) = term::linear_with_held_parts(rate, variable) else { return still };
    let a_dt = term::product_of_finite(&a, dt);
    let reach = term::multiply(dt, &term::call(Function::Exprel, a_dt.clone()));
    if code.has_two(array) {
        let length = if term::is_zero(&a) { dt.clone() } else { reach };
        let change = code.term(&Arc::new(Node::Binary(BinaryOp::Multiply, length, rate.clone())));
        return code.plus(array, change);
    }
    let value = if term::is_zero(&a) {
        term::add(&x, &term::product_of_finite(&b, dt))
    } else if code.storage.extent(&a) <= Dependency::Fixed {
        let decay = term::call(Function::Exp, a_dt);
        term::add(&term::multiply(&decay, &x), &term::product_of_finite(&reach, &b))
    } else {
        // exprel of a small argument keeps all its digits where exp(a dt) − 1 would lose them.
        let slope: Term = Arc::new(Node::Binary(BinaryOp::Multiply, reach, rate.clone()));
        term::add(&x, &slope)
    };
    SplitValue { high: code.term(&value), low: None }
}

/// The value that an event-driven variable, dx/dt = a x + b with constant a and b, has after `elapsed` ms.
pub(crate) fn after(variable: usize, rate: &Term, elapsed: &Term) -> Option<Term> {
    let x = term::symbol(Symbol::Variable(variable));
    let (a, b) = term::linear(rate, variable)?;
    let exponent = term::product_of_finite(&a, elapsed);
    if term::is_zero(&b) {
        return Some(term::multiply(&x, &term::call(Function::Exp, exponent)));
    }
    Some(term::add(&x, &change_after(variable, rate, elapsed)?))
}

/// By how much it has changed then.
pub(crate) fn change_after(variable: usize, rate: &Term, elapsed: &Term) -> Option<Term> {
    let (a, _) = term::linear(rate, variable)?;
    let reach = term::multiply(elapsed, &term::call(Function::Exprel, term::product_of_finite(&a, elapsed)));
    Some(term::product_of_finite(&reach, rate))
}
