//! Threads of the CPU: in the engine `mt` they are Workers that share its memory; in `st` there is one.

#[cfg(target_feature = "atomics")]
mod workers;

#[cfg(target_feature = "atomics")]
pub use workers::{count, pool};

/// How many threads a network may have, and why there is only one.
#[derive(Debug, Clone, PartialEq)]
pub struct Threads {
    /// At least 1.
    pub most: usize,
    /// Why there is only one, where that is so.
    pub one_because: Option<String>,
}

impl Threads {
    /// One thread, because of this.
    pub fn one(because: impl Into<String>) -> Threads {
        Threads { most: 1, one_because: Some(because.into()) }
    }

    /// As many as the machine has cores for the page.
    #[cfg(target_feature = "atomics")]
    pub fn available() -> Threads {
        Threads { most: workers::cores(), one_because: None }
    }

    /// One: this is the engine `st`.
    #[cfg(not(target_feature = "atomics"))]
    pub fn available() -> Threads {
        Threads::one("this is the engine of one thread")
    }

    /// The same, and no more than so many, if that is said.
    pub(super) fn at_most(&self, most: Option<u32>) -> Threads {
        Threads { most: most.map_or(self.most, |most| self.most.min(most as usize)), one_because: self.one_because.clone() }
    }

    /// In words: `4`, or fewer than there could be, with the reason.
    pub(super) fn describe(&self, used: usize) -> String {
        match &self.one_because {
            Some(because) => format!("1: {because}"),
            None if used < self.most => format!("{used} of {}: more would not make this network faster", self.most),
            None => used.to_string(),
        }
    }
}

/// A pool of so many threads, all of them up; in the engine `st`, of one.
///
/// # Errors
/// The browser does not start a Worker.
#[cfg(not(target_feature = "atomics"))]
pub async fn pool(_: usize) -> Result<spikelet::Pool, spikelet::Error> {
    Ok(spikelet::Pool::new(1))
}

/// How many Workers serve pools: none, in the engine `st`.
#[cfg(not(target_feature = "atomics"))]
pub fn count() -> usize {
    0
}
