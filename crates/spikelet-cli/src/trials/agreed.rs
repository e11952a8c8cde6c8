//! What ranks agree upon between batches of steps.

use crate::failure::Failure;
use crate::interrupt;
use crate::ranks::Ranks;
use crate::signal::Signal;

/// What ranks that share the network do next: the first one decides about steps, a signal to any of them ends all, and if a checkpoint is due
/// on one, all take it.
pub(super) struct Agreed {
    pub(super) steps: u32,
    pub(super) signal: Option<Signal>,
    pub(super) checkpoint: bool,
}

pub(super) fn agreed(ranks: &Ranks, steps: u32, checkpoint: bool) -> Result<Agreed, Failure> {
    let signal = interrupt::asked();
    if !ranks.share_network() {
        return Ok(Agreed { steps, signal, checkpoint });
    }
    let all = ranks.gather(vec![steps, signal.map_or(0, |signal| signal.number as u32), checkpoint.into()])?;
    Ok(Agreed {
        steps: all[0][0],
        signal: all.iter().find_map(|words| Signal::of_number(words[1] as i32)),
        checkpoint: all.iter().any(|words| words[2] != 0),
    })
}
