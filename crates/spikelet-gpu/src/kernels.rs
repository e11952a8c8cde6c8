//! The kernels: which pieces of WGSL each is made of.
//!
//! The order of declarations means nothing in WGSL, so a kernel is its pieces, one after the other.

use std::fmt::Write;

use spikelet::lang::{Program, wgsl};

const HEADER: &str = include_str!("../../../shaders/header.wgsl");
const MATH: &str = concat!(
    include_str!("../../../shaders/math.wgsl"),
    include_str!("../../../shaders/math/exponential.wgsl"),
    include_str!("../../../shaders/math/logarithm.wgsl"),
    include_str!("../../../shaders/math/circular.wgsl"),
    include_str!("../../../shaders/math/random.wgsl"),
);
const RNG: &str = include_str!("../../../shaders/rng.wgsl");
const RING: &str = include_str!("../../../shaders/ring.wgsl");
const NEURONS: &str = include_str!("../../../shaders/neurons.wgsl");
const PROPAGATE: &str = include_str!("../../../shaders/propagate.wgsl");

/// Which of the eight bindings a kernel may write, in their order.
pub const WRITABLE: [bool; 8] = [true, false, false, true, true, false, true, true];

/// The fields of `Header`, in their order; each is a word.
pub const HEADER_FIELDS: &[&str] = crate::buffers::Header::FIELDS;

/// The kernel `neurons` for a model.
pub fn neurons(program: &Program) -> String {
    let printed = wgsl::print(program);
    let (mut load, mut sample, mut store) = (String::new(), String::new(), String::new());
    let stored = |array: usize| {
        [&program.take, &program.reset, &program.update].into_iter().flat_map(|code| &code.stores).any(|s| s.0 == array)
    };
    for (array, name) in program.variables.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(load, "var v_{name} = bitcast<f32>(state[state_at + {array}u * size]);");
        let _ = writeln!(sample, "case {array}u: {{ value = v_{name}; }}");
        if stored(array) {
            let _ = writeln!(store, "state[state_at + {array}u * size] = bitcast<u32>(v_{name});");
        }
    }
    let last = program.variables.len();
    let _ = writeln!(load, "var last_spike = bitcast<i32>(state[state_at + {last}u * size]);");
    let _ = writeln!(store, "state[state_at + {last}u * size] = bitcast<u32>(last_spike);");
    let pieces = [
        ("load", load),
        ("take", printed.take),
        ("reset", printed.reset),
        ("sample", sample),
        ("update", printed.update),
        ("store", store),
    ];
    let mut kernel = String::new();
    for line in NEURONS.lines() {
        let piece = line.trim().strip_prefix("//# ").and_then(|wanted| pieces.iter().find(|(name, _)| *name == wanted));
        match piece {
            Some((_, text)) => {
                let indent = &line[..line.len() - line.trim_start().len()];
                text.lines().for_each(|line| kernel.extend([indent, line, "\n"]));
            }
            None => kernel.extend([line, "\n"]),
        }
    }
    [HEADER, MATH, RNG, RING, &kernel].join("\n")
}

/// The kernel `propagate`.
pub fn propagate() -> String {
    [HEADER, RING, PROPAGATE].join("\n")
}
