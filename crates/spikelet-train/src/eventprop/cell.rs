//! Which cells EventProp is defined for, recognised by their equations.

use spikelet_lang::model::Refractory;
use spikelet_lang::syntax::BinaryOp;
use spikelet_lang::term::{self, Node, Symbol, Term};
use spikelet_network::Error;
use spikelet_plan::Plan;

/// How much the two time constants of a cell differ at least, as a part of the membrane's: between equal ones the closed forms cancel.
const MIN_DIFFERENCE: f64 = 0.01;

/// The numbers of a leaky integrator with an exponential current, dv/dt = (rest − v)/τm + g I, dI/dt = −I/τs, in inner units.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cell {
    /// τm and τs in ms.
    pub(super) taus: [f64; 2],
    /// The resting potential.
    pub(super) rest: f64,
    /// What a unit of I adds to the potential that the cell approaches: g τm.
    pub(super) gain: f64,
    /// Index of the program's variable v, and of I.
    pub(super) arrays: [usize; 2],
    /// What makes it fire; `None` for a leaky integrator without threshold.
    pub(super) firing: Option<Firing>,
    /// Initial potential above rest, and current times gain, of each neuron.
    pub(super) initial: Vec<[f64; 2]>,
}

/// Threshold and reset.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Firing {
    /// The potential at which it fires.
    pub(super) threshold: f64,
    /// The potential after a spike. Since a spike begins exactly at the threshold, a reset by subtraction has one too.
    pub(super) reset: f64,
    /// Refractory time in ms.
    pub(super) refractory: f64,
}

/// Reads the cell of a population.
///
/// # Errors
/// It is of another kind.
pub(super) fn recognise(plan: &Plan, population: usize) -> Result<Cell, Error> {
    let reader = Reader { plan, population };
    let model = plan.model(population);
    if !model.noise.is_empty() || !model.inputs.is_empty() || model.terms().any(|term| term.any(|symbol| symbol.is_none())) {
        return reader.refuse("has noise");
    }
    if !model.update.is_empty() || !model.held.is_empty() || model.score.is_some() {
        return reader.refuse("has statements of an update, or values that are held over a step");
    }
    if !model.regular.is_empty() {
        return reader.refuse_with("has statements that run at regular times", "remove `run_regularly`, or train with `bptt`");
    }
    let [(one, of_one), (other, of_other)] = model.equations.as_slice() else {
        return reader.refuse(&format!("has {} differential equations", model.equations.len()));
    };
    let ((v, of_v), (i, of_i)) =
        if of_one.mentions(*other) { ((*one, of_one), (*other, of_other)) } else { ((*other, of_other), (*one, of_one)) };
    let name = |variable: usize| model.variables[variable].name.as_str();
    if of_i.mentions(v) {
        return reader.refuse(&format!("has a current `{}` that depends on the potential `{}`", name(i), name(v)));
    }
    let linear = |term: &Term, variable: usize| {
        let found = format!("has an equation that is not linear in `{}`", name(variable));
        term::linear(term, variable).ok_or_else(|| reader.refused(&found))
    };
    let (leak, rest) = linear(of_v, v)?;
    let (gain, drive) = linear(&rest, i)?;
    let (decay, constant) = linear(of_i, i)?;
    let [leak, gain, drive, decay, constant] =
        [reader.number(&leak)?, reader.number(&gain)?, reader.number(&drive)?, reader.number(&decay)?, reader.number(&constant)?];
    if leak >= 0.0 || decay >= 0.0 {
        return reader.refuse("has a variable that does not decay");
    }
    if gain == 0.0 || constant != 0.0 {
        return reader.refuse(&format!("has a potential without a current, or a current `{}` that does not decay to 0", name(i)));
    }
    let taus = [-1.0 / leak, -1.0 / decay];
    if (taus[0] - taus[1]).abs() < MIN_DIFFERENCE * taus[0] {
        let found = format!("has time constants of {} ms and {} ms, which differ by less than 1 %", taus[0], taus[1]);
        return reader.refuse_with(&found, "change one of them a little");
    }
    let program = &plan.populations[population].program;
    let array = |variable: usize| {
        program.variable(name(variable)).ok_or_else(|| reader.refused(&format!("does not keep `{}`", name(variable))))
    };
    let mut cell = Cell {
        taus,
        rest: -drive / leak,
        gain: -gain / leak,
        arrays: [array(v)?, array(i)?],
        firing: reader.firing(v)?,
        initial: Vec::new(),
    };
    if let Some(port) = program.ports.iter().find(|port| **port != cell.arrays[1]) {
        return reader.refuse(&format!("has input to `{}`", program.variables[*port]));
    }
    for neuron in 0..plan.populations[population].size as usize {
        let [at_v, at_i] = [v, i].map(|of| plan.exact_term(population, &term::symbol(Symbol::Variable(of)), neuron));
        cell.initial.push([at_v - cell.rest, at_i * cell.gain]);
    }
    if let Some(firing) = cell.firing
        && let Some(neuron) = cell.initial.iter().position(|[u, _]| *u + cell.rest >= firing.threshold)
    {
        return reader.refuse_with(&format!("begins above threshold (neuron {neuron})"), "lower the initial value");
    }
    Ok(cell)
}

struct Reader<'a> {
    plan: &'a Plan,
    population: usize,
}

impl Reader<'_> {
    fn refused_with(&self, found: &str, way_out: &str) -> Error {
        let expected = "EventProp is defined for leaky integrators with one exponential current, `dv/dt = (El - v + R*I)/tau` and \
                        `dI/dt = -I/tau_s`, with a threshold `v > Vt` and a reset `v = Vr` or `v -= c`, or without both";
        let name = &self.plan.populations[self.population].name;
        Error::invalid(format!("populations[{}]", self.population), format!("`{name}` {found}"), expected, way_out)
    }

    fn refused(&self, found: &str) -> Error {
        self.refused_with(found, "change the cell, or write \"method\": \"bptt\"")
    }

    fn refuse<T>(&self, found: &str) -> Result<T, Error> {
        Err(self.refused(found))
    }

    fn refuse_with<T>(&self, found: &str, way_out: &str) -> Result<T, Error> {
        Err(self.refused_with(found, way_out))
    }

    /// The value of a term that is the same for all neurons and at all times.
    fn number(&self, term: &Term) -> Result<f64, Error> {
        let model = self.plan.model(self.population);
        let moves = term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => model.variables[variable].written,
            Some(Symbol::Time | Symbol::SinceSpike) | None => true,
            Some(_) => false,
        });
        let mut looks_up = false;
        term.walk(&mut |node| looks_up |= matches!(node, Node::Lookup(..)));
        if moves || looks_up {
            return self.refuse("has coefficients that are not constant");
        }
        let value = |neuron: usize| self.plan.exact_term(self.population, term, neuron);
        let first = value(0);
        let size = self.plan.populations[self.population].size as usize;
        if (1..size).any(|neuron| value(neuron).to_bits() != first.to_bits()) {
            return self.refuse_with("has parameters that differ between its neurons", "divide it into populations");
        }
        if first.is_finite() { Ok(first) } else { self.refuse(&format!("has a coefficient of {first}")) }
    }

    /// Threshold, reset and refractory time.
    fn firing(&self, v: usize) -> Result<Option<Firing>, Error> {
        let model = self.plan.model(self.population);
        let is_v = |term: &Term| **term == Node::Symbol(Symbol::Variable(v));
        let threshold = match model.threshold.as_deref() {
            None => return Ok(None),
            Some(Node::Binary(BinaryOp::Greater, left, right)) if is_v(left) => self.number(right)?,
            Some(Node::Binary(BinaryOp::Less, left, right)) if is_v(right) => self.number(left)?,
            Some(_) => return self.refuse("has another threshold"),
        };
        let [(reset, value)] = model.reset.as_slice() else { return self.refuse("has another reset") };
        let Some((kept, rest)) = term::linear(value, v).filter(|_| *reset == v) else {
            return self.refuse("has another reset");
        };
        let (kept, rest) = (self.number(&kept)?, self.number(&rest)?);
        let reset = if kept == 0.0 {
            rest
        } else if kept == 1.0 {
            threshold + rest
        } else {
            return self.refuse("has another reset");
        };
        if reset >= threshold {
            return self.refuse_with("has a reset that is not below its threshold", "lower the potential after a spike");
        }
        let refractory = match &model.refractory {
            None => 0.0,
            Some(Refractory::Time(time)) => self.number(time)?,
            Some(Refractory::Condition(_)) => return self.refuse("is refractory on a condition"),
        };
        let is_held = |variable: usize| model.variables[variable].unless_refractory;
        if refractory > 0.0 && (!is_held(v) || model.equations.iter().any(|(of, _)| *of != v && is_held(*of))) {
            let way_out = "write `(unless refractory)` after the equation of the potential, and only there";
            return self.refuse_with("has a potential that moves while it is refractory, or a current that does not", way_out);
        }
        Ok(Some(Firing { threshold, reset, refractory: refractory.max(0.0) }))
    }
}
