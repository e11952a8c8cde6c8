//! What native programs share: the memory of the system, an allocator for large arrays, and the folder of files that name each other.

#[cfg(target_os = "linux")]
mod large_pages;
pub mod memory;
pub mod project;

#[cfg(target_os = "linux")]
pub use large_pages::LargePages;

/// The tests of large pages allocate by it.
#[cfg(all(test, target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: LargePages = LargePages;
