//! Kernels over neurons: templates, filled with what is printed for a model.

use std::fmt::Write;

use spikelet::Plan;
use spikelet::lang::ir::Code;
use spikelet::lang::{Program, wgsl};

use super::{Source, shader};

/// Steps 1, 2, 3 and 5, for a whole epoch.
pub(super) fn epoch(plan: &Plan, population: usize) -> Source {
    let program = &plan.populations[population].program;
    // All arrays are at hand, so that any of them can be sampled.
    let parts = Parts::new(plan, program, &program.codes(), |_| true);
    Source::new("neurons", &[shader!("population"), &parts.fill(shader!("neurons"))])
}

/// Steps 1, 2 and 3.
pub(super) fn settle(plan: &Plan, population: usize) -> Source {
    let program = &plan.populations[population].program;
    let codes = [&program.take, &program.reset, &program.hold];
    let parts = Parts::new(plan, program, &codes, |array| codes.iter().any(|code| code.touches(array)));
    Source::new("settle", &[shader!("population"), &parts.fill(shader!("settle"))])
}

/// Step 5.
pub(super) fn update(plan: &Plan, population: usize) -> Source {
    let program = &plan.populations[population].program;
    let parts = Parts::new(plan, program, &[&program.update], |array| program.update.touches(array));
    Source::new("update", &[shader!("population"), &parts.fill(shader!("update"))])
}

/// What the lines `//# …` of a template stand for.
struct Parts {
    printed: wgsl::Printed,
    load: String,
    sample: String,
    store: String,
    check: String,
    /// Whether spikes are remembered.
    remembers: bool,
}

impl Parts {
    /// The parts of a kernel that runs `codes`, with the arrays for which `keeps` holds.
    fn new(plan: &Plan, program: &Program, codes: &[&Code], keeps: impl Fn(usize) -> bool) -> Parts {
        let (mut load, mut sample, mut store, mut moving) = (String::new(), String::new(), String::new(), Vec::new());
        for (array, name) in program.variables.iter().enumerate().filter(|(array, _)| keeps(*array)) {
            // Writing to a String cannot fail.
            let _ = writeln!(load, "var v_{name} = bitcast<f32>(state[state_at + {array}u * size]);");
            let _ = writeln!(sample, "case {array}u: {{ value = v_{name}; }}");
            if codes.iter().any(|code| code.stores_to(array)) {
                let _ = writeln!(store, "state[state_at + {array}u * size] = bitcast<u32>(v_{name});");
            }
            if codes.iter().any(|code| code.stores_to(array)) && !program.hold.stores_to(array) {
                moving.push(format!("is_finite(v_{name})"));
            }
        }
        let last = program.variables.len();
        let _ = writeln!(load, "var last_spike = bitcast<i32>(state[state_at + {last}u * size]);");
        let fires = codes.iter().any(|code| code.condition.is_some());
        if fires {
            let _ = writeln!(store, "state[state_at + {last}u * size] = bitcast<u32>(last_spike);");
        }
        let check = match moving.is_empty() {
            true => String::new(),
            false => format!("if (!({})) {{\n    note_divergence();\n}}", moving.join(" && ")),
        };
        Parts { printed: wgsl::print(program), load, sample, store, check, remembers: plan.memory_steps > 0 }
    }

    fn of(&self, name: &str) -> Option<&str> {
        Some(match name {
            "load" => &self.load,
            "take" => &self.printed.take,
            "reset" => &self.printed.reset,
            "hold" => &self.printed.hold,
            "sample" => &self.sample,
            "update" => &self.printed.update,
            "store" => &self.store,
            "check" => &self.check,
            "forget" if self.remembers => "forget(step, memory_words_at, neuron);",
            "remember" if self.remembers => "remember(step, memory_words_at, neuron);",
            "forget" | "remember" => "",
            _ => return None,
        })
    }

    fn fill(&self, template: &str) -> String {
        let mut kernel = String::new();
        for line in template.lines() {
            match line.trim().strip_prefix("//# ").and_then(|name| self.of(name)) {
                Some(text) => {
                    let indent = &line[..line.len() - line.trim_start().len()];
                    text.lines().for_each(|line| kernel.extend([indent, line, "\n"]));
                }
                None => kernel.extend([line, "\n"]),
            }
        }
        kernel
    }
}
