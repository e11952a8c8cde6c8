// The phase `sample` of what no neuron has at hand: a channel is a word of `state`, or a half in `ring`.

fn work(id: u32, ids: u32) {
    for (var channel = id; channel < header.channels; channel += ids) {
        let described = header.channels_offset + 2u * channel;
        if (table(described) == NO_NEURON) {
            samples[sample_row(step) + channel] = bitcast<f32>(state[state_from + table(described + 1u)]);
        } else if (table(described) == HALF) {
            samples[sample_row(step) + channel] = load_half(2u * ring_from + table(described + 1u));
        }
    }
}
