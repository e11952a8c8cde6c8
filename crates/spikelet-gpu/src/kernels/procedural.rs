//! The kernel of synapses that are drawn at every spike: where they lead is a law's, what they do is printed.

use std::fmt::Write;

use spikelet::{Law, PerSynapse, Port, ProjectionPlan, WritePlan};

use super::{Source, shader};

/// The kernel of a projection whose rows are drawn.
pub(super) fn draw(projection: &ProjectionPlan, ports: &[Port]) -> Source {
    let law = match projection.recipe().map(|recipe| &recipe.law) {
        Some(Law::All) | None => shader!("procedural/all"),
        Some(Law::Bernoulli { .. }) => shader!("procedural/bernoulli"),
        Some(Law::Fixed { multapses: false, .. }) => concat!(shader!("procedural/row"), shader!("procedural/fixed")),
        Some(Law::Fixed { multapses: true, .. }) => concat!(shader!("procedural/row"), shader!("procedural/multapses")),
        Some(Law::Footprint(_)) => shader!("procedural/footprint"),
    };
    Source::new("procedural", &[shader!("procedural"), law, &edge(projection, ports)])
}

/// The function `edge`, which an edge is given to, and those that compute its values.
fn edge(projection: &ProjectionPlan, ports: &[Port]) -> String {
    let (mut functions, mut body, mut write) = (String::new(), String::new(), 0);
    for (pathway, of) in projection.pathways.iter().enumerate() {
        if let PerSynapse::Drawn(delay) = &of.delay {
            functions += &delay.code.wgsl(&format!("delay{pathway}"));
            // Writing to a String cannot fail.
            let _ = writeln!(body, "    let steps{pathway} = u32(round(delay{pathway}(pre, post)));");
        }
        for WritePlan { port, weights, .. } in &of.writes {
            let delay = match of.delay {
                PerSynapse::Drawn(_) => format!("steps{pathway}"),
                _ => format!("shared_delay({write}u)"),
            };
            let weight = match weights {
                PerSynapse::Drawn(weight) => {
                    functions += &weight.code.wgsl(&format!("weight{write}"));
                    let units = if ports[*port].rest { "left_over" } else { "in_units" };
                    format!("{units}({write}u, weight{write}(pre, post))")
                }
                _ => format!("shared_weight({write}u)"),
            };
            let _ = writeln!(body, "    add({write}u, post, {delay}, {weight});");
            write += 1;
        }
    }
    format!("{functions}\nfn edge(post: u32, id: u32) {{\n    value_id = id;\n{body}}}\n")
}
