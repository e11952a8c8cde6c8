// Backpropagation through time, with bindings of its own: the twin of crates/spikelet-train/src/bptt.rs, to the bit. All trials of a batch
// are simulated at once. A lane is a neuron of a trial: trial · size + neuron.

// What a dispatch is about: crates/spikelet-gpu/src/training/job.rs.
struct Job {
    // The batch: trials, the number of the first one for the counters of noise, steps, trials of a chunk.
    trials: u32,
    first_trial: u32,
    steps: u32,
    chunk: u32,
    seed_low: u32,
    seed_high: u32,
    // Always 0; see math.wgsl.
    zero: u32,
    // Steps of a segment, of a page of the tape, of a window, and of a block: weights and readings follow block by block.
    segment: u32,
    page: u32,
    window: u32,
    block: u32,
    // Slots of `ring`, and of `ports`.
    slots: u32,
    port_slots: u32,
    // A population: neurons, lanes, number of its first neuron, arrays of its program.
    size: u32,
    lane_count: u32,
    first: u32,
    arrays: u32,
    // Where it begins in `state` (its arrays, and the step of the last spike), in `ring`, in `spikes`, with `words` for each trial and
    // step, in a step of `tape`; and the words of such a step.
    state: u32,
    ring: u32,
    spikes: u32,
    words: u32,
    tape: u32,
    tape_words: u32,
    // Where its adjoints begin in `state` (of its arrays, of the last spike, of its constants), in `ports`; observed values in `readings`.
    adjoints: u32,
    ports: u32,
    observed: u32,
    // In `tables`: its constants, units of its ports, clocks and their columns, entries of its timed arrays, initial values.
    constants: u32,
    units: u32,
    clocks: u32,
    clock_columns: u32,
    entries: u32,
    initial: u32,
    // Whether the tape is written.
    tapes: u32,
    // In `tables`: a list of the projections from it, and their number; or a projection.
    projections: u32,
    outgoing: u32,
    // In `tables`: its readings; or a reading.
    readouts: u32,
    // Items of a dispatch, and where its results are.
    count: u32,
    results: u32,
    // The range of neurons, or of arrays, that is summed.
    lower: u32,
    upper: u32,
    width: u32,
    // 1/steps, for means; and -dt, the time that a spike comes earlier if it is larger by one.
    per_step: f32,
    per_spike: f32,
}

struct Now {
    step: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> now: Now;
// What kernels read: projections, readings, constants, clocks, rows, weights; for `set_inputs` the spikes of the input.
@group(0) @binding(2) var<storage, read> tables: array<u32>;
// The state of all populations, then the adjoints.
@group(0) @binding(3) var<storage, read_write> state: array<u32>;
// Pending sums: for each port slot by slot, one for each lane.
@group(0) @binding(4) var<storage, read_write> ring: array<atomic<i32>>;
// A bit for each neuron of each trial in each step.
@group(0) @binding(5) var<storage, read_write> spikes: array<atomic<u32>>;
// A page of what gradients read: the state before each step.
@group(0) @binding(6) var<storage, read_write> tape: array<u32>;
// Adjoints of the input of ports in the latest steps.
@group(0) @binding(7) var<storage, read_write> ports: array<f32>;
// Gradients, for each chunk of trials.
@group(0) @binding(8) var<storage, read_write> gradients: array<f32>;
// Observed values of a block; readings and their adjoints.
@group(0) @binding(9) var<storage, read_write> readings: array<u32>;

// Words of a projection in `tables`: where its rows, targets, delays and weights begin, and the presynaptic neuron of each synapse; whether
// delays differ; the value of a unit; postsynaptic neurons and lanes; its port in `ring` and in `ports`; the presynaptic population in
// `spikes`, its words and its neurons.
const ROWS: u32 = 0u;
const TARGETS: u32 = 1u;
const DELAYS: u32 = 2u;
const WEIGHTS: u32 = 3u;
const SOURCES: u32 = 4u;
const DELAYS_DIFFER: u32 = 5u;
const UNIT: u32 = 6u;
const POST_SIZE: u32 = 7u;
const POST_LANES: u32 = 8u;
const POST_RING: u32 = 9u;
const POST_PORT: u32 = 10u;
const PRE_SPIKES: u32 = 11u;
const PRE_WORDS: u32 = 12u;
const PROJECTION_WORDS: u32 = 16u;

// The index among all invocations of a dispatch in two dimensions.
fn invocation(group: vec3<u32>, groups: vec3<u32>, local_id: u32) -> u32 {
    return (group.y * groups.x + group.x) * WORKGROUP_SIZE + local_id;
}

// A step that many steps from now, at which a spike arrives.
fn arrival(projection: u32, synapse: u32) -> u32 {
    return tables[tables[projection + DELAYS] + tables[projection + DELAYS_DIFFER] * synapse] + 1u;
}

// The first step from whose adjoints nothing passes to this one.
fn window_end(step: u32) -> u32 {
    return min(job.steps, (step / job.window + 1u) * job.window);
}
