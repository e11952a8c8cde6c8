// The phase `propagate`: the rows of the neurons that fired in this epoch are walked, and their events enter the rings. 64
// invocations take a spike and share the row. Integer sums do not mind the order.
//
// There is a dispatch for each page of rows; `job.at` says in `tables` for each population where its walks over this page begin and
// end. The dispatch with `job.first` also hands the epoch on.

// Words of a walk in `tables`: first and last + 1 of the neurons with rows; in `rows` the first offset and the first synapse; how
// many bits of a synapse name its target; how it comes by its delay (one of those below), and the delay, or the first of the list;
// how it comes by its weight (likewise); where in `rows` weights are, or where in `tables` the one of all is; first column.
const WALK_WORDS: u32 = 10u;
// All have the same.
const ONE_DELAY: u32 = 0u;
// It stands above the bits that name the target.
const PACKED_DELAY: u32 = 1u;
// All have the same.
const ONE_WEIGHT: u32 = 0u;
// Two stand in a word, as f16.
const HALF_WEIGHT: u32 = 2u;

fn work(id: u32, ids: u32) {
    if (job.first != 0u && id == 0u) {
        advance_epoch();
    }
    let end = walk_end();
    for (var k = walk_begin + id / 64u; k < end; k += ids / 64u) {
        let spike = spikes[k];
        let population = population_of(spike.y);
        let neuron = index_in(population, spike.y);
        let walks = job.at + 2u * population;
        for (var walk = table(walks); walk < table(walks + 1u); walk += WALK_WORDS) {
            if (neuron < table(walk) || neuron >= table(walk + 1u)) {
                continue;
            }
            let row = table(walk + 2u) + neuron - table(walk);
            let words_offset = table(walk + 3u);
            let bits = table(walk + 4u);
            let mask = 0xffffffffu >> (32u - bits);
            let delay_kind = table(walk + 5u);
            let delay_offset = table(walk + 6u);
            let weight_kind = table(walk + 7u);
            let weight_offset = table(walk + 8u);
            let columns_offset = table(walk + 9u);
            var weight = 0i;
            if (weight_kind == ONE_WEIGHT) {
                weight = bitcast<i32>(table(weight_offset));
            }
            for (var synapse = rows[row] + id % 64u; synapse < rows[row + 1u]; synapse += 64u) {
                let word = rows[words_offset + synapse];
                var delay = delay_offset;
                if (delay_kind == PACKED_DELAY) {
                    delay = word >> bits;
                } else if (delay_kind != ONE_DELAY) {
                    delay = rows[delay_offset + synapse];
                }
                if (weight_kind == HALF_WEIGHT) {
                    weight = half_units(rows[weight_offset + synapse / 2u] >> (16u * (synapse & 1u)));
                } else if (weight_kind != ONE_WEIGHT) {
                    weight = bitcast<i32>(rows[weight_offset + synapse]);
                }
                atomicAdd(&ring[ring_slot(spike.x + 1u + delay) + columns_offset + (word & mask)], weight);
            }
        }
    }
}
