//! What the barrier of threads is made of.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread polls before it sleeps: some microseconds, which is usually sufficient. In a browser sleeping and waking are slower,
/// and so is the work between two synchronisations.
pub(crate) const LOOKS: u32 = if cfg!(target_family = "wasm") { 40_000 } else { 2_000 };
