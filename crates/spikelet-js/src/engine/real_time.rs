//! The speed of a network: measured, and limited.

/// Time constant of the average of the real-time factor, in ms of wall time.
const MEMORY_MS: f64 = 500.0;

/// Wall time between two batches at a limited speed, in ms: about a frame of a display.
const FRAME_MS: f64 = 16.0;

/// Wall time in ms that a limited run may make up for after a delay.
const LATE_MS: f64 = 100.0;

/// Tolerance of a number of steps: the rounding error of a product of times.
const SAME_STEP: f64 = 1e-6;

/// The real-time factor. It reads no clock; the caller passes the time.
#[derive(Debug, Clone, Default)]
pub(super) struct RealTime {
    wall_ms: f64,
    biological_ms: f64,
}

impl RealTime {
    /// Adds biological time and the wall time that it took, including waiting times.
    pub(super) fn passed(&mut self, wall_ms: f64, biological_ms: f64) {
        let keep = (-wall_ms / MEMORY_MS).exp();
        self.wall_ms = self.wall_ms * keep + wall_ms;
        self.biological_ms = self.biological_ms * keep + biological_ms;
    }

    /// Recent ratio of wall time to biological time. 0 before the first batch.
    pub(super) fn factor(&self) -> f64 {
        if self.biological_ms > 0.0 { self.wall_ms / self.biological_ms } else { 0.0 }
    }
}

/// The largest speed of a run. It reads no clock; the caller passes the time.
#[derive(Debug, Clone)]
pub(super) struct SpeedLimit {
    /// Biological time per wall time; infinite without a limit.
    speed: f64,
    /// Length of a step in ms.
    dt_ms: f64,
    /// The wall time at which `done` was 0, in ms.
    since_ms: f64,
    /// Steps run since then.
    done: f64,
}

impl SpeedLimit {
    /// No limit, for steps of this length.
    pub(super) fn none(dt_ms: f64) -> SpeedLimit {
        SpeedLimit { speed: f64::INFINITY, dt_ms, since_ms: 0.0, done: 0.0 }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.speed.is_finite()
    }

    /// Changes the limit from now on; the speed is above 0.
    pub(super) fn set(&mut self, speed: f64, now_ms: f64) {
        self.speed = speed;
        self.start(now_ms);
    }

    /// A run begins: its first batch is due at once.
    pub(super) fn start(&mut self, now_ms: f64) {
        (self.since_ms, self.done) = (now_ms, -self.batch());
    }

    /// Steps were run.
    pub(super) fn passed(&mut self, steps: u32, now_ms: f64) {
        self.done += f64::from(steps);
        // A network that is too slow, or a page that was busy, does not have to make up for everything.
        self.done = self.done.max(self.reached(now_ms) - (LATE_MS * self.per_ms()).max(self.batch()));
    }

    /// Number of steps that can be run now, of at most `left`; 0 if it is too early for a batch.
    pub(super) fn steps(&self, now_ms: f64, left: u32) -> u32 {
        if !self.is_limited() {
            return left;
        }
        let allowed = self.reached(now_ms) - self.done + SAME_STEP;
        if allowed < self.batch().min(f64::from(left)) { 0 } else { (allowed as u32).min(left) }
    }

    /// Wall time in ms until the next batch.
    pub(super) fn wait_ms(&self, now_ms: f64, left: u32) -> f64 {
        let missing = self.batch().min(f64::from(left)) - (self.reached(now_ms) - self.done);
        (missing / self.per_ms()).max(0.0)
    }

    /// Steps per ms of wall time.
    fn per_ms(&self) -> f64 {
        self.speed / self.dt_ms
    }

    /// Number of steps of a batch: those of a frame, or one.
    fn batch(&self) -> f64 {
        if self.is_limited() { (FRAME_MS * self.per_ms()).max(1.0) } else { 0.0 }
    }

    fn reached(&self, now_ms: f64) -> f64 {
        if self.is_limited() { (now_ms - self.since_ms) * self.per_ms() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::*;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    #[wasm_bindgen_test(unsupported = test)]
    fn real_time_factor_counts_waits_and_forgets() {
        let mut real_time = RealTime::default();
        assert_eq!(real_time.factor(), 0.0);
        for _ in 0..1000 {
            real_time.passed(20.0, 10.0);
        }
        assert!((real_time.factor() - 2.0).abs() < 1e-9);
        for _ in 0..1000 {
            real_time.passed(10.0, 20.0);
        }
        assert!((real_time.factor() - 0.5).abs() < 1e-3);
    }

    /// Steps of 0.1 ms that are run in a second, and the number of batches, if each takes some wall time.
    fn second(speed: f64, batch_ms: f64) -> (u32, u32) {
        let mut limit = SpeedLimit::none(0.1);
        limit.set(speed, 0.0);
        let (mut now_ms, mut steps, mut batches) = (0.0, 0, 0);
        while now_ms < 1000.0 {
            let some = limit.steps(now_ms, 100_000);
            if some == 0 {
                now_ms += limit.wait_ms(now_ms, 100_000).max(0.001);
                continue;
            }
            (steps, batches, now_ms) = (steps + some, batches + 1, now_ms + batch_ms);
            limit.passed(some, now_ms);
        }
        (steps, batches)
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn a_limited_run_is_as_fast_as_the_limit_in_short_batches() {
        for (speed, expected) in [(0.001, 10.0), (0.01, 100.0), (0.1, 1000.0), (1.0, 10_000.0), (10.0, 100_000.0)] {
            let (steps, batches) = second(speed, 0.5);
            assert!((f64::from(steps) - expected).abs() <= 0.02 * expected + 1.0, "{steps} steps at {speed}");
            // At 0.01 a step takes 10 ms, less than a frame.
            assert!((9..=101).contains(&batches), "{batches} batches at {speed}");
        }
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn it_makes_up_for_a_short_delay_only() {
        let mut limit = SpeedLimit::none(0.1);
        assert_eq!(limit.steps(5.0, 7), 7);
        limit.set(1.0, 0.0);
        assert_eq!(limit.steps(0.0, 1000), 160);
        limit.passed(160, 10_000.0);
        assert_eq!(limit.steps(10_000.0, 100_000), 1000);
        // The rest of a run is shorter than a batch.
        limit.passed(1000, 10_000.0);
        assert_eq!(limit.steps(10_001.0, 100_000), 0);
        assert_eq!(limit.steps(10_001.0, 3), 3);
        assert!((limit.wait_ms(10_001.0, 100_000) - 15.0).abs() < 1e-6);
    }
}
