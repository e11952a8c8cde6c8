// A pathway with a delay for each synapse: an invocation takes one, and asks whether its presynaptic neuron fired.

fn work(id: u32, ids: u32) {
    enter_pathway();
    for (var k = id; k < synapses; k += ids) {
        if (is_reached(k)) {
            enter_synapse(k);
            run();
        }
    }
}
