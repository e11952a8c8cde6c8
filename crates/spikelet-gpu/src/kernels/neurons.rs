//! Kernels of neurons: templates, filled with the code generated for a model.

use std::fmt::Write;

use spikelet::lang::Program;
use spikelet::lang::ir::Code;
use spikelet::lang::wgsl::{self, Arithmetic};

use crate::link::{Module, shader};
use crate::spec::Model;

/// All phases of neurons, for a whole epoch.
pub(super) fn epoch(model: &Model, arithmetic: Arithmetic) -> Module {
    // All arrays are available, so that any of them can be sampled.
    let module = Module::new("neurons", &[shader!("population"), shader!("neurons")]);
    let program = model.program();
    let codes: Vec<&Code> = program.codes().collect();
    TemplateParts::new((model, arithmetic), &program, &codes, |_| true).fill(&module)
}

/// Deliver, reset, run regularly, hold.
pub(super) fn begin_step(model: &Model, arithmetic: Arithmetic) -> Module {
    let module = Module::new("begin_step", &[shader!("population"), shader!("begin_step")]);
    let program = model.program();
    let regular = program.regular.iter().map(|of| &of.code);
    let codes = [&program.deliver_input, &program.reset, &program.sample_and_hold];
    let codes: Vec<&Code> = codes.into_iter().chain(&program.after_events).chain(regular).collect();
    TemplateParts::of_codes((model, arithmetic), &program, &codes).fill(&module)
}

/// Deliver, reset, statements of events.
pub(super) fn complete_step(model: &Model, arithmetic: Arithmetic) -> Module {
    let module = Module::new("complete_step", &[shader!("population"), shader!("complete_step")]);
    let program = model.program();
    let codes: Vec<&Code> = [&program.deliver_input, &program.reset].into_iter().chain(&program.after_events).collect();
    TemplateParts::of_codes((model, arithmetic), &program, &codes).fill(&module)
}

/// Integrate, fire.
pub(super) fn update(model: &Model, arithmetic: Arithmetic) -> Module {
    let program = model.program();
    let module = match program.score {
        None => Module::new("update", &[shader!("population"), shader!("update")]),
        Some(score) => {
            let score = format!("v_{}", program.variables[score]);
            Module::new("update", &[shader!("population"), shader!("compare")]).with("SCORE", &score)
        }
    };
    TemplateParts::new((model, arithmetic), &program, &[&program.update], |array| program.update.touches(array)).fill(&module)
}

/// The text for the lines `//# …` of a template.
struct TemplateParts {
    printed: wgsl::Printed,
    load: String,
    sample: String,
    store: String,
    check: String,
    /// Whether there is a spike history, and whether neurons make room in it.
    remembers: bool,
    forgets: bool,
}

impl TemplateParts {
    /// The parts of a kernel with `codes`, and the arrays for which `keeps` is true.
    fn new(
        (model, arithmetic): (&Model, Arithmetic),
        program: &Program,
        codes: &[&Code],
        keeps: impl Fn(usize) -> bool,
    ) -> TemplateParts {
        let (mut load, mut sample, mut store, mut moving) = (String::new(), String::new(), String::new(), Vec::new());
        let may_diverge = program.moving();
        for (array, name) in program.variables.iter().enumerate().filter(|(array, _)| keeps(*array)) {
            // Writing to a String cannot fail.
            let _ = writeln!(load, "var v_{name} = bitcast<f32>(state[state_offset + {array}u * size]);");
            let _ = writeln!(sample, "case {array}u: {{ value = v_{name}; }}");
            if codes.iter().any(|code| code.stores_to(array)) {
                let _ = writeln!(store, "state[state_offset + {array}u * size] = bitcast<u32>(v_{name});");
            }
            if codes.iter().any(|code| code.stores_to(array)) && may_diverge.contains(&array) {
                moving.push(format!("is_finite(v_{name})"));
            }
        }
        let last = program.variables.len();
        let _ = writeln!(load, "var last_spike = bitcast<i32>(state[state_offset + {last}u * size]);");
        let fires = program.score.is_none() && codes.iter().any(|code| code.condition.is_some());
        if fires {
            let _ = writeln!(store, "state[state_offset + {last}u * size] = bitcast<u32>(last_spike);");
        }
        let check = match moving.is_empty() {
            true => String::new(),
            false => format!("if (!({})) {{\n    note_divergence();\n}}", moving.join(" && ")),
        };
        TemplateParts {
            printed: wgsl::print(program, arithmetic),
            load,
            sample,
            store,
            check,
            remembers: model.remembers,
            forgets: model.forgets,
        }
    }

    /// The parts of a kernel with `codes`, and the arrays that these touch.
    fn of_codes(model: (&Model, Arithmetic), program: &Program, codes: &[&Code]) -> TemplateParts {
        TemplateParts::new(model, program, codes, |array| codes.iter().any(|code| code.touches(array)))
    }

    fn of(&self, name: &str) -> Option<&str> {
        Some(match name {
            "load" => &self.load,
            "deliver_input" => &self.printed.deliver_input,
            "reset" => &self.printed.reset,
            "after_events" => &self.printed.after_events,
            "run_regularly" => &self.printed.run_regularly,
            "sample_and_hold" => &self.printed.sample_and_hold,
            "sample" => &self.sample,
            "update" => &self.printed.update,
            "store" => &self.store,
            "check" => &self.check,
            "forget" if self.forgets => "forget(step, memory_words_offset, neuron);",
            "remember" if self.remembers => "remember(step, memory_words_offset, neuron);",
            "forget" | "remember" => "",
            _ => return None,
        })
    }

    fn fill(&self, module: &Module) -> Module {
        module.filled(|slot| self.of(slot))
    }
}
