// The closed forms of a leaky membrane with an exponential current: the twin of crates/spikelet-train/src/eventprop/dynamics.rs.

// Steps of the solver, at most.
const MAX_STEPS: u32 = 48u;

// `Constants::numbers`.
struct Cell {
    rate_m: f32,
    rate_s: f32,
    tau_m: f32,
    tau_s: f32,
    inverse_m: f32,
    inverse_s: f32,
    c: f32,
    beta: f32,
    one_less_beta: f32,
    to_extremum: f32,
    theta: f32,
    rho: f32,
    refractory: f32,
    grazing: f32,
    last_step: f32,
}

fn constant(at: u32) -> f32 {
    return bitcast<f32>(tables[at]);
}

fn cell_of(population: u32) -> Cell {
    let at = population * POPULATION_WORDS + CONSTANTS;
    return Cell(
        constant(at),
        constant(at + 1u),
        constant(at + 2u),
        constant(at + 3u),
        constant(at + 4u),
        constant(at + 5u),
        constant(at + 6u),
        constant(at + 7u),
        constant(at + 8u),
        constant(at + 9u),
        constant(at + 10u),
        constant(at + 11u),
        constant(at + 12u),
        constant(at + 13u),
        constant(at + 14u),
    );
}

fn decay(cell: Cell, t: f32) -> vec2<f32> {
    return vec2<f32>(exp32(exact(t * cell.rate_m)), exp32(exact(t * cell.rate_s)));
}

// c (e^(-t/τs) - e^(-t/τm))
fn kernel(cell: Cell, decayed: vec2<f32>) -> f32 {
    return exact(cell.c * exact(decayed.y - decayed.x));
}

fn later(cell: Cell, u: f32, i: f32, t: f32) -> vec2<f32> {
    let decayed = decay(cell, t);
    return vec2<f32>(exact(exact(decayed.x * u) + exact(kernel(cell, decayed) * i)), exact(decayed.y * i));
}

fn earlier(cell: Cell, u: f32, i: f32, t: f32) -> vec2<f32> {
    let decayed = decay(cell, t);
    return vec2<f32>(exact(decayed.x * u), exact(exact(decayed.y * i) + exact(kernel(cell, decayed) * u)));
}

fn current_after(cell: Cell, i: f32, t: f32) -> f32 {
    return exact(exp32(exact(t * cell.rate_s)) * i);
}

fn extremum_of(cell: Cell, u: f32, i: f32) -> f32 {
    let ratio = exact(i / multiply_add(cell.beta, i, exact(cell.one_less_beta * u)));
    return exact(cell.to_extremum * log32(ratio));
}

// ∫ K and ∫ e^(-t/τm)
fn integrals(cell: Cell, t: f32) -> vec2<f32> {
    let decayed = decay(cell, t);
    let of_m = exact(exact(1.0f - decayed.x) * cell.tau_m);
    let of_s = exact(exact(1.0f - decayed.y) * cell.tau_s);
    return vec2<f32>(exact(cell.c * exact(of_s - of_m)), of_m);
}

// Comparisons that are false for NaN on every device.
fn is_above(x: f32, y: f32) -> bool {
    return !is_nan(x) && x > y;
}

// When the potential next rises through the threshold, within `horizon`.
fn crossing(cell: Cell, u: f32, i: f32, horizon: f32) -> f32 {
    if (cell.theta > 0.0f && i <= cell.theta) {
        return infinity();
    }
    let b = exact(cell.c * i);
    let a = exact(u - b);
    let extremum = extremum_of(cell, u, i);
    let rising = i > u;
    let ahead = is_above(extremum, 0.0f);
    if (rising && u >= cell.theta && horizon >= 0.0f) {
        return 0.0f;
    }
    var low = select(0.0f, extremum, !rising && ahead);
    var high = select(horizon, extremum, rising && ahead && extremum < horizon);
    let p_high = exact(a * exp32(exact(high * cell.rate_m)));
    let at_high = exact(p_high + exact(b * exp32(exact(high * cell.rate_s))));
    if (!((rising || ahead) && low < high && is_above(at_high, cell.theta))) {
        return infinity();
    }
    var x = low;
    for (var k = 0u; k < MAX_STEPS; k += 1u) {
        let p = exact(a * exp32(exact(x * cell.rate_m)));
        let q = exact(b * exp32(exact(x * cell.rate_s)));
        let f = exact(exact(p + q) - cell.theta);
        let slope = exact(exact(p * cell.rate_m) + exact(q * cell.rate_s));
        let bend = exact(exact(p * exact(cell.rate_m * cell.rate_m)) + exact(q * exact(cell.rate_s * cell.rate_s)));
        if (f < 0.0f) {
            low = x;
        } else {
            high = x;
        }
        let twice = exact(2.0f * f);
        let under = exact(exact(slope * slope) - exact(twice * bend));
        let root = sqrt32(select(0.0f, under, is_above(under, 0.0f)));
        let stepped = exact(x - exact(twice / exact(slope + root)));
        let is_inside = !is_nan(stepped) && stepped >= low && stepped <= high;
        let next = select(exact(0.5f * exact(low + high)), stepped, is_inside);
        let moved = exact(next - x);
        x = next;
        if (moved <= cell.last_step && moved >= -cell.last_step) {
            break;
        }
    }
    return x;
}

// Potential and current at a time, and the current at the end of the refractory time if that lies between.
fn advance(cell: Cell, u: f32, i: f32, t: f32, free: f32, now: f32) -> vec3<f32> {
    if (cell.refractory == 0.0f) {
        let then = later(cell, u, i, exact(now - t));
        return vec3<f32>(then, i);
    }
    let until = select(now, free, free < now);
    let start = select(t, until, until > t);
    let released = current_after(cell, i, exact(start - t));
    return vec3<f32>(later(cell, u, released, exact(now - start)), released);
}

fn next_crossing(cell: Cell, u: f32, i: f32, free: f32, now: f32) -> f32 {
    var start = now;
    var then = i;
    if (cell.refractory > 0.0f) {
        start = select(now, free, free > now);
        then = current_after(cell, i, exact(start - now));
    }
    let found = crossing(cell, u, then, exact(job.duration - start));
    return select(exact(start + found), found, is_infinite(found));
}
