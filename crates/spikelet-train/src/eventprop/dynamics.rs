//! The closed forms of a leaky membrane with an exponential current.
//!
//! In units of the membrane potential above rest, with the current scaled by the membrane resistance:
//!
//! ```text
//! τm du/dt = −u + i        u(t) = e^(−t/τm) u0 + K(t) i0,   K(t) = τs/(τs − τm) (e^(−t/τs) − e^(−t/τm))
//! τs di/dt = −i            i(t) = e^(−t/τs) i0
//! ```
//!
//! u has at most one extremum. It lies where u = i: at τm τs/(τm − τs) ln(i0 / (β i0 + (1 − β) u0)) with β = τs/τm.

use super::Real;

/// Lanes that are computed together.
pub(super) const LANES: usize = 8;

/// At most this many steps of the solver. Each at least halves the bracket, or is of third order.
const MAX_STEPS: usize = 48;

/// The constants of the cells of a population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constants<R> {
    /// −1/τm and −1/τs per ms.
    pub(super) rates: [R; 2],
    /// τm and τs in ms.
    pub(super) taus: [R; 2],
    /// 1/τm and 1/τs per ms.
    pub(super) inverse: [R; 2],
    /// τs/(τs − τm)
    pub(super) c: R,
    /// β, 1 − β, and τs/(1 − β).
    beta: R,
    one_less_beta: R,
    to_extremum: R,
    /// Threshold, and potential after a spike, above rest.
    pub(super) theta: R,
    pub(super) rho: R,
    /// Refractory time in ms.
    pub(super) refractory: R,
    /// The smallest denominator of a jump.
    pub(super) grazing: R,
    /// The last step of the solver, in ms.
    last_step: R,
}

impl<R: Real> Constants<R> {
    /// From the numbers of [`Cell`](super::cell::Cell), in f64; `clip` is the smallest slope of a crossing as a part of the threshold above
    /// the reset.
    pub(super) fn new(cell: &super::cell::Cell, clip: f64) -> Constants<R> {
        let [tau_m, tau_s] = cell.taus;
        let beta = tau_s / tau_m;
        let firing = cell.firing.unwrap_or_default();
        Constants {
            rates: [R::of(-1.0 / tau_m), R::of(-1.0 / tau_s)],
            taus: [R::of(tau_m), R::of(tau_s)],
            inverse: [R::of(1.0 / tau_m), R::of(1.0 / tau_s)],
            c: R::of(tau_s / (tau_s - tau_m)),
            beta: R::of(beta),
            one_less_beta: R::of(1.0 - beta),
            to_extremum: R::of(tau_s / (1.0 - beta)),
            theta: R::of(firing.threshold - cell.rest),
            rho: R::of(firing.reset - cell.rest),
            refractory: R::of(firing.refractory),
            grazing: R::of(clip * (firing.threshold - firing.reset)),
            last_step: R::of(R::LAST_STEP * tau_s),
        }
    }

    /// All of them, in the order of `Cell` of `shaders/eventprop/dynamics.wgsl`.
    pub fn numbers(&self) -> [R; 15] {
        let Constants { rates: [rate_m, rate_s], taus: [tau_m, tau_s], inverse: [inverse_m, inverse_s], c, .. } = *self;
        let Constants { beta, one_less_beta, to_extremum, theta, rho, refractory, grazing, last_step, .. } = *self;
        [
            rate_m,
            rate_s,
            tau_m,
            tau_s,
            inverse_m,
            inverse_s,
            c,
            beta,
            one_less_beta,
            to_extremum,
            theta,
            rho,
            refractory,
            grazing,
            last_step,
        ]
    }

    /// e^(−t/τm) and e^(−t/τs).
    #[inline(always)]
    pub(super) fn decay(&self, t: R) -> [R; 2] {
        [(t * self.rates[0]).exp(), (t * self.rates[1]).exp()]
    }

    /// Potential and current a time t later.
    #[inline(always)]
    pub(super) fn later(&self, u: R, i: R, t: R) -> [R; 2] {
        let [em, es] = self.decay(t);
        [em * u + self.c * (es - em) * i, es * i]
    }

    /// Adjoints of potential and current a time t earlier.
    #[inline(always)]
    pub(super) fn earlier(&self, u: R, i: R, t: R) -> [R; 2] {
        let [em, es] = self.decay(t);
        [em * u, es * i + self.c * (es - em) * u]
    }

    /// The current a time t later.
    #[inline(always)]
    pub(super) fn current(&self, i: R, t: R) -> R {
        (t * self.rates[1]).exp() * i
    }

    /// The time to the extremum of the potential; not positive, or NaN, if it has none ahead.
    #[inline(always)]
    pub(super) fn extremum(&self, u: R, i: R) -> R {
        let ratio = i / (self.beta * i + self.one_less_beta * u);
        self.to_extremum * ratio.ln()
    }

    /// ∫ K and ∫ e^(−t/τm) over a time t.
    #[inline(always)]
    pub(super) fn integrals(&self, t: R) -> [R; 2] {
        let [em, es] = self.decay(t);
        let one = R::of(1.0);
        let [of_m, of_s] = [(one - em) * self.taus[0], (one - es) * self.taus[1]];
        [self.c * (of_s - of_m), of_m]
    }

    /// When the potential next rises through the threshold, within `horizon`; ∞ if it does not.
    ///
    /// The bracket ends at the maximum of the potential, and begins at its minimum if it is falling. Each step solves the parabola of the
    /// current point, which also converges where the maximum is just above the threshold; a step that leaves the bracket is replaced by its
    /// middle.
    #[inline(always)]
    pub(super) fn crossing<const N: usize>(&self, u: &[R; N], i: &[R; N], horizon: &[R; N]) -> [R; N] {
        let zero = R::default();
        let mut found = [R::INFINITY; N];
        // A cell with a threshold above rest crosses only while its current is above threshold.
        if self.theta > zero && (0..N).all(|k| i[k] <= self.theta) {
            return found;
        }
        // Conditions are joined without branches, so that the loops over lanes are vectorised.
        let (mut low, mut high, mut open) = ([zero; N], *horizon, [false; N]);
        let (mut a, mut b) = ([zero; N], [zero; N]);
        for k in 0..N {
            b[k] = self.c * i[k];
            a[k] = u[k] - b[k];
            let extremum = self.extremum(u[k], i[k]);
            let (rising, ahead) = (i[k] > u[k], extremum > zero);
            let reaches = (self.theta <= zero) | (i[k] > self.theta);
            low[k] = if !rising & ahead { extremum } else { zero };
            high[k] = if rising & ahead & (extremum < high[k]) { extremum } else { high[k] };
            let at_high = a[k] * (high[k] * self.rates[0]).exp() + b[k] * (high[k] * self.rates[1]).exp();
            let crosses = reaches & (rising | ahead) & (low[k] < high[k]) & (at_high > self.theta);
            // Rounding may have moved the potential up to the threshold already.
            let now = rising & (u[k] >= self.theta) & (horizon[k] >= zero);
            found[k] = if now { zero } else { found[k] };
            open[k] = crosses & !now;
        }
        if !open.iter().any(|open| *open) {
            return found;
        }
        let mut x = low;
        let squares = self.rates.map(|rate| rate * rate);
        let (two, half) = (R::of(2.0), R::of(0.5));
        for _ in 0..MAX_STEPS {
            let mut more = false;
            for k in 0..N {
                let [p, q] = [a[k] * (x[k] * self.rates[0]).exp(), b[k] * (x[k] * self.rates[1]).exp()];
                let f = p + q - self.theta;
                let slope = p * self.rates[0] + q * self.rates[1];
                let bend = p * squares[0] + q * squares[1];
                let is_below = f < zero;
                low[k] = if is_below { x[k] } else { low[k] };
                high[k] = if is_below { high[k] } else { x[k] };
                let root = (slope * slope - two * f * bend).root();
                let step = x[k] - two * f / (slope + root);
                let is_inside = (step >= low[k]) & (step <= high[k]);
                let next = if is_inside { step } else { half * (low[k] + high[k]) };
                let moved = next - x[k];
                let is_last = (moved <= self.last_step) & (moved >= -self.last_step);
                x[k] = if open[k] { next } else { x[k] };
                found[k] = if open[k] { x[k] } else { found[k] };
                open[k] &= !is_last;
                more |= open[k];
            }
            if !more {
                break;
            }
        }
        found
    }
}
