// The order of numbers as that of words: the twin of `key` in crates/spikelet-cpu/src/select.rs.

// The key of a number, given by its bits: keys are in the order of numbers, -0 and 0 have the same, and none has 0. What is not a number
// has the largest key.
fn order_key(bits: u32) -> u32 {
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0xffffffffu;
    }
    if ((bits & 0x80000000u) == 0u || bits == 0x80000000u) {
        return bits | 0x80000000u;
    }
    return ~bits;
}
