// Elementary functions, operation for operation those of crates/spikelet-kernel/src/math.rs, where the error bounds stand.

// Always 0, but no compiler knows: `header.zero`.
var<private> zero: u32;

// The identity, which no compiler sees through. WGSL lets them fuse, factor and reassociate sums and products, which moves the
// last bit; behind this they must round every operation, as a CPU does.
fn exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ zero);
}

// a · b + c, rounded twice.
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    return exact(exact(a * b) + c);
}

// 0 in place of what is closer to 0 than 2^-100.
fn flush(x: f32) -> f32 {
    return select(x, 0.0f, abs(x) < 7.888609e-31f);
}

// The number of a step as the bits of a normal number.
fn stamp(step: u32) -> f32 {
    return bitcast<f32>(0x40000000u + step);
}

// Steps from a stamp to `step`.
fn elapsed(stamp: f32, step: u32) -> f32 {
    return f32(bitcast<i32>(step - (bitcast<u32>(stamp) - 0x40000000u)));
}

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn is_infinite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

// WGSL has no literals for these two.
fn infinity() -> f32 {
    return bitcast<f32>(0x7f800000u ^ zero);
}

fn not_a_number() -> f32 {
    return bitcast<f32>(0x7fc00000u ^ zero);
}

// NaN where x is, with its bits; and one certain NaN where only the result is.
fn nan_of(x: f32, result: f32) -> f32 {
    return select(select(result, not_a_number(), is_nan(result)), bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u), is_nan(x));
}

fn without_denormals(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    return bitcast<f32>(select(bits, bits & 0x80000000u, (bits & 0x7f800000u) == 0u));
}

fn with_sign(x: f32, y: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

// x cut off to 12 bits.
fn head(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// x + y and what its rounding lost.
fn two_sum(x: f32, y: f32) -> vec2<f32> {
    let sum = exact(x + y);
    let from_y = exact(sum - x);
    return vec2<f32>(sum, exact(exact(x - exact(sum - from_y)) + exact(y - from_y)));
}

// A whole number within 2^21 of 0 as an integer.
fn integer(x: f32) -> i32 {
    return bitcast<i32>(exact(x + 12582912.0f)) - 0x4b400000i;
}

// 2^n for n in -126 ... 127.
fn power_of_two(n: i32) -> f32 {
    return bitcast<f32>(u32(n + 127i) << 23u);
}

// x 2^n in two steps.
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1u;
    return exact(exact(x * power_of_two(half)) * power_of_two(n - half));
}

fn sqrt32(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let m = bitcast<f32>((bits & 0x00ffffffu) + 0x3f000000u);
    let up = bitcast<f32>(((bits >> 24u) + 64u) << 23u);
    let half = exact(0.5f * m);
    var y = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(m) >> 1u));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    let root = exact(m * y);
    var result = exact(multiply_add(exact(0.5f * y), multiply_add(-root, root, m), root) * up);
    result = select(result, 0.0f, x < 1.1754944e-38f);
    result = select(result, x, is_infinite(x));
    return nan_of(x, select(result, not_a_number(), x <= -1.1754944e-38f));
}

fn sign32(x: f32) -> f32 {
    return select(select(0.0f, -1.0f, x < 0.0f), 1.0f, x > 0.0f);
}
