// Steps 1, 2 and 3 of `Backend` where synapses have a state: take what arrived, reset, hold. The first kernel of an epoch.

@compute @workgroup_size(64)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // An event that was too large ends the batch.
    let runs = header.run_next != 0u && atomicLoad(&header.fault) == 0u;
    if (group.x == 0u && lane == 0u) {
        header.step_now = header.step_next;
        header.begin_now = header.begin_next;
        header.run_now = u32(runs);
    }
    if (!runs) {
        return;
    }
    zero = header.zero;
    step = header.step_next;
    slot = ring_slot(step);
    for (var block = group.x; block < job.count; block += groups.x) {
        if (!enter(job.at + block * BLOCK_WORDS, lane)) {
            continue;
        }
        if (neuron % 32u == 0u) {
            forget(step, memory_words_at, neuron);
        }
        //# load
        let since_spike = steps_since(last_spike);
        {
            //# take
        }
        if (last_spike == i32(step) - 1i) {
            //# reset
        }
        {
            //# hold
        }
        //# store
    }
}
