//! Optimisers: how parameters follow a gradient.
//!
//! The rules are those of PyTorch, element by element, in f32; factors that are the same for all numbers are computed in f64 and rounded
//! once. With the gradient g, the number p, its rate η, and the step t from 1:
//!
//! * all: g is first clipped by value, then by its global norm: g · min(1, `clip_norm` / (‖g‖ + 10⁻⁶));
//! * `sgd`, `adam`: g ← g + `weight_decay` · p;
//! * `sgd`: b ← `momentum` · b + g; p ← p − η b, with `nesterov` p ← p − η (g + `momentum` · b);
//! * `adam` (Kingma & Ba 2015, arXiv:1412.6980): m ← β₁ m + (1 − β₁) g; v ← β₂ v + (1 − β₂) g²;
//!   p ← p − η/(1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε);
//! * `adamw` (Loshchilov & Hutter 2019, arXiv:1711.05101): first p ← (1 − η · `weight_decay`) p, then as `adam`.
//!
//! Then p is projected onto the bounds of its group.

use serde::{Deserialize, Serialize};
use spikelet_network::Error;

use crate::{ParameterGroup, Parameters};

mod schedule;

pub use schedule::{Schedule, ScheduleKind};

/// An optimiser, as in JSON. An option that its type does not use is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Optimiser {
    /// Its rule.
    #[serde(rename = "type")]
    pub kind: OptimiserKind,
    /// The rate of learning η, in inner units.
    pub rate: f64,
    /// `sgd`: the part of the last change that is kept. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub momentum: Option<f64>,
    /// `sgd`: whether the momentum is that of Nesterov.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nesterov: bool,
    /// `adam`, `adamw`: β₁ and β₂, the decay of the means of the gradient and of its square. Default: 0.9, 0.999.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub betas: Option<[f64; 2]>,
    /// `adam`, `adamw`: ε, added to the root after the correction of its bias. Default: 10⁻⁸.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The decay of parameters; of `sgd` and `adam` as a gradient, of `adamw` apart from it. Default: 0, of `adamw` 0.01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
    /// How the rate changes with the epochs. Default: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Steps in which the rate grows linearly up to its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up_steps: Option<u32>,
    /// The largest absolute value of an element of the gradient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip_value: Option<f64>,
    /// The largest Euclidean norm of the whole gradient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip_norm: Option<f64>,
}

/// The rule of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OptimiserKind {
    /// Gradient descent, with or without momentum.
    Sgd,
    /// Adam.
    Adam,
    /// Adam with decoupled decay.
    AdamW,
}

impl Optimiser {
    /// An optimiser with the default options.
    pub fn new(kind: OptimiserKind, rate: f64) -> Optimiser {
        Optimiser {
            kind,
            rate,
            momentum: None,
            nesterov: false,
            betas: None,
            epsilon: None,
            weight_decay: None,
            schedule: None,
            warm_up_steps: None,
            clip_value: None,
            clip_norm: None,
        }
    }

    /// The rate in an epoch and a step, both from 0.
    pub fn rate_at(&self, epoch: u32, step: u64) -> f64 {
        let rate = self.schedule.as_ref().map_or(self.rate, |schedule| schedule.rate(self.rate, epoch));
        match self.warm_up_steps {
            Some(steps) if step < u64::from(steps) => rate * (step + 1) as f64 / f64::from(steps),
            _ => rate,
        }
    }

    /// Rejects options of other types and values out of range.
    fn check(&self) -> Result<(), Error> {
        let invalid = |name: &str, value: &dyn std::fmt::Display, expected: &str| {
            Err(Error::invalid(format!("optimiser.{name}"), value, expected, "change it"))
        };
        let unused = |name: &str, of: &str| {
            Err(Error::invalid(format!("optimiser.{name}"), "given", format!("only {of} has this option"), "remove it"))
        };
        let sgd = self.kind == OptimiserKind::Sgd;
        let (not_negative, positive) = (|value: f64| value >= 0.0 && value.is_finite(), |value: f64| value > 0.0);
        match self {
            Optimiser { rate, .. } if !not_negative(*rate) => invalid("rate", rate, "a finite number, 0 or more, is expected"),
            Optimiser { momentum: Some(_), .. } if !sgd => unused("momentum", "`sgd`"),
            Optimiser { nesterov: true, .. } if !sgd => unused("nesterov", "`sgd`"),
            Optimiser { betas: Some(_), .. } if sgd => unused("betas", "`adam` or `adamw`"),
            Optimiser { epsilon: Some(_), .. } if sgd => unused("epsilon", "`adam` or `adamw`"),
            Optimiser { momentum: Some(value), .. } if !(0.0..1.0).contains(value) => {
                invalid("momentum", value, "a number of at least 0 and below 1 is expected")
            }
            Optimiser { nesterov: true, momentum, .. } if momentum.is_none_or(|value| value == 0.0) => {
                invalid("nesterov", &true, "it needs a `momentum` above 0")
            }
            Optimiser { betas: Some([first, second]), .. } if !(0.0..1.0).contains(first) || !(0.0..1.0).contains(second) => {
                invalid("betas", &format!("[{first}, {second}]"), "two numbers of at least 0 and below 1 are expected")
            }
            Optimiser { epsilon: Some(value), .. } if !not_negative(*value) => {
                invalid("epsilon", value, "a finite number, 0 or more, is expected")
            }
            Optimiser { weight_decay: Some(value), .. } if !not_negative(*value) => {
                invalid("weight_decay", value, "a finite number, 0 or more, is expected")
            }
            Optimiser { clip_value: Some(value), .. } if !positive(*value) => {
                invalid("clip_value", value, "a number above 0 is expected")
            }
            Optimiser { clip_norm: Some(value), .. } if !positive(*value) => {
                invalid("clip_norm", value, "a number above 0 is expected")
            }
            _ => self.schedule.as_ref().map_or(Ok(()), Schedule::check),
        }
    }
}

/// What an optimiser remembers between steps. With the same numbers it continues to the bit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OptimiserState {
    /// Number of steps so far.
    pub steps: u64,
    /// The momentum of each number, or the mean of its gradient; empty if there is none.
    pub first: Vec<f32>,
    /// The mean of the square of its gradient; empty if there is none.
    pub second: Vec<f32>,
}

/// The factors of a step that are the same for all numbers of a group.
struct Factors {
    rate: f64,
    clip_value: f32,
    clip: f32,
    decay: f32,
}

impl OptimiserState {
    /// The state before the first step, for that many numbers.
    ///
    /// # Errors
    /// An option that the optimiser does not use, or a value out of range.
    pub fn new(optimiser: &Optimiser, numbers: usize) -> Result<OptimiserState, Error> {
        optimiser.check()?;
        let adaptive = optimiser.kind != OptimiserKind::Sgd;
        let first = if adaptive || optimiser.momentum.is_some_and(|momentum| momentum != 0.0) { numbers } else { 0 };
        let second = if adaptive { numbers } else { 0 };
        Ok(OptimiserState { steps: 0, first: vec![0.0; first], second: vec![0.0; second] })
    }

    /// A step: changes the parameters by the rule of the optimiser. Each group has its own multiple of the rate; bounds and signs are kept.
    /// `epoch` counts from 0.
    pub fn step(&mut self, optimiser: &Optimiser, epoch: u32, parameters: &mut Parameters, gradient: &[f32]) {
        let rate = optimiser.rate_at(epoch, self.steps);
        self.steps += 1;
        let clip_value = optimiser.clip_value.map_or(f32::INFINITY, |value| value as f32);
        let clip = optimiser.clip_norm.map_or(1.0, |largest| norm_factor(gradient, clip_value, largest));
        let default_decay = if optimiser.kind == OptimiserKind::AdamW { 0.01 } else { 0.0 };
        let decay = optimiser.weight_decay.unwrap_or(default_decay);
        for group in &parameters.groups {
            let rate = rate * f64::from(group.rate);
            let factors = Factors { rate, clip_value, clip, decay: decay as f32 };
            let range = group.range.clone();
            let (values, gradient) = (&mut parameters.values[range.clone()], &gradient[range.clone()]);
            match optimiser.kind {
                OptimiserKind::Sgd => {
                    let momentum = optimiser.momentum.unwrap_or(0.0) as f32;
                    let first = self.first.get_mut(range).unwrap_or_default();
                    descend(
                        group,
                        &factors,
                        [momentum, if optimiser.nesterov { momentum } else { 0.0 }],
                        values,
                        gradient,
                        first,
                    );
                }
                OptimiserKind::Adam | OptimiserKind::AdamW => {
                    let keep = if optimiser.kind == OptimiserKind::AdamW { 1.0 - rate * decay } else { 1.0 };
                    let factors =
                        if optimiser.kind == OptimiserKind::AdamW { Factors { decay: 0.0, ..factors } } else { factors };
                    let adam = Adam::new(optimiser, &factors, self.steps, keep);
                    let moments = (&mut self.first[range.clone()], &mut self.second[range]);
                    adam.step(group, &factors, values, gradient, moments);
                }
            }
        }
    }
}

/// The factor by which a gradient has at most this norm.
fn norm_factor(gradient: &[f32], clip_value: f32, largest: f64) -> f32 {
    let square = |of: &f32| f64::from(clipped(*of, clip_value)).powi(2);
    let norm = gradient.iter().map(square).sum::<f64>().sqrt();
    (largest / (norm + 1e-6)).min(1.0) as f32
}

/// Within ± a limit; NaN stays NaN.
fn clipped(value: f32, limit: f32) -> f32 {
    value.clamp(-limit, limit)
}

impl Factors {
    /// The gradient that the rule uses.
    fn gradient(&self, gradient: f32, value: f32) -> f32 {
        let gradient = clipped(gradient, self.clip_value) * self.clip;
        gradient + self.decay * value
    }
}

/// Gradient descent. `first` is empty without momentum.
fn descend(
    group: &ParameterGroup,
    factors: &Factors,
    [momentum, nesterov]: [f32; 2],
    values: &mut [f32],
    gradient: &[f32],
    first: &mut [f32],
) {
    let rate = factors.rate as f32;
    for (index, (value, gradient)) in values.iter_mut().zip(gradient).enumerate() {
        let gradient = factors.gradient(*gradient, *value);
        let direction = match first.get_mut(index) {
            None => gradient,
            Some(first) => {
                *first = momentum * *first + gradient;
                if nesterov == 0.0 { *first } else { gradient + nesterov * *first }
            }
        };
        *value = group.projected(*value, *value - rate * direction);
    }
}

/// The factors of Adam in a step.
struct Adam {
    first: [f32; 2],
    second: [f32; 2],
    rate: f32,
    root: f32,
    epsilon: f32,
    keep: f32,
}

impl Adam {
    fn new(optimiser: &Optimiser, factors: &Factors, step: u64, keep: f64) -> Adam {
        let [first, second] = optimiser.betas.unwrap_or([0.9, 0.999]);
        let correction = |beta: f64| 1.0 - libm::pow(beta, step as f64);
        Adam {
            first: [first as f32, (1.0 - first) as f32],
            second: [second as f32, (1.0 - second) as f32],
            rate: (factors.rate / correction(first)) as f32,
            root: correction(second).sqrt() as f32,
            epsilon: optimiser.epsilon.unwrap_or(1e-8) as f32,
            keep: keep as f32,
        }
    }

    fn step(
        &self,
        group: &ParameterGroup,
        factors: &Factors,
        values: &mut [f32],
        gradient: &[f32],
        (first, second): (&mut [f32], &mut [f32]),
    ) {
        for (((value, gradient), first), second) in values.iter_mut().zip(gradient).zip(first).zip(second) {
            let gradient = factors.gradient(*gradient, *value);
            *first = self.first[0] * *first + self.first[1] * gradient;
            *second = self.second[0] * *second + self.second[1] * (gradient * gradient);
            let change = self.rate * (*first / (second.sqrt() / self.root + self.epsilon));
            *value = group.projected(*value, self.keep * *value - change);
        }
    }
}

impl ParameterGroup {
    /// What an update of `old` to `new` gives, within the bounds and with the sign that the group keeps. A 0 has the sign of its bit, so
    /// that a weight that became 0 does not change its sign in a later step.
    fn projected(&self, old: f32, new: f32) -> f32 {
        let new = if self.keep_sign && old.is_sign_negative() != new.is_sign_negative() && !new.is_nan() {
            0.0_f32.copysign(old)
        } else {
            new
        };
        match self.bounds {
            [lowest, _] if new < lowest => lowest,
            [_, largest] if new > largest => largest,
            _ => new,
        }
    }
}

#[cfg(test)]
mod tests;
