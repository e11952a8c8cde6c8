//! A thread with a value that only it may use. Devices are bound to a thread, but Python calls from any; and while the thread works, the
//! caller can look for signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::failure::{Failure, error};

/// Interval at which signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;
/// What a job gives.
type Answers<R> = Receiver<Result<R, Failure>>;

/// What a caller and the thread know of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    step: Arc<AtomicU32>,
}

impl Progress {
    /// Whether the call shall end early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A step was reached.
    pub(crate) fn reach(&self, step: u32) {
        self.step.store(step, Ordering::Relaxed);
    }

    /// The last step that was reached.
    pub(crate) fn step(&self) -> u32 {
        self.step.load(Ordering::Relaxed)
    }
}

/// A thread that owns a value. It ends with this handle, after its last job.
pub(crate) struct Worker<T> {
    jobs: Sender<Job<T>>,
    /// The process in which the thread lives.
    process: u32,
}

impl<T: 'static> Worker<T> {
    /// Starts a thread with the value of `open`.
    pub(crate) fn start(py: Python<'_>, open: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> PyResult<Worker<T>> {
        let (jobs, waiting) = channel::<Job<T>>();
        let (answer, opened) = channel();
        let work = move || {
            let mut value = match open() {
                Ok(value) => value,
                Err(failure) => {
                    _ = answer.send(Err(failure));
                    return;
                }
            };
            // An interrupted caller no longer waits.
            if answer.send(Ok(())).is_ok() {
                waiting.into_iter().for_each(|job| job(&mut value));
            }
        };
        let start = thread::Builder::new().name("spikelet".into()).spawn(work);
        start.map_err(|why| error(format!("no thread can be started for the simulation: {why}; end other programs")))?;
        let mut opened = opened;
        loop {
            let (answer, receiver) = received(py, opened);
            opened = receiver;
            match answer {
                Some(done) => break done.map_err(PyErr::from)?,
                None => py.check_signals()?,
            }
        }
        Ok(Worker { jobs, process: std::process::id() })
    }

    /// Executes a job on the thread. After a signal the job is asked to stop, and its result dropped.
    pub(crate) fn call<R: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut T, &Progress) -> Result<R, Failure> + Send + 'static,
    ) -> PyResult<R> {
        self.call_watched(py, job, None)
    }

    /// The same; `watch` is called with the step that was reached, several times per second. An exception of it has the effect of a signal.
    pub(crate) fn call_watched<R: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut T, &Progress) -> Result<R, Failure> + Send + 'static,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<R> {
        let look = |progress: &Progress| -> PyResult<()> {
            py.check_signals()?;
            watch.map_or(Ok(()), |watch| watch.call1((progress.step(),)).map(drop))
        };
        if self.process != std::process::id() {
            return Err(error(format!(
                "the simulation belongs to process {}, of which this one ({}) is a fork, and its threads were not copied; make \
                 simulations in the process that runs them, or start processes by the method `spawn` of multiprocessing",
                self.process,
                std::process::id()
            )));
        }
        let (answer, mut result) = channel();
        let progress = Progress::default();
        let of_job = progress.clone();
        let job: Job<T> = Box::new(move |value| _ = answer.send(job(value, &of_job)));
        if self.jobs.send(job).is_err() {
            return Err(internal());
        }
        let mut interrupted = None;
        loop {
            let (answer, receiver) = received(py, result);
            result = receiver;
            if let Some(done) = answer {
                return match interrupted {
                    Some(interrupted) => Err(interrupted),
                    None => Ok(done?),
                };
            }
            if interrupted.is_none()
                && let Err(why) = look(&progress)
            {
                progress.stop.store(true, Ordering::Relaxed);
                interrupted = Some(why);
            }
        }
    }
}

/// What arrives within a short time, while other Python threads run.
fn received<R: Send>(py: Python<'_>, receiver: Answers<R>) -> (Option<Result<R, Failure>>, Answers<R>) {
    py.detach(move || {
        let answer = match receiver.recv_timeout(LOOK) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(Failure(INTERNAL.into()))),
        };
        (answer, receiver)
    })
}

/// The thread ended, which it never does by itself.
const INTERNAL: &str = "the simulation ended by an internal error, which was printed; please report it with the network";

fn internal() -> PyErr {
    PyRuntimeError::new_err(INTERNAL)
}
