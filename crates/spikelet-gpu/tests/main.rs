//! The GPU backend: its kernels, what runs on it beside simulations, and the devices of this machine.
#![cfg(not(target_family = "wasm"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod assemblies;
mod devices;
mod differentiable;
mod dry_run;
mod eventprop;
mod half;
mod kernels;
mod on_gpu;
mod select;
mod training;
mod value_code;
