//! Kernels over synapses that have a state: what is printed for a code becomes the function `run`, which the kernel calls.

use std::fmt::Write;

use spikelet::lang::{End, wgsl};

use crate::link::{Module, shader};
use crate::spec::{After, Fill, SynapseCode, TracePlace, Way};

/// Recorded subexpressions, or a step of the clock-driven equations: an invocation for each synapse.
pub(super) fn each(code: &SynapseCode) -> Module {
    Module::new("each", &[shader!("synapses"), &function("run", code), shader!("each")])
}

/// A summed variable.
pub(super) fn couple(code: &SynapseCode) -> Module {
    Module::new("couple", &[shader!("synapses"), &function("run", code), shader!("couple")])
}

/// A pathway.
pub(super) fn arrive(code: &SynapseCode, way: Way) -> Module {
    let (name, finds) = match way {
        Way::Fired => ("arrive_fired", shader!("arrive_fired")),
        Way::Turn => ("arrive_turn", shader!("arrive_turn")),
        Way::Alone => ("arrive_alone", shader!("arrive_alone")),
    };
    Module::new(name, &[shader!("synapses"), shader!("arrive"), &function("run", code), finds])
}

/// What spikes of the neurons at one end do to their traces, of all projections.
pub(super) fn traces(codes: &[SynapseCode]) -> Module {
    let (mut functions, mut runs) = (String::new(), String::new());
    for (number, code) in codes.iter().enumerate() {
        functions += &function(&format!("run_{number}"), code);
        // Writing to a String cannot fail.
        let _ = writeln!(runs, "case {number}u: {{ run_{number}(); }}");
    }
    let module = Module::new("trace", &[shader!("synapses"), shader!("arrive"), &functions, shader!("trace")]);
    module.filled(|slot| (slot == "runs").then_some(runs.as_str()))
}

/// A code as a function.
fn function(name: &str, of: &SynapseCode) -> String {
    let mut text = String::new();
    for (lane, fill) in &of.lanes {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "var lane{lane} = {};", filled(*fill));
    }
    text += &wgsl::statements(&of.code, &|lane| format!("lane{lane}"), "x");
    for (lane, _) in &of.code.stores {
        let place = match of.lanes.iter().find(|(of, _)| of == lane) {
            Some((_, Fill::Own(array))) => format!("own({array}u)"),
            Some((_, Fill::Trace(trace))) => trace_word(*trace),
            _ => continue,
        };
        let _ = writeln!(text, "state[{place}] = bitcast<u32>(lane{lane});");
    }
    let result = match &of.after {
        After::Store => "",
        After::Return(lane) => {
            let _ = writeln!(text, "return lane{lane};");
            " -> f32"
        }
        After::Arrive { adds, writes } => {
            for (k, lane) in adds.iter().enumerate() {
                let _ = writeln!(text, "add({k}u, lane{lane});");
            }
            for (lane, array) in writes {
                let _ = writeln!(text, "state[post_at + {array}u * post_size + post] = bitcast<u32>(lane{lane});");
            }
            ""
        }
    };
    let body: String = text.lines().flat_map(|line| ["    ", line, "\n"]).collect();
    format!("fn {name}(){result} {{\n{body}}}\n")
}

fn trace_word(TracePlace { end, of_pre, of_post }: TracePlace) -> String {
    let neuron = if end == End::Pre { "pre" } else { "post" };
    format!("trace_word({of_pre}u, {of_post}u, {neuron})")
}

/// What a lane is filled with.
fn filled(fill: Fill) -> String {
    match fill {
        Fill::Trace(trace) => format!("bitcast<f32>(state[{}])", trace_word(trace)),
        Fill::Own(array) => format!("bitcast<f32>(state[own({array}u)])"),
        Fill::Pre(array) => format!("of_pre({array}u)"),
        Fill::Post(array) => format!("of_post({array}u)"),
        Fill::PostSinceSpike(last_spike) => format!("post_since_spike({last_spike}u)"),
        Fill::PreIndex => "f32(pre)".into(),
        Fill::PostIndex => "f32(post)".into(),
        Fill::Nothing => "0.0f".into(),
    }
}
