//! The length of batches.

/// Default maximum number of steps per batch.
const MAX_STEPS: u32 = 1 << 20;

/// Finds the number of steps for the target duration of a batch.
#[derive(Debug, Clone)]
pub struct Pacing {
    target_ms: f64,
    most: f64,
    steps: f64,
}

impl Pacing {
    /// For batches of about this many milliseconds of wall time. The first has one step, because the duration of a step is unknown.
    pub fn new(target_ms: f64) -> Pacing {
        Pacing { target_ms, most: f64::from(MAX_STEPS), steps: 1.0 }
    }

    /// The same, with more steps in the first batch.
    #[must_use]
    pub fn beginning_with(self, steps: u32) -> Pacing {
        Pacing { steps: f64::from(steps).clamp(1.0, self.most), ..self }
    }

    /// The same, with a maximum number of steps per batch.
    #[must_use]
    pub fn at_most(self, steps: u32) -> Pacing {
        let most = f64::from(steps).max(1.0);
        Pacing { most, steps: self.steps.min(most), ..self }
    }

    /// Steps of the next batch, without other limits.
    pub fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// A batch of `asked` steps executed `steps` of them in `busy_ms`.
    pub fn record(&mut self, asked: u32, steps: u32, busy_ms: f64) {
        let is_quick = busy_ms < self.target_ms;
        if steps < asked && is_quick {
            // It ended for another reason than time.
            return;
        }
        let by_time = self.target_ms / (busy_ms.max(1e-3) / f64::from(steps.max(1)));
        let asked = f64::from(asked);
        let next = if by_time > self.steps {
            // Changed by a factor of two at most, to be stable against disturbances; relative to the requested number, which may be smaller
            // than time allowed.
            by_time.min((asked.min(self.steps) * 2.0).max(self.steps))
        } else if asked < self.steps && is_quick {
            // The rest of a run gives little information about longer batches.
            self.steps
        } else {
            by_time.max(self.steps / 2.0)
        };
        self.steps = next.clamp(1.0, self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After batches with this duration per step.
    fn settled(mut pacing: Pacing, ms_per_step: f64) -> Pacing {
        for _ in 0..60 {
            pacing.record(pacing.steps(), pacing.steps(), f64::from(pacing.steps()) * ms_per_step);
        }
        pacing
    }

    #[test]
    fn batches_settle_at_the_time_aimed_at() {
        for target_ms in [10.0, 12.0, 50.0] {
            for ms_per_step in [0.001, 0.03, 0.4, 3.0] {
                for pacing in [Pacing::new(target_ms), Pacing::new(target_ms).beginning_with(1 << 18)] {
                    let ms = f64::from(settled(pacing, ms_per_step).steps()) * ms_per_step;
                    assert!((ms - target_ms).abs() <= ms_per_step, "{target_ms} ms, {ms_per_step} ms a step: {ms} ms");
                }
            }
            // A step that takes longer is a batch of its own.
            assert_eq!(settled(Pacing::new(target_ms), 400.0).steps(), 1);
        }
        assert_eq!(settled(Pacing::new(12.0).at_most(1000), 0.001).steps(), 1000);
    }

    #[test]
    fn a_network_that_runs_away_is_given_less_at_once() {
        let mut pacing = settled(Pacing::new(10.0), 0.01);
        let calm = pacing.steps();
        // It stopped early, after a long time.
        pacing.record(calm, calm / 10, 200.0);
        assert!(pacing.steps() <= calm / 2);
    }

    #[test]
    fn short_batches_do_not_hold_it_up() {
        let mut pacing = Pacing::new(50.0).beginning_with(8);
        pacing.record(3, 3, 0.1);
        assert_eq!(pacing.steps(), 8);
        pacing.record(8, 8, 0.1);
        assert_eq!(pacing.steps(), 16);
        // The rest of a run, which has the overhead of a batch; and one ended by a condition.
        let mut pacing = settled(Pacing::new(50.0), 0.01);
        let long = pacing.steps();
        pacing.record(2, 2, 1.0);
        pacing.record(long, long / 3, 20.0);
        assert_eq!(pacing.steps(), long);
    }
}
