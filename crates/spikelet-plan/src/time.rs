//! Times of steps for people.

/// Decimals that a time step may have.
const DECIMALS: usize = 9;

/// The time of a step in ms, rounded for display: 0.3 for step 3 of 0.1 ms, where the product is 0.30000000000000004.
pub fn of_step(step: u32, dt_ms: f64) -> f64 {
    let step = f64::from(step);
    let scales = std::iter::successors(Some(1.0), |scale| Some(scale * 10.0)).take(DECIMALS + 1);
    // The product of integers is exact, and one division rounds once.
    let decimal = scales.map(|scale| (libm::round(dt_ms * scale), scale)).find(|(whole, scale)| whole / scale == dt_ms);
    decimal.map_or(step * dt_ms, |(whole, scale)| step * whole / scale)
}

#[cfg(test)]
mod tests {
    use super::of_step;

    #[test]
    fn a_step_has_the_time_that_one_would_write() {
        for (dt, digits) in [("0.1", 1), ("0.05", 2), ("0.07", 2), ("0.025", 3), ("0.125", 3), ("1", 0), ("0.0000125", 7)] {
            let dt_ms: f64 = dt.parse().unwrap();
            let units: u64 = dt.replace('.', "").parse().unwrap();
            for step in (0..2000).chain([123_457, 9_999_999, i32::MAX as u32]) {
                let whole = units * u64::from(step);
                let divisor = 10_u64.pow(digits);
                let text = format!("{}.{:0width$}", whole / divisor, whole % divisor, width = digits as usize);
                let written: f64 = if digits == 0 { whole as f64 } else { text.parse().unwrap() };
                assert_eq!(of_step(step, dt_ms).to_bits(), written.to_bits(), "step {step} of {dt} ms");
            }
        }
        // Not a decimal number: the nearest value.
        assert_eq!(of_step(3, 1.0 / 3.0), 1.0);
    }
}
