//! The results of trials that ranks send to the first one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Ranks;
use crate::failure::Failure;
use crate::signal::Signal;
use crate::trials::FinishedTrial;

/// The results of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RankResults {
    pub(crate) done: Vec<FinishedTrial>,
    pub(crate) simulated: Duration,
    pub(crate) first_spike: Option<Duration>,
    /// The number of the signal that interrupted it.
    pub(crate) interrupted: Option<i32>,
    pub(crate) notices: Vec<String>,
}

impl RankResults {
    /// Sends those of this rank to the first one, which has those of all others.
    pub(crate) fn to_first(self, ranks: &Ranks) -> Result<Vec<RankResults>, Failure> {
        let lost = |error| Failure::Run(format!("the results of a rank cannot be sent: {error}; report this error"));
        let bytes = if ranks.is_first() { Vec::new() } else { postcard::to_stdvec(&self).map_err(lost)? };
        ranks.to_first(&bytes)?.iter().map(|bytes| postcard::from_bytes(bytes).map_err(lost)).collect()
    }

    /// The signal that interrupted it.
    pub(crate) fn signal(&self) -> Option<Signal> {
        self.interrupted.and_then(Signal::of_number)
    }
}
