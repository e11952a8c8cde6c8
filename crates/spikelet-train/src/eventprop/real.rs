//! The numbers of EventProp: f32 as on devices, and f64 as the reference.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use spikelet_kernel::math;

/// A number with the functions that EventProp needs. All operations of f32 are those of `shaders/math.wgsl`, so that a GPU has the same bits.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// ∞
    const INFINITY: Self;
    /// A crossing is found when a step of the solver is this small, as a part of the synaptic time constant: the next one, by the third
    /// order of the solver, is then below the last place.
    const LAST_STEP: f64;
    /// The name of the precision.
    const NAME: &'static str;
    /// A number, rounded.
    fn of(number: f64) -> Self;
    /// The number.
    fn to_f64(self) -> f64;
    /// e^x
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Square root, 0 below zero.
    fn root(self) -> Self;
}

impl Real for f32 {
    const INFINITY: f32 = f32::INFINITY;
    const LAST_STEP: f64 = 1e-3;
    const NAME: &'static str = "f32";

    #[inline(always)]
    fn of(number: f64) -> f32 {
        number as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn exp(self) -> f32 {
        math::exp(self)
    }

    #[inline(always)]
    fn ln(self) -> f32 {
        math::log(self)
    }

    #[inline(always)]
    fn root(self) -> f32 {
        math::sqrt(if self > 0.0 { self } else { 0.0 })
    }
}

impl Real for f64 {
    const INFINITY: f64 = f64::INFINITY;
    const LAST_STEP: f64 = 1e-6;
    const NAME: &'static str = "f64";

    fn of(number: f64) -> f64 {
        number
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn exp(self) -> f64 {
        libm::exp(self)
    }

    fn ln(self) -> f64 {
        libm::log(self)
    }

    fn root(self) -> f64 {
        libm::sqrt(if self > 0.0 { self } else { 0.0 })
    }
}
