// The first three dispatches of a selection: how often each value of a digit occurs in the keys that agree with the bound in the digits
// before; or, for the first digit where a fraction of the largest value is given, that value.

var<workgroup> local_bins: array<atomic<u32>, BINS>;

fn select_chunk(digit: u32, local_id: u32) {
    for (var k = local_id; k < BINS; k += WORKGROUP_SIZE) {
        atomicStore(&local_bins[k], 0u);
    }
    decide(digit, local_id);
    let shift = digit_shift(digit);
    let bound = decided_bound;
    var known = 0u;
    if (digit > 0u) {
        known = 0xffffffffu << (shift + DIGIT_BITS);
    }
    // Neighbours are often equal: they are counted together.
    var last = 0u;
    var count = 0u;
    var largest = 0u;
    for (var item = chunk_first + local_id; item < chunk_end; item += WORKGROUP_SIZE) {
        let key = select_key(item);
        if (digit == 0u && key > INFINITY_KEY) {
            select_not_a_number(item);
        }
        if (key == 0u || ((key ^ bound) & known) != 0u) {
            continue;
        }
        largest = max(largest, key);
        let bin = (key >> shift) % BINS;
        if (bin != last) {
            if (count > 0u) {
                atomicAdd(&local_bins[last], count);
            }
            last = bin;
            count = 0u;
        }
        count += 1u;
    }
    if (select_k == 0u) {
        // The bits of positive numbers are in their order, and 0 is below.
        if (largest > 0x80000000u) {
            atomicMax(&local_bins[0], largest & 0x7fffffffu);
        }
    } else if (count > 0u) {
        atomicAdd(&local_bins[last], count);
    }
    workgroupBarrier();
    if (select_k > 0u) {
        for (var k = local_id; k < BINS; k += WORKGROUP_SIZE) {
            let counted = atomicLoad(&local_bins[k]);
            if (counted > 0u) {
                select_add(digit * BINS + k, counted);
            }
        }
    } else if (digit == 0u && local_id == 0u) {
        select_raise(0u, atomicLoad(&local_bins[0]));
    }
    workgroupBarrier();
}
