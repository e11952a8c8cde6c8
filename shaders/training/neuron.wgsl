// What the printed code of neurons reads, one lane for each invocation.

var<private> step: u32;
var<private> trial: u32;
var<private> neuron: u32;
var<private> index: f32;
var<private> arrivals: array<f32, PORT_COUNT>;

fn enter(lane: u32) {
    zero = job.zero;
    step = now.step;
    trial = lane / job.size;
    neuron = lane % job.size;
    index = f32(neuron);
}

fn constant(k: u32) -> f32 {
    return bitcast<f32>(tables[job.constants + k]);
}

fn clock(k: u32) -> f32 {
    return bitcast<f32>(tables[job.clocks + step * job.clock_columns + k]);
}

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(tables[job.entries + k]);
}

fn arrived(port: u32) -> f32 {
    return arrivals[port];
}

// 32 random bits for a draw of this neuron, as rng.wgsl has them for other kernels.
fn random_bits(site: u32) -> u32 {
    let counter = vec4<u32>(step / 4u, job.first + neuron, PURPOSE_NOISE | (site << 8u), job.first_trial + trial);
    return philox(vec2<u32>(job.seed_low, job.seed_high), counter)[step % 4u];
}

fn random_uniform(site: u32) -> f32 {
    let bits = random_bits(site);
    if (bits >= NEAR_0) {
        return uniform32(bits);
    }
    let counter = vec4<u32>(step / 4u, job.first + neuron, PURPOSE_MORE_NOISE | (site << 8u), job.first_trial + trial);
    return uniform_near_0(bits, philox(vec2<u32>(job.seed_low, job.seed_high), counter)[step % 4u]);
}

fn steps_since(last_spike: i32) -> f32 {
    return f32(min(i32(step) - last_spike, 16777216i));
}

// Where an array of the state is.
fn of_state(array: u32, lane: u32) -> u32 {
    return job.state + array * job.lane_count + lane;
}

// Where the k-th number of this step is in its page of the tape.
fn of_tape(k: u32, lane: u32) -> u32 {
    return step % job.segment % job.page * job.tape_words + job.tape + k * job.lane_count + lane;
}
