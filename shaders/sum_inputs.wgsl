// The phase `couple`: a summed variable. One invocation for each postsynaptic neuron, over its synapses in the order of their
// presynaptic neurons: floats are added in one order only. For third neurons `job.at` has the synapses by those in place of postsynaptic ones. `job.first` is where the sums go in `state`; where it is not the
// variable itself, which the code reads in other neurons, `copy` brings them there. `job.second` is the variable, if it already
// holds the sums of an earlier projection, else 0xffffffff.

fn work(id: u32, ids: u32) {
    enter_projection(job.at);
    let offsets_offset = table(job.at + 9u);
    let order_offset = table(job.at + 10u);
    for (var neuron = id; neuron < job.count; neuron += ids) {
        var sum = 0.0f;
        let first = rows[offsets_offset + neuron];
        for (var k = first; k < rows[offsets_offset + neuron + 1u]; k += 1u) {
            enter_synapse(rows[order_offset + k]);
            let value = run();
            // A sum begins with its first value, so that −0 stays −0.
            sum = select(exact(sum + value), value, k == first);
        }
        if (job.second != 0xffffffffu) {
            sum = exact(bitcast<f32>(state[state_from + job.second + neuron]) + sum);
        }
        state[state_from + job.first + neuron] = bitcast<u32>(sum);
    }
}
