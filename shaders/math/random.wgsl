// Random numbers with a given distribution: the twins of crates/spikelet-kernel/src/math/random.rs.

// Below this, 32 random bits are too few for a uniform number.
const NEAR_0: u32 = 1048576u;

// (bits + 1/2) / 2^32: both parts are exact, and their sum is rounded once.
fn uniform_part(bits: u32) -> f32 {
    return exact(f32(bits >> 8u) * 5.9604645e-8f + exact(f32(bits & 255u) + 0.5f) * 2.3283064e-10f);
}

fn uniform32(bits: u32) -> f32 {
    return min(uniform_part(bits), 0.99999994f);
}

fn uniform_near_0(bits: u32, more: u32) -> f32 {
    return exact(f32(bits) + uniform_part(more)) * 2.3283064e-10f;
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

// How many of the probabilities of at least 1, 2, ... are above u.
fn search(u: f32, log_mass: f32, mean: f32, size: f32, shrink: f32, odds: f32) -> f32 {
    var mass = exp32(log_mass);
    var tail = -expm1_32(log_mass);
    let least = exact(tail * 5.9604645e-8f);
    var left = size;
    var count = 0.0f;
    for (var step = 0u; step < 128u; step += 1u) {
        if (u >= tail || (count > mean && mass <= least)) {
            break;
        }
        mass = exact(exact(mass * exact(left * odds)) / exact(count + 1.0f));
        tail = exact(tail - mass);
        left = exact(left - shrink);
        count = exact(count + 1.0f);
    }
    return count;
}

fn from_normal(u: f32, mean: f32, variance: f32, asymmetry: f32) -> f32 {
    let z = normal32(u32(exact(u * 16777216.0f)) << 8u);
    let skewed = exact(exact(multiply_add(z, z, -1.0f) * asymmetry) * 0.16666667f);
    return floor(exact(multiply_add(sqrt32(variance), z, mean) + exact(skewed + 0.5f)));
}

fn poisson32(mean: f32, u: f32) -> f32 {
    let held = clamp(mean, 0.0f, 1e38f);
    var count: f32;
    if (held <= 32.0f) {
        count = search(u, -held, held, held, 0.0f, 1.0f);
    } else {
        count = from_normal(u, held, held, 1.0f);
    }
    return nan_of(mean, count);
}

fn binomial32(n: f32, p: f32, u: f32) -> f32 {
    let trials = clamp(floor(n), 0.0f, 1e38f);
    let mirrored = p > 0.5f;
    let rarer = max(select(p, exact(1.0f - p), mirrored), 0.0f);
    let mean = exact(trials * rarer);
    let others = exact(1.0f - rarer);
    var count: f32;
    if (mean <= 32.0f) {
        count = search(u, exact(trials * log1p_32(-rarer)), mean, trials, 1.0f, exact(rarer / others));
    } else {
        count = from_normal(u, mean, exact(mean * others), exact(1.0f - 2.0f * rarer));
    }
    count = min(max(count, 0.0f), trials);
    return nan_of(n, nan_of(p, select(count, exact(trials - count), mirrored)));
}
