//! The extension module `spikelet._spikelet`: what the Python package calls. Its classes are wrapped by `python/spikelet`, which has the
//! documentation for users; arguments here are plain texts, numbers and arrays.

#![allow(clippy::needless_pass_by_value, reason = "Python's arguments arrive by value")]

mod device;
mod engine;
mod failure;
mod host;
mod interchange;
mod library;
mod opening;
mod parameter;
mod recorded;
mod simulation;
mod sweep;
mod training;
mod worker;

use pyo3::prelude::*;
use spikelet_kernel::simd::Level;

/// Large arrays are in large pages, as in the command line.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: spikelet_native::LargePages = spikelet_native::LargePages;

/// The variable that limits the vectors of the CPU.
const LEVEL: &str = "SPIKELET_LEVEL";

/// The module.
#[pymodule]
fn _spikelet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if let Some(name) = std::env::var_os(LEVEL) {
        Level::limit(&name.to_string_lossy()).map_err(|error| failure::error(format!("{LEVEL}: {error}")))?;
    }
    module.add("SpikeletError", module.py().get_type::<failure::SpikeletError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<simulation::Engine>()?;
    module.add_class::<sweep::Points>()?;
    module.add_class::<training::Gradients>()?;
    module.add_function(wrap_pyfunction!(opening::catalogue_network, module)?)?;
    module.add_function(wrap_pyfunction!(opening::catalogue_names, module)?)?;
    module.add_function(wrap_pyfunction!(opening::check_network, module)?)?;
    module.add_function(wrap_pyfunction!(training::training_names, module)?)?;
    module.add_function(wrap_pyfunction!(training::training_text, module)?)?;
    module.add_function(wrap_pyfunction!(library::library_models, module)?)?;
    module.add_function(wrap_pyfunction!(library::library_model, module)?)?;
    module.add_function(wrap_pyfunction!(parameter::network_with, module)?)?;
    module.add_function(wrap_pyfunction!(parameter::parameter_unit, module)?)?;
    module.add_function(wrap_pyfunction!(interchange::format_of, module)?)?;
    module.add_function(wrap_pyfunction!(interchange::import_network, module)?)?;
    module.add_function(wrap_pyfunction!(interchange::export_network, module)?)?;
    module.add_function(wrap_pyfunction!(device::adapters, module)?)
}
