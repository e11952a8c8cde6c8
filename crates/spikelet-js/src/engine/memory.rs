//! The memory of the engine: what a network may have of it, and what is said where there is no more.
#![allow(unsafe_code, reason = "the trait of allocators is unsafe to implement; this one passes all calls on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use js_sys::Reflect;
use wasm_bindgen::JsCast;

use crate::protocol::{Buffer, Memory};

/// What a 32-bit address reaches.
const LARGEST: u64 = 1 << 32;

/// What networks leave free: for the module, stacks, spikes on their way to the page, and lists while they are made.
const RESERVE: u64 = 256 << 20;

/// How large the memory may become.
static MOST: AtomicU64 = AtomicU64::new(LARGEST);

/// Bytes that are allocated.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Notes that the browser gives the engine no more than these bytes.
pub(super) fn limit(bytes: u64) {
    MOST.store(bytes.min(LARGEST), Ordering::Relaxed);
}

/// Bytes that a network may have.
pub(super) fn room() -> u64 {
    MOST.load(Ordering::Relaxed).saturating_sub(RESERVE)
}

/// What the engine takes: `buffers` where its network runs, and its own memory.
pub(super) fn usage(buffers: Vec<Buffer>) -> Memory {
    let memory = wasm_bindgen::memory().unchecked_into::<js_sys::WebAssembly::Memory>();
    let bytes = Reflect::get(&memory.buffer(), &"byteLength".into()).ok().and_then(|bytes| bytes.as_f64());
    let engine_bytes = bytes.unwrap_or_default() as u64;
    let (used_bytes, max_bytes) = (USED.load(Ordering::Relaxed) as u64, MOST.load(Ordering::Relaxed));
    Memory { buffers, engine_bytes, used_bytes, max_bytes }
}

/// The allocator of `std`, which counts, and says how much was wanted where it has no more: else the engine would stop without a word.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: every call is passed on to an allocator that is one.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        found(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        found(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        found(unsafe { System.realloc(at, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

/// What was allocated, counted; else the end of the engine.
fn found(at: *mut u8, bytes: usize) -> *mut u8 {
    USED.fetch_add(bytes, Ordering::Relaxed);
    if at.is_null() {
        exhausted(bytes);
    }
    at
}

/// Throws a sentence through the engine, which is then gone: `worker.js` tells it to the page.
#[cold]
fn exhausted(bytes: usize) -> ! {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let mut sentence = StackMessage::default();
    // What does not fit is left out; it does.
    _ = write!(
        sentence,
        "out of memory: {} MiB more are needed, and a tab has {} MiB in total; make the network smaller, set the storage of its \
         largest projections to \"procedural\", or store weights as \"f16\"",
        mebibytes(bytes as u64),
        mebibytes(MOST.load(Ordering::Relaxed)),
    );
    wasm_bindgen::throw_str(sentence.text())
}

/// A sentence on the stack: there is no memory for it.
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
