// Whose spike it is.

// The place among populations of the one that the neuron with this number is in.
fn population_of(number: u32) -> u32 {
    var population = 0u;
    for (var p = 1u; p < header.populations; p += 1u) {
        population = select(population, p, table(header.populations_offset + p * POPULATION_WORDS) <= number);
    }
    return population;
}

// Its index in that population.
fn index_in(population: u32, number: u32) -> u32 {
    return number - table(header.populations_offset + population * POPULATION_WORDS);
}
