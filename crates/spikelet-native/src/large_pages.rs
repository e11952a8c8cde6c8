//! Large arrays in large pages of memory. The rows of a network's spikes are scattered over its synapses: with pages of 4 KiB, nearly each
//! row needs another entry of the processor's page table.
#![allow(unsafe_code, reason = "the trait of allocators is unsafe to implement; this one passes all calls on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Size and alignment of a large page.
const PAGE: usize = 2 << 20;
/// Size from which allocations can be made to fail, for tests.
const LARGE: usize = 1 << 20;

/// What happens without memory.
static AT_EXHAUSTION: OnceLock<fn(usize)> = OnceLock::new();
/// The number of large allocations up to the one that fails; 0: none does.
static REFUSED: AtomicU32 = AtomicU32::new(0);

/// The system's allocator, which asks for large pages where there is room for some. A system that has none ignores it.
pub struct LargePages;

impl LargePages {
    /// From now on `tell` is called with the size in bytes when there is no memory. It must not allocate, and it should end the process with a message:
    /// after its return Rust aborts the process.
    pub fn at_exhaustion(tell: fn(usize)) {
        _ = AT_EXHAUSTION.set(tell);
    }

    /// Lets the allocation of this number fail, counted from 1 among those of at least 1 MiB from now on, as if there were no memory: for tests.
    pub fn refuse(number: u32) {
        REFUSED.store(number, Ordering::Relaxed);
    }
}

/// Whether an allocation of this size fails as if there were no memory.
fn is_refused(size: usize) -> bool {
    let last = |left: u32| left.checked_sub(1);
    size >= LARGE && REFUSED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, last) == Ok(1)
}

// SAFETY: all calls are passed on to the system's allocator; advice changes no content of memory.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that are required here.
        given(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the same.
        given(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the same.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the same.
        given(size, || unsafe { System.realloc(memory, layout, size) })
    }
}

/// Memory of this size as the system gives it, if there is any.
fn given(size: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    let memory = if is_refused(size) { ptr::null_mut() } else { allocate() };
    if memory.is_null() {
        AT_EXHAUSTION.get().iter().for_each(|tell| tell(size));
        return memory;
    }
    advised(memory, size)
}

/// Asks for large pages in this memory.
fn advised(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= 2 * PAGE {
        let before = memory.align_offset(PAGE).min(size);
        let pages = (size - before) / PAGE;
        // SAFETY: these pages are part of the memory that was just allocated.
        _ = unsafe { libc::madvise(memory.add(before).cast(), pages * PAGE, libc::MADV_HUGEPAGE) };
    }
    memory
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::memory::LARGE_ALLOCATIONS;

    /// The flags of the mapping with this address, as the system reports them.
    fn flags(address: usize) -> String {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_mine = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            if let Some((first, end)) = range {
                let [first, end] = [first, end].map(|text| usize::from_str_radix(text, 16).unwrap_or(0));
                is_mine = (first..end).contains(&address);
            }
            if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_mine) {
                return flags.to_owned();
            }
        }
        panic!("no mapping has the address {address:#x}");
    }

    #[test]
    fn one_large_allocation_is_refused() {
        let _alone = LARGE_ALLOCATIONS.lock();
        LargePages::refuse(1);
        let mut bytes: Vec<u8> = Vec::new();
        assert!(bytes.try_reserve_exact(LARGE).is_err());
        bytes.try_reserve_exact(LARGE).expect("the next one is given");
    }

    #[test]
    fn large_arrays_ask_for_large_pages_and_keep_their_content() {
        let _alone = LARGE_ALLOCATIONS.lock();
        let mut list: Vec<u32> = (0..4 << 20).collect();
        list.reserve_exact(16 << 20);
        let zeros = vec![0_u8; 8 * PAGE];
        assert!(list.iter().copied().eq(0..4 << 20) && zeros.iter().all(|byte| *byte == 0));
        // A kernel without large pages has no such flag.
        if fs::exists("/sys/kernel/mm/transparent_hugepage").unwrap() {
            for middle in [&raw const list[2 << 20] as usize, &raw const zeros[4 * PAGE] as usize] {
                assert!(flags(middle).split(' ').any(|flag| flag == "hg"), "{}", flags(middle));
            }
        }
    }
}
