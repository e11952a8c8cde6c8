// A step of a population. The lines `//# …` are replaced by crates/spikelet-gpu/src/kernels/training.rs.

// What has arrived at a port.
fn take(port: u32, lane: u32) -> f32 {
    let slot = job.ring + (port * job.slots + step % job.slots) * job.lane_count + lane;
    return ring_value(atomicExchange(&ring[slot], 0i), bitcast<f32>(tables[job.units + port]));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn step_neurons(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let lane = invocation(group, groups, local_id);
    if (lane >= job.lane_count) {
        return;
    }
    enter(lane);
    let last_spike = bitcast<i32>(state[of_state(job.arrays, lane)]);
    let since_spike = steps_since(last_spike);
    //# load
    if (job.tapes != 0u) {
        //# tape
    }
    //# code
    //# store
    if (fires) {
        state[of_state(job.arrays, lane)] = step;
        atomicOr(&spikes[job.spikes + (step * job.trials + trial) * job.words + neuron / 32u], 1u << (neuron % 32u));
    }
}
