//! Which integrate-and-fire cell a population is, whatever its names are: found from the terms of its equations, with the values of each neuron.
//!
//! The cell is C v' = gL (EL − v) + gL DT exp((v − VT)/DT) − w + Σ I + Σ g (E − v), tw w' = a (v − EL) − w, with currents I and conductances g that decay
//! exponentially or as an alpha function; names and units are NEST's (nest-simulator.readthedocs.io, 3.10). The exponential and w are optional.

mod adaptive;
mod terms;

use spikelet::lang::model::Refractory;

use crate::Lack;
use crate::built::Built;
use adaptive::Adaptive;
use terms::Terms;

/// The capacity of a cell whose equations have none, in pF: NEST's default.
const CAPACITY: f64 = 250.0;

/// The cells of a population. Values are one for each neuron.
#[derive(Debug)]
pub(crate) struct Cells {
    /// C in pF.
    pub(crate) capacity: Vec<f64>,
    /// C/gL in ms.
    pub(crate) tau: Vec<f64>,
    /// gL in nS.
    pub(crate) leak: Vec<f64>,
    /// EL in mV; constant currents are part of it, unless the adaptation has another one.
    pub(crate) rest: Vec<f64>,
    pub(crate) threshold: Vec<f64>,
    pub(crate) reset: Vec<f64>,
    /// The time after a spike during which the potential is held, in ms.
    pub(crate) refractory: Vec<f64>,
    /// The potential at the start.
    pub(crate) potential: Vec<f64>,
    pub(crate) adaptive: Option<Adaptive>,
    pub(crate) ports: Vec<Port>,
    /// The name of the potential in the equations.
    pub(crate) name: String,
}

/// A variable to which spikes add.
#[derive(Debug)]
pub(crate) struct Port {
    /// Its name.
    pub(crate) variable: String,
    pub(crate) kind: PortKind,
    /// What a spike that adds 1 is in pA, nS or mV: the peak.
    pub(crate) factor: Vec<f64>,
    /// The current or conductance at the start, and, of an alpha function, what drives it: its rate without the decay.
    pub(crate) initial: [Vec<f64>; 2],
}

/// What a port is.
#[derive(Debug, PartialEq)]
pub(crate) enum PortKind {
    /// The potential itself.
    Potential,
    /// A current, with its time constant.
    Current { course: Course, tau: Vec<f64> },
    /// A conductance, with its time constant and reversal potential.
    Conductance { course: Course, tau: Vec<f64>, reversal: Vec<f64> },
}

/// What follows a spike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    Exponential,
    Alpha,
}

impl Cells {
    /// The cells of a population.
    pub(crate) fn of(built: &Built, population: usize) -> Result<Cells, Lack> {
        let name = &built.plan.populations[population].name;
        read(&Terms::new(&built.plan, population))
            .map_err(|why| format!("the cells of {name}: {why}; it has leaky integrate-and-fire cells with currents, conductances or jumps of the potential"))
    }
}

/// What a variable contributes to the rate of the potential: its value times slope · v + constant.
struct Contribution {
    variable: usize,
    slope: Vec<f64>,
    constant: Vec<f64>,
}

fn read(terms: &Terms<'_>) -> Result<Cells, String> {
    terms.check()?;
    let model = &terms.model;
    let (v, threshold) = terms.threshold()?;
    let refractory = match &model.refractory {
        None => vec![0.0; terms.size],
        Some(Refractory::Time(time)) => {
            let steps = |time: f64| tidy(((time / terms.dt).round() - 1.0).max(0.0) * terms.dt);
            terms.numbers(time, "the refractory time")?.into_iter().map(steps).collect()
        }
        Some(Refractory::Condition(_)) => return Err("they are refractory as long as a condition holds".into()),
    };
    if refractory.iter().any(|time| *time > 0.0) && !model.variables[v].unless_refractory {
        return Err("their potential is integrated while they are refractory".into());
    }
    let held = |(variable, _): &&(usize, _)| *variable != v && model.variables[*variable].unless_refractory;
    if let Some((variable, _)) = model.equations.iter().find(held) {
        return Err(format!("`{}` is held while they are refractory", terms.name(*variable)));
    }
    let Some((_, rate)) = model.equations.iter().find(|(variable, _)| *variable == v) else {
        return Err("the threshold is not of a potential with a differential equation".into());
    };
    let mut rest = rate.clone();
    let (mut contributions, mut adaptation) = (Vec::new(), None);
    for (variable, of) in model.equations.iter().filter(|(variable, _)| *variable != v && rate.mentions(*variable)) {
        let no = || format!("the rate of the potential is not linear in `{}`", terms.name(*variable));
        let (coefficient, without) = spikelet::lang::term::linear(&rest, *variable).ok_or_else(no)?;
        rest = without;
        let (slope, constant) = terms.affine(&coefficient, v, &threshold).ok_or_else(no)?;
        let contribution = Contribution { variable: *variable, slope, constant };
        if of.mentions(v) {
            if adaptation.replace(contribution).is_some() {
                return Err("several variables follow the potential".into());
            }
        } else {
            contributions.push(contribution);
        }
    }
    let (leak, drive, exponential) = match terms.affine(&rest, v, &threshold) {
        Some((leak, drive)) => (leak, drive, None),
        None => terms
            .exponential(&rest, v, &threshold)
            .ok_or("the rate of the potential is neither linear in it nor has an exponential rise")?,
    };
    if leak.iter().any(|leak| *leak >= 0.0 || leak.is_nan()) {
        return Err("they have no leak".into());
    }
    let capacity = capacity(terms, &contributions, adaptation.as_ref());
    let mut reset = None;
    let mut increment = vec![0.0; terms.size];
    for (variable, term) in &model.reset {
        let added = adaptation.as_ref().filter(|of| of.variable == *variable).and_then(|_| terms.added(term, *variable));
        match added {
            Some(added) => increment = added,
            None if *variable == v => reset = Some(terms.numbers(term, "the potential after a spike")?),
            None => return Err(format!("a spike changes `{}`", terms.name(*variable))),
        }
    }
    let tau: Vec<f64> = leak.iter().map(|leak| tidy(-1.0 / leak)).collect();
    let mut rest: Vec<f64> = drive.iter().zip(&leak).map(|(drive, leak)| tidy(-drive / leak)).collect();
    let leak: Vec<f64> = leak.iter().zip(&capacity).map(|(leak, capacity)| tidy(-leak * capacity)).collect();
    let adaptive = match (exponential, adaptation) {
        (None, None) => None,
        (exponential, adaptation) => {
            Some(Adaptive::new(terms, v, (&capacity, &leak, &mut rest), exponential, (adaptation, increment))?)
        }
    };
    let mut ports = Vec::new();
    for contribution in contributions {
        ports.push(port(terms, &contribution, &capacity)?);
    }
    // What spikes add to the potential decays in the step in which it arrives: NEST adds it at the end of the step.
    let step = |(leak, capacity): (&f64, &f64)| (-leak / capacity * terms.dt).exp();
    let factor = leak.iter().zip(&capacity).map(step).collect();
    ports.push(Port { variable: terms.name(v).to_owned(), kind: PortKind::Potential, factor, initial: [Vec::new(), Vec::new()] });
    Ok(Cells {
        tau,
        rest,
        threshold,
        reset: reset.ok_or("a spike does not change the potential")?,
        refractory,
        potential: terms.initial(v),
        adaptive,
        ports,
        name: terms.name(v).to_owned(),
        leak,
        capacity,
    })
}

/// A computed value without what rounding made of it: with 15 digits.
pub(crate) fn tidy(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// C: what makes a variable with the dimension of currents a current, or one of conductances a conductance.
fn capacity(terms: &Terms<'_>, contributions: &[Contribution], adaptation: Option<&Contribution>) -> Vec<f64> {
    let of = |contribution: &Contribution| {
        let amount = match terms.model.variables[contribution.variable].dimension.inner_unit().as_str() {
            "pA" => &contribution.constant,
            "nS" => &contribution.slope,
            _ => return None,
        };
        Some(amount.iter().map(|amount| tidy(1.0 / amount.abs())).collect())
    };
    let found = contributions.iter().chain(adaptation).find_map(of);
    found.filter(|all: &Vec<f64>| all.iter().all(|capacity| capacity.is_finite())).unwrap_or_else(|| vec![CAPACITY; terms.size])
}

/// The port of a variable that decays by itself.
fn port(terms: &Terms<'_>, of: &Contribution, capacity: &[f64]) -> Result<Port, String> {
    let (course, variable, tau, peak) = terms.course(of.variable)?;
    let is_current = of.slope.iter().all(|slope| *slope == 0.0);
    let amount = if is_current { &of.constant } else { &of.slope };
    let scale = |(amount, capacity): (&f64, &f64)| amount * capacity * if is_current { 1.0 } else { -1.0 };
    let scale: Vec<f64> = amount.iter().zip(capacity).map(scale).collect();
    let times = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).collect::<Vec<f64>>();
    let factor = times(&scale, &peak);
    let driving = match course {
        Course::Exponential => Vec::new(),
        Course::Alpha => {
            let rate = |(factor, tau): (&f64, &f64)| factor * std::f64::consts::E / tau;
            times(&terms.initial(variable), &factor.iter().zip(&tau).map(rate).collect::<Vec<f64>>())
        }
    };
    let initial = [times(&terms.initial(of.variable), &scale), driving];
    let kind = if is_current {
        PortKind::Current { course, tau }
    } else {
        let reversal = of.constant.iter().zip(&of.slope).map(|(constant, slope)| -constant / slope).collect();
        PortKind::Conductance { course, tau, reversal }
    };
    Ok(Port { variable: terms.name(variable).to_owned(), kind, factor, initial })
}
