// What printed code reads that is the same for a whole population or projection.

var<private> step: u32;
var<private> constants_at: u32;
var<private> clocks_at: u32;
var<private> entries_at: u32;

fn constant(k: u32) -> f32 {
    return bitcast<f32>(table(constants_at + k));
}

fn clock(k: u32) -> f32 {
    return clocks[clocks_from + (step % header.clock_rows) * header.clock_lanes + clocks_at + k];
}

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(table(entries_at + k));
}

// A channel in `tables` is two words: the number of a neuron and one of its arrays, or this and a word of `state`.
const NO_NEURON: u32 = 0xffffffffu;

// Where the samples of a step begin.
fn sample_row(step: u32) -> u32 {
    return samples_from + (step - header.progress[trial].origin) * header.channels;
}
