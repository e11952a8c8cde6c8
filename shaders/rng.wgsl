// Philox-4x32-10 (Salmon et al., SC'11): the twin of crates/spikelet-rows/src/rng.rs.

// High and low word of a product; WGSL has no wide multiplication.
fn wide_product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let cross = (a >> 16u) * (b & 0xffffu);
    let other = (a & 0xffffu) * (b >> 16u);
    let middle = (low >> 16u) + (cross & 0xffffu) + (other & 0xffffu);
    let high = (a >> 16u) * (b >> 16u) + (cross >> 16u) + (other >> 16u) + (middle >> 16u);
    return vec2<u32>(high, a * b);
}

fn philox(seed: vec2<u32>, counter: vec4<u32>) -> vec4<u32> {
    var key = seed;
    var x = counter;
    for (var round = 0u; round < 10u; round += 1u) {
        let first = wide_product(0xd2511f53u, x.x);
        let second = wide_product(0xcd9e8d57u, x.z);
        x = vec4<u32>(second.x ^ x.y ^ key.x, second.y, first.x ^ x.w ^ key.y, first.y);
        key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return x;
}

// The purpose `Noise` of crates/spikelet-rows/src/rng.rs.
const PURPOSE_NOISE: u32 = 5u;

// 32 random bits of a neuron in a step, for the `site`-th draw of its equations: the twin of `noise_words` there. The four words of
// a draw are those of four steps, so that a device with room to keep them draws once in four steps.
fn noise_bits(step: u32, number: u32, site: u32) -> u32 {
    let counter = vec4<u32>(step / 4u, number, PURPOSE_NOISE | (site << 8u), header.progress[trial].number);
    return philox(vec2<u32>(header.seed_low, header.seed_high), counter)[step % 4u];
}

// The purpose `MoreNoise` there.
const PURPOSE_MORE_NOISE: u32 = 9u;

// A uniform number, with 32 more bits where those are too few.
fn noise_uniform(step: u32, number: u32, site: u32) -> f32 {
    let bits = noise_bits(step, number, site);
    if (bits >= NEAR_0) {
        return uniform32(bits);
    }
    let counter = vec4<u32>(step / 4u, number, PURPOSE_MORE_NOISE | (site << 8u), header.progress[trial].number);
    return uniform_near_0(bits, philox(vec2<u32>(header.seed_low, header.seed_high), counter)[step % 4u]);
}

// The purpose `Event` there.
const PURPOSE_EVENT: u32 = 6u;

// The same for a synapse of a projection.
fn event_bits(step: u32, projection: u32, synapse: u32, site: u32) -> u32 {
    let counter = vec4<u32>(step, synapse, PURPOSE_EVENT | (((projection << 8u) | (site / 4u)) << 8u), header.progress[trial].number);
    return philox(vec2<u32>(header.seed_low, header.seed_high), counter)[site % 4u];
}

// The purpose `MoreEvents` there.
const PURPOSE_MORE_EVENTS: u32 = 10u;

fn event_uniform(step: u32, projection: u32, synapse: u32, site: u32) -> f32 {
    let bits = event_bits(step, projection, synapse, site);
    if (bits >= NEAR_0) {
        return uniform32(bits);
    }
    let place = PURPOSE_MORE_EVENTS | (((projection << 8u) | (site / 4u)) << 8u);
    let counter = vec4<u32>(step, synapse, place, header.progress[trial].number);
    return uniform_near_0(bits, philox(vec2<u32>(header.seed_low, header.seed_high), counter)[site % 4u]);
}

// The purpose `Connect` there.
const PURPOSE_CONNECT: u32 = 1u;

// Four random words of a block of a neuron's row in a projection.
fn connect_words(projection: u32, block: u32, pre: u32, attempt: u32) -> vec4<u32> {
    let counter = vec4<u32>(block, pre, PURPOSE_CONNECT | (projection << 8u), attempt);
    return philox(vec2<u32>(header.seed_low, header.seed_high), counter);
}

// The purpose `Weight` there.
const PURPOSE_WEIGHT: u32 = 2u;

// Four random words for the `site`-th draw of a value of an edge.
fn weight_words(projection: u32, pre: u32, id: u32, site: u32) -> vec4<u32> {
    let counter = vec4<u32>(pre, id, PURPOSE_WEIGHT | (projection << 8u), site);
    return philox(vec2<u32>(header.seed_low, header.seed_high), counter);
}
