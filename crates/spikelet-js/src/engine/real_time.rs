//! The speed of a network.

/// Time constant of the average of the real-time factor, in ms of wall time.
const MEMORY_MS: f64 = 500.0;

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
}
