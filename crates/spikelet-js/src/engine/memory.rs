//! The memory of the engine: how much a network may use, and the error when it is exhausted.
#![allow(unsafe_code, reason = "the trait of allocators is unsafe to implement; this one passes all calls on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use js_sys::Reflect;
use wasm_bindgen::JsCast;

use crate::protocol::{Buffer, Memory};

/// The 32-bit address space.
const LARGEST: u64 = 1 << 32;

/// Memory that networks must leave free: for the module, stacks, spikes in transfer, and temporary lists.
const RESERVE: u64 = 256 << 20;

/// The maximum size of the memory.
static MOST: AtomicU64 = AtomicU64::new(LARGEST);

/// Allocated bytes.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Records the limit of the browser, in bytes.
pub(super) fn limit(bytes: u64) {
    MOST.store(bytes.min(LARGEST), Ordering::Relaxed);
}

/// Bytes available to a network.
pub(super) fn room() -> u64 {
    MOST.load(Ordering::Relaxed).saturating_sub(RESERVE)
}

/// The memory in use: `buffers` of the network on its device, and the memory of the engine.
pub(super) fn usage(buffers: Vec<Buffer>) -> Memory {
    let memory = wasm_bindgen::memory().unchecked_into::<js_sys::WebAssembly::Memory>();
    let bytes = Reflect::get(&memory.buffer(), &"byteLength".into()).ok().and_then(|bytes| bytes.as_f64());
    let engine_bytes = bytes.unwrap_or_default() as u64;
    let (used_bytes, max_bytes) = (USED.load(Ordering::Relaxed) as u64, MOST.load(Ordering::Relaxed));
    Memory { buffers, engine_bytes, used_bytes, max_bytes }
}

/// The allocator of `std`, which counts bytes. If memory is exhausted, it reports the size of the failed allocation; otherwise the engine
/// would stop without a message.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: every call is forwarded to a valid allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        found(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        found(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: guaranteed by the caller.
        found(unsafe { System.realloc(at, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Counts an allocation; ends the engine if it failed.
fn found(at: *mut u8, bytes: usize) -> *mut u8 {
    USED.fetch_add(bytes, Ordering::Relaxed);
    if at.is_null() {
        exhausted(bytes);
    }
    at
}

/// Throws a message through the engine, which ends it: `worker.js` reports it to the page.
#[cold]
fn exhausted(bytes: usize) -> ! {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let mut sentence = StackMessage::default();
    // Text that does not fit is truncated; the buffer is large enough.
    _ = write!(
        sentence,
        "out of memory: {} MiB more are needed, and a tab has {} MiB in total; make the network smaller, set the storage of its \
         largest projections to \"procedural\", or store weights as \"f16\"",
        mebibytes(bytes as u64),
        mebibytes(MOST.load(Ordering::Relaxed)),
    );
    wasm_bindgen::throw_str(sentence.text())
}

/// A message on the stack: there is no memory for it.
struct StackMessage {
    bytes: [u8; 320],
    length: usize,
}

impl Default for StackMessage {
    fn default() -> StackMessage {
        StackMessage { bytes: [0; 320], length: 0 }
    }
}

impl StackMessage {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or("out of memory")
    }
}

impl Write for StackMessage {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}
