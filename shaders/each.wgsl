// One invocation for each synapse of a projection: recorded subexpressions (`hold`, step 3 of `Backend`), or a step of the
// clock-driven equations (`update`, step 5).

@compute @workgroup_size(64)
fn each(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if (!enter_projection(job.at)) {
        return;
    }
    for (var k = id.x; k < synapses; k += groups.x * 64u) {
        enter_synapse(k);
        run();
    }
}
