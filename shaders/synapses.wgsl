// What the printed code of synapses reads, one synapse for each invocation. The code itself is a function that
// crates/spikelet-gpu/src/kernels/synapses.rs adds.

// Words of a projection in `tables`: its number, where the populations at both ends are described, first and last + 1 of the
// presynaptic neurons with rows, synapses; in `rows` its offsets, targets, presynaptic neurons, and the synapses by postsynaptic
// neuron: offsets, synapses; first word in `state`, first constant, first clock; first word of its traces in `state`; in `rows` the
// third neurons, and where their population is described; first word of its arrays in two bytes in `ring`.
var<private> projection: u32;
var<private> synapse: u32;
var<private> pre: u32;
// Its place among the own neurons.
var<private> post: u32;
var<private> synapses: u32;
var<private> targets_offset: u32;
var<private> sources_offset: u32;
var<private> own_offset: u32;
var<private> traces_offset: u32;
var<private> halves_offset: u32;
var<private> pre_offset: u32;
var<private> pre_size: u32;
var<private> post_population: u32;
var<private> post_offset: u32;
var<private> post_size: u32;
var<private> thirds_offset: u32;
var<private> third_offset: u32;
var<private> third_size: u32;

// Takes a projection.
fn enter_projection(at: u32) {
    projection = table(at);
    let before = table(at + 1u);
    post_population = table(at + 2u);
    synapses = table(at + 5u);
    targets_offset = table(at + 7u);
    sources_offset = table(at + 8u);
    own_offset = state_from + table(at + 11u);
    constants_offset = table(at + 12u);
    clocks_offset = table(at + 13u);
    traces_offset = state_from + table(at + 14u);
    halves_offset = ring_from + table(at + 17u);
    pre_offset = state_from + table(before + READ_AS_PRE);
    pre_size = table(before + WHOLE_SIZE);
    post_offset = state_from + table(post_population + 2u);
    post_size = table(post_population + 1u);
    thirds_offset = table(at + 15u);
    third_offset = state_from + table(table(at + 16u) + 2u);
    third_size = table(table(at + 16u) + 1u);
}

// Takes a synapse of it.
fn enter_synapse(k: u32) {
    synapse = k;
    pre = rows[sources_offset + k];
    post = rows[targets_offset + k];
}

// The number of the postsynaptic neuron in its population.
fn post_neuron() -> u32 {
    return neuron_at(post_population, post);
}

fn own(array: u32) -> u32 {
    return own_offset + array * synapses + synapse;
}

// The number of a half in `ring`; each array begins with a whole word.
fn own_half(array: u32) -> u32 {
    return 2u * (halves_offset + array * ((synapses + 1u) / 2u)) + synapse;
}

// Where a neuron's trace is, after those of this number of pre and of post neurons.
fn trace_word(of_pre: u32, of_post: u32, neuron: u32) -> u32 {
    return traces_offset + of_pre * pre_size + of_post * post_size + neuron;
}

fn of_pre(array: u32) -> f32 {
    return bitcast<f32>(state[pre_offset + array * pre_size + pre]);
}

fn of_post(array: u32) -> f32 {
    return bitcast<f32>(state[post_offset + array * post_size + post]);
}

// The third neuron, in synapses that have one.
fn third_neuron() -> u32 {
    return rows[thirds_offset + synapse];
}

fn of_third(array: u32) -> f32 {
    return bitcast<f32>(state[third_offset + array * third_size + third_neuron()]);
}

// Steps since the last spike of the postsynaptic neuron, which stands in its `array`.
fn post_since_spike(array: u32) -> f32 {
    return f32(min(i32(step) - bitcast<i32>(state[post_offset + array * post_size + post]), 16777216i));
}

fn random_bits(site: u32) -> u32 {
    return event_bits(step, projection, synapse, site);
}

fn random_uniform(site: u32) -> f32 {
    return event_uniform(step, projection, synapse, site);
}
