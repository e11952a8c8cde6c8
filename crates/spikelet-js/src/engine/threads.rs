//! Threads of the CPU: in the engine `mt` they are Workers that share its memory; in `st` there is one.

#[cfg(target_feature = "atomics")]
mod workers;

use js_sys::Function;
use spikelet::{Error, Pool};

/// The available threads, and why there is only one.
#[derive(Debug, Clone, PartialEq)]
pub struct Threads {
    /// At least 1.
    pub most: usize,
    /// Why there is only one, if so.
    pub one_because: Option<String>,
    /// Starts the Worker of a thread, if there may be several.
    #[cfg(target_feature = "atomics")]
    start: Option<Function>,
}

impl Threads {
    /// One thread, for this reason.
    pub fn one(because: impl Into<String>) -> Threads {
        Threads {
            most: 1,
            one_because: Some(because.into()),
            #[cfg(target_feature = "atomics")]
            start: None,
        }
    }

    /// As many as the browser reports cores. `start(module, memory, seat)` starts the Worker of a thread, which must run this module on
    /// this memory and call its `serveSeat` with the seat.
    #[cfg(target_feature = "atomics")]
    pub fn available(start: Function) -> Threads {
        Threads { most: workers::cores(), one_because: None, start: Some(start) }
    }

    /// One: this is the engine `st`.
    #[cfg(not(target_feature = "atomics"))]
    pub fn available(_: Function) -> Threads {
        Threads::one("this is the engine with one thread")
    }

    /// The same, with an optional limit.
    pub(super) fn at_most(&self, most: Option<u32>) -> Threads {
        Threads { most: most.map_or(self.most, |most| self.most.min(most as usize)), ..self.clone() }
    }

    /// Text: `4`, or a smaller number with the reason.
    pub(super) fn describe(&self, used: usize) -> String {
        match &self.one_because {
            Some(because) => format!("1: {because}"),
            None if used < self.most => format!("{used} of {}: more would not make this network faster", self.most),
            None => used.to_string(),
        }
    }

    /// A pool of this many running threads, or of one if there cannot be more.
    ///
    /// # Errors
    /// The browser does not start a Worker.
    #[cfg(target_feature = "atomics")]
    pub async fn pool(&self, threads: usize) -> Result<Pool, Error> {
        match &self.start {
            Some(start) => workers::pool(threads, start).await,
            None => Ok(Pool::new(1)),
        }
    }

    /// A pool of one thread.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_feature = "atomics"))]
    pub async fn pool(&self, _: usize) -> Result<Pool, Error> {
        Ok(Pool::new(1))
    }
}
