//! Spikelet in the browser.
//!
//! The simulator runs in a dedicated Worker, in a wasm module of its own ([`engine`], feature `engine`); a page never
//! computes. The two talk in the [`protocol`]: one enum of commands, one of events. [`client`] is the page's end of it.

#[cfg(feature = "engine")]
pub mod engine;

pub mod client;
pub mod protocol;
