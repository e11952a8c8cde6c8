// What printed code reads that is the same for a whole population or projection.

var<private> step: u32;
var<private> constants_offset: u32;
var<private> clocks_offset: u32;
var<private> entries_offset: u32;

fn constant(k: u32) -> f32 {
    return bitcast<f32>(table(constants_offset + k));
}

fn clock(k: u32) -> f32 {
    return clocks[clocks_from + (step % header.clock_rows) * header.clock_columns + clocks_offset + k];
}

fn table_entry(k: u32) -> f32 {
    return bitcast<f32>(table(entries_offset + k));
}

// A channel in `tables` is two words: the number of a neuron and one of its arrays, or this and a word of `state`,
const NO_NEURON: u32 = 0xffffffffu;
// or this and the number of a half in `ring`,
const HALF: u32 = 0xfffffffeu;
// or this and an offset in `tables`: the number of words of `state` to be summed, and then these.
const SUM: u32 = 0xfffffffdu;

// Where the samples of a step begin.
fn sample_row(step: u32) -> u32 {
    return samples_from + (step - header.progress[trial].origin) * header.channels;
}
