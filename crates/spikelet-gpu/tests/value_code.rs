//! Values of synapses as code are the same bits on a GPU as in blocks.

use std::cell::Cell;
use std::path::Path;

use spikelet::lang::Dimension;
use spikelet::lang::check::{ValueScope, resolve_value};
use spikelet::lang::syntax::parse_quantity;
use spikelet::lang::term::Symbol;
use spikelet_kernel::{ValueCode, ValueScratch};

use crate::on_gpu::on_gpu;

const COUNT: usize = 4096;

const TEXTS: [&str; 8] = [
    "normal(87.8 pA, 8.78 pA)",
    "lognormal(2 nS, 0.5)",
    "uniform(0.5 ms, 2 ms)",
    "exponential(3 pA)",
    "clip(normal(1 nS, 1 nS), 0 nS, 2 nS)",
    "1.5*normal(1.5 ms, 0.75 ms, 0.1 ms, 4 ms)",
    "(0.5 + rand())*exp(-((i - j)/40)**2) + normal(0, 1)*normal(0, 1)",
    "2*(i % 7) + j // 3 + int(i < j and not (i == 3))*sqrt(i + j)",
];

fn code(text: &str) -> ValueCode {
    let names = |name: &str| match name {
        "i" => Some((Symbol::Index, Dimension::NONE)),
        "j" => Some((Symbol::PostIndex, Dimension::NONE)),
        _ => None,
    };
    let scope = ValueScope { sites: Ok(Cell::new(0)), ..ValueScope::of_names(&names) };
    let expression = parse_quantity("w", text).unwrap();
    ValueCode::new(&resolve_value("w", text, &expression, &scope).unwrap().term).unwrap()
}

/// Some bits for a synapse and a site, and the same in WGSL.
fn bits(synapse: usize, site: u32) -> u32 {
    let mut x = (synapse as u32).wrapping_mul(0x9e37_79b9) ^ site.wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

const KERNEL: &str = "
    @group(0) @binding(0) var<storage, read_write> words: array<u32>;
    var<private> synapse: u32;
    fn value_bits(site: u32) -> u32 {
        var x = (synapse * 0x9e3779b9u) ^ (site * 0x85ebca6bu);
        x = (x ^ (x >> 16u)) * 0x7feb352du;
        x = (x ^ (x >> 15u)) * 0x846ca68bu;
        return x ^ (x >> 16u);
    }
    fn value_uniform(site: u32) -> f32 {
        let bits = value_bits(site);
        if (bits >= NEAR_0) {
            return uniform32(bits);
        }
        return uniform_near_0(bits, ~bits);
    }
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        // Nothing but 0 is there, which the compiler does not know.
        zero = words[id.x];
        synapse = id.x;
        words[id.x] = bitcast<u32>(value_of(synapse / 50u, synapse % 200u));
    }
";

#[test]
fn the_gpu_computes_the_same_bits() {
    let read = |name: &str| std::fs::read_to_string(Path::new("../../shaders").join(name)).unwrap();
    let rng = read("rng.wgsl");
    let names = ["math.wgsl", "math/exponential.wgsl", "math/logarithm.wgsl", "math/circular.wgsl", "math/random.wgsl"];
    // What comes later there needs a header.
    let library = names.map(read).concat() + rng.split("fn philox").next().unwrap();
    let codes = TEXTS.map(code);
    let texts: Vec<String> = codes.iter().map(|code| library.clone() + &code.wgsl("value_of") + KERNEL).collect();
    let Some(found) = on_gpu(&texts, COUNT) else { return };
    let (pre, post): (Vec<u32>, Vec<u32>) = (0..COUNT as u32).map(|k| (k / 50, k % 200)).unzip();
    for ((text, code), found) in TEXTS.iter().zip(codes).zip(found) {
        let (mut scratch, mut values) = (ValueScratch::default(), vec![0.0; COUNT]);
        for (block, out) in values.chunks_mut(256).enumerate() {
            let first = 256 * block;
            let bits = |site: u32, lanes: &mut [u32]| {
                (first..).zip(lanes).for_each(|(lane, value)| *value = bits(lane, site));
            };
            let more = |site: u32, lane: usize| !self::bits(first + lane, site);
            code.run(&pre[first..first + 256], &post[first..first + 256], (&bits, &more), &mut scratch, out);
        }
        for (k, (value, found)) in values.iter().zip(found).enumerate() {
            assert_eq!(value.to_bits(), found, "{text}, {k}: {value} on the CPU, {} on the GPU", f32::from_bits(found));
        }
    }
}
