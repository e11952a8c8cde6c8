//! What ranks agree upon between batches of steps.

use std::thread;

use spikelet::Purpose;

use crate::failure::Failure;
use crate::interrupt;
use crate::ranks::Ranks;
use crate::signal::Signal;

/// What ranks that share the network do next: the first one decides about steps, a signal to any of them ends all, and if a checkpoint is due
/// on one, all take it.
#[derive(Debug, Default)]
pub(super) struct Agreed {
    pub(super) steps: u32,
    pub(super) signal: Option<Signal>,
    pub(super) checkpoint: bool,
}

impl Agreed {
    /// Whether the run pauses here.
    pub(super) fn pauses(&self) -> bool {
        self.checkpoint || self.signal.is_some()
    }
}

pub(super) fn agreed(ranks: &Ranks, steps: u32, checkpoint: bool) -> Result<Agreed, Failure> {
    let signal = interrupt::asked();
    if !ranks.share_network() {
        return Ok(Agreed { steps, signal, checkpoint });
    }
    let words = vec![steps, signal.map_or(0, |signal| signal.number as u32), checkpoint.into()];
    let all = ranks.gather(Purpose::Agreement, words)?;
    Ok(Agreed {
        steps: all[0][0],
        signal: all.iter().find_map(|words| Signal::of_number(words[1] as i32)),
        checkpoint: all.iter().any(|words| words[2] != 0),
    })
}

/// A hidden option: the last of several ranks does nothing from a time on.
pub(super) fn hang_at(ms: Option<f64>, now_ms: f64, ranks: &Ranks) {
    if ranks.rank() > 0 && ranks.rank() + 1 == ranks.size() && ms.is_some_and(|ms| now_ms >= ms) {
        loop {
            thread::park();
        }
    }
}
