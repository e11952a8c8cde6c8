// One invocation for each synapse of a projection: recorded subexpressions (the phase `observe`), or a step of the
// clock-driven equations (`update`, step 5).

fn work(id: u32, ids: u32) {
    enter_projection(job.at);
    for (var k = id; k < synapses; k += ids) {
        enter_synapse(k);
        run();
    }
}
