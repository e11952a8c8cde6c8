// The samples of step 3 of `Backend` where synapses have a state: a channel is a word of `state`.

@compute @workgroup_size(64)
fn sample(@builtin(global_invocation_id) id: vec3<u32>) {
    if (header.run_now == 0u || id.x >= header.channels) {
        return;
    }
    let row = (header.step_now - header.origin) * header.channels;
    samples[row + id.x] = bitcast<f32>(state[tables[header.channels_at + id.x]]);
}
