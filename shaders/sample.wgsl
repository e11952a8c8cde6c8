// The phase `sample` of what no neuron has at hand: a channel is a word of `state`, or a half in `ring`, or a sum of words of `state`.

fn work(id: u32, ids: u32) {
    for (var channel = id; channel < header.channels; channel += ids) {
        let described = header.channels_offset + 2u * channel;
        let kind = table(described);
        let at = table(described + 1u);
        if (kind == NO_NEURON) {
            samples[sample_row(step) + channel] = bitcast<f32>(state[state_from + at]);
        } else if (kind == HALF) {
            samples[sample_row(step) + channel] = load_half(2u * ring_from + at);
        } else if (kind == SUM && step % job.at == 0u) {
            samples[sample_row(step) + channel] = sum_of_state(at);
        }
    }
}

// In the order of `sum` in crates/spikelet-plan/src/layout/sampling.rs.
fn sum_of_state(at: u32) -> f32 {
    let end = at + 1u + table(at);
    var sums = array<f32, 8>();
    for (var lane = 0u; lane < 8u; lane += 1u) {
        for (var k = at + 1u + lane; k < end; k += 8u) {
            sums[lane] += bitcast<f32>(state[state_from + table(k)]);
        }
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
