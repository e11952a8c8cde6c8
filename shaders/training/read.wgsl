// A reading of a population in the steps of a block. The line `//# read` is replaced by crates/spikelet-gpu/src/kernels/training.rs.

const NEVER: u32 = 0xffffffffu;

var<private> at: u32;
var<private> lane: u32;
var<private> step: u32;

// The spike of this step as a number.
fn fired() -> f32 {
    let neuron = lane % job.size;
    let row = step * job.trials + lane / job.size;
    return f32((atomicLoad(&spikes[job.spikes + row * job.words + neuron / 32u]) >> (neuron % 32u)) & 1u);
}

// The value of this step.
fn value() -> f32 {
    return bitcast<f32>(readings[job.observed + (tables[at + OBSERVED] * job.block + step % job.block) * job.lane_count + lane]);
}

// Where the one value of a lane is, and where that of this step.
fn place() -> u32 {
    return tables[at + VALUES] + lane;
}

fn of_step() -> u32 {
    return tables[at + VALUES] + (lane / job.size * job.steps + step) * job.size + lane % job.size;
}

// The one value before this step.
fn before() -> f32 {
    return select(bitcast<f32>(readings[place()]), 0.0f, step == 0u);
}

fn read_count() {
    readings[place()] = bitcast<u32>(exact(before() + fired()));
}

// The step of the first spike.
fn read_first_spike() {
    if (step == 0u) {
        readings[place()] = NEVER;
    }
    if (readings[place()] == NEVER && fired() == 1.0f) {
        readings[place()] = step;
    }
}

fn read_max() {
    if (step == 0u || value() > before()) {
        readings[place()] = bitcast<u32>(value());
        readings[tables[at + PLACES] + lane] = step;
    }
}

fn read_mean() {
    let sum = exact(before() + value());
    readings[place()] = bitcast<u32>(select(sum, exact(sum * job.per_step), step + 1u == job.steps));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn read_block(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    lane = invocation(group, groups, local_id);
    if (lane >= job.lane_count) {
        return;
    }
    zero = job.zero;
    at = job.readouts;
    for (step = now.step; step < min(now.step + job.block, job.steps); step += 1u) {
        //# read
    }
}
