//! The GPU backend of Spikelet, on wgpu: WebGPU in browsers, Vulkan, Metal and DX12 natively.
//!
//! [`auto`] uses a GPU if there is one, else the CPU, and gives the reason:
//!
//! ```
//! use spikelet::{Simulation, catalogue};
//! use spikelet_gpu::{Request, auto};
//!
//! # fn main() -> Result<(), spikelet::Error> { pollster::block_on(async {
//! let chosen = auto(&Request { threads: 1, ..Request::default() }).await?;
//! println!("{}: {}", chosen.name, chosen.reason);
//! let mut simulation = Simulation::new(&catalogue::network("cuba", 1.0)?, chosen.backend).await?;
//! println!("{} spikes", simulation.advance(100).await?.spikes.len());
//! # Ok(()) }) }
//! ```
//!
//! From a plan to dispatches: `spec` (what a kernel does, as data), `layout` (a plan as words at offsets), `passes` (stages of the schedule as
//! passes, and passes as dispatches), `kernels` and `link` (the WGSL), `pipelines` (compiled kernels), `session` (loaded trials), `submit`
//! (submissions and their results). `rank` exchanges with other ranks. `assemblies`, `training` and `eventprop` have the same for brains and
//! trainings. `allocate` is the only place that creates buffers.
//!
//! [`Gpu`] is the backend itself; its kernels are in `shaders/`. `examples/` has five example programs.

mod adapter;
mod allocate;
#[cfg(not(target_family = "wasm"))]
mod assemblies;
mod budget;
mod buffers;
mod choose;
mod clock;
mod complete_step;
mod device;
mod dry_run;
mod environment;
#[cfg(not(target_family = "wasm"))]
mod eventprop;
mod gpu;
mod header;
mod histogram;
pub mod kernels;
mod layout;
mod link;
mod monitor;
mod no_gpu;
mod options;
mod pace;
mod passes;
mod pipelines;
mod probe;
mod profile;
mod rank;
mod readback;
mod rounds;
mod select;
mod session;
mod shape;
mod sizes;
mod spec;
mod stepped_neurons;
mod stored_pipelines;
mod submission;
mod submit;
mod timer;
#[cfg(not(target_family = "wasm"))]
mod training;
mod tune;
#[cfg(not(target_family = "wasm"))]
mod validate;

pub use adapter::{AdapterReport, FeatureReport, LimitReport, Selector};
#[cfg(not(target_family = "wasm"))]
pub use assemblies::GpuAssemblies;
pub use budget::DeviceMemory;
pub use choose::{BackendRequest, DeviceKind, Request, SelectedBackend, auto, auto_on};
pub use device::{Device, adapters};
pub use dry_run::{DryRun, gpu_estimate, gpu_plan, gpu_plan_of_trials};
pub use environment::GpuEnvironment;
#[cfg(not(target_family = "wasm"))]
pub use eventprop::GpuEventProp;
pub use gpu::Gpu;
pub use monitor::{Counters, Monitor};
pub use no_gpu::NoGpuReason;
pub use options::{CONSTANTS, Fusion, GpuConstants, GpuOptions};
pub use pace::Pace;
pub use probe::{OperationDifference, OperationReport, probe};
pub use profile::{Advice, CpuReport, GpuReport, Interface, KernelProfile, OperationShare, RunProfile, SleepShare, Workload};
pub use select::GpuSelect;
pub use stored_pipelines::StoredPipelines;
pub use timer::{DispatchSpan, DispatchTimes};
#[cfg(not(target_family = "wasm"))]
pub use training::GpuBptt;
pub use tune::{TuningResult, WORKGROUP_SIZES, tune, tuning_key};
#[cfg(not(target_family = "wasm"))]
pub use validate::{KernelIssue, KernelReport, validate, validate_kernel};
