//! The engine in a browser. Threads change little of it: what they do not change is tested in the engine of one thread alone.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod compiled;
#[cfg(not(target_feature = "atomics"))]
mod conformance;
mod engine;
#[cfg(not(target_feature = "atomics"))]
mod failures;
mod memory;
mod page;
#[cfg(not(target_feature = "atomics"))]
mod protocol;
mod same_spikes;
#[cfg(not(target_feature = "atomics"))]
mod values;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
