//! Variables of synapses that are stored as f16, with eleven significant bits. Codes compute in f32; what they store is rounded by operations that
//! are the same on every device.

use crate::ir::{Literal, Op, Ref};
use crate::lower::Lowering;
use crate::syntax::BinaryOp;
use crate::term::Function;

/// From here on the nearest f16 is infinite; the largest finite one is 65504.
const OVERFLOW: f32 = 65520.0;
/// The smallest normal f16, 2⁻¹⁴. Smaller numbers are multiples of 2⁻²⁴.
const NORMAL: f32 = 1.0 / 16384.0;
/// 2¹³ + 1: splits the 24 bits of an f32 into 11 and 13 (Dekker 1971, Numer Math 18:224).
const SPLIT: f32 = 8193.0;
/// A number whose neighbours are 2⁻²⁴ away.
const SHIFT: f32 = 0.75;
/// Makes numbers from `OVERFLOW` on infinite.
const HUGE: f32 = 1e38;
/// The largest relative error of a normal f16: 2⁻¹¹.
pub const ERROR: f64 = 1.0 / 2048.0;

/// The nearest f16, as an f32.
#[inline]
pub fn round(x: f32) -> f32 {
    let (size, scaled) = (x.abs(), x * SPLIT);
    let normal = scaled - (scaled - x);
    let small = (x + SHIFT) - SHIFT;
    let finite = if size < NORMAL { small } else { normal };
    if size < OVERFLOW { finite } else { x * HUGE }
}

/// The same as code. In f64 nothing is rounded: the difference shows what f16 changes.
pub(crate) fn code(code: &mut Lowering<'_>, x: Ref) -> Ref {
    let mut literal = |single: f32, double: f64| code.op(Op::Literal(Literal { single, double }));
    let (split, shift, huge) = (literal(SPLIT, 1.0), literal(SHIFT, 0.0), literal(HUGE, 1.0));
    let (normal_from, overflow) = (literal(NORMAL, 0.0), literal(OVERFLOW, f64::INFINITY));
    let size = code.op(Op::Call1(Function::Abs, x));
    let scaled = code.binary(BinaryOp::Multiply, x, split);
    let rest = code.binary(BinaryOp::Subtract, scaled, x);
    let normal = code.binary(BinaryOp::Subtract, scaled, rest);
    let shifted = code.binary(BinaryOp::Add, x, shift);
    let small = code.binary(BinaryOp::Subtract, shifted, shift);
    let is_small = code.binary(BinaryOp::Less, size, normal_from);
    let finite = code.op(Op::Select { condition: is_small, yes: small, no: normal });
    let is_finite = code.binary(BinaryOp::Less, size, overflow);
    let infinite = code.binary(BinaryOp::Multiply, x, huge);
    code.op(Op::Select { condition: is_finite, yes: finite, no: infinite })
}

/// The bits of a number that an f16 represents.
#[inline]
pub fn encode(x: f32) -> u16 {
    let (sign, size) = ((x.to_bits() >> 16) as u16 & 0x8000, x.to_bits() & 0x7fff_ffff);
    sign | match size {
        0..0x3880_0000 => (x.abs() * 16_777_216.0) as u16,
        0x3880_0000..0x4780_0000 => ((size - 0x3800_0000) >> 13) as u16,
        0x4780_0000..=0x7f80_0000 => 0x7c00,
        _ => 0x7e00,
    }
}

/// The number that an f16 represents.
#[inline]
pub fn decode(bits: u16) -> f32 {
    let (sign, size) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    let size = match size {
        0..0x400 => (size as f32 / 16_777_216.0).to_bits(),
        0x400..0x7c00 => (size << 13) + 0x3800_0000,
        _ => (size << 13) | 0x7f80_0000,
    };
    f32::from_bits(sign | size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_f16_comes_back() {
        for bits in 0..=u16::MAX {
            let value = decode(bits);
            if value.is_nan() {
                assert!(decode(encode(value)).is_nan());
            } else {
                assert_eq!(encode(value), bits);
                // −0 becomes 0 by the sum with a number.
                assert_eq!(round(value), value, "{value}");
            }
        }
        assert_eq!([0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff].map(decode), [1.0, -2.0, 0.333_251_95, 5.960_464_5e-8, 65504.0]);
    }

    proptest! {
        #[test]
        fn the_nearest_is_taken(bits in any::<u32>()) {
            let x = f32::from_bits(bits);
            prop_assume!(!x.is_nan());
            let near = encode(round(x));
            let off = (f64::from(decode(near)) - f64::from(x)).abs();
            if x.abs() >= OVERFLOW {
                prop_assert!(round(x) == x.signum() * f32::INFINITY);
            } else {
                prop_assert_eq!(decode(near), round(x));
                prop_assert!(off <= f64::from(x.abs()) * ERROR || x.abs() < NORMAL && off <= 0.5 / 16_777_216.0, "{} becomes {}", x, round(x));
            }
        }
    }
}
