//! Signals that interrupt a run: Ctrl-C, termination, and the end of the terminal.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::{flag, low_level};

use crate::failure::Failure;
use crate::signal::{SAVING_SIGNALS, SIGNALS, Signal};

/// Interval at which a [`InterruptGuard`] checks.
const LOOK: Duration = Duration::from_millis(20);

/// Index in [`SIGNALS`] of the last signal, counted from 1.
static CAME: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Installs handlers: the first signal asks the command to end, the second ends it at once.
pub(crate) fn listen() -> Result<(), Failure> {
    let came = CAME.get_or_init(Arc::default);
    let any = Arc::new(AtomicBool::new(false));
    for (place, signal) in (1..).zip(SIGNALS) {
        // The order matters: each step uses the result of the previous one.
        flag::register_conditional_shutdown(signal.number, signal.exit_code().into(), any.clone())
            .and_then(|_| flag::register_usize(signal.number, came.clone(), place))
            .and_then(|_| flag::register(signal.number, any.clone()))
            .map_err(|error| Failure::Run(format!("a handler for {} cannot be installed: {error}", signal.name)))?;
    }
    // Beyond `ulimit -f`, a write then fails with a message instead of ending the process.
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())
        .map_err(|error| Failure::Run(format!("a handler for SIGXFSZ cannot be installed: {error}")))?;
    Ok(())
}

/// Set by a signal that wants a checkpoint.
static SAVE: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// The number of such signals.
static SAVES: AtomicUsize = AtomicUsize::new(0);

/// Installs handlers for the signals by which batch systems announce the end of a job: they let a run save its state.
pub(crate) fn listen_for_saves() -> Result<(), Failure> {
    let save = SAVE.get_or_init(Arc::default);
    for Signal { number, name } in SAVING_SIGNALS {
        flag::register(*number, save.clone())
            .map_err(|error| Failure::Run(format!("a handler for {name} cannot be installed: {error}")))?;
    }
    Ok(())
}

/// How many signals to save the state have come.
pub(crate) fn saves() -> usize {
    if SAVE.get().is_some_and(|save| save.swap(false, Ordering::Relaxed)) {
        SAVES.fetch_add(1, Ordering::Relaxed);
    }
    SAVES.load(Ordering::Relaxed)
}

/// The signal that was received, if any.
pub(crate) fn asked() -> Option<Signal> {
    let place = CAME.get()?.load(Ordering::Relaxed);
    SIGNALS.get(place.checked_sub(1)?).copied()
}

/// Ends the program at a signal, while it does something that cannot be interrupted and has no results to write.
pub(crate) struct InterruptGuard {
    /// `None` after its end.
    leave: Arc<Mutex<Option<InterruptHandler>>>,
}

type InterruptHandler = Box<dyn FnOnce(Signal) + Send>;

impl InterruptGuard {
    /// From now on a signal runs `leave`, and ends the program.
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
                        // The lock is held: other threads wait for the end.
                        if let Some(leave) = leave.take() {
                            leave(signal);
                        }
                        // Without exit handlers of libraries, whose data other threads still use.
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

    /// From now on the running code checks for signals.
    pub(crate) fn end(self) {}
}

impl Drop for InterruptGuard {
    fn drop(&mut self) {
        self.leave.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
