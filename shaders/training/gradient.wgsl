// The gradient of a step of a population: from the adjoints after the step those before it. The lines `//# …` are replaced by
// crates/spikelet-gpu/src/kernels/training.rs.

// Whether this neuron fired in the step before, as a number.
fn fired_before() -> f32 {
    if (step == 0u) {
        return 0.0f;
    }
    let row = (step - 1u) * job.trials + trial;
    return f32((atomicLoad(&spikes[job.spikes + row * job.words + neuron / 32u]) >> (neuron % 32u)) & 1u);
}

// The adjoint of the spike of this neuron through its synapses, added to what is there.
fn with_synapses(given: f32, end: u32) -> f32 {
    var sum = given;
    for (var k = 0u; k < job.outgoing; k += 1u) {
        let at = tables[job.projections + k];
        let row = tables[at + ROWS] + neuron;
        let targets = tables[at + TARGETS];
        let weights = tables[at + WEIGHTS];
        let port = tables[at + POST_PORT] + trial * tables[at + POST_SIZE];
        let unit = bitcast<f32>(tables[at + UNIT]);
        for (var synapse = tables[row]; synapse < tables[row + 1u]; synapse += 1u) {
            let arrives = step + arrival(at, synapse);
            if (arrives >= end) {
                continue;
            }
            let adjoint = ports[port + arrives % job.port_slots * tables[at + POST_LANES] + tables[targets + synapse]];
            if (adjoint != 0.0f) {
                let weight = ring_value(bitcast<i32>(tables[weights + synapse]), unit);
                sum = exact(sum + exact(weight * adjoint));
            }
        }
    }
    return sum;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn step_back(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let lane = invocation(group, groups, local_id);
    if (lane >= job.lane_count) {
        return;
    }
    enter(lane);
    let end = window_end(step);
    let begins = step + 1u == end;
    //# load
    //# code
    //# store
}
