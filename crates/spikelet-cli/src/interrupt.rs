//! Signals that ask a run to end: Ctrl-C, a job that is called off, a terminal that closes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::{flag, low_level};

use crate::failure::Failure;
use crate::signal::{SIGNALS, Signal};

/// How often a [`Watch`] looks.
const LOOK: Duration = Duration::from_millis(20);

/// Place in [`SIGNALS`] of the last one that came, counted from 1.
static CAME: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From now on the first signal asks the command to end, and the second ends it at once.
pub(crate) fn listen() -> Result<(), Failure> {
    let came = CAME.get_or_init(Arc::default);
    let any = Arc::new(AtomicBool::new(false));
    for (place, signal) in (1..).zip(SIGNALS) {
        // In this order: what a signal sets, the next one finds.
        flag::register_conditional_shutdown(signal.number, signal.exit_code().into(), any.clone())
            .and_then(|_| flag::register_usize(signal.number, came.clone(), place))
            .and_then(|_| flag::register(signal.number, any.clone()))
            .map_err(|error| Failure::Run(format!("a handler for {} cannot be installed: {error}", signal.name)))?;
    }
    Ok(())
}

/// The signal that came, if one did.
pub(crate) fn asked() -> Option<Signal> {
    let place = CAME.get()?.load(Ordering::Relaxed);
    SIGNALS.get(place.checked_sub(1)?).copied()
}

/// Ends the program at a signal by itself, as long as it does something that nobody looks up from, and has nothing to keep.
pub(crate) struct InterruptGuard {
    /// None once it is over.
    leave: Arc<Mutex<Option<InterruptHandler>>>,
}

type InterruptHandler = Box<dyn FnOnce(Signal) + Send>;

impl InterruptGuard {
    /// From now on a signal has `leave` run, and the program end.
    pub(crate) fn begin(leave: impl FnOnce(Signal) + Send + 'static) -> Result<InterruptGuard, Failure> {
        let watch = InterruptGuard { leave: Arc::new(Mutex::new(Some(Box::new(leave)))) };
        let watched = watch.leave.clone();
        let look = move || {
            loop {
                let mut leave = watched.lock().unwrap_or_else(PoisonError::into_inner);
                match asked() {
                    _ if leave.is_none() => return,
                    None => {}
                    Some(signal) => {
                        // The lock is held: who would go on waits for the end.
                        if let Some(leave) = leave.take() {
                            leave(signal);
                        }
                        // Without what libraries do at an exit, which other threads still use.
                        low_level::exit(signal.exit_code().into());
                    }
                }
                drop(leave);
                thread::sleep(LOOK);
            }
        };
        let started = thread::Builder::new().name("signals".into()).spawn(look);
        started.map_err(|error| Failure::Run(format!("no thread can be started ({error}); give the program more memory")))?;
        Ok(watch)
    }

    /// From now on whoever works looks for signals.
    pub(crate) fn end(self) {}
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        self.leave.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
