//! The deterministic dynamics of one neuron, evaluated in f64 from the terms of its model.

use std::collections::HashSet;

use spikelet_lang::host::{self, Leaf};
use spikelet_lang::model::Role;
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{self, Node, Random, Symbol, Term};
use spikelet_lang::{Dimension, NeuronModel};
use spikelet_network::Error;

use crate::Plan;

/// Steps since a spike that was long ago.
const LONG_AGO: f64 = 16_777_216.0;
/// Step for the limit dt → 0 of an update, in ms: small compared with time constants, and large compared with rounding errors.
const SMALL_DT: f64 = 0.02;

/// How the state changes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Evolution {
    /// Differential equations.
    Equations,
    /// Statements that are a step of such equations: for dt = 0 they change nothing.
    Discretised,
    /// Statements without this limit.
    Map,
}

/// A variable that changes during a run.
struct Moving {
    /// Its index in the model.
    variable: usize,
    /// Its differential equation; `None` if an update or only synapses change it.
    rate: Option<Term>,
}

/// A neuron without its synapses, noise and refractory time.
///
/// The *values* that its functions take are one for each variable of the model. Its moving variables have numbers of their own, from 0.
pub(super) struct Dynamics {
    model: NeuronModel,
    has_noise: bool,
    follows_time: bool,
    constants: Vec<f64>,
    start: Vec<f64>,
    tables: Vec<f64>,
    first_entries: Vec<usize>,
    neuron: f64,
    size: f64,
    dt: f64,
    time: f64,
    moving: Vec<Moving>,
    evolution: Evolution,
}

impl Dynamics {
    pub(super) fn new(plan: &Plan, population: usize, neuron: u32, time: f64) -> Result<Dynamics, Error> {
        let (model, of) = (plan.model(population), &plan.populations[population]);
        if neuron >= of.size {
            let expected = format!("{} has {} neurons, counted from 0", of.name, of.size);
            return Err(Error::invalid("neuron", neuron, expected, "use one of these"));
        }
        if !time.is_finite() {
            return Err(Error::invalid("time", time, "a finite number of milliseconds is expected", "use 0, for example"));
        }
        let equation = |(variable, rate): &(usize, Term)| Moving { variable: *variable, rate: Some(rate.clone()) };
        let mut moving: Vec<Moving> = model.equations.iter().map(equation).collect();
        let ports = of.program.ports.iter().filter_map(|array| model.variable(&of.program.variables[*array]));
        for variable in model.update.iter().map(|(variable, _)| *variable).chain(ports) {
            let is_state = model.variables[variable].role == Role::Declared && !model.variables[variable].boolean;
            if is_state && moving.iter().all(|known| known.variable != variable) {
                moving.push(Moving { variable, rate: None });
            }
        }
        if model.equations.is_empty() && (model.update.is_empty() || moving.is_empty()) {
            let expected = "it has no equations that change a variable";
            return Err(Error::invalid("population", format!("\"{}\"", of.name), expected, "choose another population"));
        }
        let value = |symbol: Symbol| plan.exact_term(population, &term::symbol(symbol), neuron as usize);
        let sizes = model.tables.values().map(|table| table.rows * table.columns);
        let mut dynamics = Dynamics {
            model: model.clone(),
            has_noise: has_noise(model),
            follows_time: follows_time(model),
            constants: (0..model.constants.len()).map(|constant| value(Symbol::Constant(constant))).collect(),
            start: (0..model.variables.len()).map(|variable| value(Symbol::Variable(variable))).collect(),
            tables: plan.exact_population(population).tables,
            first_entries: sizes.scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect(),
            neuron: f64::from(neuron),
            size: f64::from(of.size),
            dt: plan.dt_ms,
            time,
            moving,
            evolution: Evolution::Equations,
        };
        dynamics.insert_numbers();
        if model.equations.is_empty() {
            dynamics.evolution = if dynamics.rests_without_time() { Evolution::Discretised } else { Evolution::Map };
        }
        Ok(dynamics)
    }

    /// Replaces what is the same everywhere by numbers: terms are evaluated thousands of times.
    fn insert_numbers(&mut self) {
        let model = self.model.clone();
        let assigned = [&model.held, &model.update, &model.reset].into_iter().flatten().map(|(variable, _)| *variable);
        let changing: HashSet<usize> = assigned.chain(self.moving.iter().map(|of| of.variable)).collect();
        let start = self.start.clone();
        let fixed = |symbol: Symbol| match symbol {
            Symbol::Variable(variable) if changing.contains(&variable) => term::symbol(symbol),
            Symbol::Dt => term::symbol(symbol),
            other => term::number(self.evaluate(&term::symbol(other), &start, self.dt)),
        };
        let simple = |term: &Term| term::without_zeros(&term::substitute(term, &fixed));
        let all = |list: &[(usize, Term)]| list.iter().map(|(variable, term)| (*variable, simple(term))).collect();
        let model = NeuronModel {
            held: all(&model.held),
            update: all(&model.update),
            reset: all(&model.reset),
            threshold: model.threshold.as_ref().map(simple),
            ..model
        };
        let rates: Vec<Option<Term>> = self.moving.iter().map(|of| of.rate.as_ref().map(simple)).collect();
        self.moving.iter_mut().zip(rates).for_each(|(of, rate)| of.rate = rate);
        self.model = model;
    }

    /// Whether the update mentions dt, and changes nothing if that is 0.
    fn rests_without_time(&self) -> bool {
        let mentions_dt = self.model.update.iter().any(|(_, value)| value.any(|symbol| symbol == Some(Symbol::Dt)));
        let after = self.updated(&self.start, 0.0);
        let rests = |of: &Moving| {
            let (before, after) = (self.start[of.variable], after[of.variable]);
            (after - before).abs() <= 1e-9 * before.abs().max(1.0)
        };
        mentions_dt && self.moving.iter().all(rests)
    }

    /// Number of moving variables.
    pub(super) fn count(&self) -> usize {
        self.moving.len()
    }

    pub(super) fn name(&self, at: usize) -> &str {
        &self.model.variables[self.moving[at].variable].name
    }

    pub(super) fn dimension(&self, at: usize) -> Dimension {
        self.model.variables[self.moving[at].variable].dimension
    }

    pub(super) fn initial(&self, at: usize) -> f64 {
        self.start[self.moving[at].variable]
    }

    /// The initial values.
    pub(super) fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    /// The place of a moving variable in the values.
    pub(super) fn place(&self, at: usize) -> usize {
        self.moving[at].variable
    }

    pub(super) fn is_map(&self) -> bool {
        self.evolution == Evolution::Map
    }

    /// Whether something random was left out.
    pub(super) fn has_noise(&self) -> bool {
        self.has_noise
    }

    /// Whether the result depends on the time.
    pub(super) fn follows_time(&self) -> bool {
        self.follows_time
    }

    /// The moving variable of a name.
    pub(super) fn named(&self, place: &str, name: &str) -> Result<usize, Error> {
        let found = (0..self.count()).find(|at| self.name(*at) == name);
        found.ok_or_else(|| Error::unknown_name(place, "variable", name, (0..self.count()).map(|at| self.name(at))))
    }

    /// The variable that the threshold compares, else the first one.
    pub(super) fn fired(&self) -> usize {
        let start = self.start();
        (0..self.count()).find(|at| self.threshold_along(&start, *at).is_some()).unwrap_or(0)
    }

    /// A variable whose rate depends on another one, which depends on it: of several the last one, which is the slowest in the usual order of
    /// equations. Else any other one.
    pub(super) fn coupled(&self, to: usize) -> Option<usize> {
        let mut others = (0..self.count()).filter(|at| *at != to).rev();
        let is_coupled = |at: &usize| self.depends(*at, to) && self.depends(to, *at);
        others.clone().find(is_coupled).or_else(|| others.next_back())
    }

    /// Whether a rate depends on another variable, at the start or near it.
    fn depends(&self, rate_of: usize, on: usize) -> bool {
        let mut values = self.start();
        let before = self.rate(&mut values, rate_of);
        let place = self.place(on);
        let step = 1e-3 * values[place].abs().max(1.0);
        values[place] += step;
        let after = self.rate(&mut values, rate_of);
        // Above the rounding errors of the limit of an update.
        (after - before).abs() > 1e-9 * after.abs().max(before.abs())
    }

    /// The equation of a variable as coefficient · x + rest, if it is linear in it.
    pub(super) fn relaxation(&self, at: usize) -> Option<(Term, Term)> {
        let Moving { variable, rate } = &self.moving[at];
        term::linear(rate.as_ref()?, *variable).filter(|(coefficient, _)| !term::is_zero(coefficient))
    }

    /// Computes the values that are held over a step from the others.
    pub(super) fn compute_held(&self, values: &mut [f64]) {
        for (variable, term) in &self.model.held {
            values[*variable] = self.evaluate(term, values, self.dt);
        }
    }

    /// The rate of a moving variable, in inner units per ms, or per step of a map.
    pub(super) fn rate(&self, values: &mut [f64], at: usize) -> f64 {
        self.rates(values, [at])[0]
    }

    /// The rates of some moving variables.
    pub(super) fn rates<const N: usize>(&self, values: &mut [f64], of: [usize; N]) -> [f64; N] {
        self.compute_held(values);
        let place = |at: usize| self.moving[at].variable;
        match self.evolution {
            Evolution::Equations => {
                of.map(|at| self.moving[at].rate.as_ref().map_or(0.0, |rate| self.evaluate(rate, values, self.dt)))
            }
            Evolution::Map => {
                let after = self.updated(values, self.dt);
                of.map(|at| after[place(at)] - values[place(at)])
            }
            Evolution::Discretised => {
                // Central differences of fourth order.
                let [near, far] = [SMALL_DT, 2.0 * SMALL_DT].map(|dt| [self.updated(values, dt), self.updated(values, -dt)]);
                of.map(|at| {
                    let [near, far] = [&near, &far].map(|[after, before]| after[place(at)] - before[place(at)]);
                    (8.0 * near - far) / (12.0 * SMALL_DT)
                })
            }
        }
    }

    /// The values one step of the simulation later: by an exponential step along the slope of each rate, which is stable for stiff equations, or
    /// by the update. Good enough to see where a neuron goes.
    pub(super) fn advance(&self, values: &mut Vec<f64>) {
        self.compute_held(values);
        if self.evolution != Evolution::Equations {
            *values = self.updated(values, self.dt);
            return;
        }
        let start = values.clone();
        for (at, Moving { variable, rate }) in self.moving.iter().enumerate() {
            let Some(rate) = rate else { continue };
            let mut beside = start.clone();
            let by = 1e-5 * start[*variable].abs().max(1.0);
            beside[*variable] += by;
            let here = self.evaluate(rate, &start, self.dt);
            let slope = (self.rate(&mut beside, at) - here) / by;
            // Upwards it is limited, because the slope changes.
            let exponent = (slope * self.dt).min(1.0);
            let reach = if exponent.abs() < 1e-6 { 1.0 } else { libm::expm1(exponent) / exponent };
            values[*variable] = start[*variable] + here * self.dt * reach;
        }
    }

    pub(super) fn has_threshold(&self) -> bool {
        self.model.threshold.is_some()
    }

    pub(super) fn has_reset(&self) -> bool {
        self.has_threshold() && !self.model.reset.is_empty()
    }

    /// A number that is above 0 where the threshold is exceeded: the difference of what it compares. NaN without threshold.
    pub(super) fn margin(&self, values: &mut [f64]) -> f64 {
        self.compute_held(values);
        self.model.threshold.as_ref().map_or(f64::NAN, |threshold| self.margin_of(threshold, values))
    }

    fn margin_of(&self, condition: &Term, values: &[f64]) -> f64 {
        let difference = |x: &Term, y: &Term| self.evaluate(x, values, self.dt) - self.evaluate(y, values, self.dt);
        match &**condition {
            Node::Binary(BinaryOp::Greater | BinaryOp::GreaterEqual, x, y) => difference(x, y),
            Node::Binary(BinaryOp::Less | BinaryOp::LessEqual, x, y) => difference(y, x),
            Node::Binary(BinaryOp::And, x, y) => self.margin_of(x, values).min(self.margin_of(y, values)),
            Node::Binary(BinaryOp::Or, x, y) => self.margin_of(x, values).max(self.margin_of(y, values)),
            Node::Not(x) => -self.margin_of(x, values),
            _ => 2.0 * self.evaluate(condition, values, self.dt) - 1.0,
        }
    }

    /// The value of a variable at which the threshold is reached, if that is linear in it.
    pub(super) fn threshold_along(&self, values: &[f64], at: usize) -> Option<f64> {
        let mut values = values.to_vec();
        let place = self.place(at);
        let start = values[place];
        let first = self.margin(&mut values);
        let step = 1e-3 * start.abs().max(1.0);
        values[place] = start + step;
        let found = start - first * step / (self.margin(&mut values) - first);
        values[place] = found;
        (found.is_finite() && self.margin(&mut values).abs() <= 1e-6 * first.abs()).then_some(found)
    }

    /// Applies the reset.
    pub(super) fn reset(&self, values: &mut [f64]) {
        self.compute_held(values);
        for (variable, term) in &self.model.reset {
            values[*variable] = self.evaluate(term, values, self.dt);
        }
    }

    /// The values after the statements of the update.
    fn updated(&self, values: &[f64], dt: f64) -> Vec<f64> {
        let mut values = values.to_vec();
        for (variable, term) in &self.model.update {
            values[*variable] = self.evaluate(term, &values, dt);
        }
        values
    }

    /// The value of a term. Draws have their mean.
    pub(super) fn evaluate(&self, term: &Term, values: &[f64], dt: f64) -> f64 {
        host::evaluate(term, &mut |leaf| match leaf {
            Leaf::Symbol(symbol) => match symbol {
                Symbol::Variable(variable) => values[variable],
                Symbol::Constant(constant) => self.constants[constant],
                Symbol::Dt => dt,
                Symbol::Time => self.time,
                Symbol::SinceSpike => LONG_AGO,
                Symbol::NotRefractory => 1.0,
                Symbol::Size => self.size,
                Symbol::Index => self.neuron,
                Symbol::SinceEvent | Symbol::Read(_) | Symbol::PostIndex => f64::NAN,
            },
            Leaf::Random(Random::Normal, _) => 0.0,
            Leaf::Random(Random::Uniform, _) => 0.5,
            Leaf::Gamma(shape, _) => shape,
            Leaf::Lookup(table, index) => {
                let entry = self.first_entries.get(table).map(|first| first + index as usize);
                entry.and_then(|entry| self.tables.get(entry)).copied().unwrap_or(f64::NAN)
            }
        })
    }
}

fn has_noise(model: &NeuronModel) -> bool {
    let mut driving = [&model.equations, &model.update, &model.held].into_iter().flatten();
    !model.inputs.is_empty() || driving.any(|(_, term)| term.any(|symbol| symbol.is_none()))
}

fn follows_time(model: &NeuronModel) -> bool {
    model.terms().any(|term| term.any(|symbol| symbol == Some(Symbol::Time)))
}
