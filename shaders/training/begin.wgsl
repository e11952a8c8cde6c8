// The initial state of a population.

@compute @workgroup_size(WORKGROUP_SIZE)
fn begin_batch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let lane = invocation(group, groups, local_id);
    if (lane >= job.lane_count) {
        return;
    }
    for (var k = 0u; k < job.arrays; k += 1u) {
        state[job.state + k * job.lane_count + lane] = tables[job.initial + k * job.size + lane % job.size];
    }
    // So long ago that its place in time has no meaning.
    state[job.state + job.arrays * job.lane_count + lane] = 0xc0000000u;
}
