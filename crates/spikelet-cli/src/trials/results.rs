//! The results of trials that ranks send to the first one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::FinishedTrial;
use crate::failure::Failure;
use crate::ranks::Ranks;
use crate::signal::Signal;

/// The results of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RankResults {
    pub(super) done: Vec<FinishedTrial>,
    pub(super) simulated: Duration,
    pub(super) first_spike: Option<Duration>,
    /// The number of the signal that interrupted it.
    pub(super) interrupted: Option<i32>,
    pub(super) notices: Vec<String>,
}

impl RankResults {
    /// Sends those of this rank to the first one, which has those of all others.
    pub(super) fn sent_to_first(self, ranks: &Ranks) -> Result<Vec<RankResults>, Failure> {
        let lost = |error| Failure::Run(format!("the results of a rank cannot be sent: {error}; report this error"));
        let bytes = if ranks.is_first() { Vec::new() } else { postcard::to_stdvec(&self).map_err(lost)? };
        ranks.to_first(&bytes)?.iter().map(|bytes| postcard::from_bytes(bytes).map_err(lost)).collect()
    }

    /// The signal that interrupted it.
    pub(super) fn signal(&self) -> Option<Signal> {
        self.interrupted.and_then(Signal::of_number)
    }
}
