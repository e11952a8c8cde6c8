//! Large arrays in large pages of memory. The rows of a network's spikes are scattered over its synapses: with pages of 4 KiB, nearly each
//! row needs another entry of the processor's page table.
#![allow(unsafe_code, reason = "the trait of allocators is unsafe to implement; this one passes all calls on")]

use std::alloc::{GlobalAlloc, Layout, System};

/// Size and alignment of a large page.
const PAGE: usize = 2 << 20;

/// The system's allocator, which asks for large pages where there is room for some. A system that has none ignores it.
pub(crate) struct LargePages;

// SAFETY: all calls are passed on to the system's allocator; advice changes no content of memory.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that are required here.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the same.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the same.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the same.
        advised(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

/// Asks for large pages in this memory, which may be null.
fn advised(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= 2 * PAGE && !memory.is_null() {
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
    fn large_arrays_ask_for_large_pages_and_keep_their_content() {
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
