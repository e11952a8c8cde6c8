//! The loss: what training makes small, and its adjoints with respect to what is read.
//!
//! Everything is computed in f64, trial by trial and term by term, and is the same on every device.

use spikelet_network::Error;

use crate::{Readings, Target, TrainingPlan};

mod assembly;
mod classes;
mod rate;
mod square;
mod term;
mod van_rossum;

pub use term::{LossKind, LossTerm};

/// A loss: the sum of terms, each with one readout of a plan.
#[derive(Debug, Clone)]
pub struct LossFunction {
    terms: Vec<Term>,
}

/// What a batch costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The mean over the trials of the batch.
    pub loss: f64,
    /// The adjoints of that mean.
    pub adjoints: Readings,
    /// Number of trials that are classified correctly, by the first term that compares classes.
    pub correct: Option<u32>,
    /// The class that each trial answers by that term, if any neuron has fired; empty if no term compares classes.
    pub answers: Vec<Option<u32>>,
}

/// A term, ready to evaluate.
#[derive(Debug, Clone)]
struct Term {
    /// Its place, and what it reads.
    array: String,
    weight: f64,
    shape: Shape,
    kind: Kind,
}

/// What is read of a trial, and in which places targets are wrong.
#[derive(Debug, Clone)]
struct Shape {
    /// The place of the term: `loss[0]`.
    path: String,
    /// Number of units.
    units: usize,
    /// Number of steps; 1 if it is not read by step.
    steps: usize,
    /// The first step that counts.
    from: usize,
    /// A step in ms.
    dt_ms: f64,
    /// The whole duration in ms.
    duration_ms: f64,
    /// Number of classes of the data.
    classes: u32,
}

#[derive(Debug, Clone)]
enum Kind {
    Softmax(classes::Softmax),
    FirstSpike(classes::FirstSpike),
    Square(square::Square),
    VanRossum(van_rossum::VanRossum),
    Rate(rate::Rate),
    Assembly(assembly::Assembly),
}

/// What a trial costs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    loss: f64,
    /// Whether its answer is the class of its target; `None` if classes are not compared.
    correct: Option<bool>,
    /// The class that it answers.
    answer: Option<u32>,
}

impl Cost {
    /// What does not compare classes.
    fn of(loss: f64) -> Cost {
        Cost { loss, correct: None, answer: None }
    }

    fn of_class(loss: f64, class: usize, answer: Option<usize>) -> Cost {
        Cost { loss, correct: Some(answer == Some(class)), answer: answer.map(|answer| answer as u32) }
    }
}

impl LossFunction {
    /// The loss of these terms, which read the readouts of the plan in the same order; `classes` is the number of classes of the data, 0 if
    /// targets are not classes.
    ///
    /// # Errors
    /// A term that does not fit what it reads or the data, or an invalid option: its path in the JSON.
    pub fn new(terms: &[LossTerm], plan: &TrainingPlan, classes: u32) -> Result<LossFunction, Error> {
        if terms.is_empty() {
            let expected = "training needs at least one term of a loss";
            return Err(Error::invalid(
                "loss",
                "an empty list",
                expected,
                "add one, for example {\"type\": \"cross_entropy\", …}",
            ));
        }
        let prepared = terms.iter().zip(&plan.readouts).enumerate().map(|(index, (term, readout))| {
            let units = plan.plan.populations[readout.population].size as usize;
            Term::new(term, index, units, (plan.steps, plan.network.dt_ms), classes)
        });
        Ok(LossFunction { terms: prepared.collect::<Result<_, _>>()? })
    }

    /// The mean loss of a batch with one target for each trial, and its adjoints.
    ///
    /// # Errors
    /// A target of another kind than a term compares with, or a loss that is not finite ([`Error::LossNotFinite`]).
    ///
    /// # Panics
    /// If the readings are not those of a batch of that size.
    pub fn evaluate(&self, readings: &Readings, targets: &[&Target]) -> Result<Evaluation, Error> {
        let mut evaluation = Evaluation { loss: 0.0, adjoints: Readings::default(), correct: None, answers: Vec::new() };
        let trials = targets.len().max(1) as f64;
        for (term, reading) in self.terms.iter().zip(&readings.0) {
            let length = term.shape.length();
            assert_eq!(reading.len(), targets.len() * length, "readings of {} for {} trials", term.array, targets.len());
            let mut adjoints = Vec::with_capacity(reading.len());
            let (mut correct, mut answers) = (None, Vec::new());
            for (trial, target) in targets.iter().enumerate() {
                let values: Vec<f64> = reading[trial * length..][..length].iter().map(|of| f64::from(*of)).collect();
                let mut adjoint = vec![0.0; length];
                let cost = term.evaluate(&values, target, &mut adjoint)?;
                if !cost.loss.is_finite() {
                    return Err(term.not_finite(trial, &values, cost.loss));
                }
                evaluation.loss += term.weight * cost.loss / trials;
                adjoints.extend(adjoint.iter().map(|of| (term.weight * of / trials) as f32));
                correct = cost.correct.map(|now| correct.unwrap_or(0) + u32::from(now));
                answers.push(cost.answer);
            }
            evaluation.adjoints.0.push(adjoints);
            if evaluation.correct.is_none() && correct.is_some() {
                (evaluation.correct, evaluation.answers) = (correct, answers);
            }
        }
        Ok(evaluation)
    }
}

impl Term {
    fn new(term: &LossTerm, index: usize, units: usize, (steps, dt_ms): (u32, f64), classes: u32) -> Result<Term, Error> {
        let path = format!("loss[{index}]");
        term.check(&path)?;
        let duration_ms = f64::from(steps) * dt_ms;
        let by_step = term.reading.is_by_step();
        let from_ms = term.from_ms.unwrap_or(0.0);
        if from_ms >= duration_ms {
            let expected = format!("a sample lasts {duration_ms} ms");
            return Err(Error::invalid(format!("{path}.from_ms"), from_ms, expected, "use an earlier time"));
        }
        // The same rounding as other times of a network, so that 0.3 ms are three steps of 0.1 ms.
        let from = (from_ms / dt_ms).round() as usize;
        let steps = if by_step { steps as usize } else { 1 };
        let shape = Shape { path: path.clone(), units, steps, from: if by_step { from } else { 0 }, dt_ms, duration_ms, classes };
        let kind = Kind::new(term, &shape)?;
        let of = term.variable.as_deref().unwrap_or(term.reading.name());
        Ok(Term { array: format!("{path} ({}.{of})", term.population), weight: term.weight, shape, kind })
    }

    fn evaluate(&self, values: &[f64], target: &Target, adjoint: &mut [f64]) -> Result<Cost, Error> {
        let shape = &self.shape;
        match &self.kind {
            Kind::Softmax(kind) => kind.evaluate(shape, values, target, adjoint),
            Kind::FirstSpike(kind) => kind.evaluate(shape, values, target, adjoint),
            Kind::Square(kind) => kind.evaluate(shape, values, target, adjoint),
            Kind::VanRossum(kind) => kind.evaluate(shape, values, target, adjoint),
            Kind::Rate(kind) => Ok(kind.evaluate(values, adjoint)),
            Kind::Assembly(kind) => kind.evaluate(shape, values, target, adjoint),
        }
    }

    /// Where a trial is not finite. Times of first spikes may be infinite.
    fn not_finite(&self, trial: usize, values: &[f64], loss: f64) -> Error {
        let times = matches!(self.kind, Kind::FirstSpike(_));
        let place = values.iter().position(|value| value.is_nan() || value.is_infinite() && !times);
        let step = place.filter(|_| self.shape.steps > 1).map(|place| (place / self.shape.units) as u32);
        Error::LossNotFinite { array: self.array.clone(), trial, step, value: place.map_or(loss, |place| values[place]) }
    }
}

impl Kind {
    fn new(term: &LossTerm, shape: &Shape) -> Result<Kind, Error> {
        Ok(match term.kind {
            LossKind::CrossEntropy if term.reading == crate::Reading::FirstSpike => {
                shape.check_classes(term)?;
                Kind::FirstSpike(classes::FirstSpike::new(term))
            }
            LossKind::CrossEntropy => {
                shape.check_classes(term)?;
                Kind::Softmax(classes::Softmax { scale: term.scale.unwrap_or(1.0) })
            }
            LossKind::MeanSquare => {
                if shape.classes > 0 {
                    shape.check_classes(term)?;
                }
                Kind::Square(square::Square::new(term))
            }
            LossKind::VanRossum => Kind::VanRossum(van_rossum::VanRossum { tau_ms: term.tau_ms.unwrap_or(10.0) }),
            LossKind::Rate => Kind::Rate(rate::Rate::new(term, shape)?),
            LossKind::Assembly => Kind::Assembly(assembly::Assembly::new(term, shape)?),
        })
    }
}

impl Shape {
    /// Numbers of a trial.
    fn length(&self) -> usize {
        self.units * self.steps
    }

    /// Rejects data without classes, and populations with fewer units than classes.
    fn check_classes(&self, term: &LossTerm) -> Result<(), Error> {
        let name = term.kind.name();
        if self.classes == 0 {
            let expected = "it compares classes, and the targets of the data are not classes";
            let way_out = "use \"mean_square\" for values, or \"van_rossum\" for spike times";
            return Err(Error::invalid(format!("{}.type", self.path), format!("{name:?}"), expected, way_out));
        }
        if self.units < self.classes as usize {
            let found = format!("`{}` with {} neurons", term.population, self.units);
            let expected = format!("the data have {} classes, each of which needs a neuron", self.classes);
            return Err(Error::invalid(format!("{}.population", self.path), found, expected, "make it larger"));
        }
        Ok(())
    }

    /// The class of a target.
    fn class(&self, target: &Target) -> Result<usize, Error> {
        match target {
            Target::Class(class) if *class < self.classes => Ok(*class as usize),
            Target::Class(class) => {
                let expected = format!("the data have {} classes, from 0", self.classes);
                Err(Error::invalid("data", format!("with a sample of class {class}"), expected, "correct its class"))
            }
            other => Err(self.mismatch(other, "classes")),
        }
    }

    /// A target of another kind than expected.
    fn mismatch(&self, target: &Target, expected: &str) -> Error {
        let found = match target {
            Target::Class(class) => format!("with a sample of class {class}"),
            Target::Values(values) => format!("with a sample whose target is {} values", values.len()),
            Target::Spikes(_) => "with a sample whose target is spike times".to_owned(),
        };
        let expected = format!("{} compares with {expected}", self.path);
        Error::invalid("data", found, expected, "use other data, or another type of loss")
    }
}

/// The index of the largest value; of equal ones the first.
fn largest(values: &[f64]) -> usize {
    let better = |best: usize, index: usize| if values[index] > values[best] { index } else { best };
    (0..values.len()).reduce(better).unwrap_or(0)
}

#[cfg(test)]
mod tests;
