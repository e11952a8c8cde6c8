// Remembered spikes: for each of the last `header.memory_steps` steps a bit for each neuron, 32 in a word, every population in
// words of its own.

// Where the words of a step are.
fn memory_slot(step: u32) -> u32 {
    return ring_from + header.memory_at + (step % header.memory_steps) * header.memory_words;
}

// Forgets the 32 neurons from `first` on of the population whose words begin at `words_at`, to make room for this step.
fn forget(step: u32, words_at: u32, first: u32) {
    atomicStore(&ring[memory_slot(step) + words_at + first / 32u], 0i);
}

fn remember(step: u32, words_at: u32, neuron: u32) {
    atomicOr(&ring[memory_slot(step) + words_at + neuron / 32u], bitcast<i32>(1u << (neuron % 32u)));
}

// Which of 32 neurons fired, as bits.
fn fired(step: u32, words_at: u32, word: u32) -> u32 {
    return bitcast<u32>(atomicLoad(&ring[memory_slot(step) + words_at + word]));
}
