//! Preparations at the start of the program.
#![allow(unsafe_code)] // What the system knows of a process before `main`, and its environment, are had in no other way.

use spikelet_kernel::simd::Level;

use crate::failure::Failure;

/// The variable that limits the vectors of the CPU.
const LEVEL: &str = "SPIKELET_LEVEL";

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Cursor, Write};
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Before `main` Rust replaces a closed standard output by /dev/null, and output is lost without an error.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = {
        extern "C" fn look() {
            // SAFETY: it reads the flags of a descriptor, and changes nothing.
            CLOSED.store(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1, Ordering::Relaxed);
        }
        look
    };

    /// Without memory, one sentence, and the end: without unwinding, for which there may be no memory either.
    pub(super) fn out_of_memory(bytes: usize) {
        let mut text = Cursor::new([0_u8; 256]);
        let way_out = "free some, use fewer trials, a smaller network or --storage procedural, or limit it by --memory";
        // What does not fit is left out.
        _ = writeln!(text, "error: there is no memory for {bytes} more bytes; {way_out}");
        let (length, text) = (text.position() as usize, text.into_inner());
        // SAFETY: the buffer is valid for this length; nothing else of the process runs afterwards.
        unsafe {
            _ = libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), length);
            libc::_exit(1);
        }
    }

    pub(super) fn stdout_is_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    /// Drivers look for a desktop in this folder, and print warnings if it is not set.
    pub(super) fn silence_drivers() {
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            // SAFETY: it is called first in `main`, when there is no other thread.
            unsafe { std::env::set_var("XDG_RUNTIME_DIR", "/dev/null") };
        }
    }
}

/// Whether the program was started without a standard output (`>&-`).
pub(crate) fn stdout_is_closed() -> bool {
    #[cfg(target_os = "linux")]
    return linux::stdout_is_closed();
    #[cfg(not(target_os = "linux"))]
    false
}

/// From now on the program ends with a sentence if there is no memory.
pub(crate) fn tell_without_memory() {
    #[cfg(target_os = "linux")]
    spikelet_native::LargePages::at_exhaustion(linux::out_of_memory);
}

/// Prevents warnings of GPU drivers on machines without a desktop. The first call in `main`.
pub(crate) fn silence_drivers() {
    #[cfg(target_os = "linux")]
    linux::silence_drivers();
}

/// Limits the vectors of the CPU as the environment says.
pub(crate) fn limit_level() -> Result<(), Failure> {
    let Some(name) = std::env::var_os(LEVEL) else { return Ok(()) };
    Level::limit(&name.to_string_lossy()).map_err(|error| Failure::Input(format!("{LEVEL}: {error}")))
}
