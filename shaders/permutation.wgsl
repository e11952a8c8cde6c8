// Random orders: the twin of crates/spikelet-rows/src/connect/permutation.rs.

// A number whose high bits depend on all bits of x.
fn mixed(x: u32) -> u32 {
    let y = x * 0x85ebca6bu;
    return (y ^ (y >> 15u)) * 0xc2b2ae35u;
}

// What stands at place k, below the size, of the order of 0 … size - 1 that the keys choose.
fn permuted(size: u32, keys: vec3<u32>, k: u32) -> u32 {
    let bits = max(32u - countLeadingZeros(size - 1u), 8u);
    let low_bits = bits / 2u;
    let high_bits = bits - low_bits;
    var x = k;
    loop {
        var low = x & ((1u << low_bits) - 1u);
        var high = x >> low_bits;
        for (var round = 0u; round < 3u; round += 1u) {
            let key = keys[round];
            low ^= mixed(high ^ key) >> (32u - low_bits);
            high ^= mixed(low + ((key << 16u) | (key >> 16u))) >> (32u - high_bits);
        }
        x = (high << low_bits) | low;
        if (x < size) {
            break;
        }
    }
    return x;
}
