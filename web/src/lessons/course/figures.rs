//! The expected figures of a lesson, measured in each run that is as published.

use super::{Course, Found};

impl Course {
    /// Begins the measures of figures, in a run from the present step.
    pub(super) fn begin_figures(&mut self) {
        let now = self.now;
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
    }

    pub(super) fn void_figures(&mut self, why: &'static str) {
        for (figure, _) in self.figure_gauges.drain(..) {
            self.figures[figure].1 = Found::Not(why);
        }
    }

    pub(super) fn read_figures(&mut self) -> bool {
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
}
