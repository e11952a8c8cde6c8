// The spikes of the input in all steps: `tables` has the word and the bit of each.

@compute @workgroup_size(WORKGROUP_SIZE)
fn set_inputs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let id = invocation(group, groups, local_id);
    if (id >= job.count) {
        return;
    }
    atomicOr(&spikes[job.spikes + tables[2u * id]], tables[2u * id + 1u]);
}
