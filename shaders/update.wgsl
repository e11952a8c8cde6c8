// The neurons' part of step 5 of `Backend` where synapses have a state: update, threshold.

@compute @workgroup_size(64)
fn update(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (!runs_now()) {
        return;
    }
    for (var block = group.x; block < job.count; block += groups.x) {
        if (!enter(job.at + block * BLOCK_WORDS, lane)) {
            continue;
        }
        //# load
        let since_spike = steps_since(last_spike);
        //# update
        if (fires) {
            last_spike = i32(step);
            spikes[atomicAdd(&header.count, 1u)] = vec2<u32>(step, number);
            remember(step, memory_words_at, neuron);
        }
        //# store
    }
}
