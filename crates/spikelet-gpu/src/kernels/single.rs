//! A whole epoch, and the next, and the next, as one kernel.

use std::fmt::Write;

use super::{shader, work};
use crate::link::Module;
use crate::spec::Kernel;

/// The modules of these passes, and the entry point that calls them in turn.
pub(super) fn modules(kernels: &[Kernel]) -> Vec<Module> {
    let (mut known, mut modules, mut passes): (Vec<&Kernel>, Vec<Module>, String) = Default::default();
    for (number, kernel) in kernels.iter().enumerate() {
        let place = known.iter().position(|known| *known == kernel).unwrap_or_else(|| {
            modules.push(work(kernel).numbered(known.len()));
            known.push(kernel);
            known.len() - 1
        });
        let does = kernel.does();
        // Writing to a String cannot fail.
        let _ = write!(
            passes,
            "job = job_at({number}u);
step = epoch_first;
if ({does}) {{
    work_{place}(lane, WORKGROUP_SIZE);
}}
storageBarrier();
"
        );
    }
    modules.push(Module::new("single", &[shader!("single")]).filled(|slot| (slot == "passes").then_some(passes.as_str())));
    modules
}
