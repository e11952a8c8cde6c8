//! How long a rank waits for others.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use spikelet::{Error, Tag, Task};

use crate::interrupt;
use crate::signal::Signal;

/// How often a waiting rank looks at the clock, and for signals.
const LOOK: Duration = Duration::from_millis(100);
/// How long a rank waits after a signal: the others end their batch of steps, and all write their results together.
const AFTER_SIGNAL: Duration = Duration::from_secs(10);

/// Why a rank exchanges nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The exchange has failed, on this rank or on another one.
    Failed,
    /// It has waited too long.
    Late,
    /// A signal came, and another rank did not answer.
    Interrupted(Signal),
}

impl Ended {
    /// Whether another rank does not answer.
    pub(crate) fn is_by_waiting(self) -> bool {
        self != Ended::Failed
    }
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for the messages of a task, at most for `limit`, and after a signal for a short time.
pub(super) fn wait<T>(
    mut task: Task<'static, T>,
    limit: Option<Duration>,
    rank: usize,
    tag: Tag,
    from: &[usize],
) -> Result<T, (Ended, Error)> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (began, mut signal) = (Instant::now(), None);
    loop {
        if let Poll::Ready(done) = task.as_mut().poll(&mut Context::from_waker(&waker)) {
            return done.map_err(|error| (Ended::Failed, error));
        }
        thread::park_timeout(LOOK);
        let others = || {
            let ranks: Vec<String> = from.iter().map(ToString::to_string).collect();
            format!("{} {} ({tag})", if ranks.len() == 1 { "rank" } else { "one of the ranks" }, ranks.join(", "))
        };
        if let Some(limit) = limit.filter(|limit| began.elapsed() > *limit) {
            let (waited, others) = (limit.as_secs_f64(), others());
            let sentence = format!("rank {rank} has waited {waited} s for {others}, the limit of --wait-limit");
            return Err((Ended::Late, Error::Backend(sentence)));
        }
        signal = signal.or_else(|| Some((interrupt::asked()?, Instant::now())));
        if let Some((signal, came)) = signal
            && came.elapsed() > AFTER_SIGNAL
        {
            let (seconds, others) = (AFTER_SIGNAL.as_secs(), others());
            let sentence = format!("while rank {rank} waited for {others}, which did not answer within {seconds} s");
            return Err((Ended::Interrupted(signal), Error::Backend(sentence)));
        }
    }
}
