//! Several passes as one kernel, for one workgroup.

use std::fmt::Write;

use spikelet::lang::wgsl::Arithmetic;

use super::work;
use crate::link::{Module, shader};
use crate::spec::Kernel;

/// The modules of these passes: once per epoch, in each step, and once afterwards; and the entry point that calls them in turn.
pub(super) fn modules(name: &str, kernels: &[Vec<Kernel>; 3], arithmetic: Arithmetic) -> Vec<Module> {
    let (mut known, mut modules): (Vec<&Kernel>, Vec<Module>) = Default::default();
    let mut number = 0;
    let [ahead, each_step, at_end] = kernels.each_ref().map(|kernels| {
        let mut text = String::new();
        for kernel in kernels {
            let place = known.iter().position(|known| *known == kernel).unwrap_or_else(|| {
                modules.push(work(kernel, arithmetic).numbered(known.len()));
                known.push(kernel);
                known.len() - 1
            });
            let does = kernel.condition();
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "job = job_at(dispatched.at + {number}u, offset, steps);
load_steps();
if ({does}) {{
    work_{place}(local_id, WORKGROUP_SIZE);
}}
storageBarrier();
"
            );
            number += 1;
        }
        text
    });
    let entry = Module::new("single", &[shader!("single")]).filled(|slot| match slot {
        "ahead" => Some(ahead.as_str()),
        "each step" => Some(each_step.as_str()),
        "at end" => Some(at_end.as_str()),
        _ => None,
    });
    modules.push(entry.with("ENTRY_POINT", name));
    modules
}
