// Sums over the trials of a chunk, in their order: of the first `width` neurons of each of the adjoint arrays from `lower` on. An
// invocation for each of the `count` sums of each chunk.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sum_trials(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = invocation(group, groups, local_id);
    let first_trial = id / job.count * job.chunk;
    if (first_trial >= job.trials) {
        return;
    }
    zero = job.zero;
    let item = id % job.count;
    let first = job.adjoints + (job.lower + item / job.width) * job.lane_count + item % job.width;
    var sum = 0.0f;
    for (var trial = first_trial; trial < min(first_trial + job.chunk, job.trials); trial += 1u) {
        sum = exact(sum + bitcast<f32>(state[first + trial * job.size]));
    }
    gradients[job.results + id] = sum;
}
