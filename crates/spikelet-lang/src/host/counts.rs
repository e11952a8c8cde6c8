//! Counts as quantiles: the f64 versions of `poisson` and `binomial` of `spikelet_kernel::math`.

use super::normal_f64;

/// The mean up to which counts are searched for one by one.
const SEARCHED: f64 = 32.0;

/// More counts than any search comes to.
const MOST: u32 = 256;

/// The number of events where `mean` are expected: a quantile of Poisson's distribution for `u` in (0, 1), which falls as `u`
/// grows: rare counts come from numbers near 0. 0 where the mean is not above 0.
///
/// Exact up to a mean of 32; above, the rounded quantile of the normal distribution with its first correction for skewness.
pub fn poisson(mean: f64, u: f64) -> f64 {
    if mean.is_nan() {
        return mean;
    }
    let mean = mean.clamp(0.0, 1e300);
    if mean <= SEARCHED { search(u, -mean, mean, [mean, 0.0, 1.0]) } else { from_normal(u, mean, mean, 1.0).max(0.0) }
}

/// The number of successes in `n` trials (its whole part) of probability `p` (held in 0 … 1): a quantile of the binomial
/// distribution for `u` in (0, 1). 0 where n < 1.
///
/// Accurate as [`poisson`] is; the rarer outcome is counted.
pub fn binomial(n: f64, p: f64, u: f64) -> f64 {
    if n.is_nan() || p.is_nan() {
        return f64::NAN;
    }
    let trials = libm::floor(n).clamp(0.0, 1e300);
    let mirrored = p > 0.5;
    let rarer = (if mirrored { 1.0 - p } else { p }).max(0.0);
    let (mean, others) = (trials * rarer, 1.0 - rarer);
    let count = if mean <= SEARCHED {
        search(u, trials * libm::log1p(-rarer), mean, [trials, 1.0, rarer / others])
    } else {
        from_normal(u, mean, mean * others, 1.0 - 2.0 * rarer)
    };
    let count = count.max(0.0).min(trials);
    if mirrored { trials - count } else { count }
}

/// How many of the probabilities P(count ≥ k), k = 1, 2, …, are above `u`. The probability of 0 is exp(`log_mass`); that of k is
/// (size − shrink (k − 1)) odds / k times that of k − 1.
fn search(u: f64, log_mass: f64, mean: f64, [mut left, shrink, odds]: [f64; 3]) -> f64 {
    let (mut mass, mut tail, mut count) = (libm::exp(log_mass), -libm::expm1(log_mass), 0.0);
    // A smaller one is lost in the rounding of the tails.
    let least = tail * (f64::EPSILON / 2.0);
    for _ in 0..MOST {
        if u >= tail || count > mean && mass <= least {
            break;
        }
        mass = mass * (left * odds) / (count + 1.0);
        tail -= mass;
        left -= shrink;
        count += 1.0;
    }
    count
}

/// The nearest whole number to the quantile of a distribution of this mean, variance and third moment over variance: the
/// normal one, with the first term of Cornish and Fisher.
fn from_normal(u: f64, mean: f64, variance: f64, asymmetry: f64) -> f64 {
    let z = normal_f64(u);
    libm::floor((mean + libm::sqrt(variance) * z) + ((z * z - 1.0) * asymmetry / 6.0 + 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ln n!
    fn log_factorial(n: f64) -> f64 {
        libm::lgamma(n + 1.0)
    }

    /// Between the quantiles of `steps` numbers the cumulative probability is where it should be, to `tolerance`.
    fn check(name: &str, quantile: &dyn Fn(f64) -> f64, log_mass: &dyn Fn(f64) -> f64, tolerance: f64) {
        let falls = quantile(1e-9) > quantile(1.0 - 1e-9);
        let steps = 4000;
        let (mut k, mut below) = (-1.0, 0.0);
        for step in 0..steps {
            let u = (f64::from(step) + 0.5) / f64::from(steps);
            // Small counts of large numbers: their quantiles are those of 1 − u.
            let count = quantile(if falls { 1.0 - u } else { u });
            assert!(count >= k || u < below, "{name}: the quantile for {u} is {count}, below {k}");
            while k < count - 1.0 {
                k += 1.0;
                below += libm::exp(log_mass(k));
            }
            // P(X < count) ≤ u < P(X ≤ count)
            let reached = below + libm::exp(log_mass(count));
            assert!(below <= u + tolerance && u <= reached + tolerance, "{name}: {count} for {u}, within {below} … {reached}");
        }
    }

    #[test]
    fn quantiles_of_poisson_are_where_the_probability_is() {
        for (mean, tolerance) in
            [(1e-3, 1e-14), (0.7, 1e-14), (5.0, 1e-13), (32.0, 1e-13), (32.1, 1e-3), (100.0, 5e-4), (1e4, 1e-4)]
        {
            let log_mass = |k: f64| k * libm::log(mean) - mean - log_factorial(k);
            check(&format!("poisson({mean})"), &|u| poisson(mean, u), &log_mass, tolerance);
        }
    }

    #[test]
    fn quantiles_of_binomial_are_where_the_probability_is() {
        for (n, p, tolerance) in [
            (10.0, 0.3, 1e-13),
            (64.0, 0.5, 1e-12),
            (40.0, 0.9, 1e-12),
            (1e6, 1e-5, 1e-8),
            (100.0, 0.5, 1e-3),
            (1000.0, 0.04, 1e-3),
            (1000.0, 0.96, 1e-3),
            (1e5, 0.3, 1e-4),
        ] {
            let log_mass = |k: f64| {
                log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * libm::log(p) + (n - k) * libm::log1p(-p)
            };
            check(&format!("binomial({n}, {p})"), &|u| binomial(n, p, u), &log_mass, tolerance);
        }
    }

    /// However small a probability is, it is that of a count above 0.
    #[test]
    fn small_probabilities_have_all_their_bits() {
        for p in [1e-3, 1e-8, 1e-13, 1e-17] {
            let (expected, above) = (-libm::expm1(-p), 1.0 + 1e-12);
            assert_eq!((poisson(p, expected / above), poisson(p, expected * above)), (1.0, 0.0), "poisson({p})");
            assert_eq!((binomial(1.0, p, p / above), binomial(1.0, p, p * above)), (1.0, 0.0), "binomial(1, {p})");
            assert_eq!(binomial(1.0, 1.0 - 1e-13, 0.9e-13), 0.0);
        }
    }

    #[test]
    fn counts_at_the_ends() {
        let last = 1.0 - f64::EPSILON / 2.0;
        for u in [f64::EPSILON / 4.0, 0.5, last] {
            assert_eq!((poisson(0.0, u), poisson(-3.0, u), binomial(7.9, 1.0, u), binomial(7.0, 0.0, u)), (0.0, 0.0, 7.0, 0.0));
            assert_eq!((binomial(0.0, 0.3, u), binomial(-2.0, 0.3, u), binomial(7.0, 1.5, u)), (0.0, 0.0, 7.0));
            assert!(binomial(1000.0, 0.5, u) <= 1000.0 && poisson(1e4, u) > 9000.0 && poisson(1e4, u) < 11_000.0);
        }
        assert!(poisson(f64::NAN, 0.5).is_nan() && binomial(5.0, f64::NAN, 0.5).is_nan());
    }
}
