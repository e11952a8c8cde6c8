//! Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks the run to end, and the second ends the program.
pub(crate) fn listen() {
    // Without a handler Ctrl-C still ends the program, only less cleanly.
    _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
