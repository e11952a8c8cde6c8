// Delay rings: the twin of crates/spikelet-rows/src/ring.rs.

// A sum as a number, rounded once: both halves convert exactly, and so does the power of two.
fn ring_value(sum: i32, unit: f32) -> f32 {
    let high = f32(sum >> 16u);
    let low = f32(sum & 0xffffi);
    return (high * 65536.0f + low) * unit;
}

// Units of a weight that is kept as the lower 16 bits: the twin of `decode` in crates/spikelet-rows/src/half.rs.
fn half_units(half: u32) -> i32 {
    let exponent = (half >> 10u) & 31u;
    let normal = min(exponent, 1u);
    let size = bitcast<i32>(((half & 1023u) | (normal << 10u)) << (exponent - normal));
    return select(size, -size, (half & 0x8000u) != 0u);
}

// Where column 0 of a step's slot is.
fn ring_slot(step: u32) -> u32 {
    return ring_from + (step % header.slots) * header.columns;
}
