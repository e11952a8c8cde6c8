//! The operations of `shaders/probe.wgsl`, with their results on a CPU.

/// What the operands of the cases are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Numbers, or infinities, that are not subnormal, and whose results are not.
    Normal,
    /// A subnormal operand or result, without NaN.
    Subnormal,
    /// A NaN.
    NotANumber,
    /// Any words.
    Words,
}

/// An operation, with the operands to compare it for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    /// Its name in reports.
    pub(super) name: &'static str,
    /// Its number in `shaders/probe.wgsl`.
    pub(super) number: u32,
    /// Operands that it uses.
    pub(super) arity: usize,
    pub(super) operands: Operands,
    /// Its result on a CPU; `None` where WGSL leaves it open.
    pub(super) expected: fn([u32; 3]) -> Option<u32>,
    /// Whether the result is a number, for which any NaN is as good as another.
    pub(super) is_number: bool,
}

impl Operation {
    const fn new(name: &'static str, number: u32, arity: usize, expected: fn([u32; 3]) -> Option<u32>) -> Operation {
        Operation { name, number, arity, operands: Operands::Normal, expected, is_number: true }
    }

    const fn of(self, name: &'static str, operands: Operands) -> Operation {
        Operation { name, operands, ..self }
    }

    const fn of_words(self) -> Operation {
        Operation { operands: Operands::Words, is_number: false, ..self }
    }

    const fn to_words(self) -> Operation {
        Operation { is_number: false, ..self }
    }
}

const SUM: Operation = Operation::new("a+b", 0, 2, |x| number(x, |[a, b, _]| a + b));
const PRODUCT: Operation = Operation::new("a*b", 2, 2, |x| number(x, |[a, b, _]| a * b));
const FUSED: Operation = Operation::new("a*b+c", 3, 3, |x| number(x, |[a, b, c]| a * b + c));
const QUOTIENT: Operation = Operation::new("a/b", 7, 2, |x| number(x, |[a, b, _]| a / b));
const ROOT: Operation = Operation::new("sqrt(a)", 8, 1, |x| number(x, |[a, ..]| a.sqrt()));
const MIN: Operation = Operation::new("min(a,b)", 15, 2, |x| unless_signed_zeros(x, f32::min));
const MAX: Operation = Operation::new("max(a,b)", 16, 2, |x| unless_signed_zeros(x, f32::max));
const SELECT_MIN: Operation = Operation::new("select(a,b,b<a)", 17, 2, |x| number(x, |[a, b, _]| if b < a { b } else { a }));
const SELECT_MAX: Operation = Operation::new("select(a,b,b>a)", 18, 2, |x| number(x, |[a, b, _]| if b > a { b } else { a }));
const COMPARISON: Operation = Operation::new("a<b, a==b, a>b", 22, 2, |x| Some(comparison(x))).to_words();

/// All operations. Those with `exact` are as kernels are written, the others as WGSL allows devices to round them.
pub(super) const OPERATIONS: [Operation; 32] = [
    SUM,
    Operation::new("a-b", 1, 2, |x| number(x, |[a, b, _]| a - b)),
    PRODUCT,
    FUSED,
    Operation::new("exact(exact(a*b)+c)", 4, 3, |x| number(x, |[a, b, c]| a * b + c)),
    Operation::new("fma(a,b,c)", 5, 3, |x| number(x, |[a, b, c]| a.mul_add(b, c))),
    Operation::new("(a+b)-a", 6, 2, |x| number(x, |[a, b, _]| (a + b) - a)),
    QUOTIENT,
    ROOT,
    Operation::new("i32(a)", 9, 1, to_signed).to_words(),
    Operation::new("u32(a)", 10, 1, to_unsigned).to_words(),
    Operation::new("f32(i32)", 11, 1, |[a, ..]| Some((a as i32 as f32).to_bits())).of_words(),
    Operation::new("f32(u32)", 12, 1, |[a, ..]| Some((a as f32).to_bits())).of_words(),
    Operation::new("pack2x16float(a,b)", 13, 2, pack).to_words(),
    Operation::new("unpack2x16float(word).y", 14, 1, |[a, ..]| Some(from_half((a >> 16) as u16)))
        .of("unpack2x16float(word).y", Operands::Words),
    MIN,
    MAX,
    SELECT_MIN,
    SELECT_MAX,
    Operation::new("floor(a)", 19, 1, |x| number(x, |[a, ..]| a.floor())),
    Operation::new("round(a)", 20, 1, |x| number(x, |[a, ..]| a.round_ties_even())),
    Operation::new("trunc(a)", 21, 1, |x| number(x, |[a, ..]| a.trunc())),
    COMPARISON,
    SUM.of("a+b, subnormal", Operands::Subnormal),
    PRODUCT.of("a*b, subnormal", Operands::Subnormal),
    QUOTIENT.of("a/b, subnormal", Operands::Subnormal),
    COMPARISON.of("a<b, a==b, a>b, subnormal", Operands::Subnormal),
    MIN.of("min(a,b), NaN", Operands::NotANumber),
    MAX.of("max(a,b), NaN", Operands::NotANumber),
    SELECT_MIN.of("select(a,b,b<a), NaN", Operands::NotANumber),
    COMPARISON.of("a<b, a==b, a>b, NaN", Operands::NotANumber),
    Operation::new("exact(word)", 23, 1, |[a, ..]| Some(a)).of_words(),
];

/// The number of the operation that rounds a product and a sum together.
pub(super) fn fused(words: [u32; 3]) -> u32 {
    let [a, b, c] = words.map(f32::from_bits);
    a.mul_add(b, c).to_bits()
}

fn number(words: [u32; 3], of: impl Fn([f32; 3]) -> f32) -> Option<u32> {
    Some(of(words.map(f32::from_bits)).to_bits())
}

/// Either zero is a result of 0 and -0.
fn unless_signed_zeros(words: [u32; 3], of: fn(f32, f32) -> f32) -> Option<u32> {
    let [a, b, _] = words.map(f32::from_bits);
    (a != 0.0 || b != 0.0).then(|| of(a, b).to_bits())
}

fn comparison(words: [u32; 3]) -> u32 {
    let [a, b, _] = words.map(f32::from_bits);
    u32::from(a < b) + 2 * u32::from(a == b) + 4 * u32::from(a > b)
}

/// WGSL clamps to the integers that are f32, too.
fn to_signed([a, ..]: [u32; 3]) -> Option<u32> {
    let a = f32::from_bits(a);
    a.is_finite().then(|| a.clamp(-2_147_483_648.0, 2_147_483_520.0) as i32 as u32)
}

fn to_unsigned([a, ..]: [u32; 3]) -> Option<u32> {
    let a = f32::from_bits(a);
    a.is_finite().then(|| a.clamp(0.0, 4_294_967_040.0) as u32)
}

/// Both numbers in two bytes; WGSL leaves it open what is too large for them, and whether subnormal results are 0.
fn pack([a, b, _]: [u32; 3]) -> Option<u32> {
    let fits = |word: u32| {
        let size = f32::from_bits(word).abs();
        size == 0.0 || (6.2e-5..65_504.0).contains(&size)
    };
    (fits(a) && fits(b)).then(|| u32::from(to_half(a)) | u32::from(to_half(b)) << 16)
}

/// A number from 2^-14 to 65504, or 0, in two bytes, rounded to the nearest, ties to even.
fn to_half(word: u32) -> u16 {
    let sign = (word >> 16) as u16 & 0x8000;
    let size = word & 0x7fff_ffff;
    if size == 0 {
        return sign;
    }
    // 13 bits of the mantissa are dropped; the bias of the exponent is 112 less.
    let rounded = size + 0xfff + (size >> 13 & 1);
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

/// A number of two bytes.
fn from_half(half: u16) -> u32 {
    let (sign, exponent, mantissa) = (u32::from(half >> 15) << 31, u32::from(half >> 10 & 31), u32::from(half & 1023));
    match exponent {
        // 2^-24 per unit.
        0 => sign | (mantissa as f32 * 5.960_464_5e-8).to_bits(),
        31 => sign | 0x7f80_0000 | mantissa << 13,
        _ => sign | (exponent + 112) << 23 | mantissa << 13,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_two_bytes() {
        for (half, value) in [(0x3c00, 1.0_f32), (0xc000, -2.0), (0x7bff, 65_504.0), (0x0400, 6.103_515_6e-5), (0x8000, -0.0)] {
            assert_eq!(f32::from_bits(from_half(half)).to_bits(), value.to_bits());
            assert_eq!(to_half(value.to_bits()), half);
        }
        assert_eq!(f32::from_bits(from_half(1)), 2.0_f32.powi(-24));
        assert!(f32::from_bits(from_half(0x7c01)).is_nan() && f32::from_bits(from_half(0xfc00)) == f32::NEG_INFINITY);
        // Ties to even, and up into the next exponent.
        assert_eq!((to_half((1.0_f32 + 1.0 / 2048.0).to_bits()), to_half((1.0_f32 + 3.0 / 2048.0).to_bits())), (0x3c00, 0x3c02));
        assert_eq!(to_half(1.9999_f32.to_bits()), 0x4000);
        assert_eq!(pack([1.0_f32.to_bits(), 70_000.0_f32.to_bits(), 0]), None);
    }

    #[test]
    fn numbers_are_clamped_to_integers() {
        let signed = |value: f32| to_signed([value.to_bits(), 0, 0]).map(|word| word as i32);
        assert_eq!([signed(-1.9), signed(3e9), signed(-3e9)], [Some(-1), Some(2_147_483_520), Some(i32::MIN)]);
        assert_eq!(to_unsigned([(-5.0_f32).to_bits(), 0, 0]), Some(0));
        assert_eq!(signed(f32::NAN), None);
    }
}
