//! The GPU backend of Spikelet, on wgpu: WebGPU in browsers, Vulkan, Metal and DX12 natively.
//!
//! [`auto`] takes a GPU where there is one, else the CPU, and says why:
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
//! [`Gpu`] is the backend itself; its kernels stand in `shaders/`, readable from top to bottom. `examples/` has five programs to start from.

mod absence;
mod adapter;
mod allocate;
mod buffers;
mod choose;
mod clock;
mod device;
mod dry_run;
mod flight;
mod gpu;
mod header;
pub mod kernels;
mod layout;
mod link;
mod loaded;
mod monitor;
mod options;
mod pace;
mod passes;
mod pipelines;
mod place;
mod profile;
mod readback;
mod shape;
mod sizes;
mod spec;
mod stopping;
mod submit;
mod tally;
mod timer;
mod tune;
#[cfg(not(target_family = "wasm"))]
mod validate;

pub use absence::Absence;
pub use adapter::{AdapterReport, FeatureReport, LimitReport, Selector};
pub use choose::{BackendRequest, Chosen, Kind, Request, auto, auto_on};
pub use device::{Device, adapters};
pub use dry_run::{DryRun, gpu_plan};
pub use gpu::Gpu;
pub use monitor::{Counters, Monitor};
pub use options::{Fusion, GpuOptions};
pub use pace::Pace;
pub use place::Place;
pub use profile::{KernelShare, KernelTime, Measurement, Profile, least_bytes};
pub use timer::{Span, Times};
pub use tune::{Tuning, WORKGROUP_SIZES, tune, tuning_key};
#[cfg(not(target_family = "wasm"))]
pub use validate::{KernelIssue, KernelReport, validate, validate_kernel};
