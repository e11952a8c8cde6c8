//! Kernels of synapses with state: generated code becomes the function `run`, which the kernel calls.

use std::fmt::Write;

use spikelet::lang::End;
use spikelet::lang::wgsl::{self, Arithmetic};

use crate::link::{Module, shader};
use crate::spec::{EventTraversal, RegisterFill, SynapseCode, TraceOffsets, Writeback};

/// Statements of a regular step, recorded subexpressions, or a step of the clock-driven equations: one invocation per synapse.
pub(super) fn each(code: &SynapseCode, arithmetic: Arithmetic) -> Module {
    Module::new("synapse_step", &[shader!("synapses"), &function("run", code, arithmetic), shader!("synapse_step")])
}

/// A step of the clock-driven equations of traces: one invocation per presynaptic neuron.
pub(super) fn integrate_traces(code: &SynapseCode, arithmetic: Arithmetic) -> Module {
    let run = function("run", code, arithmetic);
    Module::new("integrate_traces", &[shader!("synapses"), &run, shader!("integrate_traces")])
}

/// A summed variable.
pub(super) fn couple(code: &SynapseCode, arithmetic: Arithmetic) -> Module {
    Module::new("sum_inputs", &[shader!("synapses"), &function("run", code, arithmetic), shader!("sum_inputs")])
}

/// A pathway.
pub(super) fn on_spike(code: &SynapseCode, way: EventTraversal, arithmetic: Arithmetic) -> Module {
    let (name, finds) = match way {
        EventTraversal::BySpike => ("on_spike_by_spike", shader!("on_spike_by_spike")),
        EventTraversal::ByPost => ("on_spike_by_post", shader!("on_spike_by_post")),
        EventTraversal::Serial => ("on_spike_serial", shader!("on_spike_serial")),
    };
    Module::new(name, &[shader!("synapses"), shader!("on_spike"), &function("run", code, arithmetic), finds])
}

/// The effect of spikes of one side on their traces, for all projections.
pub(super) fn traces(codes: &[SynapseCode], arithmetic: Arithmetic) -> Module {
    let (mut functions, mut runs) = (String::new(), String::new());
    for (number, code) in codes.iter().enumerate() {
        functions += &function(&format!("run_{number}"), code, arithmetic);
        // Writing to a String cannot fail.
        let _ = writeln!(runs, "case {number}u: {{ run_{number}(); }}");
    }
    let module = Module::new("update_traces", &[shader!("synapses"), shader!("on_spike"), &functions, shader!("update_traces")]);
    module.filled(|slot| (slot == "runs").then_some(runs.as_str()))
}

/// A code as a function.
fn function(name: &str, of: &SynapseCode, arithmetic: Arithmetic) -> String {
    let mut text = String::new();
    if let Some(clock) = of.due {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "if (clock({clock}u) == 0.0f) {{\n    return;\n}}");
    }
    for (register, fill) in &of.registers {
        let _ = writeln!(text, "var r{register} = {};", filled(*fill));
    }
    text += &wgsl::statements(&of.code, &|register| format!("r{register}"), "x", arithmetic);
    for (register, _) in &of.code.stores {
        let place = match of.registers.iter().find(|(of, _)| of == register) {
            Some((_, RegisterFill::Half(array))) => {
                let _ = writeln!(text, "store_half(own_half({array}u), r{register});");
                continue;
            }
            Some((_, RegisterFill::Own(array))) => format!("own({array}u)"),
            Some((_, RegisterFill::Trace(trace))) => trace_word(*trace),
            _ => continue,
        };
        let _ = writeln!(text, "state[{place}] = bitcast<u32>(r{register});");
    }
    let result = match &of.after {
        Writeback::Store => "",
        Writeback::Return(register) => {
            let _ = writeln!(text, "return r{register};");
            " -> f32"
        }
        Writeback::OnSpike { adds, writes } => {
            for (k, register) in adds.iter().enumerate() {
                let _ = writeln!(text, "add({k}u, r{register});");
            }
            for (register, array) in writes {
                let _ = writeln!(text, "state[post_offset + {array}u * post_size + post] = bitcast<u32>(r{register});");
            }
            ""
        }
    };
    let body: String = text.lines().flat_map(|line| ["    ", line, "\n"]).collect();
    format!("fn {name}(){result} {{\n{body}}}\n")
}

fn trace_word(TraceOffsets { end, of_pre, of_post }: TraceOffsets) -> String {
    let neuron = if end == End::Pre { "pre" } else { "post" };
    format!("trace_word({of_pre}u, {of_post}u, {neuron})")
}

/// The source of a register.
fn filled(fill: RegisterFill) -> String {
    match fill {
        RegisterFill::Trace(trace) => format!("bitcast<f32>(state[{}])", trace_word(trace)),
        RegisterFill::Own(array) => format!("bitcast<f32>(state[own({array}u)])"),
        RegisterFill::Half(array) => format!("load_half(own_half({array}u))"),
        RegisterFill::Pre(array) => format!("of_pre({array}u)"),
        RegisterFill::Post(array) => format!("of_post({array}u)"),
        RegisterFill::PostSinceSpike(last_spike) => format!("post_since_spike({last_spike}u)"),
        RegisterFill::Third(array) => format!("of_third({array}u)"),
        RegisterFill::ThirdIndex => "f32(third_neuron())".into(),
        RegisterFill::PreIndex => "f32(pre)".into(),
        RegisterFill::PostIndex => "f32(post_neuron())".into(),
        RegisterFill::Nothing => "0.0f".into(),
    }
}
