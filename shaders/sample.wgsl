// The phase `sample` where synapses have a state: a channel is a word of `state`.

fn work(id: u32, ids: u32) {
    for (var channel = id; channel < header.channels; channel += ids) {
        samples[sample_row(step) + channel] = bitcast<f32>(state[state_from + table(header.channels_at + channel)]);
    }
}
