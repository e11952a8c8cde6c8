// Counts the synapses from a stimulus onto each neuron.
fn edge(pre: u32, post: u32) {
    atomicAdd(&stimuli[job.stimulus + post], 1u);
}
