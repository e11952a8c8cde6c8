// Kernels that draw rows: 64 invocations share a block of a row. Counters and order of draws are those of
// crates/spikelet-rows/src/connect/procedural_rows.rs.

// Four random words of a block of the row of a neuron, of the purpose `Connect` in crates/spikelet-rows/src/rng.rs.
fn block_words(pre: u32, block: u32) -> vec4<u32> {
    return philox(vec2<u32>(job.seed_low, job.seed_high), vec4<u32>(block, pre, 1u | (job.fibre << 8u), 0u));
}

// How many of the rising thresholds are at most `bits`.
fn thresholds_reached(bits: u32) -> u32 {
    var low = 0u;
    var high = job.thresholds;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (tables[job.first_threshold + middle] <= bits) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// The presynaptic neuron of a row: one that fires, or one of a stimulus.
fn pre_of(row: u32) -> u32 {
    if (job.first_firing == 0u) {
        return row;
    }
    return atomicLoad(&lists[job.first_firing + row]);
}

@compute @workgroup_size(64)
fn draw_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local_id: u32) {
    let part = group.y * groups.x + group.x;
    if (part >= job.firing * job.blocks) {
        return;
    }
    let pre = pre_of(part / job.blocks);
    let block = part % job.blocks;
    let words = block_words(pre, block);
    let count = job.least + thresholds_reached(words.x);
    let before = block << job.bits;
    for (var k = local_id; k < count; k += 64u) {
        // The last block may reach beyond the last neuron.
        let place = permuted(1u << job.bits, words.yzw, k);
        if (place < job.neurons - before) {
            edge(pre, before + place);
        }
    }
}
