//! Spikelet in JavaScript: the engine of the npm package.
//!
//! The simulator runs in a Worker, in its own WebAssembly module ([`engine`], feature `engine`), and does not block the page. The package's
//! scripts (`ts`) exchange messages of the [`protocol`] with it: commands, replies, events.

#[cfg(feature = "engine")]
pub mod engine;

#[cfg(feature = "judge")]
pub mod estimate;
#[cfg(feature = "judge")]
pub mod judge;
pub mod protocol;
