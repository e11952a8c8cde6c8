// Step 7 of `Backend`: what the spikes of a pathway do to the traces of their neurons, once all synapses have heard of them. An
// invocation takes a neuron; all spikes have been under way for the same time.

fn work(id: u32, ids: u32) {
    enter_pathway();
    let delay = table(job.first + 7u);
    if (delay > step) {
        return;
    }
    for (var neuron = id; neuron < job.count; neuron += ids) {
        if (((fired(step - delay, memory_words_at, neuron / 32u) >> (neuron % 32u)) & 1u) != 0u) {
            pre = neuron;
            post = neuron;
            run();
        }
    }
}
