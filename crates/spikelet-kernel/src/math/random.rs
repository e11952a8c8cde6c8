//! Random numbers with a given distribution, from uniform ones.

use super::logarithm::log_normal;
use super::{exp, expm1, log1p, nan_of, sqrt};

/// Below this, 32 random bits leave less than 12 digits of a uniform number, and [`uniform_near_0`] takes 32 more: one draw of 4096.
pub const NEAR_0: u32 = 1 << 20;

/// 2⁻²⁴
const UNIT: f32 = f32::from_bits((127 - 24) << 23);

/// 2⁻³²
const WORD: f32 = f32::from_bits((127 - 32) << 23);

/// (bits + ½)/2³² to the nearest f32: both parts are exact, and their sum is rounded once.
#[inline(always)]
fn part(bits: u32) -> f32 {
    (bits >> 8) as i32 as f32 * UNIT + ((bits & 255) as i32 as f32 + 0.5) * WORD
}

/// The uniform number in (0, 1) of 32 random bits, if they are at least [`NEAR_0`]: (bits + ½)/2³² to the nearest f32 below 1.
#[inline(always)]
pub fn uniform(bits: u32) -> f32 {
    part(bits).min(1.0 - UNIT)
}

/// The same of bits below [`NEAR_0`], with 32 more bits: probabilities down to 2⁻⁶⁴ have 20 bits at least.
#[inline(always)]
pub fn uniform_near_0(bits: u32, more: u32) -> f32 {
    (bits as i32 as f32 + part(more)) * WORD
}

/// What a normal number is made from: a uniform one in (−1, 1), and how far out that is.
#[inline(always)]
fn place(bits: u32) -> (f32, f32) {
    // An odd integer below 2²⁴ in size: exact in f32, never ±1 after scaling.
    let x = (2 * (bits >> 8) as i32 + 1 - (1 << 24)) as f32 * UNIT;
    (x, -log_normal((1.0 - x) * (1.0 + x)))
}

/// Whether [`normal_middling`] is [`normal`] for these bits, as for 996 of 1000.
#[inline(always)]
pub fn is_middling(bits: u32) -> bool {
    place(bits).1 < 5.0
}

/// The standard normal number of bits that lie in the middle.
#[inline(always)]
pub fn normal_middling(bits: u32) -> f32 {
    let (x, w) = place(bits);
    std::f32::consts::SQRT_2 * (middle(w) * x)
}

/// The quotient of the inverse error function and its argument, in the middle.
#[inline(always)]
fn middle(w: f32) -> f32 {
    let near = w - 2.5;
    let mut p = 2.810_226_4e-8;
    p = p * near + 3.432_739_4e-7;
    p = p * near + -3.523_388e-6;
    p = p * near + -4.391_506_6e-6;
    p = p * near + 2.185_808_7e-4;
    p = p * near + -1.253_725e-3;
    p = p * near + -4.177_681_5e-3;
    p = p * near + 2.466_407_3e-1;
    p * near + 1.501_409_4
}

/// The standard normal number of 32 random bits, by the inverse of the distribution function (Giles 2010, "Approximating the
/// erfinv function", single precision). The 2²⁴ values reach ±5.4.
#[inline(always)]
pub fn normal(bits: u32) -> f32 {
    let (x, w) = place(bits);
    let far = sqrt(w) - 3.0;
    let mut q = -2.002_142_6e-4;
    q = q * far + 1.009_505_6e-4;
    q = q * far + 1.349_343_3e-3;
    q = q * far + -3.673_428_4e-3;
    q = q * far + 5.739_507_7e-3;
    q = q * far + -7.622_461_3e-3;
    q = q * far + 9.438_870_5e-3;
    q = q * far + 1.001_674;
    q = q * far + 2.832_976_8;
    std::f32::consts::SQRT_2 * (if w < 5.0 { middle(w) } else { q } * x)
}

/// The normal number of random bits spread over a part of their range, `first` … `first + span − 1`: with 2³² times the probabilities
/// of two bounds a normal number between these, to 2⁻²⁴ in probability.
#[inline(always)]
pub fn normal_between(bits: u32, first: u32, span: u32) -> f32 {
    normal(first + ((u64::from(bits) * u64::from(span)) >> 32) as u32)
}

/// The mean up to which counts are searched for one by one.
const SEARCHED: f32 = 32.0;

/// More counts than any search comes to.
const MOST: f32 = 128.0;

/// The probabilities P(count ≥ k) for k = 1, 2, … in f32, as far as they are known: a count is how many of them a uniform number is below.
/// So rare counts come from numbers near 0, which have more digits than those near 1.
struct Tails {
    /// The probability of the last count, and of all above it.
    mass: f32,
    tail: f32,
    /// A smaller one is lost in the rounding of the tails.
    least: f32,
    mean: f32,
    count: f32,
    left: f32,
    shrink: f32,
    odds: f32,
}

impl Tails {
    /// The probability of 0 is exp(`log_mass`); that of k is (size − shrink (k − 1)) odds / k times that of k − 1.
    #[inline(always)]
    fn new(log_mass: f32, mean: f32, [size, shrink, odds]: [f32; 3]) -> Tails {
        let tail = -expm1(log_mass);
        Tails { mass: exp(log_mass), tail, least: tail * UNIT, mean, count: 0.0, left: size, shrink, odds }
    }

    #[inline(always)]
    fn poisson(mean: f32) -> Tails {
        Tails::new(-mean, mean, [mean, 0.0, 1.0])
    }

    #[inline(always)]
    fn binomial(trials: f32, p: f32) -> Tails {
        Tails::new(trials * log1p(-p), trials * p, [trials, 1.0, p / (1.0 - p)])
    }

    /// The count of a uniform number.
    fn search(self, u: f32) -> f32 {
        self.take_while(|tail| u < *tail).count() as f32
    }
}

impl Iterator for Tails {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        let tail = self.tail;
        if self.count >= MOST || self.count > self.mean && self.mass <= self.least {
            return None;
        }
        self.mass = self.mass * (self.left * self.odds) / (self.count + 1.0);
        self.tail -= self.mass;
        self.left -= self.shrink;
        self.count += 1.0;
        Some(tail)
    }
}

/// A distribution of which many counts are drawn, made ready: [`poisson`] or [`binomial`] where they search.
#[derive(Debug, Clone)]
pub struct Counts {
    tails: Vec<f32>,
    /// No count is larger.
    most: f32,
    /// What is counted are the other outcomes.
    mirrored: bool,
}

impl Counts {
    /// Those of [`poisson`] with this mean, unless it is large.
    pub fn poisson(mean: f32) -> Option<Counts> {
        let tails = (0.0..=SEARCHED).contains(&mean).then(|| Tails::poisson(mean).collect())?;
        Some(Counts { tails, most: f32::INFINITY, mirrored: false })
    }

    /// Those of [`binomial`] with this number of trials and probability, unless their mean is large.
    pub fn binomial(n: f32, p: f32) -> Option<Counts> {
        let Trials { trials, mirrored, rarer } = Trials::new(n, p);
        let is_searched = !n.is_nan() && !p.is_nan() && trials * rarer <= SEARCHED;
        let tails = is_searched.then(|| Tails::binomial(trials, rarer).collect())?;
        Some(Counts { tails, most: trials, mirrored })
    }

    /// The counts of uniform numbers.
    #[inline(always)]
    pub fn draw<const N: usize>(&self, uniform: &[f32; N], counts: &mut [f32; N]) {
        // As many as the registers of any processor hold.
        const CHUNK: usize = 64;
        for (uniform, counts) in uniform.as_chunks::<CHUNK>().0.iter().zip(counts.as_chunks_mut::<CHUNK>().0) {
            let mut reached = [0_i32; CHUNK];
            for tail in &self.tails {
                for (reached, uniform) in reached.iter_mut().zip(uniform) {
                    *reached += i32::from(*uniform < *tail);
                }
            }
            for (count, reached) in counts.iter_mut().zip(reached) {
                let held = (reached as f32).min(self.most);
                *count = if self.mirrored { self.most - held } else { held };
            }
        }
    }
}

/// What a binomial count is drawn from.
struct Trials {
    trials: f32,
    /// Whether what happens rarely is that it does not happen.
    mirrored: bool,
    /// The probability of what happens rarely.
    rarer: f32,
}

impl Trials {
    #[inline(always)]
    fn new(n: f32, p: f32) -> Trials {
        let mirrored = p > 0.5;
        Trials { trials: n.floor().clamp(0.0, 1e38), mirrored, rarer: (if mirrored { 1.0 - p } else { p }).max(0.0) }
    }
}

/// The nearest whole number to the quantile of a distribution of this mean, variance and third moment over variance: the
/// normal one, with the first term of Cornish and Fisher.
fn from_normal(u: f32, mean: f32, variance: f32, asymmetry: f32) -> f32 {
    let z = normal(((u * 16_777_216.0) as u32) << 8);
    let skewed = (z * z - 1.0) * asymmetry * 0.166_666_67;
    ((mean + sqrt(variance) * z) + (skewed + 0.5)).floor()
}

/// The number of events where `mean` are expected, a quantile of Poisson's distribution; `u` is a [`uniform`] number. 0 where
/// the mean is not above 0.
///
/// Up to a mean of 32 the probabilities of larger counts are summed up in f32: they are right to 2⁻¹⁸ of that of an event, however
/// small it is. The count falls as `u` grows. Above, the count is the rounded quantile of the normal distribution with its
/// first correction for skewness, right to 0.001 in cumulative probability.
pub fn poisson(mean: f32, u: f32) -> f32 {
    let held = mean.clamp(0.0, 1e38);
    let count = if held <= SEARCHED { Tails::poisson(held).search(u) } else { from_normal(u, held, held, 1.0) };
    nan_of(mean, count)
}

/// The number of successes in `n` trials (its whole part) of probability `p` (held in 0 … 1), a quantile of the binomial
/// distribution; `u` is a [`uniform`] number. 0 where n < 1.
///
/// Accurate as [`poisson`] is, by the same ways; the rarer outcome is counted.
pub fn binomial(n: f32, p: f32, u: f32) -> f32 {
    let Trials { trials, mirrored, rarer } = Trials::new(n, p);
    let mean = trials * rarer;
    let count = if mean <= SEARCHED {
        Tails::binomial(trials, rarer).search(u)
    } else {
        from_normal(u, mean, mean * (1.0 - rarer), 1.0 - 2.0 * rarer)
    };
    let count = count.max(0.0).min(trials);
    nan_of(n, nan_of(p, if mirrored { trials - count } else { count }))
}
