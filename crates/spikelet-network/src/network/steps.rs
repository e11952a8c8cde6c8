//! Times as numbers of steps.

use crate::Error;

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

/// Number of steps of a run of a duration in ms, which a caller gave by the name `path`, after `first` steps.
///
/// # Errors
/// It is negative, no whole number of steps, or too long.
pub fn run_steps(path: &str, ms: f64, dt_ms: f64, first: u32) -> Result<u32, Error> {
    if !(ms.is_finite() && ms >= 0.0) {
        let expected = "a duration must be a finite number of milliseconds, 0 or more";
        return Err(Error::invalid(path, ms, expected, "for example 1000"));
    }
    let steps = ms / dt_ms;
    if between_steps(ms, dt_ms) {
        let expected = format!("a duration must be a whole number of steps, and dt_ms is {dt_ms}");
        let [below, above] = [libm::floor(steps), libm::ceil(steps)].map(|steps| whole(steps * dt_ms));
        return Err(Error::invalid(path, ms, expected, format!("the nearest ones are {below} and {above}")));
    }
    let most = (i32::MAX as u32).saturating_sub(first);
    if libm::round(steps) > f64::from(most) {
        let expected = format!("a run has at most {} steps, which leaves {most} of {dt_ms} ms", i32::MAX);
        return Err(Error::invalid(path, ms, expected, "reset it, or run it for a shorter time"));
    }
    Ok(libm::round(steps) as u32)
}

/// A time rounded for display: 0.3, not 0.30000000000000004.
pub fn whole(time_ms: f64) -> f64 {
    libm::round(time_ms * 1e9) / 1e9
}
