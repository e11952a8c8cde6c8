// A pathway that writes to the postsynaptic neuron: an invocation takes a neuron and runs the events that reach it one after the
// other, in the order of the presynaptic neurons.

@compute @workgroup_size(64)
fn arrive_turn(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if (!enter_pathway()) {
        return;
    }
    let offsets_at = tables[job.at + 9u];
    let order_at = tables[job.at + 10u];
    for (var neuron = id.x; neuron < job.count; neuron += groups.x * 64u) {
        for (var at = rows[offsets_at + neuron]; at < rows[offsets_at + neuron + 1u]; at += 1u) {
            let k = rows[order_at + at];
            if (is_reached(k)) {
                enter_synapse(k);
                run();
            }
        }
    }
}
