//! Cells by what their differential equations are: linear, with coefficients that do not change.

use std::collections::HashMap;

use spikelet_lang::NeuronModel;
use spikelet_lang::model::Refractory;
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{self, Node, Term};
use spikelet_network::{Error, Population};

use super::cell::{Cell, CellKind};
use super::given::Given;
use super::recognised::{Recognised, lacking, not_such};
use super::tensor::Tensor;

/// The cells of a population with differential equations. An event that adds w to the current (without one, to the potential) is an input of w
/// in a step of forward Euler: `w_in` is `tau_syn/dt`, `r` of `LIF` is `tau/dt`, as snnTorch writes them.
///
/// # Errors
/// NIR has no such cells.
pub(super) fn recognise(population: &Population, model: NeuronModel, dt_ms: f64, path: &str) -> Result<Recognised, Error> {
    let given = Given::of_population(population, dt_ms, path);
    let reader = Reader { population, model: &model, given, path };
    reader.check()?;
    let [v, i] = reader.variables()?;
    let v = v.ok_or_else(|| reader.refused("has no differential equation"))?;
    let potential = reader.rate(v, i)?;
    let tau = reader.tau(&potential, v)?;
    let firing = reader.firing(v)?;
    let mut values: HashMap<&str, Vec<f64>> = HashMap::new();
    let seconds = |ms: &[f64]| ms.iter().map(|ms| ms / 1000.0).collect::<Vec<_>>();
    let per_step = |ms: &[f64]| ms.iter().map(|ms| ms / dt_ms).collect::<Vec<_>>();
    // What drives a variable without events, as the input of a step.
    let constant = |rate: &Rate| zip(&rate.drive, &rate.divisor, |drive, divisor| drive / divisor * dt_ms);
    let mut bias = None;
    let kind = match (i, &tau) {
        (Some(i), Some(tau)) => {
            let current = reader.rate(i, None)?;
            let tau_syn = reader.tau(&current, i)?.ok_or_else(|| reader.undecayed(i))?;
            bias = Some(constant(&current));
            values.extend([("tau_mem", seconds(tau)), ("tau_syn", seconds(&tau_syn)), ("w_in", per_step(&tau_syn))]);
            values.insert("r", zip(&potential.gain, &potential.leak, |gain, leak| gain / -leak));
            if firing.is_some() { CellKind::CubaLif } else { CellKind::CubaLi }
        }
        (None, Some(tau)) => {
            values.extend([("tau", seconds(tau)), ("r", per_step(tau))]);
            if firing.is_some() { CellKind::Lif } else { CellKind::Li }
        }
        (Some(_), None) => return Err(reader.undecayed(v)),
        (None, None) => {
            bias = Some(constant(&potential));
            values.insert("r", vec![1.0; population.size as usize]);
            if firing.is_some() { CellKind::If } else { CellKind::I }
        }
    };
    if tau.is_some() {
        values.insert("v_leak", zip(&potential.drive, &potential.leak, |drive, leak| drive / -leak));
    }
    let subtracts = firing.as_ref().is_some_and(|firing| firing.subtracts);
    if let Some(firing) = firing {
        values.extend([("v_threshold", firing.threshold), ("v_reset", firing.reset)]);
    }
    let size = population.size as usize;
    let each = kind.table().iter().map(|of| Tensor::new([size], values.remove(of.name).unwrap_or_default()));
    let cell = Cell { kind, values: each.collect() };
    if let Some(value) = cell.values.iter().flat_map(|of| &of.values).chain(bias.iter().flatten()).find(|of| !of.is_finite()) {
        return Err(reader.refused(&format!("has a coefficient of {value}")));
    }
    let bias = bias.filter(|bias| bias.iter().any(|bias| *bias != 0.0));
    let has_bias = bias.is_some();
    Ok(Recognised {
        cell: Some(cell),
        bias,
        port: model.variables[i.unwrap_or(v)].name.clone(),
        factor: vec![1.0; size],
        is_for_dt: tau.is_some() || has_bias,
        subtracts,
        model,
    })
}

/// The rate of a variable for each neuron, (leak x + gain y + drive)/divisor, in inner units per ms.
struct Rate {
    leak: Vec<f64>,
    gain: Vec<f64>,
    drive: Vec<f64>,
    divisor: Vec<f64>,
}

/// Threshold and reset of each neuron.
struct Firing {
    threshold: Vec<f64>,
    reset: Vec<f64>,
    subtracts: bool,
}

struct Reader<'a> {
    population: &'a Population,
    model: &'a NeuronModel,
    given: Given<'a>,
    path: &'a str,
}

impl Reader<'_> {
    fn refused(&self, found: &str) -> Error {
        not_such(self.path, format!("the population `{}`, which {found}", self.population.name), "NIR lacks such cells")
    }

    fn undecayed(&self, variable: usize) -> Error {
        self.refused(&format!("has a variable `{}` that does not decay", self.name(variable)))
    }

    fn name(&self, variable: usize) -> &str {
        &self.model.variables[variable].name
    }

    /// The line of a differential equation.
    fn line(&self, variable: usize) -> String {
        let start = format!("d{}/dt", self.name(variable));
        let mut lines = self.population.equations.iter().flat_map(|text| text.lines());
        let found = lines.find(|line| line.trim_start().starts_with(&start)).unwrap_or(&start);
        found.split('#').next().unwrap_or_default().trim().to_owned()
    }

    /// Rejects what is beside equations, threshold and reset.
    fn check(&self) -> Result<(), Error> {
        let model = self.model;
        if !model.noise.is_empty() || !model.inputs.is_empty() || model.terms().any(|term| term.any(|symbol| symbol.is_none())) {
            return Err(self.refused("has noise"));
        }
        if !model.update.is_empty() {
            return Err(self.refused("has statements of an `update` that is not that of an import"));
        }
        if !model.held.is_empty() || !self.population.linked.is_empty() {
            return Err(self.refused("has values that are held over a step, or linked ones"));
        }
        match &model.refractory {
            None => Ok(()),
            Some(Refractory::Time(time)) if self.each(time, "a refractory time")?.iter().all(|time| *time <= 0.0) => Ok(()),
            Some(_) => Err(lacking(self.path, self.population, "refractory times")),
        }
    }

    /// The potential, and the synaptic current if there is one.
    fn variables(&self) -> Result<[Option<usize>; 2], Error> {
        match self.model.equations.as_slice() {
            // What the reset assigns is integrated by events alone.
            [] => Ok([self.model.reset.first().map(|(variable, _)| *variable), None]),
            [(v, _)] => Ok([Some(*v), None]),
            [(one, of_one), (other, of_other)] => match (of_one.mentions(*other), of_other.mentions(*one)) {
                (true, false) => Ok([Some(*one), Some(*other)]),
                (false, true) => Ok([Some(*other), Some(*one)]),
                (true, true) => {
                    let [one, other] = [one, other].map(|of| self.name(*of));
                    Err(self.refused(&format!("has variables `{one}` and `{other}` that depend on each other")))
                }
                (false, false) => {
                    let [one, other] = [one, other].map(|of| self.name(*of));
                    Err(self.refused(&format!("has variables `{one}` and `{other}`, neither of which drives the other")))
                }
            },
            more => Err(self.refused(&format!("has {} differential equations", more.len()))),
        }
    }

    /// The rate of a variable, which may depend on a second one.
    fn rate(&self, variable: usize, other: Option<usize>) -> Result<Rate, Error> {
        let nothing = term::number(0.0);
        let rate = self.model.equations.iter().find(|(of, _)| *of == variable).map_or(&nothing, |(_, rate)| rate);
        let linear = |term: &Term, of: usize| {
            let found = || format!("has `{}`, which is not linear in `{}`", self.line(variable), self.name(of));
            term::linear(term, of).ok_or_else(|| self.refused(&found()))
        };
        let (numerator, divisor) = quotient(rate);
        let (leak, rest) = linear(&numerator, variable)?;
        let (gain, drive) = other.map_or(Ok((nothing.clone(), rest.clone())), |other| linear(&rest, other))?;
        let each = |term: &Term| self.each(term, &format!("`{}`", self.line(variable)));
        Ok(Rate { leak: each(&leak)?, gain: each(&gain)?, drive: each(&drive)?, divisor: each(&divisor)? })
    }

    /// The time constants in ms; `None` for variables without a leak.
    fn tau(&self, rate: &Rate, variable: usize) -> Result<Option<Vec<f64>>, Error> {
        if rate.leak.iter().all(|leak| *leak == 0.0) {
            return Ok(None);
        }
        let tau = zip(&rate.divisor, &rate.leak, |divisor, leak| divisor / -leak);
        let decays = tau.iter().all(|tau| *tau > 0.0 && tau.is_finite());
        if decays { Ok(Some(tau)) } else { Err(self.undecayed(variable)) }
    }

    /// The values of a term of `place`.
    fn each(&self, term: &Term, place: &str) -> Result<Vec<f64>, Error> {
        let values = self.given.each(term, &self.model.variables, &self.model.constants)?;
        values.ok_or_else(|| self.refused(&format!("has {place}, whose coefficients change in the course of a run")))
    }

    /// Threshold and reset of the potential.
    fn firing(&self, v: usize) -> Result<Option<Firing>, Error> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default().trim().to_owned();
        let (threshold, reset) = (text(&self.population.threshold), text(&self.population.reset));
        let name = self.name(v);
        let no_threshold = || self.refused(&format!("has the threshold `{threshold}`, not one such as `{name} > 1`"));
        let no_reset = || {
            let found = format!("has the reset `{reset}`, not one such as `{name} = 0`, or `{name} -= 1` with the threshold");
            self.refused(&found)
        };
        let above = match self.model.threshold.as_deref() {
            None => return Ok(None),
            Some(Node::Binary(BinaryOp::Greater, left, right)) => term::subtract(left, right),
            Some(Node::Binary(BinaryOp::Less, left, right)) => term::subtract(right, left),
            Some(_) => return Err(no_threshold()),
        };
        let (slope, rest) = term::linear(&above, v).ok_or_else(no_threshold)?;
        let place = format!("the threshold `{threshold}`");
        let (slope, rest) = (self.each(&slope, &place)?, self.each(&rest, &place)?);
        if slope.iter().any(|slope| *slope <= 0.0) {
            return Err(no_threshold());
        }
        let threshold = zip(&rest, &slope, |rest, slope| -rest / slope);
        let [(target, value)] = self.model.reset.as_slice() else { return Err(no_reset()) };
        let (kept, rest) = term::linear(value, v).filter(|_| *target == v).ok_or_else(no_reset)?;
        let place = format!("the reset `{reset}`");
        let (kept, reset) = (self.each(&kept, &place)?, self.each(&rest, &place)?);
        if kept.iter().all(|kept| *kept == 0.0) {
            return Ok(Some(Firing { threshold, reset, subtracts: false }));
        }
        let is_threshold = reset.iter().zip(&threshold).all(|(reset, threshold)| -reset == *threshold);
        if !is_threshold || kept.iter().any(|kept| *kept != 1.0) {
            return Err(no_reset());
        }
        let reset = vec![0.0; threshold.len()];
        Ok(Some(Firing { threshold, reset, subtracts: true }))
    }
}

/// The term as a quotient: what divides all of it is not divided by, so that time constants stay as they are written, to the bit.
fn quotient(rate: &Term) -> (Term, Term) {
    match &**rate {
        Node::Binary(BinaryOp::Divide, numerator, divisor) => (numerator.clone(), divisor.clone()),
        Node::Negate(negated) => {
            let (numerator, divisor) = quotient(negated);
            (term::negate(&numerator), divisor)
        }
        _ => (rate.clone(), term::number(1.0)),
    }
}

fn zip(left: &[f64], right: &[f64], of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    left.iter().zip(right).map(|(left, right)| of(*left, *right)).collect()
}
