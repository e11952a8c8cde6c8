// Numbers in two bytes: the twin of crates/spikelet-lang/src/half.rs. They are in `ring`, where two invocations can change the halves of one word.

fn f16_value(bits: u32) -> f32 {
    let size = bits & 0x7fffu;
    var word = (size << 13u) + 0x38000000u;
    if (size < 0x400u) {
        // 2⁻²⁴
        word = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
    } else if (size >= 0x7c00u) {
        word = (size << 13u) | 0x7f800000u;
    }
    return bitcast<f32>(word | ((bits & 0x8000u) << 16u));
}

// Of a number that an f16 represents.
fn f16_bits(x: f32) -> u32 {
    let word = bitcast<u32>(x);
    let size = word & 0x7fffffffu;
    var bits = (size - 0x38000000u) >> 13u;
    if (size < 0x38800000u) {
        bits = u32(abs(x) * 16777216.0f);
    } else if (size >= 0x47800000u) {
        bits = select(0x7c00u, 0x7e00u, size > 0x7f800000u);
    }
    return bits | ((word >> 16u) & 0x8000u);
}

// The half of this number, two in each word of `ring`, the even one below.
fn load_half(number: u32) -> f32 {
    let word = bitcast<u32>(atomicLoad(&ring[number / 2u]));
    return f16_value((word >> (16u * (number % 2u))) & 0xffffu);
}

fn store_half(number: u32, x: f32) {
    let shift = 16u * (number % 2u);
    atomicAnd(&ring[number / 2u], bitcast<i32>(~(0xffffu << shift)));
    atomicOr(&ring[number / 2u], bitcast<i32>(f16_bits(x) << shift));
}
