// Logarithms and powers: the twins of crates/spikelet-kernel/src/math/logarithm.rs.

// f and e: x = (1 + f) 2^e.
fn reduce_log(x: f32) -> vec2<f32> {
    let shifted = bitcast<u32>(max(x, 1.1754944e-38f)) - 0x3f3504f3u;
    let m = bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u);
    return vec2<f32>(exact(m - 1.0f), f32(bitcast<i32>(shifted) >> 23u));
}

// log(1 + f) - f + z/2, where z is the square of f.
fn log_beyond_square(f: f32, z: f32) -> f32 {
    var p = 7.0376836e-2f;
    p = multiply_add(p, f, -1.151461e-1f);
    p = multiply_add(p, f, 1.16769984e-1f);
    p = multiply_add(p, f, -1.2420141e-1f);
    p = multiply_add(p, f, 1.4249323e-1f);
    p = multiply_add(p, f, -1.6668057e-1f);
    p = multiply_add(p, f, 2.0000715e-1f);
    p = multiply_add(p, f, -2.4999994e-1f);
    p = multiply_add(p, f, 3.3333333e-1f);
    return exact(exact(p * f) * z);
}

// log(1 + f) + e ln 2
fn compose_log(f: f32, e: f32) -> f32 {
    let z = exact(f * f);
    let y = multiply_add(-0.5f, z, multiply_add(e, -2.1219444e-4f, log_beyond_square(f, z)));
    return multiply_add(e, 0.6933594f, exact(f + y));
}

fn log_at_the_ends(x: f32, inside: f32) -> f32 {
    var result = select(inside, -infinity(), x < 1.1754944e-38f);
    result = select(result, not_a_number(), x <= -1.1754944e-38f);
    return select(result, x, bitcast<u32>(x) == 0x7f800000u);
}

fn log32(x: f32) -> f32 {
    let reduced = reduce_log(x);
    return nan_of(x, log_at_the_ends(x, compose_log(reduced.x, reduced.y)));
}

fn log10_32(x: f32) -> f32 {
    let reduced = reduce_log(x);
    let f = reduced.x;
    let z = exact(f * f);
    let y = multiply_add(-0.5f, z, log_beyond_square(f, z));
    var sum = exact(exact(exact(f + y) * 9.038034e-5f) + exact(reduced.y * 4.605039e-6f));
    sum = multiply_add(y, 0.4342041f, sum);
    sum = multiply_add(f, 0.4342041f, sum);
    return nan_of(x, log_at_the_ends(x, multiply_add(reduced.y, 0.3010254f, sum)));
}

fn log1p_32(argument: f32) -> f32 {
    let x = without_denormals(argument);
    let one_more = two_sum(1.0f, x);
    let reduced = reduce_log(one_more.x);
    let e = reduced.y;
    let lost = select(0.0f, exact(one_more.y * power_of_two(-integer(e))), e < 26.0f);
    return nan_of(x, log_at_the_ends(one_more.x, compose_log(exact(reduced.x + lost), e)));
}

fn is_whole(x: f32) -> bool {
    let a = abs(x);
    let near = exact(exact(a + 8388608.0f) - 8388608.0f);
    return a >= 8388608.0f || near == a;
}

// The logarithm to base 2 in two terms.
fn binary_logarithm(x: f32) -> vec2<f32> {
    let reduced = reduce_log(x);
    let f = reduced.x;
    let e = reduced.y;
    let m = exact(1.0f + f);
    let inverse = exact(1.0f / exact(2.0f + f));
    let s = exact(f * inverse);
    let s_high = head(s);
    let divisor = head(exact(m + 1.0f));
    let rest = exact(m - exact(divisor - 1.0f));
    let s_low = exact(inverse * exact(exact(f - exact(s_high * divisor)) - exact(s_high * rest)));
    let z = exact(s * s);
    var p = 2.3076923e-1f;
    p = multiply_add(p, z, 2.7272728e-1f);
    p = multiply_add(p, z, 3.3333334e-1f);
    p = multiply_add(p, z, 4.2857143e-1f);
    p = multiply_add(p, z, 0.6f);
    let tail = exact(exact(exact(z * z) * p) + exact(s_low * exact(s_high + s)));
    let square = exact(s_high * s_high);
    let sum_high = head(exact(exact(3.0f + square) + tail));
    let sum_low = exact(tail - exact(exact(sum_high - 3.0f) - square));
    let upper = exact(s_high * sum_high);
    let lower = exact(exact(s_low * sum_high) + exact(sum_low * s));
    let product_high = head(exact(upper + lower));
    let product_low = exact(lower - exact(product_high - upper));
    let scaled_upper = exact(0.9616699f * product_high);
    let scaled_lower = exact(exact(1.2677205e-4f * product_high) + exact(product_low * 0.9617967f));
    let high = head(exact(exact(scaled_upper + scaled_lower) + e));
    return vec2<f32>(high, exact(scaled_lower - exact(exact(high - e) - scaled_upper)));
}

fn power32(x: f32, exponent: f32) -> f32 {
    let y = without_denormals(exponent);
    let a = abs(x);
    let logarithm = binary_logarithm(a);
    let held = clamp(y, -4294967296.0f, 4294967296.0f);
    let upper = exact(head(held) * logarithm.x);
    let lower = exact(exact(exact(held - head(held)) * logarithm.x) + exact(held * logarithm.y));
    let sum = exact(upper + lower);
    let n = exact(exact(clamp(sum, -200.0f, 200.0f) + 12582912.0f) - 12582912.0f);
    let f = exact(exact(upper - n) + lower);
    var p = 1.547595e-4f;
    p = multiply_add(p, f, 1.3399277e-3f);
    p = multiply_add(p, f, 9.618006e-3f);
    p = multiply_add(p, f, 5.5503316e-2f);
    p = multiply_add(p, f, 2.402265e-1f);
    p = multiply_add(p, f, 6.931472e-1f);
    p = multiply_add(p, f, 1.0f);
    var result = scale(p, integer(n));
    let below = select(n, exact(n - 1.0f), p < 1.0f);
    result = select(result, 0.0f, below < -126.0f);
    let is_zero = a < 1.1754944e-38f;
    let extreme = select(0.0f, infinity(), is_zero == (y < 0.0f));
    result = select(result, extreme, is_zero || is_infinite(a));
    result = select(result, 1.0f, y == 0.0f);
    let negative = x <= -1.1754944e-38f;
    result = select(result, not_a_number(), negative && !is_whole(y));
    result = select(result, -result, negative && is_whole(y) && !is_whole(0.5f * y));
    return nan_of(x, nan_of(y, result));
}
