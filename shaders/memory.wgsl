// Remembered spikes: for each of the last `header.memory_steps` steps a bit for each neuron, 32 in a word, every population in
// words of its own. There is one step more than spikes may take: the words of the next one are emptied in this one.

// Where the words of a step are.
fn memory_slot(step: u32) -> u32 {
    return ring_from + header.memory_offset + (step % header.memory_steps) * header.memory_words;
}

// Forgets the 32 neurons that begin with this one, of the population whose words begin at `words_offset`, to make room for the next step.
fn forget(step: u32, words_offset: u32, neuron: u32) {
    if (neuron % 32u == 0u) {
        atomicStore(&ring[memory_slot(step + 1u) + words_offset + neuron / 32u], 0i);
    }
}

fn remember(step: u32, words_offset: u32, neuron: u32) {
    atomicOr(&ring[memory_slot(step) + words_offset + neuron / 32u], bitcast<i32>(1u << (neuron % 32u)));
}

// Which of 32 neurons fired, as bits.
fn fired(step: u32, words_offset: u32, word: u32) -> u32 {
    return bitcast<u32>(atomicLoad(&ring[memory_slot(step) + words_offset + word]));
}
