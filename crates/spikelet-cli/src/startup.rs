//! What has to be seen to before anything else.
#![allow(unsafe_code)] // What the system knows of a process before `main`, and its environment, are had in no other way.

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Before `main` Rust opens /dev/null in place of a standard output that is closed, and whatever is printed is lost without a word.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = {
        extern "C" fn look() {
            // SAFETY: it asks for the flags of a descriptor, and changes nothing.
            CLOSED.store(unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1, Ordering::Relaxed);
        }
        look
    };

    pub(super) fn stdout_is_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    /// Drivers look for a desktop in this folder, and complain on stderr where it is not set.
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

/// Has drivers of GPUs find a machine without a desktop normal. The first thing that `main` calls.
pub(crate) fn silence_drivers() {
    #[cfg(target_os = "linux")]
    linux::silence_drivers();
}
