// EventProp, with bindings of its own: the twin of crates/spikelet-train/src/eventprop.rs, to the bit. A workgroup simulates a trial; on the
// way back it passes the trials of a chunk, one after the other.

// What a dispatch is about: crates/spikelet-gpu/src/eventprop/layout.rs.
struct Job {
    trials: u32,
    // Trials of a chunk.
    chunk: u32,
    // Neurons of all populations, projections, gradients of a chunk.
    neurons: u32,
    projections: u32,
    gradients: u32,
    // Words of a trial in `tape`, and where parts of it begin: heads of projections, fields of neurons, spikes, entries.
    region: u32,
    heads: u32,
    fields: u32,
    spikes: u32,
    entries: u32,
    // How many spikes and entries have room; and spikes of a trial, at most.
    spike_room: u32,
    entry_room: u32,
    max_spikes: u32,
    // Arrivals of a spike, at most.
    max_arrivals: u32,
    // Iterations of loops, after which a dispatch ends.
    budget: u32,
    // Always 0; see math.wgsl.
    zero: u32,
    duration: f32,
    // In `tables`: projections, and the population of each neuron.
    of_projections: u32,
    of_neurons: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
// Populations, projections, rows, delays, weights.
@group(0) @binding(1) var<storage, read> tables: array<u32>;
// For each trial its state and its events.
@group(0) @binding(2) var<storage, read_write> tape: array<u32>;
// For each chunk of trials.
@group(0) @binding(3) var<storage, read_write> gradients: array<f32>;

const NONE: u32 = 0xffffffffu;

// Words of a trial: whether it is at its end; numbers of spikes, of entries in their order, of arrivals that are pending; limited jumps;
// entries that the way back has not passed, and in the first trial of a chunk the trial where it is. Then the last spike of each population.
const STATUS: u32 = 0u;
const SPIKES: u32 = 1u;
const ORDER: u32 = 2u;
const PENDING: u32 = 3u;
const LIMITED: u32 = 4u;
const LEFT: u32 = 5u;
const TRIAL: u32 = 6u;
const TAILS: u32 = 8u;

const RUNNING: u32 = 0u;
const FINISHED: u32 = 1u;
const FULL: u32 = 2u;
const RAN_AWAY: u32 = 3u;

// Fields of a neuron: potential, current, and the time of both; the end of the refractory time, the next crossing; the last spike and the
// time of the first one; the integral of the potential; its maximum with the kind of its place, the time or the entry, and the current.
const U: u32 = 0u;
const I: u32 = 1u;
const T: u32 = 2u;
const FREE: u32 = 3u;
const NEXT: u32 = 4u;
const LAST: u32 = 5u;
const FIRST: u32 = 6u;
const INTEGRAL: u32 = 7u;
const MAXIMUM: u32 = 8u;
const PLACE: u32 = 9u;
const PLACE_AT: u32 = 10u;
const PLACE_CURRENT: u32 = 11u;
// On the way back: adjoints of potential and current, and their time; the release; adjoints of the maximum, the mean, the first spike; the
// latest spike that has not been passed.
const ADJOINT_U: u32 = 12u;
const ADJOINT_I: u32 = 13u;
const ADJOINT_T: u32 = 14u;
const RELEASE: u32 = 15u;
const ADJOINT_MAXIMUM: u32 = 16u;
const ADJOINT_MEAN: u32 = 17u;
const ADJOINT_FIRST: u32 = 18u;
const PASSED: u32 = 19u;

// Kinds of places.
const START: u32 = 0u;
const BETWEEN: u32 = 1u;
const BEFORE: u32 = 2u;
const END: u32 = 3u;

// Words of a spike: its time, its current and that at the end of the refractory time, its neuron, the one before it of the neuron, the one
// after it of the population, the derivative with respect to its time.
const SPIKE_TIME: u32 = 0u;
const SPIKE_CURRENT: u32 = 1u;
const RELEASED: u32 = 2u;
const SPIKE_NEURON: u32 = 3u;
const PREVIOUS: u32 = 4u;
const FOLLOWING: u32 = 5u;
const TIME_ADJOINT: u32 = 6u;
const SPIKE_WORDS: u32 = 8u;

// Words of an entry: time, projection, synapse, spike.
const ENTRY_WORDS: u32 = 4u;

// Words of a population in `tables`: its first neuron, neurons, flags, a list of the projections from it, and their number; its constants.
const FIRST_NEURON: u32 = 0u;
const FLAGS: u32 = 1u;
const OUTGOING: u32 = 2u;
const OUTGOING_COUNT: u32 = 3u;
const CONSTANTS: u32 = 4u;
const POPULATION_WORDS: u32 = 24u;
const IS_CELLS: u32 = 1u;
const FIRES: u32 = 2u;
const READS_MAXIMUM: u32 = 4u;
const READS_MEAN: u32 = 8u;

// Words of a projection: both populations; where its rows, targets, weights and delays begin; whether each synapse has its delay, whether a
// row may reach a neuron twice, whether the times of its arrivals have adjoints; where its gradients begin.
const PRE: u32 = 0u;
const POST: u32 = 1u;
const ROWS: u32 = 2u;
const TARGETS: u32 = 3u;
const WEIGHTS: u32 = 4u;
const DELAYS: u32 = 5u;
const EACH_DELAY: u32 = 6u;
const IS_SERIAL: u32 = 7u;
const NEEDS_TIME: u32 = 8u;
const GRADIENT: u32 = 9u;
const PROJECTION_WORDS: u32 = 12u;

// Where the trial begins in `tape`.
var<private> region: u32;

fn field(kind: u32, neuron: u32) -> u32 {
    return region + job.fields + kind * job.neurons + neuron;
}

fn number(kind: u32, neuron: u32) -> f32 {
    return bitcast<f32>(tape[field(kind, neuron)]);
}

fn put(kind: u32, neuron: u32, value: f32) {
    tape[field(kind, neuron)] = bitcast<u32>(value);
}

fn spike(index: u32) -> u32 {
    return region + job.spikes + index * SPIKE_WORDS;
}

fn entry(index: u32) -> u32 {
    return region + job.entries + index * ENTRY_WORDS;
}

// Pending arrivals lie at the end of the entries, in no order.
fn pending(index: u32) -> u32 {
    return entry(job.entry_room - 1u - index);
}

fn read_entry(at: u32) -> vec4<u32> {
    return vec4<u32>(tape[at], tape[at + 1u], tape[at + 2u], tape[at + 3u]);
}

fn write_entry(at: u32, words: vec4<u32>) {
    tape[at] = words.x;
    tape[at + 1u] = words.y;
    tape[at + 2u] = words.z;
    tape[at + 3u] = words.w;
}

fn of_projection(projection: u32) -> u32 {
    return job.of_projections + projection * PROJECTION_WORDS;
}

// The first synapse of an arrival, and their number.
fn synapses(arrival: vec4<u32>) -> vec2<u32> {
    if (arrival.z != NONE) {
        return vec2<u32>(arrival.z, 1u);
    }
    let projection = of_projection(arrival.y);
    let neuron = tape[spike(arrival.w) + SPIKE_NEURON] - tables[tables[projection + PRE] * POPULATION_WORDS + FIRST_NEURON];
    let row = tables[projection + ROWS] + neuron;
    return vec2<u32>(tables[row], tables[row + 1u] - tables[row]);
}

fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}
