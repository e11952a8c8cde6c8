// Sums over neurons: the adjoints of a constant over the neurons `lower` … `upper` of a trial, added to the sum before them. An invocation
// for each constant and trial; the sum takes the place of the first neuron.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sum_neurons(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = invocation(group, groups, local_id);
    if (id >= job.count) {
        return;
    }
    zero = job.zero;
    let first = job.adjoints + (job.arrays + 1u + id / job.trials) * job.lane_count + id % job.trials * job.size;
    var sum = select(bitcast<f32>(state[first]), 0.0f, job.lower == 0u);
    for (var neuron = job.lower; neuron < job.upper; neuron += 1u) {
        sum = exact(sum + bitcast<f32>(state[first + neuron]));
    }
    state[first] = bitcast<u32>(sum);
}
