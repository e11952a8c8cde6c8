// Step 6 of `Backend`: the rows of the neurons that fired in this epoch are walked, and their events enter the rings. A
// workgroup takes a spike, its invocations share the row. Integer sums do not mind the order.

// Words of a walk in `tables`: first and last + 1 of the neurons with rows, first offset, first target, first delay and the
// stride of the delays (0: one for all), first weight and the stride of the weights, first lane. All but the last are places
// in `rows`.
const WALK_WORDS: u32 = 9u;

@compute @workgroup_size(64)
fn propagate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let end = atomicLoad(&header.count);
    if (group.x == 0u && lane == 0u) {
        let next = select(header.step_now, min(header.step_now + header.epoch_steps, header.until), header.run_now != 0u);
        header.step_next = next;
        header.begin_next = end;
        // An epoch starts only when all spikes it can make still fit the log; the host empties it and goes on.
        header.run_next = u32(next < header.until && header.capacity - end >= header.epoch_spikes);
    }
    for (var k = header.begin_now + group.x; k < end; k += groups.x) {
        let spike = spikes[k];
        var population = header.populations_at;
        for (var p = 1u; p < header.populations; p += 1u) {
            let later = header.populations_at + p * POPULATION_WORDS;
            population = select(population, later, tables[later] <= spike.y);
        }
        let neuron = spike.y - tables[population];
        for (var w = tables[population + 9u]; w < tables[population + 10u]; w += 1u) {
            let walk = header.walks_at + w * WALK_WORDS;
            if (neuron < tables[walk] || neuron >= tables[walk + 1u]) {
                continue;
            }
            let row = tables[walk + 2u] + neuron - tables[walk];
            for (var synapse = rows[row] + lane; synapse < rows[row + 1u]; synapse += 64u) {
                let target_neuron = rows[tables[walk + 3u] + synapse];
                let delay = rows[tables[walk + 4u] + synapse * tables[walk + 5u]];
                let weight = bitcast<i32>(rows[tables[walk + 6u] + synapse * tables[walk + 7u]]);
                atomicAdd(&ring[ring_slot(spike.x + 1u + delay) + tables[walk + 8u] + target_neuron], weight);
            }
        }
    }
}
