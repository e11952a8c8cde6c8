// Functions of angles, and their inverses: the twins of crates/spikelet-kernel/src/math/circular.rs.

// x = q pi/2 + r modulo 2 pi
struct Angle {
    r: f32,
    q: u32,
}

fn reduce_near(x: f32) -> Angle {
    let shifted = multiply_add(x, 0.63661975f, 12582912.0f);
    let n = exact(shifted - 12582912.0f);
    let first = multiply_add(n, -1.5703125f, x);
    let second = two_sum(first, -exact(n * 4.837513e-4f));
    let third = two_sum(second.x, -exact(n * 7.5495336e-8f));
    let fourth = two_sum(third.x, -exact(n * 2.563283e-12f));
    let lost = exact(exact(exact(second.y + third.y) + fourth.y) - exact(n * 6.123234e-17f));
    return Angle(exact(fourth.x + lost), bitcast<u32>(shifted));
}

// By the digits of 2/pi that matter, times x, in integers; `wide_product` is that of rng.wgsl.
fn reduce_far(x: f32) -> Angle {
    var words = array<u32, 8>(
        0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    );
    let bits = bitcast<u32>(x);
    let mantissa = (bits & 0x007fffffu) | 0x00800000u;
    let start = ((bits >> 23u) & 0xffu) - 120u;
    let word = min(start >> 5u, 4u);
    let shift = start & 31u;
    let back = 31u - shift;
    let first = (words[word] << shift) | ((words[word + 1u] >> 1u) >> back);
    let second = (words[word + 1u] << shift) | ((words[word + 2u] >> 1u) >> back);
    let third = (words[word + 2u] << shift) | ((words[word + 3u] >> 1u) >> back);
    let middle = wide_product(mantissa, second);
    let low = middle.y + wide_product(mantissa, third).x;
    let high = mantissa * first + middle.x + select(0u, 1u, low < middle.y);
    let quadrant = (high + 0x20000000u) >> 30u;
    var fraction_high = (high << 2u) | (low >> 30u);
    var fraction_low = low << 2u;
    let negative = (fraction_high >> 31u) == 1u;
    if (negative) {
        fraction_high = select(~fraction_high, 0u - fraction_high, fraction_low == 0u);
        fraction_low = 0u - fraction_low;
    }
    let zeros = min(countLeadingZeros(fraction_high), 31u);
    let leading = (fraction_high << zeros) | ((fraction_low >> 1u) >> (31u - zeros));
    let fraction = exact(f32(leading >> 8u) * 5.9604645e-8f);
    let rest = exact(f32(leading & 0xffu) * 2.3283064e-10f);
    let upper = head(fraction);
    let lower = exact(fraction - upper);
    let product = exact(upper * 1.5703125f);
    let correction = exact(exact(fraction * 4.838268e-4f) + exact(rest * 1.57079633f));
    let small = multiply_add(lower, 1.5703125f, correction);
    let r = exact(exact(product + small) * bitcast<f32>((127u - zeros) << 23u));
    let turned = (bits >> 31u) == 1u;
    return Angle(select(-r, r, negative == turned), select(quadrant, 0u - quadrant, turned));
}

fn reduce_angle(x: f32) -> Angle {
    if (abs(x) <= 6000.0f) {
        return reduce_near(x);
    }
    return reduce_far(x);
}

fn sine(angle: Angle) -> f32 {
    let r = angle.r;
    let z = exact(r * r);
    var s = -1.9515987e-4f;
    s = multiply_add(s, z, 8.332169e-3f);
    s = multiply_add(s, z, -1.6666655e-1f);
    s = multiply_add(exact(s * z), r, r);
    var c = 2.443698e-5f;
    c = multiply_add(c, z, -1.3887355e-3f);
    c = multiply_add(c, z, 4.1666646e-2f);
    c = exact(multiply_add(-0.5f, z, exact(exact(c * z) * z)) + 1.0f);
    let result = select(s, c, (angle.q & 1u) == 1u);
    return bitcast<f32>(bitcast<u32>(result) ^ ((angle.q & 2u) << 30u));
}

fn of_finite(x: f32, result: f32) -> f32 {
    return nan_of(x, select(result, not_a_number(), is_infinite(x)));
}

fn sin32(argument: f32) -> f32 {
    let x = without_denormals(argument);
    return of_finite(x, sine(reduce_angle(x)));
}

fn cos32(argument: f32) -> f32 {
    let x = without_denormals(argument);
    let angle = reduce_angle(x);
    return of_finite(x, sine(Angle(angle.r, angle.q + 1u)));
}

fn tan32(argument: f32) -> f32 {
    let x = without_denormals(argument);
    let angle = reduce_angle(x);
    let r = angle.r;
    let z = exact(r * r);
    var p = 9.508005e-3f;
    p = multiply_add(p, z, 2.9031448e-3f);
    p = multiply_add(p, z, 2.4572544e-2f);
    p = multiply_add(p, z, 5.3368874e-2f);
    p = multiply_add(p, z, 1.333935e-1f);
    p = multiply_add(p, z, 3.3333135e-1f);
    let result = multiply_add(exact(p * z), r, r);
    return of_finite(x, select(result, exact(-1.0f / result), (angle.q & 1u) == 1u));
}

// The arcsine of s, of which z is the square.
fn small_arcsin(s: f32, z: f32) -> f32 {
    var p = 4.2218618e-2f;
    p = multiply_add(p, z, 2.4147563e-2f);
    p = multiply_add(p, z, 4.5477107e-2f);
    p = multiply_add(p, z, 7.4952416e-2f);
    p = multiply_add(p, z, 1.6666754e-1f);
    return multiply_add(exact(p * z), s, s);
}

fn arcsin32(x: f32) -> f32 {
    let a = abs(without_denormals(x));
    let near = small_arcsin(a, exact(a * a));
    let z = exact(0.5f * exact(1.0f - a));
    let far = exact(exact(1.57079633f - exact(2.0f * small_arcsin(sqrt32(z), z))) - 4.371139e-8f);
    let result = with_sign(select(far, near, a <= 0.5f), x);
    return nan_of(x, select(result, not_a_number(), a > 1.0f));
}

fn arccos32(x: f32) -> f32 {
    let a = abs(without_denormals(x));
    let small = with_sign(small_arcsin(a, exact(a * a)), x);
    let near = exact(1.57079633f - exact(small + 4.371139e-8f));
    let z = exact(0.5f * exact(1.0f - a));
    let doubled = exact(2.0f * small_arcsin(sqrt32(z), z));
    let far = select(doubled, exact(exact(3.14159265f - doubled) - 8.742278e-8f), x < 0.0f);
    return nan_of(x, select(select(far, near, a <= 0.5f), not_a_number(), a > 1.0f));
}

fn arctan32(x: f32) -> f32 {
    let a = abs(without_denormals(x));
    let large = a > 2.4142137f;
    let middle = a > 0.41421357f;
    let numerator = select(select(a, exact(a - 1.0f), middle), -1.0f, large);
    let divisor = select(select(1.0f, exact(a + 1.0f), middle), min(a, 1e30f), large);
    let whole = select(0.0f, select(0.78539816f, 1.57079633f, large), middle);
    let rest = select(0.0f, select(-2.1855694e-8f, -4.371139e-8f, large), middle);
    let t = exact(numerator / divisor);
    let z = exact(t * t);
    var p = -6.0824945e-2f;
    p = multiply_add(p, z, 1.0595642e-1f);
    p = multiply_add(p, z, -1.4243802e-1f);
    p = multiply_add(p, z, 1.9998488e-1f);
    p = multiply_add(p, z, -3.3333316e-1f);
    let result = exact(whole + exact(t + exact(exact(exact(p * z) * t) + rest)));
    return nan_of(x, with_sign(result, x));
}
