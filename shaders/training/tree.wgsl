// The sum over the chunks of a batch, in pairs: the tree has the same form on all devices. It is left in the place of the first chunk.

@compute @workgroup_size(WORKGROUP_SIZE)
fn sum_chunks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = invocation(group, groups, local_id);
    if (id >= job.count) {
        return;
    }
    zero = job.zero;
    let first = job.results + id;
    var left = (job.trials + job.chunk - 1u) / job.chunk;
    while (left > 1u) {
        for (var pair = 0u; 2u * pair < left; pair += 1u) {
            var sum = gradients[first + 2u * pair * job.count];
            if (2u * pair + 1u < left) {
                sum = exact(sum + gradients[first + (2u * pair + 1u) * job.count]);
            }
            gradients[first + pair * job.count] = sum;
        }
        left = (left + 1u) / 2u;
    }
}
