// A pathway that writes to the postsynaptic neuron: an invocation takes a neuron and runs the events that reach it one after the
// other, in the order of the presynaptic neurons.

fn work(id: u32, ids: u32) {
    enter_pathway();
    let offsets_offset = table(job.at + 9u);
    let order_offset = table(job.at + 10u);
    for (var neuron = id; neuron < job.count; neuron += ids) {
        for (var at = rows[offsets_offset + neuron]; at < rows[offsets_offset + neuron + 1u]; at += 1u) {
            let k = rows[order_offset + at];
            if (is_reached(k)) {
                enter_synapse(k);
                run();
            }
        }
    }
}
