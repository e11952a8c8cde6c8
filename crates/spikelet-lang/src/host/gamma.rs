//! The gamma distribution.

/// Attempts before giving up: one in twenty fails at the worst, so this is never reached by chance.
const ATTEMPTS: u32 = 200;

/// A number of the gamma distribution of this shape, above 0, and scale 1. `draw(attempt)` gives a standard normal number and a
/// uniform one in (0, 1), always the same for the same attempt; attempts are counted from 0 and stay below 256. NaN where the shape
/// is not above 0.
///
/// Marsaglia & Tsang 2000, "A simple method for generating gamma variables", ACM Transactions on Mathematical Software 26:363; shapes
/// below 1 by their §6, from the shape above it and a power of a uniform number.
pub fn gamma(shape: f64, draw: &mut dyn FnMut(u32) -> (f64, f64)) -> f64 {
    let small = shape < 1.0;
    let d = (if small { shape + 1.0 } else { shape }) - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    if !(shape > 0.0 && d.is_finite()) {
        return f64::NAN;
    }
    for attempt in 0..ATTEMPTS {
        let (x, u) = draw(attempt);
        let root = 1.0 + c * x;
        let v = root * root * root;
        if root > 0.0 && libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            // The next attempt's number is independent of all that decided on this one.
            return if small { d * v * libm::pow(draw(attempt + 1).1, 1.0 / shape) } else { d * v };
        }
    }
    f64::NAN
}
