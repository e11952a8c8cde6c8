// Elementary functions, operation for operation those of crates/spikelet-lang/src/math.rs, where the error bounds stand.

fn exp32(argument: f32) -> f32 {
    let x = clamp(argument, -87.0f, 87.0f);
    let n = floor(x * 1.44269504f + 0.5f);
    let r = x - n * 0.6933594f - n * -2.1219444e-4f;
    var p = 1.9875691e-4f;
    p = p * r + 1.3981999e-3f;
    p = p * r + 8.333452e-3f;
    p = p * r + 4.1665796e-2f;
    p = p * r + 1.6666665e-1f;
    p = p * r + 5.0000001e-1f;
    let e = p * (r * r) + r + 1.0f;
    return e * bitcast<f32>(u32(i32(n) + 127i) << 23u);
}

fn log32(x: f32) -> f32 {
    let bits = bitcast<u32>(max(x, 1.1754944e-38f));
    let shifted = bits - 0x3f3504f3u;
    let e = f32(bitcast<i32>(shifted) >> 23u);
    let f = bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    let z = f * f;
    var p = 7.0376836e-2f;
    p = p * f + -1.151461e-1f;
    p = p * f + 1.16769984e-1f;
    p = p * f + -1.2420141e-1f;
    p = p * f + 1.4249323e-1f;
    p = p * f + -1.6668057e-1f;
    p = p * f + 2.0000715e-1f;
    p = p * f + -2.4999994e-1f;
    p = p * f + 3.3333331e-1f;
    let y = p * f * z + e * -2.1219444e-4f - 0.5f * z;
    let result = f + y + e * 0.6933594f;
    return select(result, not_a_number(x), x < 0.0f);
}

fn sqrt32(x: f32) -> f32 {
    let half = 0.5f * x;
    var y = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(x) >> 1u));
    y = y * (1.5f - half * y * y);
    y = y * (1.5f - half * y * y);
    y = y * (1.5f - half * y * y);
    let root = x * y;
    let result = root + 0.5f * y * (x - root * root);
    return select(result, not_a_number(x), x < 0.0f);
}

fn exprel32(x: f32) -> f32 {
    var p = 2.4801587e-5f;
    p = p * x + 1.984127e-4f;
    p = p * x + 1.3888889e-3f;
    p = p * x + 8.333334e-3f;
    p = p * x + 4.1666668e-2f;
    p = p * x + 1.6666667e-1f;
    p = p * x + 0.5f;
    p = p * x + 1.0f;
    let small = abs(x) < 0.5f;
    let quotient = (exp32(x) - 1.0f) / select(x, 1.0f, small);
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
    let w = -log32((1.0f - x) * (1.0f + x));
    let near = w - 2.5f;
    var p = 2.8102264e-8f;
    p = p * near + 3.4327394e-7f;
    p = p * near + -3.523388e-6f;
    p = p * near + -4.3915066e-6f;
    p = p * near + 2.1858087e-4f;
    p = p * near + -1.253725e-3f;
    p = p * near + -4.1776815e-3f;
    p = p * near + 2.4664073e-1f;
    p = p * near + 1.5014094f;
    let far = sqrt32(w) - 3.0f;
    var q = -2.0021426e-4f;
    q = q * far + 1.0095056e-4f;
    q = q * far + 1.3493433e-3f;
    q = q * far + -3.6734284e-3f;
    q = q * far + 5.7395077e-3f;
    q = q * far + -7.6224613e-3f;
    q = q * far + 9.4388705e-3f;
    q = q * far + 1.0016741f;
    q = q * far + 2.8329768f;
    return 1.41421356f * (select(q, p, w < 5.0f) * x);
}

fn not_a_number(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | 0x7fc00000u);
}
