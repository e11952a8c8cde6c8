// A pathway with one delay for all: 64 invocations take 32 presynaptic neurons, `job.second` being the first word of them, and
// share the rows of those that fired.

fn work(id: u32, ids: u32) {
    enter_pathway();
    let delay = delay_of(0u);
    if (delay > step) {
        return;
    }
    let first = table(job.at + 3u);
    let last = table(job.at + 4u);
    let offsets_at = table(job.at + 6u);
    for (var block = id / 64u; block < job.count; block += ids / 64u) {
        let word = job.second + block;
        var left = fired(step - delay, memory_words_at, word);
        while (left != 0u) {
            let neuron = word * 32u + firstTrailingBit(left);
            left &= left - 1u;
            if (neuron < first || neuron >= last) {
                continue;
            }
            let row = offsets_at + neuron - first;
            for (var k = rows[row] + id % 64u; k < rows[row + 1u]; k += 64u) {
                enter_synapse(k);
                run();
            }
        }
    }
}
