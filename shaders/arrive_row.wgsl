// A pathway with one delay for all: a workgroup takes 32 presynaptic neurons, `job.second` being the first word of them, and its
// invocations share the rows of those that fired.

@compute @workgroup_size(64)
fn arrive_row(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let delay = delay_of(0u);
    if (!enter_pathway() || delay > step) {
        return;
    }
    let first = tables[job.at + 3u];
    let last = tables[job.at + 4u];
    let offsets_at = tables[job.at + 6u];
    for (var block = group.x; block < job.count; block += groups.x) {
        let word = job.second + block;
        var left = fired(step - delay, memory_words_at, word);
        while (left != 0u) {
            let neuron = word * 32u + firstTrailingBit(left);
            left &= left - 1u;
            if (neuron < first || neuron >= last) {
                continue;
            }
            let row = offsets_at + neuron - first;
            for (var k = rows[row] + lane; k < rows[row + 1u]; k += 64u) {
                enter_synapse(k);
                run();
            }
        }
    }
}
