// Steps 1, 2, 3 and 5 of `Backend` for networks whose synapses have no state: take what arrived, reset, hold, sample, update, test
// the threshold. One kernel for each model, over the populations that have it; each invocation carries its neuron through a whole
// epoch.
//
// The lines `//# …` are replaced by what crates/spikelet-lang/src/wgsl.rs prints for the model.

@compute @workgroup_size(64)
fn neurons(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (group.x == 0u && lane == 0u) {
        header.step_now = header.step_next;
        header.begin_now = header.begin_next;
        header.run_now = header.run_next;
    }
    if (header.run_next == 0u) {
        return;
    }
    zero = header.zero;
    let first_step = header.step_next;
    let last_step = min(first_step + header.epoch_steps, header.until);
    for (var block = group.x; block < job.count; block += groups.x) {
        let described = job.at + block * BLOCK_WORDS;
        if (!enter(described, lane)) {
            continue;
        }
        //# load
        for (step = first_step; step < last_step; step += 1u) {
            slot = ring_slot(step);
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
            for (var channel = tables[described + 2u]; channel < tables[described + 3u]; channel += 1u) {
                if (tables[header.channels_at + 2u * channel] == number) {
                    var value = 0.0f;
                    switch tables[header.channels_at + 2u * channel + 1u] {
                        //# sample
                        default: {}
                    }
                    samples[(step - header.origin) * header.channels + channel] = value;
                }
            }
            //# update
            if (fires) {
                last_spike = i32(step);
                spikes[atomicAdd(&header.count, 1u)] = vec2<u32>(step, number);
            }
        }
        //# store
    }
}
