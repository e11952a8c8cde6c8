// A pathway that writes to neurons which its synapses also read as presynaptic ones: every event sees what all those before it
// wrote, so one invocation runs them all, in the order of the rows.

fn work(id: u32, ids: u32) {
    enter_pathway();
    if (id > 0u) {
        return;
    }
    for (var k = 0u; k < synapses; k += 1u) {
        if (is_reached(k)) {
            enter_synapse(k);
            run();
        }
    }
}
