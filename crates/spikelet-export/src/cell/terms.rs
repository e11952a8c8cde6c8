//! The terms of a population as numbers of each neuron.

use spikelet::Plan;
use spikelet::lang::NeuronModel;
use spikelet::lang::syntax::BinaryOp;
use spikelet::lang::term::{self, Node, Symbol, Term};

use super::Course;

/// Differences that are rounding.
const TOLERANCE: f64 = 1e-9;
/// Potentials below the threshold at which a term is compared with a line, in mV.
const AFFINE: [f64; 6] = [5.0, 15.0, 30.0, 45.0, 60.0, 75.0];
/// The distance between potentials at which an exponential is measured, in mV.
const STEP: f64 = 1.0;

/// The terms of a population.
pub(super) struct Terms<'a> {
    plan: &'a Plan,
    population: usize,
    /// The model, with values that are held over a step, and do not change, in the place of their names.
    pub(super) model: NeuronModel,
    pub(super) size: usize,
    pub(super) dt: f64,
}

/// Leak, drive, and amplitude and width of an exponential of the potential.
pub(super) type Rise = (Vec<f64>, Vec<f64>, Option<[Vec<f64>; 2]>);

impl<'a> Terms<'a> {
    pub(super) fn new(plan: &'a Plan, population: usize) -> Terms<'a> {
        let size = plan.populations[population].size as usize;
        let mut terms = Terms { plan, population, model: plan.model(population).clone(), size, dt: plan.dt_ms };
        let held = std::mem::take(&mut terms.model.held);
        let (fixed, changing) = held.into_iter().partition(|(_, value)| terms.constants(value).is_some());
        terms.model.held = changing;
        terms.insert(&fixed);
        terms
    }

    fn insert(&mut self, held: &[(usize, Term)]) {
        let put = |symbol: Symbol| {
            let found = held.iter().find(|(variable, _)| symbol == Symbol::Variable(*variable));
            found.map_or_else(|| term::symbol(symbol), |(_, value)| value.clone())
        };
        let model = &mut self.model;
        for (_, value) in model.equations.iter_mut().chain(&mut model.reset) {
            *value = term::substitute(value, &put);
        }
        model.threshold = model.threshold.take().map(|threshold| term::substitute(&threshold, &put));
    }

    /// Rejects what no term is about.
    pub(super) fn check(&self) -> Result<(), String> {
        let model = &self.model;
        let has = [
            ("they have an `update`", !model.update.is_empty()),
            ("they have values that change and are held over a step", !model.held.is_empty()),
            ("they have statements at regular times", !model.regular.is_empty()),
            ("they have events beside the spike", !model.events.is_empty()),
            ("only some of those above threshold fire", model.score.is_some()),
            ("they have noise", !model.noise.is_empty()),
            ("they have timed arrays", !model.tables.is_empty()),
        ];
        has.iter().find(|(_, has)| *has).map_or(Ok(()), |(what, _)| Err((*what).to_owned()))
    }

    pub(super) fn name(&self, variable: usize) -> &str {
        &self.model.variables[variable].name
    }

    /// The values at the start.
    pub(super) fn initial(&self, variable: usize) -> Vec<f64> {
        (0..self.size)
            .map(|neuron| self.plan.exact_term(self.population, &term::symbol(Symbol::Variable(variable)), neuron))
            .collect()
    }

    /// The values of a term of what does not change.
    pub(super) fn numbers(&self, of: &Term, what: &str) -> Result<Vec<f64>, String> {
        self.constants(of).ok_or_else(|| format!("{what} is not constant"))
    }

    fn constants(&self, of: &Term) -> Option<Vec<f64>> {
        let changes = |symbol: Option<Symbol>| match symbol {
            Some(Symbol::Variable(variable)) => self.model.variables[variable].written,
            Some(Symbol::Constant(_) | Symbol::Dt | Symbol::Size | Symbol::Index) => false,
            _ => true,
        };
        if of.any(changes) {
            return None;
        }
        let values: Vec<f64> = (0..self.size).map(|neuron| self.plan.exact_term(self.population, of, neuron)).collect();
        values.iter().all(|value| value.is_finite()).then_some(values)
    }

    /// The variable that the threshold compares, and the value at which it is reached.
    pub(super) fn threshold(&self) -> Result<(usize, Vec<f64>), String> {
        let Some(condition) = &self.model.threshold else { return Err("they do not fire".into()) };
        let (above, below) = match &**condition {
            Node::Binary(BinaryOp::Greater | BinaryOp::GreaterEqual, x, y) => (x, y),
            Node::Binary(BinaryOp::Less | BinaryOp::LessEqual, x, y) => (y, x),
            _ => return Err("the threshold is no comparison".into()),
        };
        let difference = term::subtract(above, below);
        for (variable, _) in &self.model.equations {
            let Some((coefficient, rest)) = term::linear(&difference, *variable).filter(|(of, _)| !term::is_zero(of)) else {
                continue;
            };
            if let (Some(coefficient), Some(rest)) = (self.constants(&coefficient), self.constants(&rest))
                && coefficient.iter().all(|of| *of > 0.0)
            {
                return Ok((*variable, rest.iter().zip(&coefficient).map(|(rest, of)| -rest / of).collect()));
            }
        }
        Err("the threshold does not compare a variable with a constant".into())
    }

    /// A term as slope · v + constant; `None` if it is not of that form below the threshold.
    pub(super) fn affine(&self, of: &Term, v: usize, threshold: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        if let Some((slope, constant)) = term::linear(of, v) {
            return self.constants(&slope).zip(self.constants(&constant));
        }
        // By values: a part may be clipped above the threshold.
        let points: Option<Vec<Vec<f64>>> = AFFINE.iter().map(|below| self.at(of, v, threshold, *below)).collect();
        let points = points?;
        let (mut slopes, mut constants) = (Vec::new(), Vec::new());
        for (neuron, threshold) in threshold.iter().enumerate() {
            let [first, .., last] = AFFINE;
            let slope = (points[0][neuron] - points[AFFINE.len() - 1][neuron]) / (last - first);
            let constant = points[0][neuron] - slope * (threshold - first);
            for (below, values) in AFFINE.iter().zip(&points) {
                let difference = values[neuron] - (slope * (threshold - below) + constant);
                if difference.abs() > TOLERANCE * (values[neuron].abs() + constant.abs()) {
                    return None;
                }
            }
            slopes.push(slope);
            constants.push(constant);
        }
        Some((slopes, constants))
    }

    /// A term as leak · v + drive + A exp(v/D), by its values below the threshold: at those where it is, for it may be limited above.
    pub(super) fn exponential(&self, of: &Term, v: usize, threshold: &[f64]) -> Option<Rise> {
        (0..20).find_map(|window| self.rise(of, v, threshold, 5.0 * STEP * f64::from(window)))
    }

    fn rise(&self, of: &Term, v: usize, threshold: &[f64], below: f64) -> Option<Rise> {
        let points: Option<Vec<Vec<f64>>> =
            (0..5).rev().map(|at| self.at(of, v, threshold, below + STEP * f64::from(at + 1))).collect();
        let points = points?;
        let mut all = [(); 4].map(|()| Vec::with_capacity(self.size));
        for (neuron, threshold) in threshold.iter().enumerate() {
            let value = |at: usize| points[at][neuron];
            let second = |at: usize| value(at + 2) - 2.0 * value(at + 1) + value(at);
            // Second differences of an exponential grow by the same factor.
            let growth = second(1) / second(0);
            if growth.is_nan() || growth <= 1.0 || (second(2) / second(1) - growth).abs() > 1e-6 * growth {
                return None;
            }
            let (width, first) = (STEP / growth.ln(), threshold - below - 5.0 * STEP);
            let amplitude = second(0) / (growth - 1.0).powi(2);
            let leak = (value(1) - value(0) - amplitude * (growth - 1.0)) / STEP;
            let drive = value(0) - amplitude - leak * first;
            // At v = 0.
            let amplitude = amplitude * (-first / width).exp();
            all.iter_mut().zip([leak, drive, amplitude, width]).for_each(|(all, value)| all.push(value));
        }
        let [leak, drive, amplitude, width] = all;
        Some((leak, drive, Some([amplitude, width])))
    }

    /// The values of a term at a potential below the threshold.
    fn at(&self, of: &Term, v: usize, threshold: &[f64], below: f64) -> Option<Vec<f64>> {
        let value = |neuron: usize| {
            let potential = threshold[neuron] - below;
            let put = |symbol| if symbol == Symbol::Variable(v) { term::number(potential) } else { term::symbol(symbol) };
            self.plan.exact_term(self.population, &term::substitute(of, &put), neuron)
        };
        let changes = |symbol: Option<Symbol>| match symbol {
            Some(Symbol::Variable(variable)) => variable != v && self.model.variables[variable].written,
            Some(Symbol::Constant(_) | Symbol::Dt) => false,
            _ => true,
        };
        if of.any(changes) {
            return None;
        }
        let values: Vec<f64> = (0..self.size).map(value).collect();
        values.iter().all(|value| value.is_finite()).then_some(values)
    }

    /// What a statement adds to its variable.
    pub(super) fn added(&self, value: &Term, variable: usize) -> Option<Vec<f64>> {
        let (coefficient, added) = term::linear(value, variable)?;
        let coefficient = self.constants(&coefficient)?;
        coefficient.iter().all(|of| *of == 1.0).then(|| self.constants(&added)).flatten()
    }

    /// How a variable decays: the variable to which spikes add, the time constant, and what an addition of 1 is at the peak.
    pub(super) fn course(&self, variable: usize) -> Result<(Course, usize, Vec<f64>, Vec<f64>), String> {
        let no = || format!("`{}` does not decay exponentially, nor as an alpha function", self.name(variable));
        let decay = |of: usize| {
            let (_, rate) = self.model.equations.iter().find(|(known, _)| *known == of)?;
            let (coefficient, rest) = term::linear(rate, of)?;
            let coefficient = self.constants(&coefficient)?;
            coefficient.iter().all(|of| *of < 0.0).then(|| (coefficient.iter().map(|of| -1.0 / of).collect::<Vec<f64>>(), rest))
        };
        let (tau, rest) = decay(variable).ok_or_else(no)?;
        let is_zero = |rest: &Term| self.constants(rest).is_some_and(|values| values.iter().all(|value| *value == 0.0));
        if is_zero(&rest) {
            return Ok((Course::Exponential, variable, tau, vec![1.0; self.size]));
        }
        for (other, _) in self.model.equations.iter().filter(|(other, _)| *other != variable && rest.mentions(*other)) {
            let Some((coefficient, without)) = term::linear(&rest, *other) else { continue };
            let (Some(coefficient), Some((other_tau, other_rest))) = (self.constants(&coefficient), decay(*other)) else {
                continue;
            };
            if is_zero(&without) && is_zero(&other_rest) && other_tau == tau {
                // x exp(−t/τ) drives c t exp(−t/τ), whose peak c τ/e is at τ.
                let peak = coefficient.iter().zip(&tau).map(|(of, tau)| of * tau / std::f64::consts::E).collect();
                return Ok((Course::Alpha, *other, tau, peak));
            }
        }
        Err(no())
    }

    /// The coefficient and the rest of the rate of a variable that is linear in itself.
    pub(super) fn relaxation(&self, variable: usize) -> Option<(Vec<f64>, Term)> {
        let (_, rate) = self.model.equations.iter().find(|(known, _)| *known == variable)?;
        let (coefficient, rest) = term::linear(rate, variable)?;
        Some((self.constants(&coefficient)?, rest))
    }
}
