// A pathway with a delay for each synapse: an invocation takes one, and asks whether its presynaptic neuron fired.

@compute @workgroup_size(64)
fn arrive_each(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if (!enter_pathway()) {
        return;
    }
    for (var k = id.x; k < synapses; k += groups.x * 64u) {
        if (is_reached(k)) {
            enter_synapse(k);
            run();
        }
    }
}
