// A pathway that writes to neurons which its synapses also read as presynaptic ones: every event sees what all those before it
// wrote, so one invocation runs them all, in the order of the rows.

@compute @workgroup_size(64)
fn arrive_alone(@builtin(global_invocation_id) id: vec3<u32>) {
    if (!enter_pathway() || id.x > 0u) {
        return;
    }
    for (var k = 0u; k < synapses; k += 1u) {
        if (is_reached(k)) {
            enter_synapse(k);
            run();
        }
    }
}
