// Step 6 of `Backend`: the rows of the neurons that fired in this epoch are walked, and their events enter the rings. A
// workgroup takes a spike, its invocations share the row. Integer sums do not mind the order.
//
// There is a dispatch for each page of rows; `job.at` says in `tables` for each population where its walks over this page begin and
// end. The dispatch with `job.first` also prepares the next epoch.

// Words of a walk in `tables`: first and last + 1 of the neurons with rows; in `rows` the first offset and the first synapse; how
// many bits of a synapse name its target; how it comes by its delay (one of those below), and the delay, or the first of the list;
// whether weights are listed; where in `rows` they are, or where in `tables` the one of all is; first lane.
const WALK_WORDS: u32 = 10u;
// All have the same.
const ONE_DELAY: u32 = 0u;
// It stands above the bits that name the target.
const PACKED_DELAY: u32 = 1u;

@compute @workgroup_size(64)
fn propagate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let end = atomicLoad(&header.count);
    if (job.first != 0u && group.x == 0u && lane == 0u) {
        let next = select(header.step_now, min(header.step_now + header.epoch_steps, header.until), header.run_now != 0u);
        header.step_next = next;
        header.begin_next = end;
        // An epoch starts only when all spikes it can make still fit the log; the host empties it and goes on.
        header.run_next = u32(next < header.until && header.capacity - end >= header.epoch_spikes);
    }
    for (var k = header.begin_now + group.x; k < end; k += groups.x) {
        let spike = spikes[k];
        let population = population_of(spike.y);
        let neuron = index_in(population, spike.y);
        let walks = job.at + 2u * population;
        for (var walk = tables[walks]; walk < tables[walks + 1u]; walk += WALK_WORDS) {
            if (neuron < tables[walk] || neuron >= tables[walk + 1u]) {
                continue;
            }
            let row = tables[walk + 2u] + neuron - tables[walk];
            let words_at = tables[walk + 3u];
            let bits = tables[walk + 4u];
            let mask = 0xffffffffu >> (32u - bits);
            let delay_kind = tables[walk + 5u];
            let delay_at = tables[walk + 6u];
            let is_listed = tables[walk + 7u] != 0u;
            let weight_at = tables[walk + 8u];
            let lanes_at = tables[walk + 9u];
            var weight = 0i;
            if (!is_listed) {
                weight = bitcast<i32>(tables[weight_at]);
            }
            for (var synapse = rows[row] + lane; synapse < rows[row + 1u]; synapse += 64u) {
                let word = rows[words_at + synapse];
                var delay = delay_at;
                if (delay_kind == PACKED_DELAY) {
                    delay = word >> bits;
                } else if (delay_kind != ONE_DELAY) {
                    delay = rows[delay_at + synapse];
                }
                if (is_listed) {
                    weight = bitcast<i32>(rows[weight_at + synapse]);
                }
                atomicAdd(&ring[ring_slot(spike.x + 1u + delay) + lanes_at + (word & mask)], weight);
            }
        }
    }
}
