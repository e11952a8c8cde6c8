//! Weights of two bytes are the same numbers on a GPU as on the CPU.

use spikelet::half;

use crate::on_gpu::on_gpu;

const KERNEL: &str = "
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        // What stands above the lower 16 bits is another weight.
        words[id.x] = bitcast<u32>(half_units(id.x | (id.x << 16u)));
    }
";

#[test]
fn the_gpu_reads_all_patterns_alike() {
    let ring = std::fs::read_to_string("../../shaders/ring.wgsl").unwrap();
    let function = ring.split_inclusive("\n}\n").find_map(|text| Some(&text[text.find("fn half_units")?..])).unwrap();
    let Some(found) = on_gpu(&[function.to_owned() + KERNEL], 1 << 16) else { return };
    for (pattern, word) in (0..=u16::MAX).zip(&found[0]) {
        assert_eq!(*word as i32, half::decode(pattern), "{pattern:#06x}");
    }
    assert_eq!(found[0].len(), 1 << 16);
}
