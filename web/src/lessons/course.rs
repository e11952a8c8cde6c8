//! The lesson of the open network as it is followed: which steps are done, and what was measured.

mod figures;
mod guess;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use indexmap::IndexMap;

use super::{
    Goal, Lesson, Role,
    measure::{Gauge, Measure},
    predict::{Counts, Guess},
};

/// What a lesson needs to know of the open network.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    /// Time step in ms.
    pub(crate) dt_ms: f64,
    /// Populations and sources with the numbers of their neurons.
    pub(crate) populations: Vec<(String, Range<u32>)>,
    /// Whether it is as published: from the catalogue, at the scale of the lesson, without changes.
    pub(crate) as_published: bool,
}

/// A figure as far as it is measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// The run has not reached the end of its span.
    Waiting,
    /// The value, and whether it is within its tolerance.
    Measured { value: f64, holds: bool },
    /// It cannot be measured in this run, and why.
    Not(&'static str),
}

/// What was measured for a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    /// The span has not passed yet.
    None,
    /// The value of each check; `None` if the spikes do not define one.
    Values(Vec<Option<f64>>),
    /// A value was changed within the span, which is measured in the next run from the start.
    Changed,
}

/// What has come of new spikes, weights or values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Nothing that is shown.
    Same,
    /// Something that is shown.
    Changed,
    /// The run of the step has ended: it is done, or its span is over.
    Ended,
}

/// What has to be done before the current step runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Orders {
    /// Parameters to set.
    pub(crate) set: IndexMap<String, String>,
    /// Whether to return to t = 0.
    pub(crate) reset: bool,
}

/// The state of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// The lesson.
    pub(crate) lesson: Arc<Lesson>,
    /// Its figures, with what was found.
    pub(crate) figures: Vec<(super::Figure, Found)>,
    /// Index of the first step that is not done; the number of steps if all are.
    pub(crate) at: usize,
    /// The last measure of each step.
    pub(crate) readings: Vec<Reading>,
    scene: Scene,
    /// Gauges of the figures that are waiting, by index.
    figure_gauges: Vec<(usize, Gauge)>,
    /// The gauges of the current step, one for each check; none while nothing is measured.
    gauges: Vec<Gauge>,
    /// Number of the next step of the simulation.
    now: u32,
    /// Steps simulated since the current step of the lesson began.
    ran: u32,
    /// The step of the simulation at which the learner last changed or reset it.
    changed_at: u32,
    /// Parameters that were set since the lesson began.
    touched: BTreeSet<String>,
    /// Whether the learner has begun to follow it. What runs by itself does no step.
    is_followed: bool,
    /// Whether the current step was begun.
    has_begun: bool,
    /// What was predicted, by step.
    guesses: BTreeMap<usize, Guess>,
    /// The rates of neurons that were measured for predicted curves, by step.
    curves: BTreeMap<usize, Vec<f64>>,
    /// Spikes of the current step for its curve.
    counts: Option<Counts>,
    /// The time of the first spike at which the current step has paused, in ms.
    frozen: Option<f64>,
}

impl Course {
    /// The lesson of a network that is at step `now`.
    pub(crate) fn new(lesson: Arc<Lesson>, scene: Scene, now: u32) -> Course {
        let figures = lesson.all_figures().into_iter().map(|figure| (figure, Found::Waiting)).collect();
        let mut course = Course {
            lesson,
            figures,
            at: 0,
            readings: Vec::new(),
            scene,
            figure_gauges: Vec::new(),
            gauges: Vec::new(),
            now,
            ran: 0,
            changed_at: now,
            touched: BTreeSet::new(),
            is_followed: false,
            has_begun: false,
            guesses: BTreeMap::new(),
            curves: BTreeMap::new(),
            counts: None,
            frozen: None,
        };
        course.begin(now);
        course
    }

    /// Whether all steps are done.
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.lesson.steps.len()
    }

    /// Whether it needs the spikes themselves, and not only their time.
    pub(crate) fn measures(&self) -> bool {
        !self.gauges.is_empty() || !self.figure_gauges.is_empty() || self.counts.is_some() || self.freezes()
    }

    /// Begins the steps again; the network has its own values again.
    pub(crate) fn start_again(&mut self) {
        self.at = 0;
        self.readings.clear();
        self.touched.clear();
        self.forget_guesses();
        self.is_followed = false;
        self.has_begun = false;
        self.enter();
    }

    /// The learner runs the current step, by its button (`for_me`: it also changes the network), or by Play, which continues a step
    /// that was paused. Returns what has to be done first.
    pub(crate) fn run(&mut self, for_me: bool) -> Orders {
        let Some(step) = self.lesson.steps.get(self.at).filter(|_| self.awaited().is_none()) else { return Orders::default() };
        let prepares = step.role == Role::Question && !self.has_begun;
        let set = if for_me || prepares { step.action.set.clone() } else { IndexMap::new() };
        let starts_over = match &step.until {
            Goal::Measure { span_ms: Some(_), .. } => self.gauges.is_empty(),
            _ => !self.has_begun && step.role != Role::Change,
        };
        let reset = step.action.reset && (for_me || starts_over);
        self.touched.extend(set.keys().cloned());
        self.has_begun = true;
        if !self.is_followed {
            self.is_followed = true;
            self.changed_at = self.now;
            self.enter();
        }
        Orders { set, reset }
    }

    /// The learner has turned to something else: what runs does no step until the next [`Course::run`].
    pub(crate) fn leave(&mut self) {
        self.is_followed = false;
        self.has_begun = false;
    }

    /// Whether a run of the current step would end by itself.
    pub(crate) fn is_followed(&self) -> bool {
        self.is_followed && !self.is_done()
    }

    /// The simulation is at step `now` of a new run.
    pub(crate) fn moved(&mut self, now: u32, as_published: bool) {
        self.scene.as_published = as_published;
        self.begin(now);
    }

    /// The learner has set a parameter: a run that has begun is not the published one any more, and the step is measured again once
    /// the network has settled.
    pub(crate) fn changed(&mut self, path: &str, as_published: bool) {
        self.touched.insert(path.to_owned());
        self.scene.as_published = as_published;
        if !as_published {
            self.void_figures("a value was changed; a reset measures again once it has its value back");
        } else if self.now == 0 {
            self.begin(0);
        }
        self.changed_at = self.now;
        let was_measuring = !self.gauges.is_empty();
        self.measure_again();
        // What was measured before the change says nothing about what is now.
        let is_void = was_measuring && self.gauges.is_empty();
        if let Some(reading) = self.readings.last_mut() {
            *reading = if is_void || *reading == Reading::Changed { Reading::Changed } else { Reading::None };
        }
    }

    /// Adds the spikes of steps, as neurons and steps in the order of time.
    pub(crate) fn take(&mut self, first_step: u32, steps: u32, spikes: impl Iterator<Item = (u32, u32)>) -> Outcome {
        if first_step != self.now {
            // Spikes are missing, so that spans that have begun cannot be measured.
            self.begin(first_step);
        }
        let mut first_spike = None;
        for (neuron, step) in spikes {
            first_spike = first_spike.or(Some(step));
            self.counts.iter_mut().for_each(|counts| counts.add(neuron));
            self.figure_gauges.iter_mut().for_each(|(_, gauge)| gauge.add(neuron, step));
            self.gauges.iter_mut().for_each(|gauge| gauge.add(neuron, step));
        }
        self.now = first_step + steps;
        self.ran += steps;
        self.counts.iter_mut().for_each(|counts| counts.pass(steps));
        let at = self.at;
        let froze = first_spike.filter(|_| self.freezes()).map(|step| f64::from(step) * self.scene.dt_ms);
        let outcome = self.read();
        // The spike at which a step pauses is not the end of it.
        if froze.is_some() && self.at == at {
            self.frozen = froze;
            return Outcome::Ended;
        }
        outcome
    }

    /// Takes the moments of the weights of a projection at a step.
    pub(crate) fn take_weights(&mut self, projection: &str, step: u32, moments: [f64; 2]) -> Outcome {
        let figures = &self.figures;
        for (figure, gauge) in &mut self.figure_gauges {
            if figures[*figure].0.measure.of == projection {
                gauge.add_weights(step, moments);
            }
        }
        if let Some(Goal::Measure { checks, .. }) = self.lesson.steps.get(self.at).map(|step| &step.until) {
            let of_it = self.gauges.iter_mut().zip(checks).filter(|(_, check)| check.measure.of == projection);
            of_it.for_each(|(gauge, _)| gauge.add_weights(step, moments));
        }
        self.read()
    }

    /// Ticks the step if its parameter is in its range, and was set in this lesson. `value` returns the value of a parameter, in the
    /// unit of its slider. Returns whether it has changed.
    pub(crate) fn look(&mut self, value: impl Fn(&str) -> Option<f64>) -> bool {
        let Some(Goal::Parameter { path, range: [low, high] }) = self.lesson.steps.get(self.at).map(|step| &step.until) else {
            return false;
        };
        let done = self.touched.contains(path) && value(path).is_some_and(|value| value >= *low && value <= *high);
        if done {
            self.next();
        }
        done
    }

    /// Measures of a run from step `now`.
    fn begin(&mut self, now: u32) {
        self.now = now;
        self.changed_at = now;
        self.begin_figures();
        self.enter();
    }

    /// The current step is done.
    fn next(&mut self) {
        self.keep_curve();
        self.at += 1;
        self.has_begun = false;
        self.enter();
    }

    /// A step of the lesson begins.
    fn enter(&mut self) {
        self.ran = 0;
        self.readings.resize(self.at, Reading::None);
        self.readings.push(Reading::None);
        self.begin_counts();
        self.measure_again();
    }

    /// Begins the measures of the current step.
    fn measure_again(&mut self) {
        self.gauges = match self.lesson.steps.get(self.at).map(|step| &step.until) {
            Some(Goal::Measure { checks, over_ms, settle_ms, span_ms }) => {
                let span = match span_ms {
                    Some(span_ms) => self.steps(*span_ms),
                    None => {
                        let from = self.now.max(self.changed_at.saturating_add(self.count(*settle_ms)));
                        from..from.saturating_add(self.count(*over_ms))
                    }
                };
                // A span from the start is measured in a run without a change, and from its beginning.
                let is_late = span_ms.is_some() && (self.changed_at > 0 || span.start < self.now);
                let gauges = checks.iter().map(|check| self.gauge_of(&check.measure, span.clone())).collect();
                Option::filter(gauges, |_: &Vec<Gauge>| !is_late).unwrap_or_default()
            }
            _ => Vec::new(),
        };
    }

    /// Reads what has ended.
    fn read(&mut self) -> Outcome {
        let found = self.read_figures();
        match self.advance() {
            Outcome::Same if found => Outcome::Changed,
            outcome => outcome,
        }
    }

    /// Ticks the current step if it is done.
    fn advance(&mut self) -> Outcome {
        let may_end = self.is_followed && self.awaited().is_none();
        let Some(step) = self.lesson.steps.get(self.at).filter(|_| may_end) else { return Outcome::Same };
        match &step.until {
            Goal::RunMs(ms) if self.ran >= self.count(*ms) => {
                self.next();
                Outcome::Ended
            }
            Goal::Measure { checks, span_ms, .. } if !self.gauges.is_empty() => {
                if !self.gauges.iter().all(|gauge| gauge.is_complete(self.now)) {
                    return Outcome::Same;
                }
                let values: Vec<_> = self.gauges.iter().map(Gauge::value).collect();
                let holds = values.iter().zip(checks).all(|(value, check)| value.is_some_and(|value| check.holds(value)));
                let is_over = span_ms.is_some();
                if let Some(reading) = self.readings.last_mut() {
                    *reading = Reading::Values(values);
                }
                if holds {
                    self.next();
                } else {
                    self.measure_again();
                }
                if holds || is_over { Outcome::Ended } else { Outcome::Changed }
            }
            _ => Outcome::Same,
        }
    }

    fn gauge_of(&self, measure: &Measure, span: Range<u32>) -> Option<Gauge> {
        Gauge::of(measure, &self.scene.populations, span, self.scene.dt_ms)
    }

    fn count(&self, ms: f64) -> u32 {
        (ms / self.scene.dt_ms).round() as u32
    }

    fn steps(&self, [from, to]: [f64; 2]) -> Range<u32> {
        self.count(from)..self.count(to)
    }
}

#[cfg(test)]
mod tests;
