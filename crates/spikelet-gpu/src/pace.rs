//! How many steps a submission has.

/// How long the device may be busy with one submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// About 10 ms: somebody draws on the same device.
    Shared,
    /// About 50 ms: as fast as it goes.
    #[default]
    FlatOut,
}

impl Pace {
    fn milliseconds(self) -> f64 {
        match self {
            Pace::Shared => 10.0,
            Pace::FlatOut => 50.0,
        }
    }
}

/// Finds the number of steps that takes as long as it should. Knows no clock: it is told.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pace: Pace,
    steps: f64,
}

/// Steps of the first submission.
const FIRST_STEPS: f64 = 8.0;

impl Batch {
    pub(crate) fn new(pace: Pace) -> Batch {
        Batch { pace, steps: FIRST_STEPS }
    }

    /// Steps of the next submission, if nothing else bounds it.
    pub(crate) fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// A submission of `asked` steps ran `steps` of them in `busy_ms`.
    pub(crate) fn took(&mut self, asked: u32, steps: u32, busy_ms: f64) {
        if steps < asked && busy_ms < self.pace.milliseconds() {
            // It came to its end for another reason than time.
            return;
        }
        let by_time = self.pace.milliseconds() / (busy_ms.max(1e-3) / f64::from(steps.max(1)));
        // At most doubled, at most halved: a moment's disturbance should not throw it about; and from what was asked for, which may be
        // less than what there was time for.
        let doubled = self.steps.min(f64::from(asked)) * 2.0;
        let next = if by_time > self.steps { by_time.min(doubled.max(self.steps)) } else { by_time.max(self.steps / 2.0) };
        self.steps = next.clamp(1.0, f64::from(1_u32 << 20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(pace: Pace, ms_per_step: f64) -> f64 {
        let mut batch = Batch::new(pace);
        for _ in 0..60 {
            batch.took(batch.steps(), batch.steps(), f64::from(batch.steps()) * ms_per_step);
        }
        f64::from(batch.steps()) * ms_per_step
    }

    #[test]
    fn submissions_take_their_time() {
        for (pace, ms) in [(Pace::Shared, 10.0), (Pace::FlatOut, 50.0)] {
            for ms_per_step in [0.001, 0.03, 0.4, 3.0] {
                assert!((settled(pace, ms_per_step) - ms).abs() <= ms_per_step, "{pace:?}, {ms_per_step} ms a step");
            }
            // A step that takes longer is a submission of its own.
            assert_eq!(settled(pace, 400.0), 400.0);
        }
    }

    #[test]
    fn a_network_that_runs_away_is_given_less_at_once() {
        let mut batch = Batch::new(Pace::Shared);
        for _ in 0..60 {
            batch.took(batch.steps(), batch.steps(), f64::from(batch.steps()) * 0.01);
        }
        let calm = batch.steps();
        // It stopped early, after a long time.
        batch.took(calm, calm / 10, 200.0);
        assert!(batch.steps() <= calm / 2);
    }

    #[test]
    fn short_runs_do_not_hold_it_up() {
        let mut batch = Batch::new(Pace::FlatOut);
        batch.took(3, 3, 0.1);
        assert_eq!(batch.steps(), FIRST_STEPS as u32);
        batch.took(8, 8, 0.1);
        assert_eq!(batch.steps(), 16);
    }
}
