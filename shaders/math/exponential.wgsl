// Functions made of e^x: the twins of crates/spikelet-kernel/src/math/exponential.rs.

// n and r: x = n ln 2 + r.
fn reduce_exp(x: f32) -> vec2<f32> {
    let n = floor(multiply_add(x, 1.44269504f, 0.5f));
    return vec2<f32>(n, multiply_add(n, 2.1219444e-4f, multiply_add(n, -0.6933594f, x)));
}

// (e^r - 1 - r)/r^2
fn exp_beyond_linear(r: f32) -> f32 {
    var p = 1.9875691e-4f;
    p = multiply_add(p, r, 1.3981999e-3f);
    p = multiply_add(p, r, 8.333452e-3f);
    p = multiply_add(p, r, 4.1665796e-2f);
    p = multiply_add(p, r, 1.6666665e-1f);
    return multiply_add(p, r, 0.5f);
}

// e^x 2^shift
fn shifted_exp(x: f32, shift: i32) -> f32 {
    let reduced = reduce_exp(clamp(x, -100.0f, 95.0f));
    var p = exp_beyond_linear(reduced.y);
    p = multiply_add(p, reduced.y, 1.0f);
    p = multiply_add(p, reduced.y, 1.0f);
    return scale(p, integer(reduced.x) + shift);
}

fn exp32(x: f32) -> f32 {
    let result = select(shifted_exp(x, 0i), 0.0f, x < -87.33654f);
    return nan_of(x, select(result, infinity(), x > 88.72283f));
}

fn expm1_32(argument: f32) -> f32 {
    let x = without_denormals(argument);
    let reduced = reduce_exp(clamp(x, -40.0f, 95.0f));
    let near = multiply_add(exact(reduced.y * reduced.y), exp_beyond_linear(reduced.y), reduced.y);
    let half = power_of_two(integer(reduced.x) - 1i);
    let far = exact(2.0f * exact(exact(half * near) + exact(half - 0.5f)));
    let result = select(far, near, reduced.x == 0.0f);
    return nan_of(x, select(result, infinity(), x > 88.72283f));
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
    let divisor = select(x, 1.0f, small);
    let negative = x < 0.0f;
    let one = select(0.00390625f, 1.0f, negative);
    let back = select(256.0f, 1.0f, negative);
    let difference = exact(shifted_exp(x, select(-8i, 0i, negative)) - one);
    let quotient = without_denormals(exact(exact(difference / divisor) * back));
    return nan_of(x, select(select(quotient, infinity(), x > 94.0f), p, small));
}

fn sigmoid32(x: f32) -> f32 {
    let e = exp32(-abs(x));
    let numerator = select(1.0f, e, x < 0.0f);
    return nan_of(x, exact(numerator / exact(1.0f + e)));
}

fn sinh32(x: f32) -> f32 {
    let a = abs(without_denormals(x));
    let z = exact(a * a);
    var p = 2.8174395e-6f;
    p = multiply_add(p, z, 1.9836066e-4f);
    p = multiply_add(p, z, 8.333351e-3f);
    p = multiply_add(p, z, 1.6666667e-1f);
    let small = multiply_add(exact(z * p), a, a);
    let half = shifted_exp(a, -1i);
    let large = exact(half - exact(0.25f / min(half, 1e30f)));
    return nan_of(x, with_sign(select(large, small, a < 1.0f), x));
}

fn cosh32(x: f32) -> f32 {
    let half = shifted_exp(abs(x), -1i);
    return nan_of(x, exact(half + exact(0.25f / min(half, 1e30f))));
}

fn tanh32(x: f32) -> f32 {
    let a = abs(without_denormals(x));
    let z = exact(a * a);
    var p = -5.717042e-3f;
    p = multiply_add(p, z, 2.0650584e-2f);
    p = multiply_add(p, z, -5.3743497e-2f);
    p = multiply_add(p, z, 1.3331491e-1f);
    p = multiply_add(p, z, -3.3333284e-1f);
    let small = multiply_add(exact(z * p), a, a);
    let doubled = exact(2.0f * min(a, 20.0f));
    let large = exact(1.0f - exact(2.0f / exact(shifted_exp(doubled, 0i) + 1.0f)));
    return nan_of(x, with_sign(select(large, small, a < 0.625f), x));
}
