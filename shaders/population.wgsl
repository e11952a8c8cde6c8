// What the printed code of neurons reads, one neuron for each invocation.

// Words of a block in `tables`: population, place of the first neuron, where the channels of its neurons are listed (0 if none is sampled).
const BLOCK_WORDS: u32 = 3u;

// The neuron's place among the own ones, and its number in the population and in the network.
var<private> place: u32;
var<private> neuron: u32;
var<private> number: u32;
var<private> size: u32;
var<private> index: f32;
var<private> state_offset: u32;
var<private> units_offset: u32;
var<private> columns_offset: u32;
var<private> memory_words_offset: u32;
// The key of this neuron.
var<private> keys_offset: u32;
var<private> slot: u32;

// Takes the neuron of this invocation in a block; whether there is one.
fn enter(block: u32, local_id: u32) -> bool {
    let population = table(block);
    place = table(block + 1u) + local_id;
    size = table(population + 1u);
    if (place >= size) {
        return false;
    }
    neuron = neuron_at(population, place);
    number = table(population) + neuron;
    state_offset = state_from + table(population + 2u) + place;
    constants_offset = table(population + 3u);
    units_offset = table(population + 4u);
    columns_offset = table(population + 5u);
    entries_offset = table(population + 6u);
    clocks_offset = table(population + 7u);
    memory_words_offset = table(population + 8u);
    keys_offset = state_from + table(population + 9u) + place;
    index = f32(neuron);
    return true;
}

// Takes what has arrived at a port.
fn arrived(port: u32) -> f32 {
    let column = slot + table(columns_offset + port) + place;
    let unit = bitcast<f32>(table(units_offset + 2u * port));
    let rest = bitcast<f32>(table(units_offset + 2u * port + 1u));
    let whole = ring_value(atomicExchange(&ring[column], 0i), unit);
    if (rest == 0.0f) {
        return whole;
    }
    return exact(whole + ring_value(atomicExchange(&ring[column + size], 0i), rest));
}

fn random_bits(site: u32) -> u32 {
    return noise_bits(step, number, site);
}

fn random_uniform(site: u32) -> f32 {
    return noise_uniform(step, number, site);
}

fn steps_since(last_spike: i32) -> f32 {
    return f32(min(i32(step) - last_spike, 16777216i));
}
