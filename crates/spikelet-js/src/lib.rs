//! Spikelet in JavaScript: the engine below the npm package.
//!
//! The simulator runs in a Worker, in a wasm module of its own ([`engine`], feature `engine`); a page never computes. The package's
//! scripts (`ts`) speak the [`protocol`] with it: commands, answers, events.

#[cfg(feature = "engine")]
pub mod engine;

#[cfg(feature = "judge")]
pub mod judge;
pub mod protocol;
