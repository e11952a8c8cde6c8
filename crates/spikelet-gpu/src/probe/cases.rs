//! The operands of operations.

use super::operation::{Operands, Operation};

/// Cases of an operation.
const CASES: usize = 4096;

/// Numbers at the edges of what an operation has to round: zeros, powers of two and their neighbours, the largest and smallest normal and
/// subnormal numbers, integers that are no f32, thirds, infinities and NaN.
const EDGES: [u32; 40] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc060_0000,
    0x4000_0000,
    0x4049_0fdb,
    0x3eaa_aaab,
    0x3dcc_cccd,
    0xbeaa_aaab,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4b80_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4eff_ffff,
    0x4f7f_ffff,
    0x4f80_0000,
    0x477f_e000,
    0x3880_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f00_0000,
    0x5f80_0000,
    0x1f80_0000,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x0100_0000,
    0x007f_ffff,
    0x0000_0001,
    0x8000_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
];

/// The cases of an operation: all pairs of edges, then random numbers.
pub(super) fn of(operation: &Operation) -> Vec<[u32; 3]> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(operation.number));
    let mut cases = Vec::with_capacity(CASES);
    let pairs = EDGES.iter().flat_map(|a| EDGES.iter().map(|b| [*a, *b]));
    for (at, [a, b]) in pairs.enumerate() {
        cases.push([a, b, EDGES[at % EDGES.len()]]);
    }
    // Many are not of the wanted kind.
    for _ in 0..16 * CASES {
        if cases.len() >= 2 * CASES {
            break;
        }
        cases.push(random.case(operation.operands));
    }
    cases.retain(|case| is_wanted(operation, *case));
    cases.sort_unstable();
    cases.dedup();
    // As many of each region, in any number.
    let stride = cases.len().div_ceil(CASES).max(1);
    cases.into_iter().step_by(stride).collect()
}

/// Whether the operands and the result are of the kind that is compared.
fn is_wanted(operation: &Operation, case: [u32; 3]) -> bool {
    let own = &case[..operation.arity];
    let Some(result) = (operation.expected)(case) else { return false };
    let has = |is: fn(f32) -> bool| own.iter().any(|word| is(f32::from_bits(*word)));
    let result_is = |is: fn(f32) -> bool| operation.is_number && is(f32::from_bits(result));
    // The product of a sum counts as a result, too.
    let [a, b, _] = case.map(f32::from_bits);
    let part = operation.arity == 3 && (a * b).is_subnormal();
    let is_subnormal = has(f32::is_subnormal) || result_is(f32::is_subnormal) || part;
    match operation.operands {
        Operands::Normal => !has(f32::is_nan) && !is_subnormal,
        Operands::Subnormal => !has(f32::is_nan) && is_subnormal,
        Operands::NotANumber => has(f32::is_nan) && !is_subnormal,
        Operands::Words => true,
    }
}

/// A generator of words (splitmix64), the same on every machine.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31) as u32
    }

    /// A number with an exponent from 2^`least` on, in a range of 2^`span`, of any sign.
    fn number(&mut self, least: i32, span: u32) -> u32 {
        let exponent = (127 + least) as u32 + self.word() % span;
        self.word() & 0x807f_ffff | exponent << 23
    }

    fn case(&mut self, operands: Operands) -> [u32; 3] {
        match operands {
            Operands::Words => [self.word(), self.word(), self.word()],
            Operands::Subnormal => {
                let [a, b] = [self.word() & 0x80ff_ffff, self.number(-126, 252)];
                if self.word() & 1 == 0 { [a, b, 0] } else { [b, a, 0] }
            }
            Operands::NotANumber => {
                let [a, b] = [self.word() | 0x7fc0_0000, self.number(-60, 120)];
                if self.word() & 1 == 0 { [a, b, 0] } else { [b, a, 0] }
            }
            // Close to each other, as in models, so that every bit of a sum is rounded; some far apart.
            Operands::Normal if !self.word().is_multiple_of(8) => [self.number(-4, 8), self.number(-4, 8), self.number(-6, 12)],
            Operands::Normal => [self.number(-60, 120), self.number(-60, 120), self.number(-60, 120)],
        }
    }
}
