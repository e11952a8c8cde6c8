//! Times as numbers of steps.

/// Relative tolerance in the rounding of times, so that half a step is not rounded down because of decimal numbers: 0.95 ms are
/// 9.499999999999998 steps of 0.1 ms.
const HALF_WAY: f64 = 1.0 / (1u64 << 40) as f64;

/// Whether a time is further than a thousandth of a step from every multiple of the step.
pub fn between_steps(time_ms: f64, dt_ms: f64) -> bool {
    let steps = time_ms / dt_ms;
    (steps - libm::round(steps)).abs() > 1e-3
}

/// The nearest whole number of steps; half steps are rounded up.
pub fn nearest_step(steps: f64) -> f64 {
    libm::floor(steps * (1.0 + HALF_WAY) + 0.5)
}

/// A time rounded for display: 0.3, not 0.30000000000000004.
pub fn whole(time_ms: f64) -> f64 {
    libm::round(time_ms * 1e9) / 1e9
}
