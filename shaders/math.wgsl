// Elementary functions, operation for operation those of crates/spikelet-lang/src/math.rs, where the error bounds stand.

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

// Steps from a stamp to `step`, at most 2^24.
fn elapsed(stamp: f32, step: u32) -> f32 {
    return f32(min(bitcast<i32>(step - (bitcast<u32>(stamp) - 0x40000000u)), 16777216i));
}

fn exp32(argument: f32) -> f32 {
    let x = clamp(argument, -87.0f, 87.0f);
    let n = floor(multiply_add(x, 1.44269504f, 0.5f));
    let r = multiply_add(n, 2.1219444e-4f, multiply_add(n, -0.6933594f, x));
    var p = 1.9875691e-4f;
    p = multiply_add(p, r, 1.3981999e-3f);
    p = multiply_add(p, r, 8.333452e-3f);
    p = multiply_add(p, r, 4.1665796e-2f);
    p = multiply_add(p, r, 1.6666665e-1f);
    p = multiply_add(p, r, 0.5f);
    p = multiply_add(p, r, 1.0f);
    p = multiply_add(p, r, 1.0f);
    return p * bitcast<f32>(u32(i32(n) + 127i) << 23u);
}

fn log32(x: f32) -> f32 {
    let bits = bitcast<u32>(max(x, 1.1754944e-38f));
    let shifted = bits - 0x3f3504f3u;
    let e = f32(bitcast<i32>(shifted) >> 23u);
    let f = exact(bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f);
    let z = exact(f * f);
    var p = 7.0376836e-2f;
    p = multiply_add(p, f, -1.151461e-1f);
    p = multiply_add(p, f, 1.16769984e-1f);
    p = multiply_add(p, f, -1.2420141e-1f);
    p = multiply_add(p, f, 1.4249323e-1f);
    p = multiply_add(p, f, -1.6668057e-1f);
    p = multiply_add(p, f, 2.0000715e-1f);
    p = multiply_add(p, f, -2.4999994e-1f);
    p = multiply_add(p, f, 3.3333333e-1f);
    let cubic = exact(exact(p * f) * z);
    let y = multiply_add(-0.5f, z, multiply_add(e, -2.1219444e-4f, cubic));
    let result = multiply_add(e, 0.6933594f, exact(f + y));
    return select(result, not_a_number(x), x < 0.0f);
}

fn sqrt32(x: f32) -> f32 {
    let half = 0.5f * x;
    var y = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(x) >> 1u));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    y = exact(y * multiply_add(exact(-half * y), y, 1.5f));
    let root = exact(x * y);
    let result = multiply_add(exact(0.5f * y), multiply_add(-root, root, x), root);
    return select(result, not_a_number(x), x < 0.0f);
}

fn exprel32(x: f32) -> f32 {
    var p = 2.4801587e-5f;
    p = multiply_add(p, x, 1.984127e-4f);
    p = multiply_add(p, x, 1.3888889e-3f);
    p = multiply_add(p, x, 8.333334e-3f);
    p = multiply_add(p, x, 4.1666668e-2f);
    p = multiply_add(p, x, 1.6666667e-1f);
    p = multiply_add(p, x, 0.5f);
    p = multiply_add(p, x, 1.0f);
    let small = abs(x) < 0.5f;
    let quotient = exact(exp32(x) - 1.0f) / select(x, 1.0f, small);
    return select(quotient, p, small);
}

fn sign32(x: f32) -> f32 {
    return select(select(0.0f, -1.0f, x < 0.0f), 1.0f, x > 0.0f);
}

fn uniform32(bits: u32) -> f32 {
    return f32(bits >> 8u) * 5.9604645e-8f;
}

fn normal32(bits: u32) -> f32 {
    let x = f32(2i * i32(bits >> 8u) + 1i - 16777216i) * 5.9604645e-8f;
    let w = -log32(exact(exact(1.0f - x) * exact(1.0f + x)));
    let near = exact(w - 2.5f);
    var p = 2.8102264e-8f;
    p = multiply_add(p, near, 3.4327394e-7f);
    p = multiply_add(p, near, -3.523388e-6f);
    p = multiply_add(p, near, -4.3915066e-6f);
    p = multiply_add(p, near, 2.1858087e-4f);
    p = multiply_add(p, near, -1.253725e-3f);
    p = multiply_add(p, near, -4.1776815e-3f);
    p = multiply_add(p, near, 2.4664073e-1f);
    p = multiply_add(p, near, 1.5014094f);
    let far = exact(sqrt32(w) - 3.0f);
    var q = -2.0021426e-4f;
    q = multiply_add(q, far, 1.0095056e-4f);
    q = multiply_add(q, far, 1.3493433e-3f);
    q = multiply_add(q, far, -3.6734284e-3f);
    q = multiply_add(q, far, 5.7395077e-3f);
    q = multiply_add(q, far, -7.6224613e-3f);
    q = multiply_add(q, far, 9.4388705e-3f);
    q = multiply_add(q, far, 1.001674f);
    q = multiply_add(q, far, 2.8329768f);
    return exact(1.41421356f * exact(select(q, p, w < 5.0f) * x));
}

fn not_a_number(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u);
}
