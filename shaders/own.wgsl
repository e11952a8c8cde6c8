// Own neurons: those of a population that this device simulates. Their values lie in the order of their places, counted from 0. In a
// network that is not divided among ranks, places are the numbers of neurons.

const NOT_OWN: u32 = 0xffffffffu;

var<private> own_first: u32;
var<private> own_count: u32;
var<private> own_lookup: u32;

// The number in its population of the neuron at a place.
fn neuron_at(population: u32, place: u32) -> u32 {
    let list = table(population + OWN_LIST);
    if (list == CONSECUTIVE) {
        return table(population + OWN_FIRST) + place;
    }
    return table(list + place);
}

// Takes a population for `place_of`.
fn enter_own(population: u32) {
    own_count = table(population + 1u);
    own_first = table(population + OWN_FIRST);
    own_lookup = table(population + OWN_LOOKUP);
}

// The place of a neuron, or NOT_OWN. A lookup table has two words for every 32 neurons: how many own ones are before them, and their bits.
fn place_of(neuron: u32) -> u32 {
    if (own_lookup == CONSECUTIVE) {
        let place = neuron - own_first;
        return select(NOT_OWN, place, place < own_count);
    }
    let bits = table(own_lookup + 2u * (neuron / 32u) + 1u);
    let bit = 1u << (neuron % 32u);
    let before = table(own_lookup + 2u * (neuron / 32u)) + countOneBits(bits & (bit - 1u));
    return select(NOT_OWN, before, (bits & bit) != 0u);
}
