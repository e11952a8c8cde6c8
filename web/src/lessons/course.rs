//! The lesson of the open network as it is followed: which steps are done, and what was measured.

use std::{ops::Range, sync::Arc};

use super::{
    Goal, Lesson,
    measure::{Gauge, Measure},
};

/// The periods of a rhythm that are searched without others, and the width of bins, in ms.
const PERIODS_MS: [f64; 3] = [10.0, 50.0, 1.0];

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

/// A measure of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reading {
    /// The span has not passed yet.
    None,
    /// The value; `None` if the spikes do not define one.
    Value(Option<f64>),
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
    /// The gauge of the current step.
    gauge: Option<Gauge>,
    /// Number of the next step of the simulation.
    now: u32,
    /// Steps simulated since the current step of the lesson began.
    ran: u32,
}

impl Course {
    /// The lesson of a network that is at step `now`.
    pub(crate) fn new(lesson: Arc<Lesson>, scene: Scene, now: u32) -> Course {
        let figures = lesson.all_figures().into_iter().map(|figure| (figure, Found::Waiting)).collect();
        let mut course =
            Course { lesson, figures, at: 0, readings: Vec::new(), scene, figure_gauges: Vec::new(), gauge: None, now, ran: 0 };
        course.begin(now);
        course
    }

    /// Whether all steps are done.
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.lesson.steps.len()
    }

    /// Whether it needs the spikes themselves, and not only their time.
    pub(crate) fn measures(&self) -> bool {
        self.gauge.is_some() || !self.figure_gauges.is_empty()
    }

    /// Begins the steps again, without a change of the network.
    pub(crate) fn start_again(&mut self) {
        self.at = 0;
        self.readings.clear();
        self.enter();
    }

    /// The simulation is at step `now` of a new run.
    pub(crate) fn moved(&mut self, now: u32, as_published: bool) {
        self.scene.as_published = as_published;
        self.begin(now);
    }

    /// A parameter was set: a run that has begun is not the published one any more.
    pub(crate) fn changed(&mut self, as_published: bool) {
        self.scene.as_published = as_published;
        if !as_published {
            self.void_figures("a value was changed; a reset measures again once it has its value back");
        } else if self.now == 0 {
            self.begin(0);
        }
    }

    /// Adds the spikes of steps, as neurons and steps in the order of time. Returns whether something that is shown has changed.
    pub(crate) fn take(&mut self, first_step: u32, steps: u32, spikes: impl Iterator<Item = (u32, u32)>) -> bool {
        if first_step != self.now {
            // Spikes are missing, so that spans that have begun cannot be measured.
            self.begin(first_step);
        }
        for (neuron, step) in spikes {
            self.figure_gauges.iter_mut().for_each(|(_, gauge)| gauge.add(neuron, step));
            if let Some(gauge) = &mut self.gauge {
                gauge.add(neuron, step);
            }
        }
        self.now = first_step + steps;
        self.ran += steps;
        let found = self.read_figures();
        self.advance() || found
    }

    /// Takes the moments of the weights of a projection at a step. Returns whether something that is shown has changed.
    pub(crate) fn take_weights(&mut self, projection: &str, step: u32, moments: [f64; 2]) -> bool {
        let figures = &self.figures;
        for (figure, gauge) in &mut self.figure_gauges {
            if figures[*figure].0.measure.of == projection {
                gauge.add_weights(step, moments);
            }
        }
        if let (Some(gauge), Some(Goal::Measure { measure, .. })) =
            (&mut self.gauge, self.lesson.steps.get(self.at).map(|step| &step.until))
            && measure.of == projection
        {
            gauge.add_weights(step, moments);
        }
        let found = self.read_figures();
        self.advance() || found
    }

    /// Ticks the step if its parameter is in its range. `value` returns the value of a parameter, in the unit of its slider. Returns
    /// whether it has changed.
    pub(crate) fn look(&mut self, value: impl Fn(&str) -> Option<f64>) -> bool {
        let Some(Goal::Parameter { path, range: [low, high] }) = self.lesson.steps.get(self.at).map(|step| &step.until) else {
            return false;
        };
        let done = value(path).is_some_and(|value| value >= *low && value <= *high);
        if done {
            self.at += 1;
            self.enter();
        }
        done
    }

    /// Measures of a run from step `now`.
    fn begin(&mut self, now: u32) {
        self.now = now;
        self.figure_gauges.clear();
        for place in 0..self.figures.len() {
            let figure = &self.figures[place].0;
            let found = if !self.scene.as_published {
                Found::Not("the network is not as published: its size, its seed or a value differs")
            } else if f64::from(now) * self.scene.dt_ms > figure.span_ms[0] {
                Found::Not("the run had begun before; Reset, then Play, measures it")
            } else {
                match self.gauge_of(&figure.measure, self.steps(figure.span_ms)) {
                    Some(gauge) => {
                        self.figure_gauges.push((place, gauge));
                        Found::Waiting
                    }
                    None => Found::Not("the network has no such population"),
                }
            };
            self.figures[place].1 = found;
        }
        self.enter();
    }

    /// A step of the lesson begins.
    fn enter(&mut self) {
        self.ran = 0;
        self.readings.resize(self.at, Reading::None);
        self.readings.push(Reading::None);
        self.measure_again();
    }

    /// Begins the measure of the current step.
    fn measure_again(&mut self) {
        self.gauge = match self.lesson.steps.get(self.at).map(|step| &step.until) {
            Some(Goal::Measure { measure, over_ms, span_ms, .. }) => {
                let span = match span_ms {
                    Some(span_ms) => self.steps(*span_ms),
                    None => self.now..self.now + self.count(*over_ms),
                };
                // A span that has begun is measured in the next run.
                self.gauge_of(measure, span).filter(|gauge| gauge.span().start >= self.now)
            }
            _ => None,
        };
    }

    fn void_figures(&mut self, why: &'static str) {
        for (figure, _) in self.figure_gauges.drain(..) {
            self.figures[figure].1 = Found::Not(why);
        }
    }

    fn read_figures(&mut self) -> bool {
        let now = self.now;
        let (ended, waiting): (Vec<_>, Vec<_>) = self.figure_gauges.drain(..).partition(|(_, gauge)| gauge.is_complete(now));
        self.figure_gauges = waiting;
        for (place, gauge) in &ended {
            let (figure, found) = &mut self.figures[*place];
            *found = match gauge.value() {
                Some(value) => Found::Measured { value, holds: (value - figure.expected).abs() <= figure.within },
                None => Found::Not("too few spikes in this run"),
            };
        }
        !ended.is_empty()
    }

    /// Ticks the current step if it is done.
    fn advance(&mut self) -> bool {
        let Some(step) = self.lesson.steps.get(self.at) else { return false };
        match &step.until {
            Goal::RunMs(ms) if self.ran >= self.count(*ms) => {
                self.at += 1;
                self.enter();
                true
            }
            Goal::Measure { range: [low, high], .. } => {
                let Some(gauge) = self.gauge.as_ref().filter(|gauge| gauge.is_complete(self.now)) else { return false };
                let value = gauge.value();
                let holds = |value: f64| low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high);
                if let Some(reading) = self.readings.last_mut() {
                    *reading = Reading::Value(value);
                }
                if value.is_some_and(holds) {
                    self.at += 1;
                    self.enter();
                } else {
                    self.measure_again();
                }
                true
            }
            _ => false,
        }
    }

    fn gauge_of(&self, measure: &Measure, span: Range<u32>) -> Option<Gauge> {
        let find = |name: &str| self.scene.populations.iter().find(|(of, _)| of == name).map(|(_, neurons)| neurons.clone());
        let within = |neurons: Range<u32>| match measure.neurons {
            Some([from, to]) if from < to && neurons.start + to <= neurons.end => Some(neurons.start + from..neurons.start + to),
            Some(_) => None,
            None => Some(neurons),
        };
        let neurons: Option<Vec<_>> = if measure.quantity.is_of_weights() {
            Some(Vec::new())
        } else {
            measure.of.split_whitespace().map(|name| within(find(name)?)).collect()
        };
        Some(Gauge::new(measure.quantity, neurons?, span, self.scene.dt_ms, measure.periods_ms.unwrap_or(PERIODS_MS)))
    }

    fn count(&self, ms: f64) -> u32 {
        (ms / self.scene.dt_ms).round() as u32
    }

    fn steps(&self, [from, to]: [f64; 2]) -> Range<u32> {
        self.count(from)..self.count(to)
    }
}
