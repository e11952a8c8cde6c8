//! The module of the engine: the library with nothing else.
//!
//! The crate that is linked last decides for all others whether loops are vectorised. It is compiled for speed, and the library for size.

#![no_main]

use spikelet_js as _;
