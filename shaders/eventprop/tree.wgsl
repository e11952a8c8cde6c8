// The sum over the chunks of a batch, in pairs. It is left in the place of the first chunk.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sum_gradients(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = group_index(group, groups) * WORKGROUP_SIZE + local_id;
    if (id >= job.gradients) {
        return;
    }
    zero = job.zero;
    var left = (job.trials + job.chunk - 1u) / job.chunk;
    while (left > 1u) {
        for (var pair = 0u; 2u * pair < left; pair += 1u) {
            var sum = gradients[id + 2u * pair * job.gradients];
            if (2u * pair + 1u < left) {
                sum = exact(sum + gradients[id + (2u * pair + 1u) * job.gradients]);
            }
            gradients[id + pair * job.gradients] = sum;
        }
        left = (left + 1u) / 2u;
    }
}
