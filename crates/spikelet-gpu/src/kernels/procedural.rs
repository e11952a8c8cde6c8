//! The kernel of procedural synapses: the law determines their targets, generated code their values.

use std::fmt::Write;

use crate::link::{Module, shader};
use crate::spec::{ProceduralDistribution, ProceduralKernel, ProceduralWeight};

/// The kernel of procedural rows.
pub(super) fn draw(rows: &ProceduralKernel) -> Module {
    let distribution = match rows.distribution {
        ProceduralDistribution::All => shader!("procedural/all"),
        ProceduralDistribution::Bernoulli => shader!("procedural/bernoulli"),
        ProceduralDistribution::Fixed { multapses: false } => concat!(shader!("procedural/row"), shader!("procedural/fixed")),
        ProceduralDistribution::Fixed { multapses: true } => concat!(shader!("procedural/row"), shader!("procedural/multapses")),
        ProceduralDistribution::Footprint => shader!("procedural/footprint"),
    };
    Module::new("procedural", &[shader!("procedural"), distribution, &edge(rows)])
}

/// The function `edge`, which processes an edge onto an own neuron, and those that compute its values.
fn edge(rows: &ProceduralKernel) -> String {
    let (mut functions, mut body, mut write) = (String::new(), String::new(), 0);
    for (pathway, of) in rows.pathways.iter().enumerate() {
        if let Some(delay) = &of.delay {
            functions += &delay.wgsl(&format!("delay{pathway}"));
            // Writing to a String cannot fail.
            let _ = writeln!(body, "    let steps{pathway} = u32(round(delay{pathway}(pre, post)));");
        }
        for weight in &of.weights {
            let delay = match of.delay {
                Some(_) => format!("steps{pathway}"),
                None => format!("shared_delay({write}u)"),
            };
            let weight = match weight {
                ProceduralWeight::Drawn { code, rest } => {
                    functions += &code.wgsl(&format!("weight{write}"));
                    let units = if *rest { "remainder_units" } else { "in_units" };
                    format!("{units}({write}u, weight{write}(pre, post))")
                }
                ProceduralWeight::Shared => format!("shared_weight({write}u)"),
            };
            let _ = writeln!(body, "    add({write}u, place, {delay}, {weight});");
            write += 1;
        }
    }
    format!(
        "{functions}\nfn edge(post: u32, id: u32) {{\n    let place = place_of(post);\n    if (place == NOT_OWN) {{\n        return;\n    }}\n    value_id = id;\n{body}}}\n"
    )
}
