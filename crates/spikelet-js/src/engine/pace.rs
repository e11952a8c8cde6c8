//! How many steps to take at once, and how fast that goes.

/// Wall time a batch should take, in ms: long enough to hide what a batch costs, short enough that a command or a
/// frame never waits for it noticeably.
const BATCH_MS: f64 = 12.0;

/// No batch is longer than this many steps, however fast they are.
const MOST_STEPS: u32 = 1 << 14;

/// Wall time after which an earlier batch counts 1/e in the real-time factor, in ms.
const MEMORY_MS: f64 = 500.0;

/// Sizes batches by what the last ones took, and keeps the real-time factor. Knows no clock: it is told.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    steps: u32,
    wall_ms: f64,
    biological_ms: f64,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace { steps: 1, wall_ms: 0.0, biological_ms: 0.0 }
    }

    /// How many steps the next batch should have.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// A batch of `steps` took `busy_ms`; `wall_ms` passed since the batch before it ended, waits included.
    pub(super) fn took(&mut self, steps: u32, busy_ms: f64, wall_ms: f64, biological_ms: f64) {
        // The rest of a run says little about longer batches.
        if steps >= self.steps {
            // At most doubled, at most halved: one batch disturbed from outside should not throw the size about.
            let change = (BATCH_MS / busy_ms.max(1e-3)).clamp(0.5, 2.0);
            self.steps = ((f64::from(self.steps) * change).round() as u32).clamp(1, MOST_STEPS);
        }
        let keep = (-wall_ms / MEMORY_MS).exp();
        self.wall_ms = self.wall_ms * keep + wall_ms;
        self.biological_ms = self.biological_ms * keep + biological_ms;
    }

    /// Wall time ÷ biological time, lately. 0 before the first batch.
    pub(super) fn real_time_factor(&self) -> f64 {
        if self.biological_ms > 0.0 { self.wall_ms / self.biological_ms } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::*;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    #[wasm_bindgen_test(unsupported = test)]
    fn batches_settle_at_the_time_aimed_at() {
        for ms_per_step in [0.001, 0.05, 0.7, 40.0] {
            let mut pace = Pace::new();
            for _ in 0..40 {
                let busy = f64::from(pace.steps()) * ms_per_step;
                pace.took(pace.steps(), busy, busy, 0.1 * f64::from(pace.steps()));
            }
            let busy = f64::from(pace.steps()) * ms_per_step;
            let most = f64::from(MOST_STEPS) * ms_per_step;
            assert!(
                (busy - BATCH_MS.min(most).max(ms_per_step)).abs() <= ms_per_step,
                "{ms_per_step} ms a step gave batches of {busy} ms"
            );
        }
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn real_time_factor_counts_waits_and_forgets() {
        let mut pace = Pace::new();
        assert_eq!(pace.real_time_factor(), 0.0);
        for _ in 0..1000 {
            pace.took(1, 10.0, 20.0, 10.0);
        }
        assert!((pace.real_time_factor() - 2.0).abs() < 1e-9);
        for _ in 0..1000 {
            pace.took(1, 10.0, 10.0, 20.0);
        }
        assert!((pace.real_time_factor() - 0.5).abs() < 1e-3);
    }
}
