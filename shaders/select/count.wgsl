// The fourth dispatch of a selection: how many keys of each chunk are above the bound, and how many are equal to it.

var<workgroup> local_above: atomic<u32>;
var<workgroup> local_equal: atomic<u32>;

fn select_chunk(digit: u32, local_id: u32) {
    if (local_id == 0u) {
        atomicStore(&local_above, 0u);
        atomicStore(&local_equal, 0u);
    }
    decide(DIGITS, local_id);
    var bound = decided_bound;
    if (select_k == 0u) {
        let largest = bitcast<f32>(select_bin(0u));
        // Where nothing is positive, nothing wins.
        bound = NO_NUMBER_KEY;
        if (largest > 0.0f) {
            bound = order_key(bitcast<u32>(select_fraction * largest));
        }
        if (chunk == 0u && local_id == 0u) {
            select_put(BOUND_WORD, bound);
            select_put(BOUND_WORD + 1u, 0xffffffffu);
        }
    }
    var own_above = 0u;
    var own_equal = 0u;
    for (var item = chunk_first + local_id; item < chunk_end; item += WORKGROUP_SIZE) {
        let key = select_key(item);
        own_above += u32(key > bound);
        own_equal += u32(key == bound && key != 0u);
    }
    if (own_above > 0u) {
        atomicAdd(&local_above, own_above);
    }
    if (own_equal > 0u) {
        atomicAdd(&local_equal, own_equal);
    }
    workgroupBarrier();
    if (local_id == 0u) {
        select_put(COUNTS_WORD + 2u * chunk, atomicLoad(&local_above));
        select_put(COUNTS_WORD + 2u * chunk + 1u, atomicLoad(&local_equal));
    }
    workgroupBarrier();
}
